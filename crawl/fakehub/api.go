package fakehub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// api plays api.github.com.
type api struct {
	index       *index
	url         func(host string) string // base URL of a host
	now         func() time.Time
	hourly      *quota
	treeEntries int // of a recursive listing, before it is truncated
	graphQL     *graphQL
	search      *search
}

func newAPI(h *Hub, quotas Quotas) host {
	return &api{
		index:       h.index,
		url:         h.url,
		now:         h.now,
		hourly:      newQuota(quotas.GitHubHour, time.Hour),
		treeEntries: cmp.Or(h.treeEntries, maxTreeEntries),
		graphQL:     newGraphQL(h, quotas.GraphQLHour),
		search:      newSearch(h, quotas),
	}
}

// answer is a whole answer of the API, not yet sent.
type answer struct {
	status      int
	header      map[string]string
	contentType string
	body        []byte
}

// with returns the answer with headers of its own.
func (a answer) with(header http.Header) answer {
	a.header = make(map[string]string)
	for name := range header {
		a.header[name] = header.Get(name)
	}
	return a
}

func jsonAnswer(status int, value any) answer {
	body, err := json.Marshal(value)
	if err != nil {
		return failure(err)
	}
	return answer{status: status, contentType: "application/json; charset=utf-8", body: body}
}

// message is an answer in the shape of GitHub's errors.
func message(status int, text string) answer {
	return jsonAnswer(status, map[string]any{
		"message": text, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status),
	})
}

func notFound() answer { return message(http.StatusNotFound, "Not Found") }

// failure is an error of the hub itself, like a damaged archive.
func failure(err error) answer {
	return message(http.StatusInternalServerError, "fakehub: "+err.Error())
}

// classify reads /repos/{owner}/{name}/… and /repositories/{id}/….
func (a *api) classify(r *http.Request) target {
	parts := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 4)
	var t target
	switch {
	case parts[0] == "rate_limit" && len(parts) == 1:
		return target{endpoint: "rate_limit"}
	case parts[0] == "graphql" && len(parts) == 1:
		return target{endpoint: endpointGraphQL}
	case parts[0] == "search" && len(parts) == 2 && (parts[1] == "code" || parts[1] == "repositories"):
		return target{endpoint: "search " + parts[1]}
	case parts[0] == "repos" && len(parts) >= 3:
		t.asked = parts[1] + "/" + parts[2]
		t.repo = a.index.named(t.asked)
		t.rest = strings.Join(parts[3:], "/")
	case parts[0] == "repositories" && len(parts) >= 2:
		if id, err := strconv.ParseInt(parts[1], 10, 64); err == nil {
			t.repo = a.index.byID[id]
		}
		t.rest = strings.Join(parts[2:], "/")
	default:
		return target{endpoint: "unknown"}
	}
	t.endpoint, _ = a.route(t.rest)
	return t
}

// route returns the endpoint below a repository and the function that answers it.
func (a *api) route(rest string) (string, func(*http.Request, *repository, string) answer) {
	first, argument, _ := strings.Cut(rest, "/")
	if first == "git" {
		second, below, _ := strings.Cut(argument, "/")
		first, argument = "git/"+second, below
	}
	switch {
	case first == "":
		return "repo", a.repo
	case first == "commits" && argument == "":
		return "commits", a.commits
	case first == "commits":
		return "commit", a.commit
	case first == "branches" && argument == "":
		return "branches", a.branches
	case first == "branches":
		return "branch", a.branch
	case first == "contents":
		return "contents", a.contents
	case first == "git/trees":
		return "tree", a.tree
	case first == "git/matching-refs":
		return "matching-refs", a.matchingRefs
	case first == "git/blobs":
		return "blob", a.blob
	case first == "zipball" || first == "tarball":
		return first, a.archiveLink
	}
	return "unknown", func(*http.Request, *repository, string) answer { return notFound() }
}

// serve counts the request against the quota, answers it, and gives a free 304 its count back.
func (a *api) serve(w http.ResponseWriter, r *http.Request, t target) {
	switch {
	case t.endpoint == "rate_limit":
		write(w, r, a.rateLimit(r))
		return
	case t.endpoint == endpointGraphQL && r.Method == http.MethodPost:
		a.graphQL.serve(w, r, t)
		return
	case t.endpoint == endpointCode || t.endpoint == endpointRepos:
		a.search.serve(w, r, t)
		return
	}
	caller := callerOf(r)
	spent, ok := a.hourly.take(caller, a.now())
	if !ok {
		setRateHeaders(w.Header(), spent, resourceCore)
		write(w, r, limitExceeded())
		return
	}
	reply := a.answer(r, t)
	if reply.status == http.StatusOK {
		etag := weakETag(reply.contentType, string(reply.body))
		w.Header().Set("ETag", etag)
		w.Header().Set("Cache-Control", "private, max-age=60, s-maxage=60")
		w.Header().Set("Vary", "Accept, Authorization, Cookie")
		if matches(r, etag) {
			reply = answer{status: http.StatusNotModified}
			if caller != "" {
				spent = a.hourly.giveBack(caller, a.now())
			}
		}
	}
	setRateHeaders(w.Header(), spent, resourceCore)
	write(w, r, reply)
}

