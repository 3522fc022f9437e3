package wellknown_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/crawl/source/wellknown"
	"skillcorpus/data"
)

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

type object = map[string]any

const (
	schema   = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	newIndex = "/.well-known/agent-skills/index.json"
	oldIndex = "/.well-known/skills/index.json"
)

// site serves files by path.
type site struct {
	files map[string][]byte
	serve func(w http.ResponseWriter, r *http.Request) bool // in place of the files, where set and true

	mu    sync.Mutex
	asked map[string]int
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[r.URL.Path]++
	if s.serve != nil && s.serve(w, r) {
		return
	}
	body, ok := s.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if strings.HasSuffix(r.URL.Path, ".tar.gz") {
		w.Header().Set("Content-Encoding", "gzip") // as many servers do: the bytes that count are those on the wire
	}
	_, _ = w.Write(body)
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func tarball(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	err := w.WriteHeader(&tar.Header{Name: "SKILL.md", Mode: 0o644, Size: 2})
	if err == nil {
		_, err = w.Write([]byte("hi"))
	}
	if err = errors.Join(err, w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// published is a site with a skill of each type.
func published(t *testing.T) *site {
	t.Helper()
	skill, archive := []byte("---\nname: one\n---\n"), tarball(t)
	index := object{"$schema": schema, "skills": []object{
		{"name": "one", "type": "skill-md", "description": "First", "url": "one/SKILL.md", "digest": digestOf(skill)},
		{"name": "Two", "type": "archive", "description": "Second", "url": "/files/two.tar.gz", "digest": digestOf(archive)},
	}}
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	return &site{files: map[string][]byte{
		newIndex: text, "/.well-known/agent-skills/one/SKILL.md": skill, "/files/two.tar.gz": archive,
	}}
}

func client(t *testing.T, change ...func(*wellknown.Config)) *wellknown.Client {
	t.Helper()
	config := wellknown.Config{RetryWait: time.Microsecond, Now: func() time.Time { return clock }, Warn: func(text string) { t.Log(text) }}
	for _, c := range change {
		c(&config)
	}
	c, err := wellknown.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open serves the site and returns it as a source, with its client and its base URL.
func (s *site) open(t *testing.T, change ...func(*wellknown.Config)) (*wellknown.Source, *wellknown.Client, string) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := client(t, change...)
	src, err := c.Source(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	return src, c, server.URL
}

func list(t *testing.T, s source.Source) (rows map[string]data.Listing, end data.Completeness, err error) {
	t.Helper()
	rows = map[string]data.Listing{}
	end, err = s.Enumerate(t.Context(), nil, func(page []data.Listing, _ json.RawMessage) error {
		for _, row := range page {
			rows[row.ExternalID] = row
		}
		return nil
	})
	return rows, end, err
}

func TestConformance(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(published(t))
	t.Cleanup(server.Close)
	sourcetest.Run(t, sourcetest.Suite{Rows: 2, End: data.Complete, Open: func(t *testing.T) source.Source {
		t.Helper()
		src, err := client(t).Source(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}})
}

func TestSkills(t *testing.T) {
	t.Parallel()
	s := published(t)
	src, c, base := s.open(t)
	rows, end, err := list(t, src)
	if err != nil || end != data.Complete || src.Name() != "wellknown:"+base {
		t.Fatal(src.Name(), end, err)
	}
	want := data.Listing{
		Source: src.Name(), ExternalID: "Two", Name: "Two", Description: "Second", URL: base + "/files/two.tar.gz", Host: base, Repo: "Two", PathKnown: true,
	}
	if diff := cmp.Diff(want, rows["Two"]); diff != "" {
		t.Error(diff)
	}
	for name, content := range map[string]string{"one": "---\nname: one\n---\n", "two": "hi"} {
		repo, unchanged, err := c.Repository(t.Context(), name, data.Repo{ID: base + "/" + name, Host: base, Name: name})
		if err != nil || unchanged || !strings.HasPrefix(repo.Commit, "sha256:") || !strings.EqualFold(repo.ID, base+"/"+name) {
			t.Fatalf("%+v, %v, %v", repo, unchanged, err)
		}
		if _, unchanged, err := c.Repository(t.Context(), name, repo); err != nil || !unchanged {
			t.Errorf("%s again: %v, %v", name, unchanged, err)
		}
		var out bytes.Buffer
		if err := c.Archive(t.Context(), repo, &out, 1<<20); err != nil {
			t.Fatal(name, err)
		}
		if got := skillIn(t, out.Bytes()); got != content {
			t.Errorf("%s: %q", name, got)
		}
		if err := c.Archive(t.Context(), repo, failing{}, 1<<20); err == nil || data.OutcomeOf(err) != data.OutcomeInternal {
			t.Errorf("%s: a full disk is %v", name, err)
		}
	}
	if s.asked[newIndex] != 1 || s.asked[oldIndex] != 0 {
		t.Errorf("%v", s.asked)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// skillIn returns the SKILL.md at the root of an archive.
func skillIn(t *testing.T, packed []byte) string {
	t.Helper()
	if !bytes.HasPrefix(packed, []byte("PK")) {
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		r := tar.NewReader(plain)
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	return string(zipFiles(t, packed)["SKILL.md"])
}

func zipFiles(t *testing.T, packed []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"": []byte(r.Comment)}
	for _, f := range r.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(body); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Version 0.1.0 names files, and no digest: the archive's comment changes with them.
func TestOldVersion(t *testing.T) {
	t.Parallel()
	s := &site{files: map[string][]byte{
		oldIndex:                           []byte(`{"skills":[{"name":"kit","description":"d","files":["SKILL.md","scripts/a b.py","gone.txt"]}]}`),
		"/.well-known/skills/kit/SKILL.md": []byte("hi"), "/.well-known/skills/kit/scripts/a b.py": []byte("pass"),
	}}
	src, c, base := s.open(t)
	rows, end, err := list(t, src)
	if err != nil || end != data.Complete || rows["kit"].URL != base+"/.well-known/skills/kit/SKILL.md" {
		t.Fatal(rows, end, err)
	}
	repo, _, err := c.Repository(t.Context(), "kit", data.Repo{Host: base, Name: "kit"})
	if err != nil || repo.Commit != "" {
		t.Fatalf("%+v, %v", repo, err)
	}
	if got := c.Requests(repo); got != 3 {
		t.Errorf("a plan of %d requests, want one for each file", got)
	}
	pack := func(most int64) (map[string][]byte, error) {
		var out bytes.Buffer
		if err := c.Archive(t.Context(), repo, &out, most); err != nil {
			return nil, err
		}
		return zipFiles(t, out.Bytes()), nil
	}
	first, err := pack(6)
	if err != nil || string(first["SKILL.md"]) != "hi" || string(first["scripts/a b.py"]) != "pass" || len(first) != 3 || len(first[""]) != 40 {
		t.Fatalf("%q, %v", first, err)
	}
	if _, err := pack(5); data.OutcomeOf(err) != data.OutcomeTooLarge {
		t.Errorf("under a byte less: %v", err)
	}
	s.mu.Lock()
	s.files["/.well-known/skills/kit/scripts/a b.py"] = []byte("exit")
	s.mu.Unlock()
	if second, err := pack(1 << 20); err != nil || bytes.Equal(first[""], second[""]) {
		t.Errorf("the comment stays %q, %v", second[""], err)
	}
	s.mu.Lock()
	delete(s.files, "/.well-known/skills/kit/SKILL.md")
	s.mu.Unlock()
	if _, err := pack(1 << 20); data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("without its SKILL.md: %v", err)
	}
}

func TestIndexes(t *testing.T) {
	t.Parallel()
	good := `{"name":"a","type":"skill-md","url":"a/SKILL.md","digest":"` + digestOf(nil) + `"}`
	with := func(rows string) string { return `{"$schema":"` + schema + `","skills":[` + rows + `]}` }
	many := strings.Repeat("null,", 10_000) + good
	for name, test := range map[string]struct {
		recent, old string // empty: none
		names       string
		end         data.Completeness
		err         data.Outcome
	}{
		"both":           {with(good), `{"skills":[{"name":"b","files":["SKILL.md"]}]}`, "a", data.Complete, data.OutcomeOK},
		"no skills":      {with(""), "", "", data.Complete, data.OutcomeOK},
		"the older":      {"", `{"skills":[{"name":"b","files":["x","skill.md"]}]}`, "b", data.Complete, data.OutcomeOK},
		"a page first":   {"<!doctype html>", `{"skills":[{"name":"b","files":["SKILL.md"]}]}`, "b", data.Complete, data.OutcomeOK},
		"pages only":     {"<!doctype html>", "<!doctype html>", "", data.Interrupted, data.OutcomeMalformed},
		"none":           {"", "", "", data.Interrupted, data.OutcomeGone},
		"unknown schema": {`{"$schema":"https://x/9","skills":[` + good + `]}`, `{"skills":[{"name":"b","files":["SKILL.md"]}]}`, "", data.Interrupted, data.OutcomeMalformed},
		"schema type":    {`{"$schema":5,"skills":[]}`, "", "", data.Interrupted, data.OutcomeMalformed},
		"null":           {`null`, "", "", data.Interrupted, data.OutcomeMalformed},
		"no list":        {`{"$schema":"` + schema + `"}`, "", "", data.Interrupted, data.OutcomeMalformed},
		"too large":      {with(strings.Repeat(" ", 5<<20)), "", "", data.Interrupted, data.OutcomeTooLarge},
		"too many":       {with(many), "", "", data.Capped, data.OutcomeOK},
		"odd rows": {
			with(`null,5,[],"x",{},{"name":"../x"},{"name":".."},{"name":"a/b"},{"name":"t","type":"npm"},{"name":"n","type":"archive","url":"x"},` +
				`{"name":"u","type":"archive","url":"http://[::1","digest":"` + digestOf(nil) + `"},{"name":"d","type":"archive","url":"x","digest":"md5:1"},` + good + `,` + strings.ToUpper(good[:12]) + good[12:]),
			"", "a", data.Complete, data.OutcomeOK,
		},
		"odd files": {"", `{"skills":[{"name":"a"},{"name":"b","files":["../SKILL.md"]},{"name":"c","files":["/SKILL.md"]},{"name":"d","files":["SKILL.md","x\\y"]},` +
			`{"name":"e","files":["SKILL.md","a//b"]},{"name":"f","files":[5]},{"name":"g","files":["README.md"]},{"name":"h","files":["SKILL.md"]}]}`, "h", data.Complete, data.OutcomeOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{files: map[string][]byte{}}
			if test.recent != "" {
				s.files[newIndex] = []byte(test.recent)
			}
			if test.old != "" {
				s.files[oldIndex] = []byte(test.old)
			}
			src, _, _ := s.open(t)
			rows, end, err := list(t, src)
			if got := strings.Join(slices.Sorted(maps.Keys(rows)), " "); got != test.names || end != test.end || data.OutcomeOf(err) != test.err {
				t.Errorf("%q, %s, %v", got, end, err)
			}
		})
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, body string
		digest     string // of the body unless given
		most       int64
		want       data.Outcome
	}{
		"another file":     {"skill-md", "x", digestOf([]byte("y")), 1000, data.OutcomeMalformed},
		"another archive":  {"archive", "PK\x03\x04x", digestOf([]byte("y")), 1000, data.OutcomeMalformed},
		"a page":           {"archive", "<html>", "", 1000, data.OutcomeMalformed},
		"nothing":          {"archive", "", "", 1000, data.OutcomeMalformed},
		"too large":        {"archive", "PK\x03\x04xx", "", 5, data.OutcomeTooLarge},
		"as large as may":  {"archive", "PK\x03\x04xx", "", 6, data.OutcomeOK},
		"a huge SKILL.md":  {"skill-md", strings.Repeat("x", 8<<20+1), "", 1 << 30, data.OutcomeTooLarge},
		"an empty skill":   {"skill-md", "", "", 1000, data.OutcomeOK},
		"not there at all": {"skill-md", "-", "", 1000, data.OutcomeGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.digest == "" {
				test.digest = digestOf([]byte(test.body))
			}
			s := &site{files: map[string][]byte{"/x": []byte(test.body)}}
			s.files[newIndex] = fmt.Appendf(nil, `{"$schema":%q,"skills":[{"name":"a","type":%q,"url":"/x","digest":%q}]}`, schema, test.kind, test.digest)
			if test.body == "-" {
				delete(s.files, "/x")
			}
			_, c, base := s.open(t)
			repo, _, err := c.Repository(t.Context(), "a", data.Repo{Host: base, Name: "a"})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Archive(t.Context(), repo, io.Discard, test.most); data.OutcomeOf(err) != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// A skill that left the index is gone; one that changed meanwhile is tried again; a limit names its end.
func TestChanges(t *testing.T) {
	t.Parallel()
	now := clock
	s := published(t)
	_, c, base := s.open(t, func(c *wellknown.Config) { c.Now = func() time.Time { return now } })
	repo, _, err := c.Repository(t.Context(), "one", data.Repo{Host: base, Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Archive(t.Context(), data.Repo{Host: base, Name: "one", Commit: "sha256:old"}, io.Discard, 1000); data.OutcomeOf(err) != data.OutcomeUnavailable {
		t.Errorf("changed meanwhile: %v", err)
	}
	s.mu.Lock()
	s.files[newIndex] = []byte(`{"$schema":"` + schema + `","skills":[]}`)
	s.mu.Unlock()
	if _, unchanged, err := c.Repository(t.Context(), "one", repo); err != nil || !unchanged {
		t.Errorf("within ten minutes the index counts: %v, %v", unchanged, err)
	}
	now = now.Add(11 * time.Minute)
	if _, _, err := c.Repository(t.Context(), "one", repo); data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("out of the index: %v", err)
	}
	if err := c.Archive(t.Context(), repo, io.Discard, 1000); data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("out of the index: %v", err)
	}
	now = now.Add(11 * time.Minute)
	s.mu.Lock()
	s.serve = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(429)
		return true
	}
	s.mu.Unlock()
	_, _, err = c.Repository(t.Context(), "one", repo)
	if item, ok := errors.AsType[*data.ItemError](err); !ok || item.Outcome != data.OutcomeLimited || !item.RetryAt.After(now) {
		t.Errorf("limited: %v", err)
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	s := published(t)
	s.files["/robots.txt"] = []byte("User-agent: *\nDisallow: /.well-known/")
	src, _, _ := s.open(t)
	if _, _, err := list(t, src); data.OutcomeOf(err) != data.OutcomeForbidden {
		t.Errorf("%v", err)
	}
	src, _, _ = s.open(t, func(c *wellknown.Config) { c.IgnoreRobots = true })
	if rows, _, err := list(t, src); err != nil || len(rows) != 2 {
		t.Errorf("ignored: %v", err)
	}
}
