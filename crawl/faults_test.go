package crawl_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"skillcorpus/crawl"
	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
	"skillcorpus/data/sample"
	"skillcorpus/store"
)

// packs are repositories o/pack-01 and so on, with the list of them.
func packs(t *testing.T, n int) (repos []*repo, text string, skills []string) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("o/pack-%02d", i+1)
		repos = append(repos, pack(t, name))
		text += name + "\n"
		skills = append(skills, fmt.Sprintf("%s/skills/pack-%02d", name, i+1))
	}
	return repos, text, skills
}

func patient(o *crawl.Options)   { o.MaxWait = 10 * time.Minute }
func impatient(o *crawl.Options) { o.MaxWait = 0 }

// TestCutArchive cuts the first transfer of one archive: an attempt, a retry time, and then the whole.
func TestCutArchive(t *testing.T) {
	t.Parallel()
	after := int64(500)
	const name = "lackeyjb/playwright-skill"
	f, hub := startHub(t, sample.FS(), fakehub.Rule{
		Match: fakehub.Match{Host: "codeload", Repo: name, Nth: []int{1}}, Do: fakehub.Action{CutAfter: &after},
	})
	src := f.marketAt(hub.URLs()["skillsmp"])
	summary := f.crawl(impatient, src)
	failure := f.failures()[name]
	if !summary.Incomplete() || summary.Waiting != 1 || failure.Outcome != data.OutcomeUnavailable || failure.Attempts != 1 {
		t.Errorf("%+v, %+v", summary, failure)
	}
	if wait := failure.RetryAt.Sub(f.clock.Now()); wait < 45*time.Second || wait > 75*time.Second || !failure.RetryAt.Equal(summary.RetryAt) {
		t.Errorf("retry in %v, summary says %v", wait, summary.RetryAt)
	}
	if outcomes := f.outcomes(); outcomes[data.OutcomeOK] != 5 {
		t.Errorf("outcomes %v", outcomes)
	}
	f.clock.Add(time.Minute)
	if summary := f.crawl(impatient); summary.Incomplete() || len(f.failures()) != 0 {
		t.Errorf("second crawl: %+v, %v", summary, f.failures())
	}
	if n := hub.Stats().Endpoints["codeload zip"].Requests; n != 7 {
		t.Errorf("%d archives asked for, want 6 and one again", n)
	}
	whole, undisturbed := startHub(t, sample.FS())
	whole.crawl(nil, whole.marketAt(undisturbed.URLs()["skillsmp"]))
	if f.digest() != whole.digest() {
		t.Error("the corpus differs from an undisturbed one")
	}
}

// TestServerTrouble answers 502 for ever at one repository: three tries a crawl, and all others are fetched.
func TestServerTrouble(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 4)
	h := newHost(t, repos...)
	var tries atomic.Int32
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/repos/o/pack-02") {
			return false
		}
		tries.Add(1)
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	f := newField(t, h.URL)
	f.crawl(impatient, f.list(text))
	f.wantSkills(skills[0], skills[2], skills[3])
	if n := tries.Load(); n != 3 {
		t.Errorf("%d tries, want 3", n)
	}
	// A patient crawl tries again as long as its budget lasts, on longer and longer waits.
	f.clock.Add(time.Hour)
	summary := f.crawl(patient)
	if failure := f.failures()["o/pack-02"]; failure.Attempts < 3 || !summary.Incomplete() || !summary.RetryAt.After(f.clock.Now()) {
		t.Errorf("%+v, %+v", failure, summary)
	}
	var total time.Duration
	for _, wait := range f.clock.waits {
		total += wait
	}
	if total == 0 || total > 10*time.Minute {
		t.Errorf("waited %v in %v", total, f.clock.waits)
	}
}

