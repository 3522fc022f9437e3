package skillsmp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

type object = map[string]any

// market is a fake SkillsMP: any row whose name holds the query, best first.
type market struct {
	names []string
	limit int // rows a page
	most  int // rows a query
	quota int // requests a day; 0 is none

	mu   sync.Mutex
	used int
	// reply changes an answer before it is sent, where set.
	reply func(query string, page int, answer object)
}

func (m *market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.quota > 0 {
		w.Header().Set("X-RateLimit-Daily-Remaining", strconv.Itoa(max(0, m.quota-m.used-1)))
	}
	if m.used++; m.quota > 0 && m.used > m.quota {
		w.WriteHeader(http.StatusTooManyRequests)
		_ = json.NewEncoder(w).Encode(object{"success": false, "error": object{"code": "DAILY_QUOTA_EXCEEDED"}})
		return
	}
	query := r.URL.Query().Get("q")
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	answer := m.page(query, page)
	if m.reply != nil {
		m.reply(query, page, answer)
	}
	_ = json.NewEncoder(w).Encode(object{"success": true, "data": answer})
}

func (m *market) page(query string, page int) object {
	var found []string
	for _, name := range m.names {
		if strings.Contains(name, query) {
			found = append(found, name)
		}
	}
	total := len(found)
	found = found[:min(total, m.most)]
	pages := max(1, (len(found)+m.limit-1)/m.limit)
	page = min(page, pages) // beyond the window: the last page, in silence
	rows := []object{}
	for _, name := range found[min(len(found), (page-1)*m.limit):min(len(found), page*m.limit)] {
		rows = append(rows, row(name))
	}
	return object{"skills": rows, "pagination": object{
		"page": page, "limit": m.limit, "total": total, "totalPages": pages, "hasNext": page < pages,
		"totalIsExact": total <= m.most, "isCapped": total > m.most, "maxResults": m.most,
	}}
}

func row(name string) object {
	return object{"id": "o-kit-" + name, "name": name, "author": "o", "githubUrl": "https://github.com/o/kit/tree/main/" + name, "stars": 3, "updatedAt": "1700000000"}
}

// open serves the market and returns the source as a new process would have it, by a clock that may be moved.
func (m *market) open(t *testing.T, now *time.Time, change ...func(*skillsmp.Config)) func(*testing.T) source.Source {
	t.Helper()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return func(t *testing.T) source.Source {
		t.Helper()
		config := skillsmp.Config{
			BaseURL: server.URL, RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Now: func() time.Time { return *now }, Warn: func(text string) { t.Log(text) },
		}
		for _, c := range change {
			c(&config)
		}
		s, err := skillsmp.New(config)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%c%c%d", 'a'+i%26, 'a'+i/26%26, i)
	}
	return all
}

// stored is what a caller keeps of an enumeration.
type stored struct {
	listed, unlisted map[string]bool
	emitted          map[string]int
	cursor           json.RawMessage
}

func keep() *stored {
	return &stored{listed: map[string]bool{}, unlisted: map[string]bool{}, emitted: map[string]int{}}
}

func (s *stored) emit(rows []data.Listing, next json.RawMessage) error {
	for _, row := range rows {
		delete(s.listed, row.Name)
		delete(s.unlisted, row.Name)
		if row.Unlisted {
			s.unlisted[row.Name] = true
			continue
		}
		s.listed[row.Name] = true
		s.emitted[row.Name]++
	}
	s.cursor = slices.Clone(next)
	return nil
}

func sorted(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), " ") }

func TestConformance(t *testing.T) {
	t.Parallel()
	now := clock
	t.Run("whole", func(t *testing.T) {
		t.Parallel()
		sourcetest.Run(t, sourcetest.Suite{Open: (&market{names: names(30), limit: 4, most: 1000}).open(t, &now), Rows: 30, End: data.Complete})
	})
	t.Run("capped", func(t *testing.T) {
		t.Parallel()
		one := func(*skillsmp.Config) {}
		m := &market{limit: 4, most: 20}
		for i := range 30 {
			m.names = append(m.names, fmt.Sprintf("q%c", 'a'+i%26)+strings.Repeat("z", i/26))
		}
		sourcetest.Run(t, sourcetest.Suite{Open: m.open(t, &now, one), Rows: 29, End: data.Capped})
	})
}