// answer applies the repository's state, then the endpoint's own rules.
func (a *api) answer(r *http.Request, t target) answer {
	if t.repo == nil || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		return notFound()
	}
	s := t.repo.current()
	if t.asked != "" && !strings.EqualFold(t.asked, t.repo.fullName()) {
		return a.moved(r, t)
	}
	switch {
	case s.vanished:
		return notFound()
	case s.blocked != "":
		return blocked(s.blocked, t.repo)
	}
	_, reply := a.route(t.rest)
	_, argument, _ := strings.Cut(strings.TrimPrefix(t.rest, "git/"), "/")
	return reply(r, t.repo, argument)
}

// moved sends a caller who knows a former name to the repository's number.
func (a *api) moved(r *http.Request, t target) answer {
	to := fmt.Sprintf("%s/repositories/%d", a.url("api"), t.repo.id)
	if t.rest != "" {
		to += "/" + t.rest
	}
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	reply := jsonAnswer(http.StatusMovedPermanently, map[string]any{
		"message": "Moved Permanently", "url": to, "documentation_url": "https://docs.github.com/rest",
	})
	reply.header = map[string]string{"Location": to}
	return reply
}

func blocked(reason string, r *repository) answer {
	status := http.StatusForbidden
	if reason == blockDMCA {
		status = http.StatusUnavailableForLegalReasons
	}
	return jsonAnswer(status, map[string]any{
		"message": "Repository access blocked",
		"block": map[string]any{
			"reason": reason, "created_at": stamp(r.updated), "html_url": "https://github.com/" + r.fullName() + "/notice",
		},
	})
}

const docsLimits = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"

// limitExceeded is the answer over the primary quota.
func limitExceeded() answer {
	return jsonAnswer(http.StatusForbidden, map[string]any{
		"message":           "API rate limit exceeded for 127.0.0.1. (Authenticated requests get a higher rate limit.)",
		"documentation_url": docsLimits + "#primary-rate-limit-for-unauthenticated-users",
	})
}

// secondaryLimit is GitHub's answer to a caller who is too fast.
func secondaryLimit(undocumented bool) answer {
	value := map[string]any{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
	if !undocumented {
		value["documentation_url"] = docsLimits + "#about-secondary-rate-limits"
	}
	return jsonAnswer(http.StatusForbidden, value)
}

// refuse answers an ordered limit as the hour's quota or as a secondary limit.
func (a *api) refuse(r *http.Request, l Limit, until time.Time, left time.Duration) answer {
	header := make(http.Header)
	if l.Kind == limitSecondary {
		header.Set("Retry-After", seconds(left))
		return secondaryLimit(l.Undocumented).with(header)
	}
	if a.classify(r).endpoint == endpointGraphQL {
		return a.graphQL.refuse(r, l, until)
	}
	n := RealQuotas().GitHubHour.of(callerOf(r) != "")
	setRateHeaders(header, usage{limit: n, used: n, reset: until}, resourceCore)
	return limitExceeded().with(header)
}

func (a *api) rateLimit(r *http.Request) answer {
	tell := func(u usage) map[string]any {
		return map[string]any{"limit": u.limit, "used": u.used, "remaining": u.remaining(), "reset": u.reset.Unix()}
	}
	core := tell(a.hourly.look(callerOf(r), a.now()))
	points := tell(a.graphQL.hourly.look(callerOf(r), a.now()))
	return jsonAnswer(http.StatusOK, map[string]any{"resources": map[string]any{"core": core, "graphql": points}, "rate": core})
}

// Resources of which each caller has a budget, as X-RateLimit-Resource names them.
const (
	resourceCore    = "core"
	resourceGraphQL = "graphql"
)

const endpointGraphQL = "graphql"

// callerOf is whose budget a request draws on: its token whatever the scheme, empty without one.
func callerOf(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return cmp.Or(strings.TrimSpace(token), scheme)
}

func setRateHeaders(header http.Header, u usage, resource string) {
	for name, value := range map[string]int64{
		"Limit": int64(u.limit), "Remaining": int64(u.remaining()), "Used": int64(u.used), "Reset": u.reset.Unix(),
	} {
		header.Set("X-RateLimit-"+name, strconv.FormatInt(value, 10))
	}
	header.Set("X-RateLimit-Resource", resource)
}

// write sends an answer.
func write(w http.ResponseWriter, r *http.Request, reply answer) {
	for name, value := range reply.header {
		w.Header().Set(name, value)
	}
	if reply.contentType != "" {
		w.Header().Set("Content-Type", reply.contentType)
	}
	if reply.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(reply.body)))
	}
	w.WriteHeader(cmp.Or(reply.status, http.StatusOK))
	if r.Method != http.MethodHead {
		_, _ = w.Write(reply.body) // the caller may be gone: then nobody is left to tell
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
