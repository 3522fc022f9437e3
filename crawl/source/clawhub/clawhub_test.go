package clawhub_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	"skillcorpus/crawl/source/clawhub"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
)

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

type object = map[string]any

// registry is a fake ClawHub. Its cursor is a count of rows; every third page is empty, as filters make them.
type registry struct {
	slugs []string
	limit int
	// change answers a request in place of the registry, where set and true.
	change func(w http.ResponseWriter, r *http.Request, n int) bool

	mu    sync.Mutex
	asked map[string]int
	total int
}

func (g *registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked == nil {
		g.asked = map[string]int{}
	}
	g.asked[r.URL.Path]++
	g.total++
	if g.change != nil && g.change(w, r, g.total) {
		return
	}
	slug, ok := strings.CutPrefix(r.URL.Path, "/api/v1/skills/")
	switch {
	case r.URL.Path == "/api/v1/skills":
		_ = json.NewEncoder(w).Encode(g.page(r.URL.Query().Get("cursor")))
	case r.URL.Path == "/api/v1/download":
		fmt.Fprintf(w, "%s", packed(r.URL.Query().Get("slug")+" "+r.URL.Query().Get("version")))
	case ok && slices.Contains(g.slugs, slug):
		_ = json.NewEncoder(w).Encode(details(slug, nil))
	default:
		http.Error(w, "Skill not found", http.StatusNotFound)
	}
}

func details(slug string, moderation object) object {
	d := object{"skill": row(slug), "latestVersion": object{"version": "1.0.0"}, "metadata": nil, "owner": object{"handle": "Kim", "displayName": "Kim K."}}
	if moderation != nil {
		d["moderation"] = moderation
	}
	return d
}

func row(slug string) object {
	return object{
		"slug": slug, "displayName": "The " + slug, "summary": "Does " + slug, "topics": []string{"t"}, "tags": object{"latest": "1.0.0"},
		"stats": object{"stars": 4, "downloads": 9}, "createdAt": 1, "updatedAt": 1700000000000, "latestVersion": object{"version": "1.0.0"},
	}
}

func (g *registry) page(cursor string) object {
	at, empty, _ := strings.Cut(cursor, "e")
	from, _ := strconv.Atoi(at)
	if empty == "" && from > 0 && from%(2*g.limit) == 0 {
		return object{"items": []object{}, "nextCursor": at + "e1"}
	}
	to := min(from+g.limit, len(g.slugs))
	items := []object{}
	for _, slug := range g.slugs[min(from, to):to] {
		items = append(items, row(slug))
	}
	if to == len(g.slugs) {
		return object{"items": items, "nextCursor": nil}
	}
	return object{"items": items, "nextCursor": strconv.Itoa(to)}
}

func packed(text string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if f, err := w.Create("SKILL.md"); err == nil {
		fmt.Fprint(f, text)
	}
	_ = w.Close()
	return out.Bytes()
}

func (g *registry) open(t *testing.T, now *time.Time) *clawhub.Client {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return client(t, server.URL, now)
}

