package skillsmp_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/data/sample"
)

// simulation is a real listing behind the real limits: 1,000 rows a query, 50 a page, so many requests a minute and day.
type simulation struct {
	market  fakehub.Market
	keyed   bool
	restart int // a new process after so many pages; 0 is never

	mu    sync.Mutex
	now   time.Time
	asked []url.Values // searches that were answered
	part  map[string]*yield
	rows  map[string]bool
}

// yield is what one kind of partition gave.
type yield struct{ calls, rows int }

func (s *simulation) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// RoundTrip lets as much time pass as the pace of a minute takes.
func (s *simulation) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.now = s.now.Add(6 * time.Second)
	s.asked = append(s.asked, r.URL.Query())
	s.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// run crawls for so many days and returns the rows found at the end of each.
func (s *simulation) run(t *testing.T, files []string, days int) (found []int, end data.Completeness) {
	t.Helper()
	s.now = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s.part, s.rows = make(map[string]*yield), make(map[string]bool)
	hub, err := fakehub.New(fakehub.Config{
		Hub: sample.FS(), Listings: files, Now: s.clock, Faults: &fakehub.Script{Quotas: fakehub.RealQuotas(), Market: s.market},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hub.Close() }()
	var cursor json.RawMessage
	for range days {
		for {
			end, err = s.open(t, hub.URLs()["skillsmp"]).Enumerate(t.Context(), cursor, s.keep(&cursor))
			if !errors.Is(err, errStop) {
				break
			}
		}
		found = append(found, len(s.rows))
		item, ok := errors.AsType[*data.ItemError](err)
		switch {
		case err == nil:
			return found, end
		case !ok || item.Outcome != data.OutcomeLimited || item.RetryAt.Sub(s.clock()) > 24*time.Hour:
			t.Fatal(err)
		}
		s.now = item.RetryAt
	}
	return found, end
}

var errStop = errors.New("stop")

func (s *simulation) open(t *testing.T, base string) *skillsmp.Source {
	t.Helper()
	config := skillsmp.Config{BaseURL: base, RequestsPerSecond: 1e6, Transport: s, Now: s.clock, Warn: func(text string) { t.Error(text) }}
	if s.keyed {
		config.Key = "sk_live_skillsmp_not-a-key"
	}
	market, err := skillsmp.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return market
}

func (s *simulation) keep(cursor *json.RawMessage) func([]data.Listing, json.RawMessage) error {
	pages := 0
	return func(rows []data.Listing, next json.RawMessage) error {
		before := len(s.rows)
		for _, row := range rows {
			s.rows[row.ExternalID] = true
		}
		kind := kindOf(s.asked[len(s.asked)-1])
		if s.part[kind] == nil {
			s.part[kind] = new(yield)
		}
		s.part[kind].calls++
		s.part[kind].rows += len(s.rows) - before
		*cursor = slices.Clone(next)
		if pages++; pages == s.restart {
			return errStop
		}
		return nil
	}
}

// kindOf names the kind of partition that a search belongs to.
func kindOf(q url.Values) string {
	kind := "word"
	switch {
	case strings.Contains(q.Get("q"), " "):
		kind = "everything"
	case len(q.Get("q")) < 3:
		kind = "letters"
	}
	for _, facet := range []string{"category", "language"} {
		if q.Get(facet) != "" {
			kind += " × " + facet
		}
	}
	return kind + " by " + q.Get("sortBy")
}

func (s *simulation) String() string {
	var text strings.Builder
	for _, kind := range slices.SortedFunc(keysOf(s.part), func(a, b string) int { return cmp.Compare(s.part[b].rows, s.part[a].rows) }) {
		fmt.Fprintf(&text, "\n    %-36s %5d rows in %4d calls", kind, s.part[kind].rows, s.part[kind].calls)
	}
	return text.String()
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestMarketplaceDay is the short form: a day without a key, a new process every seven requests. Each request that the
// day has is made once.
func TestMarketplaceDay(t *testing.T) {
	t.Parallel()
	files := []string{datatest.Shared(t, "listings", "marketplace.jsonl.gz")}
	for name, market := range map[string]fakehub.Market{"parts": {}, "words, shifting": {Words: true, Shift: 7}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &simulation{market: market, restart: 7}
			found, end := s.run(t, files, 1)
			if found[0] < 1900 || len(s.asked) != 50 || end != data.Interrupted {
				t.Errorf("%v rows in %d requests, %s; want 1900 in 50", found, len(s.asked), end)
			}
		})
	}
}

// TestProofMarketplace measures how much of the shared listing is found a day.
func TestProofMarketplace(t *testing.T) {
	if os.Getenv("SKILLCORPUS_PROOF") == "" {
		t.Skip("a long proof: set SKILLCORPUS_PROOF=1")
	}
	t.Parallel()
	files := []string{datatest.Shared(t, "listings", "marketplace.jsonl.gz")}
	for _, test := range []struct {
		name string
		*simulation
		days  int
		least []int // of 24,886 rows, at the end of each day
	}{
		{"any part of a word, with a key", &simulation{keyed: true}, 3, []int{19_000, 23_500, 24_500}},
		{"whole words, with a key", &simulation{keyed: true, market: fakehub.Market{Words: true}}, 3, []int{15_000, 19_500, 21_500}},
		{"any part of a word, with a key, shifting", &simulation{keyed: true, market: fakehub.Market{Shift: 40}, restart: 33}, 3, []int{17_500, 22_000, 23_500}},
		{"whole words, with a key, shifting", &simulation{keyed: true, market: fakehub.Market{Words: true, Shift: 40}, restart: 33}, 3, []int{15_000, 19_500, 21_500}},
		{"any part of a word, without a key", &simulation{}, 3, []int{2300, 3500, 5900}},
		{"whole words, without a key", &simulation{market: fakehub.Market{Words: true}}, 3, []int{2300, 4200, 5500}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, end := test.run(t, files, test.days)
			calls := 50 * test.days
			if test.keyed {
				calls *= 10
			}
			for day, least := range test.least {
				if found[day] < least || len(test.asked) != calls {
					t.Errorf("day %d: %d rows, %d requests in all; want %d, %d", day+1, found[day], len(test.asked), least, calls)
				}
			}
			t.Logf("%s: %v rows by day, %d calls, %s%s", test.name, found, len(test.asked), end, test.String())
		})
	}
}
