package githubsearch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/githubsearch"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

type object = map[string]any

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// files is a code search that shows 1,000 of its results; sizes are those of the files.
type files struct {
	sizes []int
	asked atomic.Int64
	reply func(asked int64, answer object)
}

var sizeRange = regexp.MustCompile(`size:(\d+)\.\.(\d+)`)

func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := f.asked.Add(1)
	match := sizeRange.FindStringSubmatch(r.URL.Query().Get("q"))
	if r.Header.Get("Authorization") == "" || match == nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	low, _ := strconv.Atoi(match[1])
	high, _ := strconv.Atoi(match[2])
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	items, total := []object{}, 0
	for i, size := range f.sizes {
		if size < low || size > high {
			continue
		}
		if total++; total > (page-1)*100 && total <= page*100 && total <= 1000 {
			items = append(items, object{"path": fmt.Sprintf("s%d/SKILL.md", i), "repository": object{"full_name": "o/r"}})
		}
	}
	answer := object{"total_count": total, "incomplete_results": false, "items": items}
	if f.reply != nil {
		f.reply(n, answer)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func open(t *testing.T, base, query string) *githubsearch.Source {
	t.Helper()
	s, err := githubsearch.New(query, githubsearch.Config{
		APIURL: base, Token: "test-token-not-real", RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Now: func() time.Time { return clock },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func list(t *testing.T, s source.Source) (map[string]data.Listing, data.Completeness, error) {
	t.Helper()
	rows := make(map[string]data.Listing)
	end, err := s.Enumerate(t.Context(), nil, func(page []data.Listing, _ json.RawMessage) error {
		for _, row := range page {
			rows[row.ExternalID] = row
		}
		return nil
	})
	return rows, end, err
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func spread(n, upTo int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = i * upTo / n
	}
	return sizes
}

func TestSplitting(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sizes []int
		reply func(int64, object)
		rows  int
		want  data.Completeness
		most  int64
	}{
		"few":                {sizes: spread(30, 9000), rows: 30, want: data.Complete, most: 1},
		"many":               {sizes: spread(5000, 20_000), rows: 5000, want: data.Complete, most: 90},
		"one size":           {sizes: make([]int, 1500), rows: 1000, want: data.Capped, most: 40},
		"not whole once":     {sizes: spread(250, 9000), reply: func(n int64, a object) { a["incomplete_results"] = n == 2 }, rows: 250, want: data.Complete, most: 4},
		"never whole":        {sizes: spread(250, 9000), reply: func(_ int64, a object) { a["incomplete_results"] = true }, rows: 250, want: data.Capped, most: 9},
		"more than it shows": {sizes: nil, reply: func(_ int64, a object) { a["total_count"] = 900 }, want: data.Capped, most: 4},
		"endless":            {sizes: nil, reply: func(_ int64, a object) { a["total_count"] = 1 << 40 }, want: data.Capped, most: 2},
		"the total wanders":  {sizes: spread(250, 9000), reply: func(n int64, a object) { a["total_count"] = 240 + n }, rows: 250, want: data.Capped, most: 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &files{sizes: test.sizes, reply: test.reply}
			rows, end, err := list(t, open(t, serve(t, f), "x"))
			if err != nil || end != test.want || len(rows) != test.rows || f.asked.Load() > test.most {
				t.Errorf("%s, %v: %d rows in %d requests; want %s, %d in %d", end, err, len(rows), f.asked.Load(), test.want, test.rows, test.most)
			}
		})
	}
}

func TestRubbish(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"<html>": -1, `{"total_count":-4}`: -1, `{"total_count":"x"}`: -1,
		`{"total_count":3,"items":[{"path":"a/create-skill.md","repository":{"full_name":"o/r"}},{"path":"a/skill.md","repository":{"full_name":"../r"}},{"path":"a/skill.md","repository":{"full_name":"o/r"}},{}]}`: 1,
	} {
		rows, end, err := list(t, open(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })), "x"))
		if want < 0 && (end != data.Interrupted || data.OutcomeOf(err) != data.OutcomeUnavailable) || want >= 0 && len(rows) != want {
			t.Errorf("%s: %s, %v, %d rows", body, end, err, len(rows))
		}
	}
	if _, err := githubsearch.New("", githubsearch.Config{Now: time.Now}); err == nil {
		t.Error("no token was accepted")
	}
	for status, want := range map[int]data.Outcome{401: data.OutcomeForbidden, 429: data.OutcomeLimited, 422: data.OutcomeUnavailable} {
		if _, _, err := list(t, open(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })), "")); data.OutcomeOf(err) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	base := serve(t, &files{sizes: spread(1200, 9000)})
	sourcetest.Run(t, sourcetest.Suite{Open: func(t *testing.T) source.Source { return open(t, base, "x") }, Rows: 1200, End: data.Complete})
}

// The real repositories of the shared hub have more SKILL.md files than one query shows.
func TestFakehub(t *testing.T) {
	t.Parallel()
	hub, err := fakehub.New(fakehub.Config{Hub: os.DirFS(datatest.Shared(t, "hub"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, end, err := list(t, open(t, hub.URLs()["api"], ""))
	repos, skills := 0, 0
	for id, row := range rows {
		if row.PathKnown && strings.HasPrefix(id, row.Repo+"/") {
			skills++
		} else {
			repos++
		}
	}
	if err != nil || end != data.Complete || skills < 1500 || repos != 30 {
		t.Errorf("%s, %v: %d skills, %d repositories", end, err, skills, repos)
	}
	t.Logf("%d skills, %d repositories", skills, repos)
}
