package skillssh_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/skillssh"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
)

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

type object = map[string]any

// site is a fake skills.sh.
type site struct {
	parts  [][]string // addresses of each sitemap, without the site's name
	api    []object   // rows of the API
	page   int        // rows a page
	robots string
	// change answers a request in place of the site, where set and true.
	change func(w http.ResponseWriter, r *http.Request, n int) bool

	mu    sync.Mutex
	asked map[string]int
	total int
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[r.URL.Path]++
	s.total++
	if s.change != nil && s.change(w, r, s.asked[r.URL.Path]) {
		return
	}
	var n int
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, s.robots)
	case r.URL.Path == "/sitemap.xml":
		fmt.Fprint(w, s.index("2026-01-01"))
	case scan(r.URL.Path, &n) && n <= len(s.parts):
		zipped := gzip.NewWriter(w)
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(zipped, urlset(s.parts[n-1]))
		_ = zipped.Close()
	case r.URL.Path == "/api/v1/skills":
		s.serveAPI(w, r)
	default:
		http.NotFound(w, r)
	}
}

func scan(path string, n *int) bool {
	_, err := fmt.Sscanf(path, "/sitemap-skills-%d.xml", n)
	return err == nil && *n > 0
}

func (s *site) index(lastmod string) string {
	text := `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for i := range s.parts {
		text += fmt.Sprintf("<sitemap>\n<loc> https://www.skills.sh/sitemap-skills-%d.xml\n</loc><lastmod>%s</lastmod></sitemap>", i+1, lastmod)
	}
	return text + "<sitemap><loc>https://www.skills.sh/sitemap-owners.xml</loc></sitemap></sitemapindex>"
}

func urlset(paths []string) string {
	text := "<urlset>"
	for _, path := range paths {
		text += "<url><loc>https://skills.sh" + path + "</loc><lastmod>2026-02-01</lastmod></url>"
	}
	return text + "</urlset>"
}

func (s *site) serveAPI(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer good" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"authentication_required","message":"no"}`)
		return
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from, to := min(page*s.page, len(s.api)), min((page+1)*s.page, len(s.api))
	_ = json.NewEncoder(w).Encode(object{"data": s.api[from:to], "pagination": object{"page": page, "perPage": s.page, "hasMore": to < len(s.api)}})
}

