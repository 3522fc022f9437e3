package fakehub

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// search plays the API host's search for code by file name and size, and for repositories by topic and day.
type search struct {
	index *index
	now   func() time.Time
	code  *quota
	repos *quota

	files func() ([]skillFile, error)
}

// skillFile is one SKILL.md that code search finds.
type skillFile struct {
	repo *repository
	path string
	sha  string
	size int
}

// The endpoints of search, and what GitHub documents of them.
const (
	endpointCode  = "search code"
	endpointRepos = "search repositories"
	searchWindow  = 1000
	searchPage    = 100
	resourceCode  = "code_search"
	resourceRepos = "search"
)

// topicOfAll is the topic that every repository of a hub has; it was made up to a year before its last push.
const topicOfAll = "agent-skills"

func newSearch(h *Hub, quotas Quotas) *search {
	s := &search{index: h.index, now: h.now, code: newQuota(quotas.CodeSearchMinute, time.Minute), repos: newQuota(quotas.RepoSearchMinute, time.Minute)}
	s.files = sync.OnceValues(s.read)
	return s
}

// read lists every SKILL.md of all repositories.
func (s *search) read() ([]skillFile, error) {
	var all []skillFile
	for _, r := range s.index.repos {
		head, ok := r.resolve("HEAD")
		if !ok {
			continue
		}
		tree, err := r.list(head)
		if err != nil {
			return nil, err
		}
		for _, entry := range tree.entries {
			if entry.Type == "blob" && entry.Mode != "120000" && strings.EqualFold(path.Base(entry.Path), "SKILL.md") {
				all = append(all, skillFile{r, entry.Path, entry.SHA, int(*entry.Size)})
			}
		}
	}
	return all, nil
}

func (s *search) serve(w http.ResponseWriter, r *http.Request, t target) {
	caller, counts, resource, found := callerOf(r), s.repos, resourceRepos, s.findRepos
	if t.endpoint == endpointCode {
		counts, resource, found = s.code, resourceCode, s.findCode
	}
	if caller == "" {
		write(w, r, message(http.StatusUnauthorized, "Requires authentication"))
		return
	}
	spent, ok := counts.take(caller, s.now())
	setRateHeaders(w.Header(), spent, resource)
	if !ok {
		write(w, r, limitExceeded())
		return
	}
	terms := make(map[string]string)
	for term := range strings.FieldsSeq(r.URL.Query().Get("q")) {
		key, value, _ := strings.Cut(term, ":")
		terms[key] = value
	}
	items, err := found(terms)
	if err != nil {
		write(w, r, failure(err))
		return
	}
	size := min(max(number(r.URL.Query().Get("per_page"), 30), 1), searchPage)
	start := (max(number(r.URL.Query().Get("page"), 1), 1) - 1) * size
	if start >= searchWindow {
		write(w, r, message(http.StatusUnprocessableEntity, "Only the first 1000 search results are available"))
		return
	}
	shown := items[min(start, len(items)):min(start+size, searchWindow, len(items))]
	write(w, r, jsonAnswer(http.StatusOK, map[string]any{"total_count": len(items), "incomplete_results": false, "items": shown}))
}

func (s *search) findCode(terms map[string]string) ([]any, error) {
	files, err := s.files()
	items := []any{}
	for _, f := range files {
		if !strings.EqualFold(terms["filename"], "SKILL.md") || !between(terms["size"], f.size, strconv.Atoi) || f.repo.hidden() {
			continue
		}
		items = append(items, map[string]any{
			"name": path.Base(f.path), "path": f.path, "sha": f.sha, "repository": map[string]any{"id": f.repo.id, "full_name": f.repo.fullName()},
		})
	}
	return items, err
}

func (s *search) findRepos(terms map[string]string) ([]any, error) {
	items := []any{}
	for _, r := range slices.SortedFunc(slices.Values(s.index.repos), func(a, b *repository) int { return cmp.Compare(b.stars, a.stars) }) {
		created := r.pushed.AddDate(0, 0, -int(r.id%365))
		if terms["topic"] != topicOfAll || r.hidden() || !between(terms["created"], int(created.Unix()/86_400), parseDay) {
			continue
		}
		items = append(items, map[string]any{
			"id": r.id, "full_name": r.fullName(), "description": "", "stargazers_count": r.stars, "topics": []string{topicOfAll},
			"created_at": stamp(created), "pushed_at": stamp(r.pushed),
		})
	}
	return items, nil
}

// hidden reports whether a repository is in no search.
func (r *repository) hidden() bool {
	s := r.current()
	return s.vanished || s.blocked != ""
}

func parseDay(text string) (int, error) {
	at, err := time.Parse(time.DateOnly, text)
	return int(at.Unix() / 86_400), err
}

// between reads a range like `1..9`; an empty one has everything.
func between(text string, value int, parse func(string) (int, error)) bool {
	if text == "" {
		return true
	}
	from, to, _ := strings.Cut(text, "..")
	low, err := parse(from)
	high, err2 := parse(cmp.Or(to, from))
	return err == nil && err2 == nil && low <= value && value <= high
}