// TestExhaustedLimit closes the API after some repositories. A limit is no failure, nobody asks in vain, and what
// needs no API goes on.
func TestExhaustedLimit(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]fakehub.Limit{
		"primary":           {Kind: "primary", Reset: time.Hour},
		"primary as 429":    {Kind: "primary", Reset: time.Hour, Status: 429},
		"secondary, silent": {Kind: "secondary", Reset: time.Minute, Silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, hub := startHub(t, sample.FS(), fakehub.Rule{
				Match: fakehub.Match{Host: "api", Repo: "hardikpandya/stop-slop"}, Do: fakehub.Action{Limit: &limit},
			})
			folder := localSkill(t, "home")
			one := func(o *crawl.Options) {
				impatient(o)
				o.Workers, o.Locate = 1, folder.Locate
			}
			summary := f.crawl(one, f.marketAt(hub.URLs()["skillsmp"]), folder)
			// In key order: blader and google-gemini before the limit, the local folder beside it, and hardikpandya,
			// kepano, lackeyjb and neondatabase behind it.
			if outcomes := f.outcomes(); outcomes[data.OutcomeOK] != 3 || outcomes[data.OutcomeLimited] != 4 {
				t.Errorf("outcomes %v", outcomes)
			}
			if got := hub.Stats().Endpoints["api repo"].Requests; got != 3 {
				t.Errorf("%d requests for repositories, want 3", got)
			}
			for key, failure := range f.failures() {
				if failure.Attempts != 0 || !failure.RetryAt.After(f.clock.Now()) {
					t.Errorf("%s: %+v", key, failure)
				}
			}
			if !summary.Incomplete() || summary.Waiting != 4 || summary.RetryAt.Sub(f.clock.Now()) > limit.Reset+2*time.Second {
				t.Errorf("summary %+v at %v", summary, f.clock.Now())
			}
		})
	}
}

// TestWaitingBudget waits a limit out if the budget allows it, and never starts a wait that it does not.
func TestWaitingBudget(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 3)
	for _, budget := range []time.Duration{59 * time.Second, 2 * time.Minute} {
		t.Run(budget.String(), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, repos...)
			f := newField(t, h.URL)
			reset := morning.Add(2 * time.Minute)
			h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/repos/o/pack-02" || !f.clock.Now().Before(reset) {
					return false
				}
				w.Header().Set("X-RateLimit-Remaining", "0")
				w.Header().Set("X-RateLimit-Reset", fmt.Sprint(reset.Unix()))
				w.WriteHeader(http.StatusForbidden)
				return true
			})
			told := 0
			summary := f.crawl(func(o *crawl.Options) {
				o.MaxWait, o.Waiting = budget, func(crawl.Wait) { told++ }
			}, f.list(text))
			if budget < time.Minute {
				if !summary.Incomplete() || told != 0 || len(f.clock.waits) != 0 {
					t.Errorf("%+v, told %d times, waited %v", summary, told, f.clock.waits)
				}
				return
			}
			f.wantSkills(append([]string{}, skills...)...)
			if summary.Incomplete() || told == 0 {
				t.Errorf("%+v, told %d times", summary, told)
			}
			if n := h.archived("o/pack-01") + h.archived("o/pack-02") + h.archived("o/pack-03"); n != 3 {
				t.Errorf("%d archives, want 3", n)
			}
		})
	}
}

// limitedSource lists one row, meets a limit of a minute, and lists another.
type limitedSource struct {
	now   func() time.Time
	reset time.Time
}

func (limitedSource) Name() string { return "limited" }

func (s limitedSource) Enumerate(_ context.Context, cursor json.RawMessage, emit source.Emit) (data.Completeness, error) {
	row := func(name string) []data.Listing {
		return []data.Listing{{Source: s.Name(), ExternalID: name, Host: data.HostGitHub, Repo: "o/" + name}}
	}
	if len(cursor) == 0 {
		if err := emit(row("pack-01"), json.RawMessage("1")); err != nil {
			return data.Interrupted, err
		}
	}
	if s.now().Before(s.reset) {
		return data.Interrupted, &data.ItemError{Outcome: data.OutcomeLimited, Reason: "30 a minute", RetryAt: s.reset}
	}
	return data.Complete, emit(row("pack-02"), json.RawMessage("2"))
}

