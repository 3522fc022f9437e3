package crawl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"skillcorpus/crawl"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/store"
)

// step is one answer of a mock server, in the form of the shared cases' http.json.
type step struct {
	Host, Path    string
	Nth           int
	Status        int
	Headers       map[string]string
	BodyJSON      json.RawMessage `json:"body_json"`
	BodyFile      string          `json:"body_file"`
	Body          string
	RejectHeader  string `json:"reject_if_header"`
	RejectStatus  int    `json:"reject_status"`
	RequireHeader string `json:"require_header"`
}

// steps answer as a server, or as a network of their own hosts. A zipball step is also the codeload host's answer.
type steps struct {
	t     *testing.T
	dir   string
	Token string
	Steps []step

	mu      sync.Mutex
	asked   map[string]int // by host and path
	headers map[string]http.Header
}

func caseSteps(t *testing.T, name string) *steps {
	t.Helper()
	s := &steps{t: t, dir: datatest.Shared(t, "cases", name), asked: map[string]int{}, headers: map[string]http.Header{}}
	if err := json.Unmarshal(readFile(t, s.dir, "http.json"), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *steps) serve(t *testing.T) *field {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return newField(t, server.URL)
}

func (s *steps) list(t *testing.T) string { return string(readFile(t, s.dir, "listing.json")) }

func (s *steps) count(at string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[at]
}

// RoundTrip answers for every host without a network.
func (s *steps) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	response := w.Result()
	response.Request = r
	return response, nil
}

