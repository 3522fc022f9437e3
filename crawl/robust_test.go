package crawl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl"
	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
	"skillcorpus/data/sample"
	"skillcorpus/store"
)

// With a token, the facts of all repositories cost one request, and a second crawl nothing else.
func TestFactsTogether(t *testing.T) {
	t.Parallel()
	f, hub := startHub(t, sample.FS())
	f.tokens = []string{"one", "two"}
	market := f.marketAt(hub.URLs()["skillsmp"])
	f.crawl(impatient, market)
	alone, other := startHub(t, sample.FS())
	alone.crawl(impatient, alone.marketAt(other.URLs()["skillsmp"]))
	if f.digest() != alone.digest() {
		t.Error("the corpus differs from that of one request a repository")
	}
	if api := requestsAt(hub, "api "); api != 1 {
		t.Errorf("%d requests to the API: %+v", api, hub.Stats().Endpoints)
	}
	archives := requestsAt(hub, "codeload ")
	f.clock.Add(25 * time.Hour)
	f.crawl(impatient)
	if api, again := requestsAt(hub, "api "), requestsAt(hub, "codeload "); api != 2 || again != archives {
		t.Errorf("though nothing changed: %d requests to the API, %d archives more", api, again-archives)
	}
}

// requestsAt counts the requests to endpoints of a host.
func requestsAt(hub *fakehub.Hub, prefix string) (sum int64) {
	for name, endpoint := range hub.Stats().Endpoints {
		if strings.HasPrefix(name, prefix) {
			sum += endpoint.Requests
		}
	}
	return sum
}

// A host that has the facts but not the content is asked once more, and the repository is not gone.
func TestContentGone(t *testing.T) {
	t.Parallel()
	h := newHost(t, pack(t, "o/kit"))
	var archives atomic.Int32
	for _, times := range []int32{1, 1000} {
		h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "legacy.zip") || archives.Add(1) > times {
				return false
			}
			h.mu.Lock()
			h.repos["o/kit"].commit = commitOf(2) // force-pushed in between
			h.mu.Unlock()
			http.NotFound(w, r)
			return true
		})
		f := newField(t, h.URL)
		f.crawl(impatient, f.list("o/kit"))
		failure := f.failures()["o/kit"]
		if times == 1 && (len(f.skills()) != 1 || failure.Outcome != "") {
			t.Errorf("after a push: %+v", failure)
		}
		if times > 1 && failure.Outcome != data.OutcomeUnavailable {
			t.Errorf("for ever: %+v", failure)
		}
	}
}

// A clock that jumps loses nothing and holds nothing up.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 3)
	h := newHost(t, repos...)
	f := newField(t, h.URL)
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/repos/o/pack-02" {
			return false
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	f.clock.Add(1000 * 24 * time.Hour) // forward, then back to where it was
	f.crawl(impatient, f.list(text))
	f.clock.Add(-1000 * 24 * time.Hour)
	h.intercept(nil)
	before := f.digest()
	h.reset()
	f.crawl(impatient, f.list(text))
	f.wantSkills(append([]string{}, skills...)...)
	if h.archived("o/pack-02") != 1 || h.archived("o/pack-01") != 0 {
		t.Errorf("after a jump back: %v", h.archives)
	}
	after := f.digest()
	if before == after {
		t.Error("the failed one did not come")
	}
	f.clock.Add(400 * 24 * time.Hour)
	f.crawl(impatient)
	if f.digest() != after {
		t.Error("a jump forward changed the corpus")
	}
	// In the same second, with no age at all: every repository once more, and once only.
	h.reset()
	f.clock.Add(time.Millisecond - time.Minute)
	f.crawl(func(o *crawl.Options) { impatient(o); o.MaxAge = 0 })
	if asked := h.reset(); asked != 3*1 {
		t.Errorf("%d requests, want one for each", asked)
	}
}