// TestListingWaits waits a limit out that a source meets, if the budget allows it, and goes on from the cursor.
func TestListingWaits(t *testing.T) {
	t.Parallel()
	repos, _, _ := packs(t, 2)
	for budget, want := range map[time.Duration]data.Completeness{59 * time.Second: data.Interrupted, 2 * time.Minute: data.Complete} {
		t.Run(budget.String(), func(t *testing.T) {
			t.Parallel()
			f := newField(t, newHost(t, repos...).URL)
			var told []string
			summary := f.crawl(func(o *crawl.Options) {
				o.MaxWait, o.Waiting = budget, func(w crawl.Wait) { told = append(told, w.Source) }
			}, limitedSource{now: f.clock.Now, reset: morning.Add(2 * time.Minute)})
			if got := summary.Sources[0].Completeness; got != want || (want == data.Complete) != (len(told) == 1 && told[0] == "limited") {
				t.Errorf("%s after waits for %q, want %s", got, told, want)
			}
		})
	}
}

// TestArchivesLimited closes the archives' host alone: the API is not asked for what cannot be fetched anyway.
func TestArchivesLimited(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 20)
	h := newHost(t, repos...)
	closed := true
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !closed || !strings.HasPrefix(r.URL.Path, "/o/") {
			return false
		}
		http.Error(w, "Too Many Requests", http.StatusTooManyRequests)
		return true
	})
	f := newField(t, h.URL)
	archives := httptest.NewServer(h) // another origin
	t.Cleanup(archives.Close)
	f.codeload = archives.URL
	f.crawl(impatient, f.list(text))
	if outcomes := f.outcomes(); outcomes[data.OutcomeLimited] != 20 {
		t.Errorf("outcomes %v", outcomes)
	}
	if n := h.reset(); n > 3*3 {
		t.Errorf("%d requests, want those of the three workers that met the limit at most", n)
	}
	closed = false
	f.clock.Add(2 * time.Minute)
	f.crawl(impatient)
	f.wantSkills(skills...)
}

// TestStates takes the states that a host gives to repositories.
func TestStates(t *testing.T) {
	t.Parallel()
	f, hub := startHub(t, sample.FS(),
		fakehub.Rule{Match: fakehub.Match{Repo: "blader/humanizer"}, Do: fakehub.Action{Vanish: true}},
		fakehub.Rule{Match: fakehub.Match{Repo: "hardikpandya/stop-slop"}, Do: fakehub.Action{Block: "dmca"}},
		fakehub.Rule{Match: fakehub.Match{Repo: "lackeyjb/playwright-skill"}, Do: fakehub.Action{Block: "tos"}},
		fakehub.Rule{Match: fakehub.Match{Repo: "neondatabase/agent-skills"}, Do: fakehub.Action{Empty: true}},
		fakehub.Rule{Match: fakehub.Match{Repo: "kepano/obsidian-skills"}, Do: fakehub.Action{RenameTo: "kepano/obsidian"}},
	)
	text := "blader/humanizer\nhardikpandya/stop-slop\nlackeyjb/playwright-skill\nneondatabase/agent-skills\nkepano/obsidian-skills\nkepano/obsidian\n"
	summary := f.crawl(nil, f.list(text))
	outcomes := f.outcomes()
	if summary.Incomplete() || outcomes[data.OutcomeGone] != 1 || outcomes[data.OutcomeBlocked] != 2 || outcomes[data.OutcomeEmpty] != 1 || outcomes[data.OutcomeOK] != 1 {
		t.Errorf("%+v, %v", summary, outcomes)
	}
	for _, s := range f.skills() {
		if s.RepoID != "kepano/obsidian" {
			t.Errorf("a skill of %s", s.RepoID)
		}
	}
	if n := hub.Stats().Endpoints["codeload zip"].Status["200"]; n != 1 {
		t.Errorf("%d archives, want 1", n)
	}
}