func TestRow(t *testing.T) {
	t.Parallel()
	now := clock
	m := &market{names: []string{"a"}, limit: 50, most: 1000}
	for name, test := range map[string]struct {
		fields object
		want   data.Listing
	}{
		"slash in the branch": {
			object{"id": "x", "name": "n", "description": "d", "author": "o", "stars": 5, "updatedAt": 1700000000, "githubUrl": "https://github.com/o/r/tree/feature/x/skills/a%20b"},
			data.Listing{Name: "n", Description: "d", Author: "o", Stars: 5, UpdatedAt: time.Unix(1700000000, 0).UTC(), Repo: "o/r", Ref: "feature", Path: "x/skills/a b", PathKnown: true},
		},
		"skill at the root": {
			object{"githubUrl": "https://github.com/o/r/tree/main", "updatedAt": "2023-11-14T22:13:20Z"},
			data.Listing{UpdatedAt: time.Unix(1700000000, 0).UTC(), Repo: "o/r", Ref: "main", PathKnown: true},
		},
		"repository only": {
			object{"githubUrl": "https://github.com/o/r", "updatedAt": nil},
			data.Listing{Repo: "o/r"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := &market{names: m.names, limit: 50, most: 1000, reply: func(_ string, _ int, answer object) {
				if rows := answer["skills"].([]object); len(rows) > 0 {
					rows[0] = test.fields
				}
			}}
			var got []data.Listing
			_, err := own.open(t, &now)(t).Enumerate(t.Context(), nil, func(rows []data.Listing, _ json.RawMessage) error {
				got = append(got, rows...)
				return nil
			})
			test.want.Source, test.want.Host = skillsmp.Name, data.HostGitHub
			test.want.URL = test.fields["githubUrl"].(string)
			test.want.ExternalID = test.want.URL
			if diff := cmp.Diff([]data.Listing{test.want}, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Ids are lossy: two rows that share one are two skills. A row without a repository is told and left out.
func TestRowIDs(t *testing.T) {
	t.Parallel()
	now, warnings := clock, 0
	m := &market{names: []string{"xa", "xb", "xc"}, limit: 50, most: 1000, reply: func(_ string, _ int, answer object) {
		for _, row := range answer["skills"].([]object) {
			row["id"] = "same"
			if row["name"] == "xc" {
				row["githubUrl"] = "https://gitlab.com/o/r"
			}
		}
	}}
	got := keep()
	end, err := m.open(t, &now, func(c *skillsmp.Config) { c.Warn = func(string) { warnings++ } })(t).Enumerate(t.Context(), nil, got.emit)
	if err != nil || end != data.Complete || sorted(got.listed) != "xa xb" || warnings == 0 {
		t.Errorf("%s, %v: %q, %d warnings", end, err, sorted(got.listed), warnings)
	}
}

// Case 27: walk 1 shifts under the reader, walk 2 is consistent.
func TestCaseShiftingPages(t *testing.T) {
	t.Parallel()
	folder := datatest.Shared(t, "cases", "27-shifting-pages")
	now, walk, pages := clock, 0, 0
	m := &market{limit: 4, most: 1000, reply: func(query string, page int, answer object) {
		if query != "a" {
			return
		}
		if page == 1 {
			walk++
		}
		pages++
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("walk%d", walk), fmt.Sprintf("offset%d.json", 4*(page-1))))
		if err != nil {
			t.Error(err)
			return
		}
		var file struct {
			Items []struct{ ID, Skill string }
			Total int
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Error(err)
		}
		rows := []object{}
		for _, item := range file.Items {
			rows = append(rows, row(item.Skill))
		}
		answer["skills"] = rows
		answer["pagination"] = object{"page": page, "limit": 4, "total": file.Total, "totalPages": 3, "hasNext": page < 3, "totalIsExact": true}
	}}
	got := keep()
	end, err := m.open(t, &now)(t).Enumerate(t.Context(), nil, got.emit)
	if err != nil || end != data.Complete {
		t.Fatalf("Enumerate = %s, %v", end, err)
	}
	if walk != 2 || pages != 6 {
		t.Errorf("%d walks, %d pages; want 2, 6", walk, pages)
	}
	if listed, unlisted := sorted(got.listed), sorted(got.unlisted); listed != "a d e f g h i j z" || unlisted != "b c" {
		t.Errorf("listed %q, unlisted %q", listed, unlisted)
	}
	if got.emitted["d"] != 1 {
		t.Errorf("d was stored %d times", got.emitted["d"])
	}
}

func TestWalks(t *testing.T) {
	t.Parallel()
	set := func(key string, value any) func(string, int, object) {
		return func(_ string, _ int, answer object) { answer["pagination"].(object)[key] = value }
	}
	tests := []struct {
		name  string
		reply func(query string, page int, answer object)
		want  data.Completeness
		rows  int
		most  int // requests
	}{
		{"steady", nil, data.Complete, 10, 60},
		{"more promised than shown", set("total", 99), data.Capped, 10, 160},
		{"endless: there is always a next page", set("hasNext", true), data.Capped, 10, 200},
		{"the first page for ever", func(_ string, _ int, answer object) {
			answer["pagination"].(object)["hasNext"], answer["pagination"].(object)["page"] = true, 1
		}, data.Capped, 4, 200},
		{"total is a guess", func(_ string, _ int, answer object) {
			p := answer["pagination"].(object)
			p["total"], p["totalIsExact"] = 12, false
		}, data.Complete, 10, 60},
		{"older answers", func(_ string, _ int, answer object) {
			p := answer["pagination"].(object)
			delete(p, "totalIsExact")
			delete(p, "isCapped")
			delete(p, "maxResults")
		}, data.Complete, 10, 60},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now := clock
			var all []string
			for i := range 10 {
				all = append(all, "x"+string(rune('a'+i)))
			}
			m := &market{names: all, limit: 4, most: 1000, reply: test.reply}
			got := keep()
			end, err := m.open(t, &now)(t).Enumerate(t.Context(), nil, got.emit)
			if err != nil || end != test.want || len(got.listed) < test.rows || m.used > test.most {
				t.Errorf("%s, %v: %d rows in %d requests; want %s, %d in %d", end, err, len(got.listed), m.used, test.want, test.rows, test.most)
			}
		})
	}
}

// A marketplace of 1,000 rows behind a window of 100: what each query hides is found by pairs, and no page is
// asked for long after everything is known.
func TestWindow(t *testing.T) {
	t.Parallel()
	now := clock
	m := &market{limit: 25, most: 100}
	for i := range 1000 {
		m.names = append(m.names, fmt.Sprintf("%c%c%c", 'a'+i%10, 'a'+i/10%10, 'a'+i/100))
	}
	got := keep()
	end, err := m.open(t, &now)(t).Enumerate(t.Context(), nil, got.emit)
	if err != nil || end != data.Capped || len(got.listed) != 1000 {
		t.Errorf("%s, %v: %d of 1000 rows", end, err, len(got.listed))
	}
	t.Logf("%d requests for %d rows", m.used, len(got.listed))
	if m.used > 600 {
		t.Errorf("%d requests", m.used)
	}
}

func TestDailyQuota(t *testing.T) {
	t.Parallel()
	now := clock
	m := &market{names: names(200), limit: 10, most: 1000, quota: 25}
	open := m.open(t, &now)
	got, days := keep(), 0
	for {
		end, err := open(t).Enumerate(t.Context(), got.cursor, got.emit)
		if err == nil {
			if end != data.Complete || len(got.listed) != 200 {
				t.Errorf("%s with %d rows", end, len(got.listed))
			}
			break
		}
		item, ok := errors.AsType[*data.ItemError](err)
		if !ok || end != data.Interrupted || item.Outcome != data.OutcomeLimited || item.RetryAt != now.Truncate(24*time.Hour).Add(24*time.Hour) && days == 0 {
			t.Fatalf("%s, %v", end, err)
		}
		if days++; days > 20 {
			t.Fatal("no end in 20 days")
		}
		used := m.used
		if _, err := open(t).Enumerate(t.Context(), got.cursor, got.emit); data.OutcomeOf(err) != data.OutcomeLimited || m.used != used {
			t.Fatalf("a new run on the same day asked %d times: %v", m.used-used, err)
		}
		now, m.used = now.Add(24*time.Hour), 0
	}
	if days < 2 {
		t.Errorf("took %d days", days)
	}
}

// The quota was used up elsewhere: the refusal is remembered, and another tier has a quota of its own.
func TestQuotaRefusal(t *testing.T) {
	t.Parallel()
	now := clock
	m := &market{names: names(5), limit: 10, most: 1000, quota: 1, used: 7}
	got := keep()
	_, err := m.open(t, &now)(t).Enumerate(t.Context(), nil, got.emit)
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeLimited || !item.RetryAt.Equal(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)) || got.cursor == nil {
		t.Fatalf("%v, cursor %s", err, got.cursor)
	}
	used := m.used
	if _, err := m.open(t, &now)(t).Enumerate(t.Context(), got.cursor, got.emit); data.OutcomeOf(err) != data.OutcomeLimited || m.used != used {
		t.Errorf("asked again: %v", err)
	}
	m.quota = 0
	withKey := m.open(t, &now, func(c *skillsmp.Config) { c.Key = "sk_live_skillsmp_test" })
	if end, err := withKey(t).Enumerate(t.Context(), got.cursor, got.emit); err != nil || end != data.Complete {
		t.Errorf("with a key: %s, %v", end, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]data.Outcome{401: data.OutcomeForbidden, 429: data.OutcomeLimited, 500: data.OutcomeUnavailable, 200: data.OutcomeUnavailable} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer server.Close()
		s, err := skillsmp.New(skillsmp.Config{BaseURL: server.URL, RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Now: func() time.Time { return clock }})
		if err != nil {
			t.Fatal(err)
		}
		end, err := s.Enumerate(t.Context(), nil, func([]data.Listing, json.RawMessage) error { return nil })
		if end != data.Interrupted || data.OutcomeOf(err) != want {
			t.Errorf("%d: %s, %v; want %s", status, end, err, want)
		}
	}
	if _, err := skillsmp.New(skillsmp.Config{BaseURL: "http://skillsmp.test"}); err == nil {
		t.Error("plain http was accepted")
	}
}