func (s *site) open(t *testing.T, change ...func(*skillssh.Config)) func(*testing.T) source.Source {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return func(t *testing.T) source.Source {
		t.Helper()
		config := skillssh.Config{
			BaseURL: server.URL, RequestsPerSecond: 1e6, RetryWait: time.Microsecond,
			Now: func() time.Time { return clock }, Warn: func(text string) { t.Log(text) },
		}
		for _, c := range change {
			c(&config)
		}
		s, err := skillssh.New(config)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// list is one enumeration, and what a caller has stored after it.
func list(t *testing.T, s source.Source, from json.RawMessage) (rows map[string]data.Listing, last json.RawMessage, end data.Completeness, err error) {
	t.Helper()
	rows, last = map[string]data.Listing{}, from
	end, err = s.Enumerate(t.Context(), from, func(page []data.Listing, next json.RawMessage) error {
		for _, row := range page {
			rows[row.ExternalID] = row
		}
		last = slices.Clone(next)
		return nil
	})
	return rows, last, end, err
}

func two() [][]string {
	return [][]string{{"/o/kit/a", "/o/kit/b", "/p/tools/c"}, {"/q/r/d", "/docs.example.com/e"}}
}

func apiRows() []object {
	return []object{
		{"id": "o/kit/a", "slug": "a", "source": "o/kit", "installs": 7, "sourceType": "github", "url": "https://skills.sh/o/kit/a"},
		{"id": "docs.example.com/e", "slug": "e", "source": "docs.example.com", "installs": 3, "sourceType": "well-known", "url": "https://skills.sh/docs.example.com/e"},
		{"id": "only/api/f", "slug": "f", "source": "only/api", "installs": 1, "sourceType": "github", "url": ""},
	}
}

func good(c *skillssh.Config) { c.Key = "good" }

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("sitemaps", func(t *testing.T) {
		t.Parallel()
		sourcetest.Run(t, sourcetest.Suite{Open: (&site{parts: two()}).open(t), Rows: 5, End: data.Complete})
	})
	t.Run("with a key", func(t *testing.T) {
		t.Parallel()
		s := &site{parts: two(), api: apiRows(), page: 2}
		sourcetest.Run(t, sourcetest.Suite{Open: s.open(t, good), Rows: 6, End: data.Complete})
	})
}

func TestRows(t *testing.T) {
	t.Parallel()
	s := &site{parts: two(), api: apiRows(), page: 2}
	rows, _, end, err := list(t, s.open(t, good)(t), nil)
	if err != nil || end != data.Complete {
		t.Fatal(end, err)
	}
	for id, want := range map[string]data.Listing{
		"o/kit/a":            {Name: "a", Author: "o", Host: data.HostGitHub, Repo: "o/kit", Installs: 7, URL: "https://skills.sh/o/kit/a"},
		"p/tools/c":          {Name: "c", Author: "p", Host: data.HostGitHub, Repo: "p/tools", URL: "https://skills.sh/p/tools/c", UpdatedAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)},
		"docs.example.com/e": {Name: "e", Host: "https://docs.example.com", Repo: "e", PathKnown: true, Installs: 3, URL: "https://skills.sh/docs.example.com/e"},
		"only/api/f":         {Name: "f", Author: "only", Host: data.HostGitHub, Repo: "only/api", Installs: 1},
	} {
		want.Source, want.ExternalID = skillssh.Name, id
		if diff := cmp.Diff(want, rows[id]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	if s.total != 7 { // robots.txt, two pages, the index twice, two sitemaps
		t.Errorf("%d requests: %v", s.total, s.asked)
	}
}

func TestRefusedKey(t *testing.T) {
	t.Parallel()
	s := &site{parts: two(), api: apiRows(), page: 2}
	warned := ""
	rows, _, end, err := list(t, s.open(t, func(c *skillssh.Config) {
		c.Key, c.Warn = "bad", func(text string) { warned = text }
	})(t), nil)
	if err != nil || end != data.Complete || len(rows) != 5 || !strings.Contains(warned, "refuses the key") {
		t.Errorf("%s, %v, %d rows, warned %q", end, err, len(rows), warned)
	}
}

// The sitemaps are written anew while they are read: what only the first walk showed is taken back.
func TestShifted(t *testing.T) {
	t.Parallel()
	later := [][]string{{"/o/kit/a", "/p/tools/c"}, {"/q/r/d", "/z/z/z"}}
	for name, change := range map[string]func(s *site) func(http.ResponseWriter, *http.Request, int) bool{
		"another index": func(s *site) func(http.ResponseWriter, *http.Request, int) bool {
			return func(w http.ResponseWriter, r *http.Request, n int) bool {
				if r.URL.Path != "/sitemap.xml" || n == 1 {
					return false
				}
				s.parts = later
				fmt.Fprint(w, s.index("2026-01-02"))
				return true
			}
		},
		"a row in both": func(s *site) func(http.ResponseWriter, *http.Request, int) bool {
			s.parts = [][]string{{"/o/kit/a", "/o/kit/b", "/docs.example.com/e"}, {"/o/kit/b", "/q/r/d"}}
			return func(_ http.ResponseWriter, r *http.Request, n int) bool {
				if r.URL.Path == "/sitemap.xml" && n == 2 {
					s.parts = later
				}
				return false
			}
		},
		"a sitemap less": func(s *site) func(http.ResponseWriter, *http.Request, int) bool {
			return func(w http.ResponseWriter, r *http.Request, n int) bool {
				if r.URL.Path != "/sitemap-skills-2.xml" || n > 1 {
					return false
				}
				s.parts = later
				http.NotFound(w, r)
				return true
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{parts: two()}
			s.change = change(s)
			rows, _, end, err := list(t, s.open(t)(t), nil)
			var listed []string
			for id, row := range rows {
				if !row.Unlisted {
					listed = append(listed, id)
				}
			}
			slices.Sort(listed)
			if got := strings.Join(listed, " "); err != nil || end != data.Complete || got != "o/kit/a p/tools/c q/r/d z/z/z" || !rows["o/kit/b"].Unlisted {
				t.Errorf("%s, %v: listed %s of %v", end, err, got, slices.Sorted(maps.Keys(rows)))
			}
		})
	}
}

func TestNeverConsistent(t *testing.T) {
	t.Parallel()
	s := &site{parts: two()}
	s.change = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if r.URL.Path != "/sitemap.xml" {
			return false
		}
		fmt.Fprint(w, s.index(fmt.Sprint(n)))
		return true
	}
	rows, _, end, err := list(t, s.open(t)(t), nil)
	if err != nil || end != data.Capped || len(rows) != 5 || s.total > 14 {
		t.Errorf("%s, %v, %d rows in %d requests", end, err, len(rows), s.total)
	}
}

// Whatever the site answers, the enumeration ends, and says that it was not whole.
func TestHostile(t *testing.T) {
	t.Parallel()
	answer := func(path, body string) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path == path {
				fmt.Fprint(w, body)
			}
			return r.URL.Path == path
		}
	}
	for name, test := range map[string]struct {
		change func(http.ResponseWriter, *http.Request, int) bool
		want   data.Outcome
	}{
		"a page":         {answer("/sitemap.xml", "<!doctype html><html><p>hi"), data.OutcomeUnavailable},
		"JSON":           {answer("/sitemap.xml", `{"a":1}`), data.OutcomeUnavailable},
		"nothing":        {answer("/sitemap.xml", ""), data.OutcomeUnavailable},
		"no sitemaps":    {answer("/sitemap.xml", "<sitemapindex></sitemapindex>"), data.OutcomeUnavailable},
		"others' alone":  {answer("/sitemap.xml", "<sitemapindex><sitemap><loc>https://evil.example/sitemap-skills-1.xml</loc></sitemap></sitemapindex>"), data.OutcomeUnavailable},
		"cut":            {answer("/sitemap-skills-1.xml", "<urlset><url><loc>https://skills.sh/o/k/a</loc></url>"), data.OutcomeUnavailable},
		"deep":           {answer("/sitemap-skills-1.xml", "<urlset>"+strings.Repeat("<a>", 1000)), data.OutcomeUnavailable},
		"endless":        {answer("/sitemap-skills-1.xml", "<urlset>"+strings.Repeat(" ", 17<<20)), data.OutcomeTooLarge},
		"too many parts": {answer("/sitemap.xml", "<sitemapindex>"+strings.Repeat("<sitemap><loc>https://skills.sh/skills.xml</loc></sitemap>", 1001)+"</sitemapindex>"), data.OutcomeUnavailable},
		"brotli": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.Header().Set("Content-Encoding", "br")
			return false
		}, data.OutcomeUnavailable},
		"limited": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path == "/sitemap.xml" {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(429)
			}
			return r.URL.Path == "/sitemap.xml"
		}, data.OutcomeLimited},
		"robots": {answer("/robots.txt", "User-agent: *\nDisallow: /sitemap"), data.OutcomeForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{parts: two(), change: test.change}
			_, _, end, err := list(t, s.open(t)(t), nil)
			if end != data.Interrupted || data.OutcomeOf(err) != test.want {
				t.Errorf("%s, %v; want %s", end, err, test.want)
			}
		})
	}
}