func (s *steps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.URL.Path
	if parts := strings.Split(at, "/"); len(parts) == 5 && parts[3] == "legacy.zip" && s.Token == "" {
		at = "/repos/" + parts[1] + "/" + parts[2] + "/zipball/" + parts[4]
	}
	host := ""
	if r.URL.Host != "" {
		host = r.URL.Host
	}
	s.mu.Lock()
	s.asked[host+at]++
	nth := s.asked[host+at]
	s.headers[host+at] = r.Header.Clone()
	s.mu.Unlock()
	for _, step := range s.Steps {
		if ok, _ := path.Match(step.Path, at); ok && (step.Host == "" || step.Host == host) && (step.Nth == 0 || step.Nth == nth) {
			s.answer(w, r, step)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

func (s *steps) answer(w http.ResponseWriter, r *http.Request, step step) {
	if step.RejectHeader != "" && r.Header.Get(step.RejectHeader) != "" {
		w.WriteHeader(step.RejectStatus)
		return
	}
	if step.RequireHeader != "" && r.Header.Get(step.RequireHeader) == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	for key, value := range step.Headers {
		w.Header().Set(key, value)
	}
	w.WriteHeader(step.Status)
	switch {
	case step.BodyFile != "":
		_, _ = w.Write(readFile(s.t, s.dir, step.BodyFile))
	case step.BodyJSON != nil:
		_, _ = w.Write(step.BodyJSON)
	default:
		_, _ = w.Write([]byte(step.Body))
	}
}

func TestCaseCopiesAndNamesakes(t *testing.T) {
	t.Parallel()
	dir := datatest.Shared(t, "cases", "12-copies-and-namesakes")
	kit := &repo{name: "knot-school/main", commit: commitOf(1), zip: readFile(t, dir, "repo.zip")}
	f := newField(t, newHost(t, kit).URL)
	f.crawl(nil, f.list("knot-school/main\n"))
	shown := map[string][]string{}
	for _, s := range f.skills() {
		if s.CopyOf == "" {
			shown[s.Path] = append(shown[s.Path], s.ID)
		} else {
			canonical := strings.TrimPrefix(s.CopyOf, "knot-school/main/")
			shown[canonical] = append(shown[canonical], s.ID)
		}
	}
	if len(shown) != 3 || len(shown["skills/knot-guide"]) != 4 || len(shown["skills/dive/tide"]) != 1 || len(shown["skills/paint/tide"]) != 1 {
		t.Errorf("shown: %q", shown)
	}
}

func TestCasePartialArchive(t *testing.T) {
	t.Parallel()
	dir := datatest.Shared(t, "cases", "17-partial-archive")
	var members []string
	for _, name := range []string{"amber-jar", "birch-box", "clay-pot", "dune-sack"} {
		members = append(members, name+"/SKILL.md", skillMD(name), name+"/data.txt", strings.Repeat(name+"\n", 5000))
	}
	whole := zipOf(t, members...)
	for name, first := range map[string][]byte{
		"cut":   whole[:len(whole)/2],
		"error": readFile(t, dir, "error.zip"),
		"other": readFile(t, dir, "partial.tar.gz"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shelf := &repo{name: "o/shelf", commit: commitOf(1), zip: first}
			h := newHost(t, shelf)
			f := newField(t, h.URL)
			spool := filepath.Join(f.dir, "work", "spool")
			if err := os.MkdirAll(spool, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(spool, "archive-1"), first, 0o600); err != nil { // as a killed run leaves it
				t.Fatal(err)
			}
			if summary := f.crawl(nil, f.list("o/shelf\n")); !summary.Incomplete() {
				t.Errorf("first crawl: %+v, %v", summary, f.failures())
			}
			f.wantSkills()
			shelf.zip = whole
			h.reset()
			f.clock.Add(2 * 60e9)
			f.crawl(nil)
			f.wantSkills("o/shelf/amber-jar", "o/shelf/birch-box", "o/shelf/clay-pot", "o/shelf/dune-sack")
			if n := h.archived("o/shelf"); n != 1 {
				t.Errorf("fetched %d times after the fault, want 1", n)
			}
		})
	}
}

func TestCaseRenamedAndRecased(t *testing.T) {
	t.Parallel()
	s := caseSteps(t, "22-renamed-and-recased")
	f := s.serve(t)
	f.crawl(nil, f.list(s.list(t)))
	f.wantSkills("tide-lab/skills/skills/tide-log", "example-owner/kit/skills/kit-one")
	if n := s.count("/repos/tide-lab/skills/zipball/main"); n != 1 {
		t.Errorf("%d archives of tide-lab/skills, want 1", n)
	}
	f.look(func(corpus *store.Store) {
		counts, err := corpus.Counts(t.Context())
		if err != nil || counts.Repos != 2 {
			t.Errorf("%d repositories, %v", counts.Repos, err)
		}
		for id, want := range map[string]int64{"tide-lab/old-pack": 9001, "Tide-Lab/Skills": 9001, "tide-lab/skills": 9001, "example-owner/kit": 7} {
			if repo, ok, err := corpus.Repo(t.Context(), id); err != nil || !ok || repo.NumericID != want {
				t.Errorf("%s leads to %+v, %v", id, repo, err)
			}
		}
		listings, err := corpus.Listings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		installs := 0
		for _, row := range listings["tide-lab/skills"] {
			installs += row.Installs
		}
		if installs != 150 {
			t.Errorf("%d installs, want 150", installs)
		}
	})
	f.clock.Add(48 * 3600e9)
	f.crawl(nil, f.list(s.list(t)))
	f.wantSkills("tide-lab/skills/skills/tide-log", "example-owner/kit/skills/kit-one")
}

func TestCaseRepoStatuses(t *testing.T) {
	t.Parallel()
	s := caseSteps(t, "23-repo-statuses")
	f := s.serve(t)
	summary := f.crawl(nil, f.list(s.list(t)))
	if summary.Incomplete() {
		t.Errorf("not finished: %+v", summary)
	}
	outcomes := f.outcomes()
	if outcomes[data.OutcomeOK] != 3 || outcomes[data.OutcomeGone] != 1 || outcomes[data.OutcomeBlocked] != 2 || outcomes[data.OutcomeEmpty] != 1 {
		t.Errorf("outcomes %v, %v", outcomes, f.failures())
	}
	const o = "/repos/example-owner/"
	for at, want := range map[string]int{
		o + "a-ok/zipball/trunk": 1, o + "b-gone": 1, o + "c-legal": 1, o + "e-blocked": 1, o + "d-empty": 1,
		o + "f-shelf/zipball/edge": 1, o + "g-flaky": 2, o + "g-flaky/zipball/main": 1,
	} {
		if n := s.count(at); n != want {
			t.Errorf("%s asked %d times, want %d", at, n, want)
		}
	}
	if reason := f.failures()["example-owner/c-legal"].Reason; !strings.Contains(reason, "https://example.org/notice/1") {
		t.Errorf("no notice in %q", reason)
	}
	f.look(func(corpus *store.Store) {
		if shelf, _, err := corpus.Repo(t.Context(), "example-owner/f-shelf"); err != nil || !shelf.Archived || shelf.DefaultBranch != "edge" {
			t.Errorf("f-shelf: %+v, %v", shelf, err)
		}
	})
}

func TestCaseTokenOnRedirect(t *testing.T) {
	t.Parallel()
	s := caseSteps(t, "26-token-on-redirect")
	for i, name := range []string{"kit", "two", "three"} {
		s.Steps = append(s.Steps, step{
			Host: "api.test", Path: "/repos/example-owner/" + name, Status: http.StatusOK,
			BodyJSON: fmt.Appendf(nil, `{"id":%d,"full_name":"example-owner/%s","default_branch":"main"}`, i+1, name),
		})
	}
	f := newField(t, "https://api.test")
	f.codeload, f.tokens, f.transport = "https://codeload.test", []string{s.Token}, s
	var log bytes.Buffer
	f.log = &log
	summary := f.crawl(nil, f.list("example-owner/kit\nexample-owner/two\nexample-owner/three\n"))
	// The second host is on the list of the client's settings only; without it, it gets no token and refuses.
	if !summary.Incomplete() {
		t.Errorf("summary %+v", summary)
	}
	f.wantSkills("example-owner/kit/skills/one")
	if got := s.headers["store.test/blob"]; got.Get("Authorization") != "" || got.Get("Cookie") != "" {
		t.Errorf("the store saw %v", got)
	}
	if got := s.headers["api.test/repos/example-owner/kit/zipball/main"].Get("Authorization"); got != "Bearer "+s.Token {
		t.Errorf("the API saw %q", got)
	}
	if n := s.count("api.test/plain"); n != 0 {
		t.Error("a redirect to plain http was followed")
	}
	if strings.Contains(log.String(), s.Token) || strings.Contains(fmt.Sprint(f.failures()), s.Token) {
		t.Error("the token is in the log or in an error")
	}
	for _, name := range []string{"corpus.db", "corpus.db-wal"} {
		if content, err := os.ReadFile(filepath.Join(f.dir, "work", name)); err == nil && bytes.Contains(content, []byte(s.Token)) {
			t.Errorf("the token is in %s", name)
		}
	}
}

// TestCaseShiftingPages plays the two walks as the marketplace's answers to its first partition.
func TestCaseShiftingPages(t *testing.T) {
	t.Parallel()
	dir := datatest.Shared(t, "cases", "27-shifting-pages")
	kit := &repo{name: "example-owner/kit", commit: commitOf(1), zip: zipOf(t, "a/SKILL.md", skillMD("a"))}
	h := newHost(t, kit)
	walk := 0
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/skills/search" {
			return false
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		if r.URL.Query().Get("q") != "a" {
			_, _ = w.Write([]byte(`{"success":true,"data":{"skills":[],"pagination":{"page":1,"limit":4}}}`))
			return true
		}
		if page == 1 {
			walk++
		}
		_, _ = w.Write(shiftingPage(t, dir, walk, page))
		return true
	})
	f := newField(t, h.URL)
	src := f.marketAt(h.URL)
	summary := f.crawl(nil, src)
	if summary.Incomplete() || summary.Sources[0].Completeness != data.Complete || walk != 2 {
		t.Errorf("%+v after %d walks", summary, walk)
	}
	f.look(func(corpus *store.Store) {
		sources, err := corpus.Sources(t.Context())
		if err != nil || len(sources) != 1 || sources[0].Rows != 11 || sources[0].Unlisted != 2 {
			t.Errorf("sources %+v, %v; want 11 rows of which 2 are unlisted", sources, err)
		}
		listings, err := corpus.Listings(t.Context())
		if err != nil || len(listings["example-owner/kit"]) != 11 {
			t.Errorf("%d listings, %v", len(listings["example-owner/kit"]), err)
		}
	})
	if n := h.archived("example-owner/kit"); n != 1 {
		t.Errorf("%d archives for one repository", n)
	}
}