// A marketplace that was listed to its end is left alone for a while; a list of one's own never is.
func TestFreshListing(t *testing.T) {
	t.Parallel()
	f, hub := startHub(t, sample.FS())
	market, own := f.marketAt(hub.URLs()["skillsmp"]), f.list("kepano/obsidian-skills")
	fresh := func(o *crawl.Options) { impatient(o); o.ListAge = 24 * time.Hour }
	f.crawl(fresh, market, own)
	first := requestsAt(hub, "skillsmp ")
	summary := f.crawl(fresh, market, own)
	if got := summary.Sources[0]; got.ListedAt.IsZero() || got.Completeness != data.Complete || summary.Incomplete() {
		t.Errorf("%+v", summary)
	}
	if got := summary.Sources[1]; !got.ListedAt.IsZero() || got.Rows != 1 {
		t.Errorf("%+v", got)
	}
	if again := requestsAt(hub, "skillsmp "); again != first {
		t.Errorf("%d requests, then %d", first, again)
	}
	f.clock.Add(24 * time.Hour)
	if summary := f.crawl(fresh, market); !summary.Sources[0].ListedAt.IsZero() || summary.Sources[0].Rows == 0 {
		t.Errorf("a day later: %+v", summary)
	}
}

// What is denied is not asked for, under none of its names; a lifted denial lets it come back.
func TestDenied(t *testing.T) {
	t.Parallel()
	kit := &repo{name: "o/kit", commit: commitOf(1), zip: zipOf(t, "LICENSE", "terms", "a/SKILL.md", skillMD("a"), "b/SKILL.md", skillMD("b"))}
	h := newHost(t, kit, pack(t, "p/other"))
	f := newField(t, h.URL)
	f.crawl(impatient, f.list("o/kit\np/other"))
	corpus := f.open()
	if _, err := corpus.Deny(t.Context(), data.Denial{ID: "O/kit/a", Reason: "asked"}); err != nil {
		t.Error(err)
	}
	if _, err := corpus.Deny(t.Context(), data.Denial{ID: "p", Reason: "asked"}); err != nil {
		t.Error(err)
	}
	corpus.Close()
	f.wantSkills("o/kit/b")
	h.mu.Lock()
	kit.commit, kit.zip = commitOf(2), zipOf(t, "LICENSE", "new terms", "a/SKILL.md", skillMD("a new"), "b/SKILL.md", skillMD("b new"))
	other := h.repos["p/other"]
	other.name = "q/moved"
	h.repos["q/moved"] = other
	h.mu.Unlock()
	h.reset()
	f.clock.Add(25 * time.Hour)
	f.crawl(impatient, f.list("q/moved"))
	f.wantSkills("o/kit/b")
	if failure := f.failures()["q/moved"]; failure.Outcome != data.OutcomeDenied || failure.Reason != "asked" || h.archived("q/moved") != 0 {
		t.Errorf("under its new name: %+v", failure)
	}
	corpus = f.open()
	for _, id := range []string{"p", "o/kit/A"} {
		if err := corpus.Lift(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if faults, err := corpus.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("verify: %v, %v", faults, err)
	}
	corpus.Close()
	f.clock.Add(8 * 24 * time.Hour)
	f.crawl(impatient)
	f.wantSkills("o/kit/a", "o/kit/b", "q/moved/skills/other")
}

// The plan counts requests by host, from what is due.
func TestPlan(t *testing.T) {
	t.Parallel()
	repos, text, _ := packs(t, 3)
	h := newHost(t, repos...)
	host := strings.TrimPrefix(h.URL, "http://")
	f := newField(t, h.URL)
	var plans []crawl.Plan
	plan := func(only bool) func(*crawl.Options) {
		return func(o *crawl.Options) {
			impatient(o)
			o.PlanOnly, o.Planned = only, func(p crawl.Plan) { plans = append(plans, p) }
		}
	}
	f.crawl(plan(true), f.list(text))
	if h.reset() != 0 {
		t.Error("a plan asked for repositories")
	}
	f.crawl(plan(false))
	f.clock.Add(25 * time.Hour)
	f.crawl(plan(true))
	f.tokens = []string{"t"}
	f.crawl(plan(true))
	due := map[string]int{data.HostGitHub: 3}
	want := []crawl.Plan{
		{Repos: 3, New: 3, Due: due, Hosts: []crawl.HostPlan{{host, 9, 9.0 / 3600}}, Hours: 9.0 / 3600},
		{Repos: 3, New: 3, Due: due, Hosts: []crawl.HostPlan{{host, 9, 9.0 / 3600}}, Hours: 9.0 / 3600},
		{Repos: 3, Due: due, Hosts: []crawl.HostPlan{{host, 3, 3.0 / 3600}}, Hours: 3.0 / 3600},
		{Repos: 3, Due: due, Hosts: []crawl.HostPlan{{host, 1, 1.0 / 3600}}, Hours: 1.0 / 3600},
	}
	if diff := cmp.Diff(want, plans); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// quotaSource has a quota of one page, which its cursor carries from walk to walk.
type quotaSource struct{ used *int }

func (quotaSource) Name() string { return "quota" }

func (s quotaSource) Enumerate(_ context.Context, cursor json.RawMessage, emit source.Emit) (data.Completeness, error) {
	if string(cursor) == `"spent"` {
		return data.Interrupted, &data.ItemError{Outcome: data.OutcomeLimited, Reason: "the daily quota is used up"}
	}
	*s.used++
	return data.Complete, emit(nil, json.RawMessage(`"end"`))
}

func (quotaSource) Renew(last json.RawMessage) json.RawMessage {
	if string(last) == `"end"` {
		return json.RawMessage(`"spent"`)
	}
	return nil
}

// A quota holds across walks and processes.
func TestQuotaIsKept(t *testing.T) {
	t.Parallel()
	f := newField(t, newHost(t).URL)
	used := 0
	for i := range 3 {
		summary := f.crawl(impatient, quotaSource{&used})
		if interrupted := summary.Sources[0].Completeness == data.Interrupted; interrupted != (i > 0) {
			t.Errorf("walk %d: %+v", i, summary)
		}
	}
	if used != 1 {
		t.Errorf("asked %d times", used)
	}
}

// TestMemory crawls what takes the most memory: huge main files that pack to almost nothing, and archives of very many
// files, more of them than there are workers. It runs beside nothing else.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(300 << 20))
	huge := zipOf(t, "SKILL.md", skillMD("huge")+strings.Repeat("a line of much\n", 2_800_000))
	var pairs []string
	for k := range 99_000 {
		pairs = append(pairs, fmt.Sprintf("skills/s%d/file-%d.md", k%1000, k), "x")
	}
	many := zipOf(t, append(pairs, "skills/s1/SKILL.md", skillMD("many"))...)
	var repos []*repo
	var text strings.Builder
	for i := range 2 {
		repos = append(repos,
			&repo{name: fmt.Sprintf("o/huge-%d", i), commit: commitOf(1), zip: huge}, &repo{name: fmt.Sprintf("o/many-%d", i), commit: commitOf(1), zip: many})
		fmt.Fprintf(&text, "o/huge-%d\no/many-%d\n", i, i)
	}
	runtime.GC()
	h := newHost(t, repos...)
	f := newField(t, h.URL)
	var base, most runtime.MemStats
	runtime.ReadMemStats(&base)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				if now.HeapInuse > most.HeapInuse {
					most = now
				}
			}
		}
	}()
	f.crawl(func(o *crawl.Options) { impatient(o); o.Workers = 8 }, f.list(text.String()))
	close(stop)
	<-stopped
	f.look(func(corpus *store.Store) {
		if outcomes, err := corpus.Outcomes(t.Context(), store.StageCrawl); err != nil || outcomes[data.OutcomeOK] != 4 {
			t.Errorf("outcomes %v, %v, %v", outcomes, err, f.failures())
		}
	})
	peak := (int64(most.HeapInuse) - int64(base.HeapAlloc)) >> 20
	t.Logf("peak of the crawl's heap: %d MB", peak)
	if peak > 350 {
		t.Errorf("peak of the heap %d MB, want 350 at most", peak)
	}
}