// A limit holds after a restart: nothing is asked before its end.
func TestLimitKept(t *testing.T) {
	t.Parallel()
	s := &site{parts: two()}
	s.change = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if r.URL.Path != "/sitemap-skills-2.xml" || n > 1 {
			return false
		}
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(429)
		return true
	}
	now := clock
	open := s.open(t, func(c *skillssh.Config) { c.Now = func() time.Time { return now } })
	_, last, _, err := list(t, open(t), nil)
	if data.OutcomeOf(err) != data.OutcomeLimited {
		t.Fatal(err)
	}
	before := s.total
	if _, _, _, err := list(t, open(t), last); data.OutcomeOf(err) != data.OutcomeLimited || s.total != before {
		t.Errorf("%v, %d more requests", err, s.total-before)
	}
	now = now.Add(time.Hour)
	if rows, _, end, err := list(t, open(t), last); err != nil || end != data.Complete || len(rows) != 2 {
		t.Errorf("%s, %v, %d rows", end, err, len(rows))
	}
}

// The API's pages never end, repeat, or hold what is no row.
func TestHostileAPI(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		rows int
		end  data.Completeness
	}{
		"endless":    {`{"data":[{"slug":"x","source":"o/r"}],"pagination":{"page":0,"hasMore":true}}`, 6, data.Complete},
		"no rows":    {`{"data":[],"pagination":{"page":0,"hasMore":true}}`, 5, data.Complete},
		"odd rows":   {`{"data":[null,5,"x",[],{},{"slug":5},{"slug":"../x","source":"o/r"},{"slug":"x","source":"127.0.0.1"},{"slug":"x","source":"localhost"},{"slug":"x","source":"10.0.0.1:80"},{"slug":"x","source":"https://github.com/o/r"},{"slug":"x","source":"a/b/c"},{"slug":"y","source":"o/r","installs":-4}],"pagination":{"page":0}}`, 6, data.Complete},
		"null":       {`null`, 0, data.Interrupted},
		"rubbish":    {`{"data":"x"}`, 0, data.Interrupted},
		"a page":     {`<html>`, 0, data.Interrupted},
		"too long":   {`"` + strings.Repeat("x", 9<<20) + `"`, 0, data.Interrupted},
		"no paging":  {`{"data":[]}`, 0, data.Interrupted},
		"wrong type": {`{"data":[],"pagination":[]}`, 0, data.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{parts: two(), change: func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.URL.Path == "/api/v1/skills" {
					fmt.Fprint(w, test.body)
				}
				return r.URL.Path == "/api/v1/skills"
			}}
			rows, _, end, err := list(t, s.open(t, good)(t), nil)
			if end != test.end || len(rows) != test.rows || (err == nil) != (end == data.Complete) {
				t.Errorf("%s, %v, %d rows; want %s, %d", end, err, len(rows), test.end, test.rows)
			}
		})
	}
}

func TestKeyStaysHome(t *testing.T) {
	t.Parallel()
	leaked := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked <- r.Header.Get("Authorization")
		http.NotFound(w, r)
	}))
	t.Cleanup(other.Close)
	s := &site{parts: two(), change: func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path == "/api/v1/skills" {
			http.Redirect(w, r, other.URL, http.StatusFound)
		}
		return r.URL.Path == "/api/v1/skills"
	}}
	_, _, _, err := list(t, s.open(t, good)(t), nil)
	if data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("%v", err)
	}
	for len(leaked) > 0 {
		if got := <-leaked; got != "" {
			t.Errorf("the key went to another host: %q", got)
		}
	}
}
