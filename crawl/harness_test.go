package crawl_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/crawl"
	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/list"
	"skillcorpus/data"
	"skillcorpus/store"
)

var morning = time.Date(2026, time.March, 1, 8, 0, 0, 0, time.UTC)

// clock is the only time that a test knows. A wait moves it on.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func newClock() *clock { return &clock{now: morning} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.Add(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, d)
	over := make(chan time.Time, 1)
	over <- c.now
	return over
}

// field is one corpus, with the hosts that it is crawled from.
type field struct {
	t             *testing.T
	dir           string
	clock         *clock
	api, codeload string
	raw           string
	tokens        []string
	transport     http.RoundTripper
	warnings      []string
	log           io.Writer
}

func newField(t *testing.T, at string) *field {
	t.Helper()
	return &field{t: t, dir: t.TempDir(), clock: newClock(), api: at, codeload: at, log: io.Discard}
}

func (f *field) open() *store.Store {
	f.t.Helper()
	corpus, err := store.Open(f.t.Context(), f.dir, store.Options{Write: true, Now: f.clock.Now, Command: "test"})
	if err != nil {
		f.t.Fatal(err)
	}
	return corpus
}

// options are those of a crawl on injected time without any pace.
func (f *field) options(sources ...source.Source) crawl.Options {
	f.t.Helper()
	logger := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client, err := github.New(github.Config{
		APIURL: f.api, CodeloadURL: f.codeload, RawURL: f.raw, Tokens: f.tokens, RequestsPerSecond: 1e6, RetryWait: time.Microsecond,
		Transport: f.transport, Now: f.clock.Now, Logger: logger,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return crawl.Options{
		Sources: sources, GitHub: client, Limits: archive.DefaultLimits(), Workers: 3, MaxAge: 24 * time.Hour,
		Counter: new(store.Counter), Stop: make(chan struct{}), Waiting: func(crawl.Wait) {}, Now: f.clock.Now,
		After: f.clock.After, Log: logger,
	}
}

// crawl runs one crawl as a process of its own would, a minute after whatever was before.
func (f *field) crawl(change func(*crawl.Options), sources ...source.Source) crawl.Summary {
	f.t.Helper()
	summary, err := f.try(change, sources...)
	if err != nil {
		f.t.Fatal(err)
	}
	return summary
}

func (f *field) try(change func(*crawl.Options), sources ...source.Source) (crawl.Summary, error) {
	f.t.Helper()
	f.clock.Add(time.Minute)
	corpus := f.open()
	defer corpus.Close()
	options := f.options(sources...)
	if change != nil {
		change(&options)
	}
	summary, err := crawl.Run(f.t.Context(), corpus, options)
	if left, globErr := filepath.Glob(filepath.Join(f.dir, "work", "spool", "*")); globErr != nil || len(left) > 0 {
		f.t.Errorf("left in the spool: %v, %v", left, globErr)
	}
	return summary, err
}

// list is a source over text.
func (f *field) list(text string) source.Source {
	return list.New("list:test", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		func(line string) { f.warnings = append(f.warnings, line) })
}

// look gives what a reader sees of the corpus.
func (f *field) look(see func(*store.Store)) {
	f.t.Helper()
	corpus, err := store.Open(f.t.Context(), f.dir, store.Options{Now: f.clock.Now})
	if err != nil {
		f.t.Fatal(err)
	}
	defer corpus.Close()
	see(corpus)
}

func (f *field) skills() (skills []store.Skill) {
	f.t.Helper()
	f.look(func(corpus *store.Store) {
		for skill, err := range corpus.Skills(f.t.Context()) {
			if err != nil {
				f.t.Fatal(err)
			}
			skills = append(skills, skill)
		}
	})
	return skills
}

func (f *field) wantSkills(want ...string) {
	f.t.Helper()
	var got []string
	for _, skill := range f.skills() {
		got = append(got, skill.ID)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		f.t.Errorf("live skills %q, want %q", got, want)
	}
}

func (f *field) outcomes() (outcomes map[data.Outcome]int) {
	f.t.Helper()
	f.look(func(corpus *store.Store) {
		var err error
		if outcomes, err = corpus.Outcomes(f.t.Context(), store.StageCrawl); err != nil {
			f.t.Fatal(err)
		}
	})
	return outcomes
}

// failures are the repositories that did not end ok, by key.
func (f *field) failures() map[string]store.Failure {
	f.t.Helper()
	byItem := map[string]store.Failure{}
	f.look(func(corpus *store.Store) {
		failures, err := corpus.Failures(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, failure := range failures {
			byItem[failure.Item] = failure
		}
	})
	return byItem
}

func (f *field) digest() (digest string) {
	f.t.Helper()
	f.look(func(corpus *store.Store) {
		var err error
		if digest, err = corpus.Digest(f.t.Context()); err != nil {
			f.t.Fatal(err)
		}
		if faults, err := corpus.Verify(f.t.Context()); err != nil || len(faults) > 0 {
			f.t.Errorf("verify: %v, %v", faults, err)
		}
	})
	return digest
}

// repo is one repository of a fake host. Tests change it between crawls.
type repo struct {
	name   string // full_name
	commit string // empty: the host does not know its head
	zip    []byte
}

// host plays the API and the codeload host at once. Its before may answer in its place.
type host struct {
	*httptest.Server
	mu       sync.Mutex
	repos    map[string]*repo // by lower-case name, former ones included
	ids      map[*repo]int
	asked    []string
	archives map[string]int // requests, by lower-case name
	before   func(w http.ResponseWriter, r *http.Request) bool
}

func newHost(t *testing.T, repos ...*repo) *host {
	t.Helper()
	h := &host{repos: map[string]*repo{}, ids: map[*repo]int{}, archives: map[string]int{}}
	for i, r := range repos {
		h.ids[r] = i + 1
		h.repos[strings.ToLower(r.name)] = r
	}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	isArchive := len(parts) == 4 && parts[2] == "legacy.zip"
	name := strings.ToLower(strings.Join(parts[:min(2, len(parts))], "/"))
	if parts[0] == "repos" && len(parts) > 2 {
		name = strings.ToLower(parts[1] + "/" + parts[2])
	}
	h.mu.Lock()
	h.asked = append(h.asked, r.URL.Path)
	if isArchive {
		h.archives[name]++
	}
	repo, before := h.repos[name], h.before
	h.mu.Unlock()
	switch {
	case before != nil && before(w, r):
	case repo == nil:
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
	case isArchive:
		_, _ = w.Write(repo.zip)
	case len(parts) == 3:
		w.Header().Set("ETag", fmt.Sprintf("%q", repo.name+repo.commit))
		if repo.commit != "" && r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": h.ids[repo], "full_name": repo.name, "default_branch": "main"})
	case parts[3] == "commits" && repo.commit != "":
		_, _ = io.WriteString(w, repo.commit)
	default:
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
	}
}

func (h *host) intercept(before func(http.ResponseWriter, *http.Request) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.before = before
}

func (h *host) reset() (requests int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	requests = len(h.asked)
	h.asked, h.archives = nil, map[string]int{}
	return requests
}

func (h *host) archived(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.archives[strings.ToLower(name)]
}

func commitOf(n int) string { return fmt.Sprintf("%040x", n) }

// skillMD is a small SKILL.md.
func skillMD(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\n\n# " + name + "\n"
}

// zipOf packs files, given as path and content in turn, as the host does.
func zipOf(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for i := 0; i < len(pairs); i += 2 {
		w, err := zw.Create(path.Join("wrapper", pairs[i]))
		if err == nil {
			_, err = io.WriteString(w, pairs[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zipped is a member of an archive: path, git mode and content.
type zipped struct{ path, mode, content string }

// zipWithModes is zipOf with modes and the commit, as the host packs it.
func zipWithModes(t testing.TB, members ...zipped) []byte {
	t.Helper()
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, m := range members {
		header := &zip.FileHeader{Name: path.Join("wrapper", m.path), Method: zip.Deflate}
		switch m.mode {
		case data.ModeExecutable:
			header.SetMode(0o755)
		case data.ModeLink:
			header.SetMode(0o777 | os.ModeSymlink)
		default:
			header.SetMode(0o644)
		}
		w, err := zw.CreateHeader(header)
		if err == nil {
			_, err = io.WriteString(w, m.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.SetComment(commitOf(7)); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pack is a repository with one skill that is called like it.
func pack(t testing.TB, name string) *repo {
	t.Helper()
	base := path.Base(name)
	return &repo{name: name, commit: commitOf(1), zip: zipOf(t, "skills/"+base+"/SKILL.md", skillMD(base))}
}

func readFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
