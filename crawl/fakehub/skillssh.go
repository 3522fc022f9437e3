package fakehub

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// skillsSH plays skills.sh: its sitemaps, which name every skill of the hub, and its API, which wants a key and shows
// the most installed part.
type skillsSH struct {
	now    func() time.Time
	minute *quota
	shelf  *shelf
}

// What people who read the site report.
const (
	skillsSHOrigin  = "https://www.skills.sh"
	skillsSHPart    = 10_000 // URLs a sitemap
	skillsSHShown   = 9_571  // rows of the API
	skillsSHMost    = 500    // rows a page
	skillsSHDefault = 100
)

var skillsSHSitemap = regexp.MustCompile(`^/sitemap-skills-([1-9][0-9]{0,4})\.xml$`)

func newSkillsSH(h *Hub, quotas Quotas) host {
	return &skillsSH{now: h.now, minute: newQuota(quotas.SkillsSHMinute, time.Minute), shelf: &shelf{index: h.index}}
}

func (s *skillsSH) classify(r *http.Request) target {
	switch r.URL.Path {
	case "/robots.txt":
		return target{endpoint: "robots"}
	case "/sitemap.xml":
		return target{endpoint: "index"}
	case "/sitemap-owners.xml":
		return target{endpoint: "owners"}
	case "/api/v1/skills":
		return target{endpoint: "skills"}
	}
	if part := skillsSHSitemap.FindStringSubmatch(r.URL.Path); part != nil {
		return target{endpoint: "sitemap", rest: part[1]}
	}
	return target{endpoint: "unknown"}
}

func (s *skillsSH) serve(w http.ResponseWriter, r *http.Request, t target) {
	all, err := s.skills()
	if err != nil {
		write(w, r, plain(http.StatusInternalServerError, "fakehub: "+err.Error()))
		return
	}
	switch t.endpoint {
	case "robots":
		write(w, r, plain(http.StatusOK, "User-Agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: "+skillsSHOrigin+"/sitemap.xml\n"))
	case "index":
		write(w, r, s.sitemapIndex(len(all)))
	case "owners":
		write(w, r, sitemapOf(r, all, func(p *published) string { return p.Author }))
	case "sitemap":
		n := number(t.rest, 1)
		if from := (n - 1) * skillsSHPart; n == 1 || from < len(all) {
			write(w, r, sitemapOf(r, all[from:min(from+skillsSHPart, len(all))], skillsSHPath))
			return
		}
		write(w, r, plainNotFound())
	case "skills":
		s.serveAPI(w, r, all)
	default:
		write(w, r, plainNotFound())
	}
}

// skills returns one skill for each name in a repository, as the site has them.
func (s *skillsSH) skills() ([]*published, error) {
	all, err := s.shelf.skills()
	seen := make(map[string]bool)
	var named []*published
	for _, p := range all {
		if at := skillsSHPath(p); !seen[at] {
			seen[at] = true
			named = append(named, p)
		}
	}
	return named, err
}

func skillsSHSlug(p *published) string {
	if slug := dashed(p.Name); slug != "" {
		return slug
	}
	return p.slug
}

func skillsSHPath(p *published) string { return p.repo.Repo + "/" + skillsSHSlug(p) }

func (s *skillsSH) sitemapIndex(skills int) answer {
	var text strings.Builder
	text.WriteString(xml.Header + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for n := 1; n == 1 || (n-1)*skillsSHPart < skills; n++ {
		fmt.Fprintf(&text, "\n<sitemap><loc>%s/sitemap-skills-%d.xml</loc></sitemap>", skillsSHOrigin, n)
	}
	fmt.Fprintf(&text, "\n<sitemap><loc>%s/sitemap-owners.xml</loc></sitemap>\n</sitemapindex>\n", skillsSHOrigin)
	return answer{status: http.StatusOK, contentType: "application/xml", body: []byte(text.String())}
}

// sitemapOf is a sitemap, in gzip for whoever takes it.
func sitemapOf(r *http.Request, skills []*published, path func(*published) string) answer {
	var text bytes.Buffer
	text.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, p := range skills {
		fmt.Fprintf(&text, "\n<url><loc>%s/%s</loc></url>", skillsSHOrigin, escapePath(path(p)))
	}
	text.WriteString("\n</urlset>\n")
	reply := answer{status: http.StatusOK, contentType: "application/xml", body: text.Bytes()}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var small bytes.Buffer
		w := gzip.NewWriter(&small)
		_, _ = w.Write(text.Bytes()) // a buffer takes everything
		_ = w.Close()
		reply.body, reply.header = small.Bytes(), map[string]string{"Content-Encoding": "gzip"}
	}
	return reply
}

func (s *skillsSH) serveAPI(w http.ResponseWriter, r *http.Request, all []*published) {
	caller := r.Header.Get("Authorization")
	now := s.now()
	u, ok := s.minute.take(caller, now)
	w.Header().Set("X-RateLimit-Limit", strconv.Itoa(u.limit))
	w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(u.remaining()))
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(u.reset.Unix(), 10))
	switch {
	case !ok:
		w.Header().Set("Retry-After", seconds(u.reset.Sub(now)))
		write(w, r, jsonAnswer(http.StatusTooManyRequests, map[string]string{"error": "rate_limited", "message": "Too many requests"}))
	case !strings.HasPrefix(caller, "Bearer "):
		write(w, r, jsonAnswer(http.StatusUnauthorized, map[string]string{"error": "authentication_required", "message": "A token is required"}))
	default:
		write(w, r, skillsSHPage(all, number(r.URL.Query().Get("page"), 0), number(r.URL.Query().Get("per_page"), skillsSHDefault)))
	}
}

func skillsSHPage(all []*published, page, size int) answer {
	all = all[:min(len(all), skillsSHShown)]
	size = min(max(size, 1), skillsSHMost)
	from := min(max(page, 0), len(all)/size+1) * size
	from = min(from, len(all))
	to := min(from+size, len(all))
	rows := []any{}
	for _, p := range all[from:to] {
		at := skillsSHPath(p)
		rows = append(rows, map[string]any{
			"id": at, "slug": skillsSHSlug(p), "name": p.Name, "source": p.repo.Repo, "installs": p.Stars * 3, "sourceType": "github",
			"installUrl": "https://github.com/" + p.repo.Repo, "url": "https://skills.sh/" + escapePath(at),
		})
	}
	return jsonAnswer(http.StatusOK, map[string]any{
		"data": rows, "pagination": map[string]any{"page": page, "perPage": size, "total": len(all), "hasMore": to < len(all)},
	})
}
