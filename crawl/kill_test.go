package crawl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/crawl"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/store"
)

// killCase is case 29: 30 repositories, and after how many archives the crawl dies.
func killCase(t *testing.T) (repos []*repo, text string, points []int) {
	t.Helper()
	dir := datatest.Shared(t, "cases", "29-kill-and-resume")
	text = string(readFile(t, dir, "listing.json"))
	var rows []struct{ Repo string }
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		repos = append(repos, pack(t, row.Repo))
	}
	if err := json.Unmarshal(readFile(t, dir, "kill_points.json"), &points); err != nil {
		t.Fatal(err)
	}
	return repos, text, points
}

// trap holds the archive request of one number back until the crawl is dead.
type trap struct {
	*host
	at     int
	sprung chan struct{}
	dead   chan struct{}
	once   sync.Once
	mu     sync.Mutex
	asked  int
	names  []string // of archives that were asked for since the last reset
}

func newTrap(t *testing.T, at int, repos []*repo) *trap {
	t.Helper()
	tr := &trap{host: newHost(t, repos...), at: at, sprung: make(chan struct{}), dead: make(chan struct{})}
	tr.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "legacy.zip") {
			return false
		}
		tr.mu.Lock()
		tr.asked++
		tr.names = append(tr.names, strings.Join(strings.Split(r.URL.Path, "/")[1:3], "/"))
		hit := tr.asked >= tr.at
		tr.mu.Unlock()
		if hit {
			tr.once.Do(func() { close(tr.sprung) })
			<-tr.dead
		}
		return false
	})
	return tr
}

// take returns the archives that were asked for since the last call.
func (tr *trap) take() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	names := tr.names
	tr.names = nil
	return names
}

// undisturbed is the digest of a crawl that nothing interrupts.
func undisturbed(t *testing.T, repos []*repo, text string) string {
	t.Helper()
	f := newField(t, newHost(t, repos...).URL)
	f.crawl(nil, f.list(text))
	return f.digest()
}

// checkResume crawls to the end and compares.
func (tr *trap) checkResume(f *field, text, digest string) {
	f.t.Helper()
	var done []string
	for _, s := range f.skills() {
		done = append(done, s.RepoID)
	}
	inFlight := slices.DeleteFunc(tr.take(), func(name string) bool { return slices.Contains(done, name) })
	if len(inFlight) > 5 { // three workers, and two results on their way into the store
		f.t.Errorf("%d repositories were lost: %q", len(inFlight), inFlight)
	}
	if len(f.failures()) != 0 {
		f.t.Errorf("the kill was stored as a failure: %v", f.failures())
	}
	summary := f.crawl(nil, f.list(text))
	for _, name := range tr.take() {
		if slices.Contains(done, name) {
			f.t.Errorf("%s was done and is downloaded again", name)
		}
	}
	if outcomes := f.outcomes(); summary.Incomplete() || outcomes[data.OutcomeOK] != 30 || len(f.skills()) != 30 {
		f.t.Errorf("%+v, %v, %d skills", summary, outcomes, len(f.skills()))
	}
	if f.digest() != digest {
		f.t.Error("the digest differs from that of an undisturbed run")
	}
}

func TestCancelAndResume(t *testing.T) {
	t.Parallel()
	repos, text, points := killCase(t)
	digest := undisturbed(t, repos, text)
	for _, at := range points {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			tr := newTrap(t, at, repos)
			f := newField(t, tr.URL)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-tr.sprung
				cancel()
				close(tr.dead)
			}()
			corpus := f.open()
			if _, err := crawl.Run(ctx, corpus, f.options(f.list(text))); err == nil {
				t.Error("a cancelled run ends well")
			}
			if err := corpus.Close(); err != nil {
				t.Error(err)
			}
			tr.checkResume(f, text, digest)
		})
	}
}

// TestKillAndResume kills a process of its own, and resumes in this one.
func TestKillAndResume(t *testing.T) {
	t.Parallel()
	repos, text, points := killCase(t)
	digest := undisturbed(t, repos, text)
	if testing.Short() {
		points = points[:2]
	}
	for _, at := range points {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			tr := newTrap(t, at, repos)
			f := newField(t, tr.URL)
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$") //nolint:gosec // this test's own binary
			child.Env = append(os.Environ(), "CRAWL_VICTIM_DIR="+f.dir, "CRAWL_VICTIM_HOST="+tr.URL, "CRAWL_VICTIM_LIST="+text)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			<-tr.sprung
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = child.Wait() // it was killed
			close(tr.dead)
			tr.checkResume(f, text, digest)
		})
	}
}

// TestVictim is the process that TestKillAndResume kills.
func TestVictim(t *testing.T) { //nolint:paralleltest // it has a process of its own
	dir := os.Getenv("CRAWL_VICTIM_DIR")
	if dir == "" {
		t.Skip("only a process of its own, see TestKillAndResume")
	}
	f := newField(t, os.Getenv("CRAWL_VICTIM_HOST"))
	f.dir = dir
	f.crawl(nil, f.list(os.Getenv("CRAWL_VICTIM_LIST")))
}

// TestSecondWriter refuses a second crawl of one data folder.
func TestSecondWriter(t *testing.T) {
	t.Parallel()
	f := newField(t, newHost(t).URL)
	corpus := f.open()
	defer corpus.Close()
	second, err := store.Open(t.Context(), f.dir, store.Options{Write: true, LockWait: time.Nanosecond})
	if err == nil {
		second.Close()
		t.Fatal("two writers on one folder")
	}
}

// TestCutJournal takes in a list whose last line is cut.
func TestCutJournal(t *testing.T) {
	t.Parallel()
	repos, _, _ := killCase(t)
	text := string(readFile(t, datatest.Shared(t, "cases", "29-kill-and-resume"), "journal.cut.jsonl"))
	f := newField(t, newHost(t, repos...).URL)
	summary := f.crawl(nil, f.list(text))
	if summary.Incomplete() || summary.Sources[0].Rows != 3 || len(f.warnings) != 1 || !strings.Contains(f.warnings[0], "row 4") {
		t.Errorf("%+v, warnings %q", summary, f.warnings)
	}
	f.wantSkills("example-owner/pack-01/skills/pack-01", "example-owner/pack-02/skills/pack-02", "example-owner/pack-03/skills/pack-03")
}