func shiftingPage(t *testing.T, dir string, walk, page int) []byte {
	t.Helper()
	var file struct {
		Items []struct{ Repo, Skill string }
		Total int
	}
	if err := json.Unmarshal(readFile(t, dir, fmt.Sprintf("walk%d", walk), fmt.Sprintf("offset%d.json", 4*(page-1))), &file); err != nil {
		t.Error(err)
	}
	rows := []map[string]any{}
	for _, item := range file.Items {
		rows = append(rows, map[string]any{"id": item.Skill, "name": item.Skill, "githubUrl": "https://github.com/" + item.Repo + "/tree/main/" + item.Skill})
	}
	answer, err := json.Marshal(map[string]any{"success": true, "data": map[string]any{
		"skills": rows, "pagination": map[string]any{"page": page, "limit": 4, "total": file.Total, "totalPages": 3, "hasNext": page < 3, "totalIsExact": true},
	}})
	if err != nil {
		t.Error(err)
	}
	return answer
}

func TestCaseVanishedSkill(t *testing.T) {
	t.Parallel()
	dir := datatest.Shared(t, "cases", "30-vanished-skill")
	gear := &repo{name: "example-owner/gear", commit: commitOf(1), zip: readFile(t, dir, "crawl1.zip")}
	h := newHost(t, gear)
	f := newField(t, h.URL)
	next := func(want ...string) {
		t.Helper()
		f.clock.Add(25 * 3600e9)
		f.crawl(func(o *crawl.Options) { o.MaxWait = 0 }, f.list("example-owner/gear\n"))
		for i, name := range want {
			want[i] = "example-owner/gear/skills/" + name
		}
		f.wantSkills(want...)
	}
	next("ebb-log", "sail-fold", "wind-note")
	gear.commit, gear.zip = commitOf(2), readFile(t, dir, "crawl2.zip")
	next("ebb-log", "sail-stow")
	all := func(status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true }
	}
	before := f.digest()
	h.intercept(all(http.StatusInternalServerError))
	next("ebb-log", "sail-stow")
	if f.digest() != before {
		t.Error("errors changed the corpus")
	}
	h.intercept(all(http.StatusNotFound))
	next()
	if got := f.failures()["example-owner/gear"]; got.Outcome != data.OutcomeGone {
		t.Errorf("state %+v", got)
	}
	f.look(func(corpus *store.Store) {
		counts, err := corpus.Counts(t.Context())
		if err != nil || counts.Removed != 4 {
			t.Errorf("%d removed rows, %v; want 4", counts.Removed, err)
		}
		if skill, ok, err := corpus.Skill(t.Context(), "example-owner/gear/skills/wind-note"); err != nil || !ok || skill.Live {
			t.Errorf("wind-note: %t %t %v", ok, skill.Live, err)
		}
	})
	h.intercept(nil) // it comes back at the same head
	f.clock.Add(8 * 24 * 3600e9)
	next("ebb-log", "sail-stow")
}