// TestRename renames a crawled repository whose head stays: its skills stay, under the new name, and come back under
// the old one when it is renamed back.
func TestRename(t *testing.T) {
	t.Parallel()
	kit := pack(t, "o/kit")
	h := newHost(t, kit)
	f := newField(t, h.URL)
	f.crawl(nil, f.list("o/kit\n"))
	for _, name := range []string{"o/tools", "O/Tools", "o/kit"} {
		kit.name = name
		h.repos[strings.ToLower(name)] = kit
		f.clock.Add(25 * time.Hour)
		f.crawl(nil, f.list("o/kit\n"))
		f.wantSkills(name + "/skills/kit")
		f.look(func(corpus *store.Store) {
			if skill, ok, err := corpus.Skill(t.Context(), "o/kit/skills/kit"); err != nil || !ok || !skill.Live || skill.RepoID != name {
				t.Errorf("called %s, the first id leads to %q %t, %v", name, skill.ID, skill.Live, err)
			}
		})
		h.reset()
		f.clock.Add(25 * time.Hour)
		f.crawl(nil)
		f.wantSkills(name + "/skills/kit")
		if n := h.archived(name); n != 0 {
			t.Errorf("%s is fetched again although nothing changed", name)
		}
	}
}

// TestForbidden asks again as soon as there is another token.
func TestForbidden(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 2)
	h := newHost(t, repos...)
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer good" || !strings.HasPrefix(r.URL.Path, "/repos") {
			return false
		}
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
		return true
	})
	f := newField(t, h.URL)
	f.tokens = []string{"bad"}
	if summary := f.crawl(nil, f.list(text)); summary.Incomplete() || summary.Refused != 2 || f.outcomes()[data.OutcomeForbidden] != 2 {
		t.Errorf("%+v, %v", summary, f.outcomes())
	}
	f.tokens = []string{"good"}
	f.crawl(nil)
	f.wantSkills(skills...)
}

// TestTokenAfterLimit: who is limited without a token and then gives one does not wait for the limit of before; one who
// gives none, or is limited with it, does.
func TestTokenAfterLimit(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 3)
	h := newHost(t, repos...)
	var granted atomic.Value
	granted.Store("Bearer none")
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == granted.Load() || !strings.HasPrefix(r.URL.Path, "/repos") {
			return false
		}
		w.Header().Set("Retry-After", "3600")
		http.Error(w, `{"message":"API rate limit exceeded"}`, http.StatusTooManyRequests)
		return true
	})
	f := newField(t, h.URL)
	f.crawl(impatient, f.list(text))
	for _, tokens := range [][]string{nil, {"spent"}, {"good"}} {
		h.reset()
		f.tokens = tokens
		f.crawl(impatient)
		if asked, want := h.reset() > 0, len(tokens) > 0 && tokens[0] == "spent"; asked != want {
			t.Errorf("%v: asked %v, want %v", tokens, asked, want)
		}
	}
	granted.Store("Bearer good")
	f.clock.Add(time.Hour + time.Minute)
	f.crawl(impatient)
	f.wantSkills(skills...)
}

// TestNetworkGone closes the listener in the middle. Nothing is lost and nothing is taken for gone.
func TestNetworkGone(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 12)
	h := newHost(t, repos...)
	dead := newHost(t)
	dead.Close()
	f := newField(t, h.URL)
	var served atomic.Int32
	network := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(network.CloseIdleConnections)
	f.transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, "legacy.zip") && served.Add(1) > 5 || served.Load() > 5 {
			r = r.Clone(r.Context())
			r.URL.Host = strings.TrimPrefix(dead.URL, "http://")
		}
		return network.RoundTrip(r)
	})
	f.crawl(nil, f.list("o/pack-01\n"))
	served.Store(0)
	f.clock.Add(25 * time.Hour)
	summary := f.crawl(impatient, f.list(text))
	outcomes := f.outcomes()
	if !summary.Incomplete() || outcomes[data.OutcomeGone] != 0 || outcomes[data.OutcomeUnavailable]+outcomes[data.OutcomeLimited] == 0 || outcomes[data.OutcomeOK] == 0 {
		t.Errorf("%+v, %v", summary, outcomes)
	}
	f.transport = network
	f.clock.Add(5 * time.Minute)
	if summary := f.crawl(patient); summary.Incomplete() {
		t.Errorf("after the network came back: %+v, %v", summary, f.failures())
	}
	f.wantSkills(skills...)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSpoolFails makes the spool unwritable in the middle: that is about our machine, and no repository's outcome.