func client(t *testing.T, url string, now *time.Time) *clawhub.Client {
	t.Helper()
	c, err := clawhub.New(clawhub.Config{
		BaseURL: url, Key: "clh_x", RequestsPerSecond: 1e6, RetryWait: time.Microsecond,
		Now: func() time.Time { return *now }, Warn: func(text string) { t.Log(text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("skill-%d", i)
	}
	return all
}

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

func TestConformance(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&registry{slugs: names(23), limit: 4})
	t.Cleanup(server.Close)
	now := clock
	open := func(t *testing.T) source.Source { return client(t, server.URL, &now) }
	sourcetest.Run(t, sourcetest.Suite{Open: open, Rows: 23, End: data.Complete})
}

func TestRow(t *testing.T) {
	t.Parallel()
	now := clock
	g := &registry{slugs: names(1), limit: 4}
	rows, _, _, err := list(t, g.open(t, &now), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := rows["skill-0"]
	if !strings.HasSuffix(got.URL, "/api/v1/skills/skill-0") {
		t.Error(got.URL)
	}
	got.URL = ""
	want := data.Listing{
		Source: "clawhub", ExternalID: "skill-0", Name: "The skill-0", Description: "Does skill-0", Tags: []string{"t"}, Stars: 4,
		Installs: 9, UpdatedAt: time.UnixMilli(1700000000000).UTC(), Host: data.HostClawHub, Repo: "skill-0", PathKnown: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever the pages say, the enumeration ends and tells the truth about it.
func TestPages(t *testing.T) {
	t.Parallel()
	n := 0
	for name, test := range map[string]struct {
		answer func(cursor string) (status int, body any)
		rows   int
		end    data.Completeness
		err    data.Outcome
		most   int // requests
	}{
		"same cursor again": {func(string) (int, any) { return 200, object{"items": []object{row("a")}, "nextCursor": "x"} }, 1, data.Capped, data.OutcomeOK, 6},
		"in a circle": {func(at string) (int, any) {
			return 200, object{"items": []object{row("a" + at)}, "nextCursor": map[string]string{"": "x", "x": "y", "y": "x"}[at]}
		}, 3, data.Capped, data.OutcomeOK, 70},
		"endless and empty": {func(at string) (int, any) { return 200, object{"items": []object{}, "nextCursor": at + "x"} }, 0, data.Capped, data.OutcomeOK, 60},
		"cursor forgotten": {func(at string) (int, any) {
			if n++; n == 2 {
				return 400, "Invalid cursor"
			}
			return 200, object{"items": []object{row("a" + at)}, "nextCursor": map[string]any{"": "x", "x": nil}[at]}
		}, 2, data.Complete, data.OutcomeOK, 4},
		"odd rows": {func(string) (int, any) {
			return 200, object{"items": []any{nil, 5, "x", []int{}, object{}, object{"slug": "../x"}, object{"slug": 5}, object{"slug": "ok", "summary": nil, "topics": []object{{}}, "stats": 5, "tags": []int{}, "latestVersion": nil, "updatedAt": "x"}}}
		}, 1, data.Complete, data.OutcomeOK, 1},
		"no items":     {func(string) (int, any) { return 200, object{"nextCursor": nil} }, 0, data.Interrupted, data.OutcomeUnavailable, 1},
		"other cursor": {func(string) (int, any) { return 200, object{"items": []any{}, "nextCursor": 5} }, 0, data.Interrupted, data.OutcomeUnavailable, 1},
		"long cursor": {func(string) (int, any) {
			return 200, object{"items": []any{}, "nextCursor": strings.Repeat("x", 1<<20)}
		}, 0, data.Interrupted, data.OutcomeUnavailable, 1},
		"text":     {func(string) (int, any) { return 200, "hello" }, 0, data.Interrupted, data.OutcomeUnavailable, 1},
		"too long": {func(string) (int, any) { return 200, strings.Repeat("x", 9<<20) }, 0, data.Interrupted, data.OutcomeTooLarge, 1},
		"refused":  {func(string) (int, any) { return 400, "Bad request" }, 0, data.Interrupted, data.OutcomeMalformed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := clock
			g := &registry{change: func(w http.ResponseWriter, r *http.Request, _ int) bool {
				status, body := test.answer(r.URL.Query().Get("cursor"))
				if text, ok := body.(string); ok {
					http.Error(w, text, status)
					return true
				}
				_ = json.NewEncoder(w).Encode(body)
				return true
			}}
			rows, _, end, err := list(t, g.open(t, &now), nil)
			if end != test.end || data.OutcomeOf(err) != test.err || len(rows) != test.rows || g.total > test.most {
				t.Errorf("%s, %v, %d rows in %d requests", end, err, len(rows), g.total)
			}
		})
	}
}

// Rows that move while they are read come twice: the next walk decides what is listed.
func TestShifted(t *testing.T) {
	t.Parallel()
	now := clock
	g := &registry{slugs: names(8), limit: 4}
	g.change = func(_ http.ResponseWriter, r *http.Request, n int) bool {
		if n == 2 {
			g.slugs = append([]string{"new"}, g.slugs[:7]...) // the last is gone, the others move by one
		}
		return false
	}
	rows, _, end, err := list(t, g.open(t, &now), nil)
	if err != nil || end != data.Complete || len(rows) != 8 || rows["skill-7"].ExternalID != "" || rows["new"].Unlisted {
		t.Errorf("%s, %v: %v", end, err, rows)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	now := clock
	for header, wait := range map[string]time.Duration{"Retry-After": 601 * time.Second, "RateLimit-Reset": 601 * time.Second, "X": 61 * time.Second} {
		g := &registry{slugs: names(8), limit: 4}
		g.change = func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 2 {
				w.Header().Set(header, "600")
				http.Error(w, "Rate limit exceeded", http.StatusTooManyRequests)
			}
			return n == 2
		}
		c := g.open(t, &now)
		rows, last, _, err := list(t, c, nil)
		item, ok := errors.AsType[*data.ItemError](err)
		if !ok || item.Outcome != data.OutcomeLimited || item.RetryAt != now.Add(wait) || len(rows) != 4 || !strings.Contains(item.Reason, "Rate limit exceeded") {
			t.Fatalf("%s: %v, %d rows", header, err, len(rows))
		}
		if _, _, _, err := list(t, g.open(t, &now), last); data.OutcomeOf(err) != data.OutcomeLimited || g.total != 2 {
			t.Errorf("%s: after a restart %v, %d requests", header, err, g.total)
		}
		later := now.Add(time.Hour)
		if rows, _, end, err := list(t, g.open(t, &later), last); err != nil || end != data.Complete || len(rows) != 4 {
			t.Errorf("%s: %s, %v, %d rows", header, end, err, len(rows))
		}
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	now := clock
	g := &registry{slugs: names(4), limit: 4}
	c := g.open(t, &now)
	want := data.Repo{
		ID: "clawhub:Kim/skill-0", Host: data.HostClawHub, Name: "Kim/skill-0", Aliases: []string{"clawhub:skill-0"}, Commit: "1.0.0",
		License: "MIT-0", Stars: 4, UpdatedAt: time.UnixMilli(1700000000000).UTC(),
	}
	got, unchanged, err := c.Repository(t.Context(), "skill-0", data.Repo{ID: "clawhub:skill-0", Host: data.HostClawHub, Name: "skill-0"})
	if diff := cmp.Diff(want, got); diff != "" || unchanged || err != nil {
		t.Fatal(unchanged, err, diff)
	}
	// By its own name, with the version that is known: one request, no archive.
	if again, unchanged, err := c.Repository(t.Context(), got.Name, got); err != nil || !unchanged || g.total != 2 {
		t.Errorf("%+v, %v, %v, %d requests", again, unchanged, err, g.total)
	}
	if fresh := (data.Repo{Name: "skill-0"}); c.Requests(fresh) != 2 || c.Requests(got) != 1 {
		t.Errorf("before a walk a plan of %d and %d requests", c.Requests(fresh), c.Requests(got))
	}
	// After a walk nothing is asked of what it showed.
	if _, _, _, err := list(t, c, nil); err != nil {
		t.Fatal(err)
	}
	before := g.total
	if _, unchanged, err := c.Repository(t.Context(), got.Name, got); err != nil || !unchanged || g.total != before {
		t.Errorf("%v, %v, %d more requests", unchanged, err, g.total-before)
	}
	old := got
	old.Commit = "0.9.0"
	if c.Requests(old) != 2 || c.Requests(got) != 0 {
		t.Errorf("after a walk a plan of %d and %d requests", c.Requests(old), c.Requests(got))
	}
	if _, unchanged, err := c.Repository(t.Context(), old.Name, old); err != nil || unchanged || g.total != before+1 {
		t.Errorf("%v, %v, %d more requests", unchanged, err, g.total-before)
	}
	var out bytes.Buffer
	if err := c.Archive(t.Context(), got, &out, 1<<20); err != nil || !bytes.Equal(out.Bytes(), packed("skill-0 1.0.0")) {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
	for _, most := range []int64{10, int64(out.Len()) - 1} {
		if err := c.Archive(t.Context(), got, &bytes.Buffer{}, most); data.OutcomeOf(err) != data.OutcomeTooLarge {
			t.Errorf("under %d bytes: %v", most, err)
		}
	}
	if err := c.Archive(t.Context(), got, &bytes.Buffer{}, int64(out.Len())); err != nil {
		t.Errorf("under the exact cap: %v", err)
	}
}

func TestWithheld(t *testing.T) {
	t.Parallel()
	now := clock
	answer := func(status int, body any) func(w http.ResponseWriter, r *http.Request, _ int) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			if text, ok := body.(string); ok {
				http.Error(w, text, status)
				return true
			}
			_ = json.NewEncoder(w).Encode(body)
			return true
		}
	}
	none := details("a", nil)
	none["latestVersion"], none["skill"] = nil, object{"slug": "a"}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, _ int) bool
		facts  data.Outcome
		zip    data.Outcome
	}{
		"gone":            {answer(404, "Skill not found"), data.OutcomeGone, data.OutcomeGone},
		"soft-deleted":    {answer(410, "Version not available"), data.OutcomeGone, data.OutcomeGone},
		"blocked by text": {answer(403, "Blocked: malicious"), data.OutcomeBlocked, data.OutcomeBlocked},
		"key refused":     {answer(401, "Unauthorized"), data.OutcomeForbidden, data.OutcomeForbidden},
		"malware":         {answer(200, details("a", object{"isMalwareBlocked": true})), data.OutcomeBlocked, data.OutcomeUnavailable},
		"malicious":       {answer(200, details("a", object{"verdict": "malicious"})), data.OutcomeBlocked, data.OutcomeUnavailable},
		"suspicious":      {answer(200, details("a", object{"isSuspicious": true, "verdict": "suspicious"})), data.OutcomeOK, data.OutcomeUnavailable},
		"no version":      {answer(200, none), data.OutcomeEmpty, data.OutcomeUnavailable},
		"no owner":        {answer(200, object{"skill": row("a")}), data.OutcomeUnavailable, data.OutcomeUnavailable},
		"odd owner":       {answer(200, object{"skill": row("a"), "owner": object{"handle": "a/../b"}}), data.OutcomeUnavailable, data.OutcomeUnavailable},
		"null":            {answer(200, nil), data.OutcomeUnavailable, data.OutcomeUnavailable},
		"a page":          {answer(200, "<html>"), data.OutcomeUnavailable, data.OutcomeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &registry{change: test.answer}
			_, _, err := g.open(t, &now).Repository(t.Context(), "kim/a", data.Repo{})
			if data.OutcomeOf(err) != test.facts {
				t.Errorf("facts: %v, want %s", err, test.facts)
			}
			err = g.open(t, &now).Archive(t.Context(), data.Repo{Name: "kim/a", Commit: "1"}, &bytes.Buffer{}, 1000)
			if data.OutcomeOf(err) != test.zip {
				t.Errorf("archive: %v, want %s", err, test.zip)
			}
		})
	}
	if _, _, err := (&registry{}).open(t, &now).Repository(t.Context(), "kim/../x", data.Repo{}); data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("%v", err)
	}
	if _, _, err := (&registry{}).open(t, &now).Repository(t.Context(), "kim/..", data.Repo{}); data.OutcomeOf(err) != data.OutcomeMalformed {
		t.Errorf("%v", err)
	}
}