func TestCaseHostileArchives(t *testing.T) {
	t.Parallel()
	slips := &repo{name: "o/slips", commit: commitOf(1), zip: readFile(t, datatest.Shared(t, "cases", "14-zip-links-and-slips"), "repo.zip")}
	bombs := datatest.Shared(t, "cases", "16-archive-bombs")
	repos := []*repo{slips}
	text := "o/slips\n"
	for _, name := range []string{"honest", "lying", "many"} {
		repos = append(repos, &repo{name: "o/" + name, commit: commitOf(1), zip: readFile(t, bombs, name+".zip")})
		text += "o/" + name + "\n"
	}
	f := newField(t, newHost(t, repos...).URL)
	f.crawl(func(o *crawl.Options) {
		o.Limits.Member, o.Limits.Expanded, o.Limits.Entries = 1<<20, 16<<20, 5000
	}, f.list(text))
	var ids []string
	for _, s := range f.skills() {
		ids = append(ids, s.ID)
		for _, file := range s.Files {
			if (strings.HasSuffix(file.Path, "notes.md") || strings.HasSuffix(file.Path, "data.bin")) && (file.Kept || file.Note == "") {
				t.Errorf("%s: %+v", s.ID, file)
			}
		}
	}
	for _, want := range []string{"o/slips/skills/ok", "o/slips/skills/linked"} {
		if !slices.Contains(ids, want) {
			t.Errorf("%s is not among %q", want, ids)
		}
	}
	for _, name := range []string{"honest", "lying", "many"} {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, "o/"+name+"/") }) {
			t.Errorf("no skill of %s: %v", name, f.failures())
		}
	}
	f.look(func(corpus *store.Store) {
		counts, err := corpus.Counts(t.Context())
		if err != nil || counts.RepoFindings < 5 {
			t.Errorf("%d findings on repositories, %v", counts.RepoFindings, err)
		}
	})
	f.digest()
}