func TestSpoolFails(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 6)
	h := newHost(t, repos...)
	f := newField(t, h.URL)
	spool := filepath.Join(f.dir, "work", "spool")
	h.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/repos/o/pack-04" {
			if err := os.RemoveAll(spool); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	_, err := f.try(func(o *crawl.Options) { o.Workers = 1 }, f.list(text))
	if err == nil || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "spool") {
		t.Errorf("error %v", err)
	}
	if outcomes := f.outcomes(); outcomes[data.OutcomeInternal] != 0 || outcomes[data.OutcomeOK] == 0 || outcomes[data.OutcomeOK] == 6 {
		t.Errorf("outcomes %v", outcomes)
	}
	f.digest()
	h.intercept(nil)
	f.crawl(nil)
	f.wantSkills(skills...)
}

// TestDiskFull spools to a file system that is really full.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	small, large := pack(t, "o/a-small"), &repo{name: "o/b-large", commit: commitOf(1)}
	var noise bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&noise, "%s", hash(fmt.Append(nil, i))) // over 100 KB when packed
	}
	large.zip = zipOf(t, "x/SKILL.md", skillMD("x"), "x/noise.txt", noise.String())
	h := newHost(t, small, large)
	f := newField(t, h.URL)
	full := t.TempDir()
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("needs the right to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(full, 0); err != nil {
			t.Error(err)
		}
	})
	inWork := filepath.Join(f.dir, "work")
	if err := os.MkdirAll(inWork, 0o755); err != nil {
		t.Fatal(err)
	}
	h.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/repos/o/b-large" { // the spool is made anew at each start, so it is moved only now
			for len(f.skills()) == 0 && r.Context().Err() == nil { // what is still in flight may be fetched again
				runtime.Gosched()
			}
			spool := filepath.Join(inWork, "spool")
			if err := errors.Join(os.RemoveAll(spool), os.Symlink(full, spool)); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	_, err := f.try(func(o *crawl.Options) { o.Workers = 1 }, f.list("o/a-small\no/b-large\n"))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want one about a full disk", err)
	}
	f.wantSkills("o/a-small/skills/a-small")
	if len(f.failures()) != 0 {
		t.Errorf("failures %v", f.failures())
	}
	f.digest()
	h.intercept(nil)
	f.crawl(nil)
	f.wantSkills("o/a-small/skills/a-small", "o/b-large/x")
}

// TestStop closes Stop in the middle: what is in flight is finished and stored, nothing else is begun.
func TestStop(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 12)
	h := newHost(t, repos...)
	f := newField(t, h.URL)
	stop := make(chan struct{})
	var begun atomic.Int32
	h.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "legacy.zip/"+commitOf(1)) && begun.Add(1) == 4 {
			close(stop)
		}
		return false
	})
	f.crawl(func(o *crawl.Options) { o.Stop = stop }, f.list(text))
	done := len(f.skills())
	if done < 4 || done > 8 || len(f.failures()) != 0 {
		t.Errorf("%d skills after a stop at the fourth archive, failures %v", done, f.failures())
	}
	if n := int(begun.Load()); n != done {
		t.Errorf("%d archives were begun, %d skills stored", n, done)
	}
	f.crawl(nil)
	f.wantSkills(skills...)
}

