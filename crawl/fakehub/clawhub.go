package fakehub

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// clawHub plays clawhub.ai's API: every skill of the hub under a slug of its own, owned by its repository's owner.
type clawHub struct {
	now       func() time.Time
	reads     *quota
	downloads *quota
	shelf     *shelf
}

const (
	clawHubPath    = "/api/v1/"
	clawHubDefault = 50  // rows a page
	clawHubMost    = 200 // of which
)

func newClawHub(h *Hub, quotas Quotas) host {
	return &clawHub{
		now: h.now, reads: newQuota(quotas.ClawHubMinute, time.Minute), downloads: newQuota(quotas.ClawHubDownloads, time.Minute),
		shelf: &shelf{index: h.index},
	}
}

// refuse answers an ordered limit as the quota of a minute.
func (c *clawHub) refuse(_ *http.Request, _ Limit, until time.Time, left time.Duration) answer {
	return clawHubLimit(until, left, 0)
}

func clawHubLimit(until time.Time, left time.Duration, limit int) answer {
	reply := plain(http.StatusTooManyRequests, "Rate limit exceeded")
	reply.header = clawHubHeaders(usage{limit: limit, used: limit, reset: until}, left)
	reply.header["X-RateLimit-Remaining"], reply.header["RateLimit-Remaining"] = "0", "0"
	reply.header["Retry-After"] = seconds(left)
	return reply
}

func clawHubHeaders(u usage, left time.Duration) map[string]string {
	limit, remaining := strconv.Itoa(u.limit), strconv.Itoa(u.remaining())
	return map[string]string{
		"X-RateLimit-Limit": limit, "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": strconv.FormatInt(u.reset.Unix(), 10),
		"RateLimit-Limit": limit, "RateLimit-Remaining": remaining, "RateLimit-Reset": seconds(left),
	}
}

// classify reads /api/v1/skills, /api/v1/skills/{slug} and /api/v1/download?slug=; rest is the slug.
func (c *clawHub) classify(r *http.Request) target {
	what, ok := strings.CutPrefix(r.URL.Path, clawHubPath)
	slug, one := strings.CutPrefix(what, "skills/")
	t := target{endpoint: "unknown"}
	switch {
	case ok && what == "skills":
		return target{endpoint: "skills"}
	case ok && what == "download":
		t = target{endpoint: "download", rest: r.URL.Query().Get("slug")}
	case ok && one && !strings.Contains(slug, "/"):
		t = target{endpoint: "skill", rest: slug}
	default:
		return t
	}
	if _, err := c.shelf.skills(); err == nil {
		if p := c.shelf.byKey[t.rest]; p != nil {
			t.repo, t.asked = p.repo, p.repo.Repo
		}
	}
	return t
}

func (c *clawHub) serve(w http.ResponseWriter, r *http.Request, t target) {
	if t.endpoint == "unknown" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		write(w, r, plain(http.StatusNotFound, "Not found"))
		return
	}
	skills, err := c.shelf.skills()
	if err != nil {
		write(w, r, plain(http.StatusInternalServerError, "fakehub: "+err.Error()))
		return
	}
	counted := c.reads
	if t.endpoint == "download" {
		counted = c.downloads
	}
	now := c.now()
	u, ok := counted.take(r.Header.Get("Authorization"), now)
	left := u.reset.Sub(now)
	if !ok {
		write(w, r, clawHubLimit(u.reset, left, u.limit))
		return
	}
	for name, value := range clawHubHeaders(u, left) {
		w.Header().Set(name, value)
	}
	switch t.endpoint {
	case "skills":
		write(w, r, clawHubPage(skills, r.URL.Query().Get("cursor"), number(r.URL.Query().Get("limit"), clawHubDefault)))
	case "skill":
		write(w, r, c.skill(t.rest))
	default:
		write(w, r, c.download(t.rest, r.URL.Query().Get("version")))
	}
}

// clawHubPage is a page of skills. What is hidden is taken out after the page was cut, so that it may be short, or
// empty, before the end.
func clawHubPage(skills []*published, cursor string, limit int) answer {
	from := 0
	if cursor != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(cursor, "after-"))
		if err != nil || n < 0 || n > len(skills) || !strings.HasPrefix(cursor, "after-") {
			return plain(http.StatusBadRequest, "Invalid cursor")
		}
		from = n
	}
	to := min(from+min(max(limit, 1), clawHubMost), len(skills))
	items := []any{}
	for _, p := range skills[from:to] {
		if !p.hidden() {
			items = append(items, p.clawHubRow())
		}
	}
	page := map[string]any{"items": items, "nextCursor": nil}
	if to < len(skills) {
		page["nextCursor"] = "after-" + strconv.Itoa(to)
	}
	return jsonAnswer(http.StatusOK, page)
}

func (p *published) clawHubRow() map[string]any {
	return map[string]any{
		"slug": p.slug, "displayName": p.Name, "summary": p.Description, "topics": []string{}, "tags": map[string]string{"latest": p.version()},
		"stats":     map[string]int{"stars": p.Stars, "downloads": p.Stars * 7, "installsAllTime": p.Stars * 3},
		"createdAt": p.repo.pushed.UnixMilli(), "updatedAt": p.updated().UnixMilli(),
		"latestVersion": map[string]any{"version": p.version(), "createdAt": p.updated().UnixMilli(), "changelog": ""},
		"metadata":      nil,
	}
}

// skill tells of one skill. One whose repository is blocked is withheld by moderation, one that vanished is gone.
func (c *clawHub) skill(slug string) answer {
	p := c.shelf.byKey[slug]
	if p == nil || p.hidden() && p.repo.current().blocked == "" {
		return plain(http.StatusNotFound, "Skill not found")
	}
	row := p.clawHubRow()
	owner, _, _ := strings.Cut(p.repo.fullName(), "/")
	details := map[string]any{"skill": row, "latestVersion": row["latestVersion"], "metadata": nil, "owner": map[string]any{"handle": owner, "displayName": owner, "image": nil}}
	if p.hidden() {
		details["moderation"] = map[string]any{"isSuspicious": true, "isMalwareBlocked": true, "verdict": "malicious", "reasonCodes": []string{"malicious"}}
	}
	return jsonAnswer(http.StatusOK, details)
}

func (c *clawHub) download(slug, version string) answer {
	p := c.shelf.byKey[slug]
	switch {
	case p == nil || version != "" && version != p.version():
		return plain(http.StatusNotFound, "Version not found")
	case p.hidden():
		return plain(http.StatusForbidden, "Download blocked by moderation")
	}
	files, err := p.files()
	var body []byte
	if err == nil {
		body, err = zipped(files)
	}
	if err != nil {
		return plain(http.StatusInternalServerError, "fakehub: "+err.Error())
	}
	return answer{status: http.StatusOK, contentType: "application/zip", body: body}
}