// TestCancel cancels at each step of a crawl. Nothing is written after, and a second run completes it.
func TestCancel(t *testing.T) {
	t.Parallel()
	repos, text, skills := packs(t, 3)
	whole := newField(t, newHost(t, repos...).URL)
	whole.crawl(nil, whole.list(text))
	digest := whole.digest()
	for step := 1; step <= 9; step++ {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, repos...)
			f := newField(t, h.URL)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var requests atomic.Int32
			h.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
				if int(requests.Add(1)) != step {
					return false
				}
				cancel()
				<-r.Context().Done() // the client hangs up; an answer now would be a race
				return true
			})
			corpus := f.open()
			options := f.options(f.list(text))
			options.Workers = 1
			_, err := crawl.Run(ctx, corpus, options)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if err := corpus.Close(); err != nil {
				t.Error(err)
			}
			if done := (step - 1) / 3; len(f.skills()) > done {
				t.Errorf("%d skills, want %d at most", len(f.skills()), done)
			}
			if len(f.failures()) != 0 {
				t.Errorf("failures were stored: %v", f.failures())
			}
			h.intercept(nil)
			f.crawl(nil, f.list(text))
			f.wantSkills(append([]string{}, skills...)...)
			if f.digest() != digest {
				t.Error("the digest differs from that of an undisturbed run")
			}
		})
	}
}

// stopping is a source that meets a limit within its first page.
type stopping struct {
	source.Source
	until time.Time
}

func (s stopping) Enumerate(ctx context.Context, cursor json.RawMessage, emit source.Emit) (data.Completeness, error) {
	limit := &data.ItemError{Outcome: data.OutcomeLimited, Reason: "the daily quota is used up", RetryAt: s.until}
	return s.Source.Enumerate(ctx, cursor, func(rows []data.Listing, _ json.RawMessage) error {
		return cmp.Or[error](emit(rows[:1], json.RawMessage("null")), limit)
	})
}

// partial is a source that shows only a part.
type partial struct{ source.Source }

func (c partial) Enumerate(ctx context.Context, cursor json.RawMessage, emit source.Emit) (data.Completeness, error) {
	_, err := c.Source.Enumerate(ctx, cursor, emit)
	return data.Capped, err
}

func (partial) Cap() string { return "shows no more" }

// TestCappedSource keeps why a source is capped, and tells it where the source is not asked again.
func TestCappedSource(t *testing.T) {
	t.Parallel()
	f := newField(t, newHost(t, pack(t, "o/kit")).URL)
	for _, age := range []time.Duration{0, time.Hour} {
		var told []crawl.SourceResult
		summary := f.crawl(func(o *crawl.Options) {
			o.ListAge, o.Listed = age, func(r crawl.SourceResult) { told = append(told, r) }
		}, partial{f.list("o/kit\n")})
		if len(told) != 1 || told[0] != summary.Sources[0] || told[0].Reason != "shows no more" || told[0].ListedAt.IsZero() != (age == 0) || summary.Incomplete() {
			t.Errorf("%+v, told %+v", summary, told)
		}
	}
	f.look(func(corpus *store.Store) {
		states, err := corpus.Sources(t.Context())
		if err != nil || states[0].WalkEnd != (store.WalkEnd{Completeness: data.Capped, Reason: "shows no more"}) {
			t.Errorf("%+v, %v", states, err)
		}
	})
}

// TestInterruptedSource says when a limited source may be asked again, and fetches what it gave before.
func TestInterruptedSource(t *testing.T) {
	t.Parallel()
	f, hub := startHub(t, sample.FS())
	market := f.marketAt(hub.URLs()["skillsmp"])
	until := f.clock.Now().Add(time.Hour)
	summary := f.crawl(impatient, stopping{market, until})
	if len(summary.Sources) != 1 || !summary.Incomplete() {
		t.Fatalf("summary %+v", summary)
	}
	got := summary.Sources[0]
	if got.Completeness != data.Interrupted || got.Reason == "" || !got.RetryAt.Equal(until) || got.Rows == 0 {
		t.Errorf("source %+v", got)
	}
	if len(f.skills()) == 0 {
		t.Error("nothing was fetched")
	}
	f.clock.Add(25 * time.Hour)
	if summary := f.crawl(impatient, market); summary.Sources[0].Completeness != data.Complete {
		t.Errorf("resumed: %+v", summary)
	}
}
