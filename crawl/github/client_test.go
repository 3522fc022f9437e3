package github_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/github"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

const most = 50e6

func facts(text string) step {
	return step{Path: "/repos/o/kit", BodyJSON: json.RawMessage(text)}
}

func archive(t testing.TB, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	file, err := w.CreateHeader(&zip.FileHeader{Name: "o-kit-0123456/SKILL.md", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(bytes.Repeat([]byte("x"), size)); err != nil {
		t.Fatal(err)
	}
	if err := w.SetComment(sha); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCaseRenamedAndRecased(t *testing.T) {
	t.Parallel()
	h := caseSteps(t, "22-renamed-and-recased")
	c := h.client()
	known := make(map[int64]data.Repo)
	for _, name := range []string{"tide-lab/old-pack", "tide-lab/skills", "Tide-Lab/Skills", "example-owner/kit"} {
		repo, _, err := c.Repository(t.Context(), name, known[9001])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		known[repo.NumericID] = repo
	}
	if len(known) != 2 || known[9001].Name != "tide-lab/skills" || known[7].ID != "example-owner/kit" || len(known[7].Aliases) != 0 {
		t.Errorf("repositories %+v", known)
	}
	if diff := cmp.Diff([]string{"Tide-Lab/Skills", "tide-lab/old-pack"}, known[9001].Aliases); diff != "" {
		t.Errorf("aliases (-want +got):\n%s", diff)
	}
	for id, file := range map[int64]string{9001: "tide.zip", 7: "kit.zip"} {
		var got bytes.Buffer
		if err := c.Archive(t.Context(), known[id], &got, most); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(datatest.Shared(t, "cases", "22-renamed-and-recased", file))
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("archive of %d: %d bytes, %v; want %s", id, got.Len(), err, file)
		}
	}
}

func TestCaseRepoStatuses(t *testing.T) {
	t.Parallel()
	h := caseSteps(t, "23-repo-statuses")
	c := h.client()
	want := map[string]struct {
		outcome data.Outcome
		tries   int
		branch  string
	}{
		"a-ok":      {data.OutcomeOK, 1, "trunk"},
		"b-gone":    {data.OutcomeGone, 1, ""},
		"c-legal":   {data.OutcomeBlocked, 1, ""},
		"d-empty":   {data.OutcomeEmpty, 1, "main"},
		"e-blocked": {data.OutcomeBlocked, 1, ""},
		"f-shelf":   {data.OutcomeOK, 1, "edge"},
		"g-flaky":   {data.OutcomeOK, 2, "main"},
	}
	for name, w := range want {
		repo, _, err := c.Repository(t.Context(), "example-owner/"+name, data.Repo{})
		if err == nil {
			err = c.Archive(t.Context(), repo, io.Discard, most)
		}
		if got := data.OutcomeOf(err); got != w.outcome || repo.DefaultBranch != w.branch {
			t.Errorf("%s: %s at %q (%v), want %+v", name, got, repo.DefaultBranch, err, w)
		}
		if tries := h.count("api.github.com/repos/example-owner/" + name); tries != w.tries {
			t.Errorf("%s: asked %d times, want %d", name, tries, w.tries)
		}
		if name == "f-shelf" && !repo.Archived {
			t.Error("f-shelf lost its archived flag")
		}
		if name == "c-legal" && !strings.Contains(err.Error(), "https://example.org/notice/1") {
			t.Errorf("c-legal: no notice URL in %q", err)
		}
	}
}

func TestCaseTokenOnRedirect(t *testing.T) {
	t.Parallel()
	h := caseSteps(t, "26-token-on-redirect")
	const token = "test-token-not-real"
	var log bytes.Buffer
	c := h.client(func(config *github.Config) {
		config.APIURL, config.CodeloadURL = "https://api.test", "https://public.test"
		config.Tokens, config.TokenHosts = []string{token}, []string{"codeload.test"}
		config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	// Nothing is public, so every archive is asked through the API.
	h.steps = append([]step{{Host: "public.test", Path: "/*/*/*/*", Status: 404}, {Host: "public.test", Path: "/repos/*/*/zipball/*", Status: 404}}, h.steps...)
	for name, want := range map[string]data.Outcome{"kit": data.OutcomeOK, "two": data.OutcomeOK, "three": data.OutcomeUnavailable} {
		var got bytes.Buffer
		err := c.Archive(t.Context(), data.Repo{Name: "example-owner/" + name, DefaultBranch: "main"}, &got, most)
		if data.OutcomeOf(err) != want || (want == data.OutcomeOK) != (got.Len() > 0) {
			t.Errorf("%s: %v, %d bytes; want %s", name, err, got.Len(), want)
		}
		fmt.Fprint(&log, err)
	}
	wantToken := map[string]bool{"api.test": true, "codeload.test": true, "store.test": false, "public.test": false}
	for i, asked := range h.asked {
		host, _, _ := strings.Cut(asked, "/")
		if got := h.seen[i].Get("Authorization") != ""; got != wantToken[host] || h.seen[i].Get("Cookie") != "" {
			t.Errorf("%s: token %v", asked, got)
		}
	}
	if strings.Contains(log.String(), token) || strings.Contains(log.String(), "sig=abc") {
		t.Errorf("a secret in the log or in an error:\n%s", log.String())
	}
	if slices.Contains(h.asked, "api.test/plain") {
		t.Error("the redirect to plain http was followed")
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	h := steps(t, step{
		Path: "/repos/o/kit", Headers: map[string]string{"ETag": `"e1"`},
		BodyJSON: json.RawMessage(`{"id":7,"full_name":"O/Kit","default_branch":"dev/x","size":12,"stargazers_count":3,"archived":true,"fork":true,` +
			`"license":{"spdx_id":"MIT"},"pushed_at":"2026-01-02T03:04:05Z"}`),
	})
	repo, unchanged, err := h.client().Repository(t.Context(), "o/kit", data.Repo{})
	want := data.Repo{
		ID: "O/Kit", Host: data.HostGitHub, Name: "O/Kit", Aliases: []string{"o/kit"}, NumericID: 7, DefaultBranch: "dev/x", Commit: sha, SizeKB: 12,
		License: "MIT", Stars: 3, Archived: true, Fork: true, UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ETag: `"e1"`,
	}
	if diff := cmp.Diff(want, repo); diff != "" || err != nil || unchanged {
		t.Errorf("unchanged %v, %v (-want +got):\n%s", unchanged, err, diff)
	}
	if wanted := []string{"api.github.com/repos/o/kit", "api.github.com/repos/O/Kit/commits/dev/x"}; !slices.Equal(h.asked, wanted) {
		t.Errorf("asked %q, want %q", h.asked, wanted)
	}
}

func TestUnchanged(t *testing.T) {
	t.Parallel()
	tree := []data.TreeEntry{{Path: "SKILL.md"}}
	known := data.Repo{ID: "o/kit", Host: data.HostGitHub, Name: "o/kit", NumericID: 7, Commit: sha, ETag: `"e1"`, Stars: 1, Tree: tree}
	t.Run("not modified", func(t *testing.T) {
		t.Parallel()
		h := steps(t, step{Path: "/repos/*/*", Status: http.StatusNotModified})
		repo, unchanged, err := h.client().Repository(t.Context(), "O/KIT", known)
		if err != nil || !unchanged || len(h.asked) != 1 || h.seen[0].Get("If-None-Match") != `"e1"` || repo.Commit != sha || !slices.Equal(repo.Aliases, []string{"O/KIT"}) {
			t.Errorf("%+v, %v, %v after %q", repo, unchanged, err, h.asked)
		}
	})
	t.Run("other facts, same head", func(t *testing.T) {
		t.Parallel()
		h := steps(t, facts(`{"id":7,"full_name":"o/kit","stargazers_count":2}`))
		repo, unchanged, err := h.client().Repository(t.Context(), "o/kit", known)
		if err != nil || !unchanged || repo.Stars != 2 || len(repo.Tree) != 1 {
			t.Errorf("%+v, %v, %v", repo, unchanged, err)
		}
	})
	t.Run("no commit was stored", func(t *testing.T) {
		t.Parallel()
		h := steps(t, facts(`{"id":7}`))
		_, unchanged, err := h.client().Repository(t.Context(), "o/kit", data.Repo{Name: "o/kit", ETag: `"e1"`})
		if err != nil || unchanged || h.seen[0].Get("If-None-Match") != "" {
			t.Errorf("%v, %v, asked with %v", unchanged, err, h.seen[0])
		}
	})
	t.Run("the name has passed to another", func(t *testing.T) {
		t.Parallel()
		h := steps(t, facts(`{"id":8,"full_name":"o/kit"}`))
		old := known
		old.Aliases = []string{"o/former"}
		repo, unchanged, err := h.client().Repository(t.Context(), "o/kit", old)
		if err != nil || unchanged || len(repo.Aliases) != 0 || repo.Tree != nil {
			t.Errorf("%+v, %v, %v", repo, unchanged, err)
		}
	})
}

func TestRepositoryAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		steps []step
		want  data.Outcome
	}{
		{"commits of an empty repository", []step{facts(`{"id":1}`), {Path: "/repos/o/kit/commits/HEAD", Status: 409, Body: `{"message":"Git Repository is empty."}`}}, data.OutcomeEmpty},
		{"commit as JSON", []step{facts(`{"id":1}`), {Path: "/repos/o/kit/commits/HEAD", Body: `{"sha":"` + sha + `"}`}}, data.OutcomeOK},
		{"no commit told", []step{facts(`{"id":1}`), {Path: "/repos/o/kit/commits/HEAD", Status: 404}}, data.OutcomeOK},
		{"commit that is none", []step{facts(`{"id":1}`), {Path: "/repos/o/kit/commits/HEAD", Body: "<html>"}}, data.OutcomeUnavailable},
		{"limit at the commit", []step{facts(`{"id":1}`), {Path: "/repos/o/kit/commits/HEAD", Status: 429}}, data.OutcomeLimited},
		{"page in place of facts", []step{{Path: "/repos/o/kit", Body: "<html>welcome</html>"}}, data.OutcomeUnavailable},
		{"nothing in place of facts", []step{{Path: "/repos/o/kit"}}, data.OutcomeUnavailable},
		{"304 that nobody asked for", []step{{Path: "/repos/o/kit", Status: 304}}, data.OutcomeUnavailable},
		{"202", []step{{Path: "/repos/o/kit", Status: 202}}, data.OutcomeUnavailable},
		{"endless facts", []step{facts(`{"id":1,"description":"` + strings.Repeat("x", 9<<20) + `"}`)}, data.OutcomeTooLarge},
		{"no rights", []step{{Path: "/repos/o/kit", Status: 403, Body: `{"message":"Must have admin rights"}`}}, data.OutcomeForbidden},
		{"rename loop", []step{{Path: "/repos/o/kit", Status: 301, Headers: map[string]string{"Location": "/repos/o/kit"}}}, data.OutcomeUnavailable},
		{"renamed and gone", []step{{Path: "/repos/o/kit", Status: 301, Headers: map[string]string{"Location": "/repositories/1"}}}, data.OutcomeGone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := steps(t, test.steps...).client().Repository(t.Context(), "o/kit", data.Repo{})
			if got := data.OutcomeOf(err); got != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	for _, name := range []string{"", "o", "o/", "../user", "o/..", "o/a/b", "o/a?x", "o /a"} {
		h := steps(t)
		if _, _, err := h.client().Repository(t.Context(), name, data.Repo{}); data.OutcomeOf(err) != data.OutcomeMalformed || len(h.asked) > 0 {
			t.Errorf("%q: %v after %q", name, err, h.asked)
		}
	}
}

// go-github would remember a limit by the real clock and go on refusing after it has passed by ours.
func TestNoMadeUpLimits(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := steps(t,
		step{Path: "/repos/o/kit", Nth: 1, Status: 403, Headers: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Add(time.Hour).Unix())}},
		facts(`{"id":1}`))
	c := h.client(func(config *github.Config) { config.Now = func() time.Time { return now } })
	_, _, err := c.Repository(t.Context(), "o/kit", data.Repo{})
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeLimited || item.RetryAt.Sub(now) < 59*time.Minute {
		t.Fatalf("limited: %v", err)
	}
	if _, _, err := c.Repository(t.Context(), "o/kit", data.Repo{}); data.OutcomeOf(err) != data.OutcomeLimited || len(h.asked) != 1 {
		t.Errorf("during the limit: %v after %q", err, h.asked)
	}
	if err := c.Archive(t.Context(), data.Repo{Name: "o/kit", Commit: sha}, io.Discard, most); data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("codeload while the API is limited: %v", err)
	}
	now = now.Add(time.Hour + time.Second)
	if _, _, err := c.Repository(t.Context(), "o/kit", data.Repo{}); err != nil {
		t.Errorf("after the limit: %v", err)
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	whole := archive(t, 100_000)
	tests := []struct {
		name  string
		serve func(w http.ResponseWriter)
		most  int64
		want  data.Outcome
	}{
		{"whole", func(w http.ResponseWriter) { _, _ = w.Write(whole) }, most, data.OutcomeOK},
		{"exactly at the cap", func(w http.ResponseWriter) { _, _ = w.Write(whole) }, int64(len(whole)), data.OutcomeOK},
		{"chunked, at the cap", func(w http.ResponseWriter) { chunked(w, whole) }, int64(len(whole)), data.OutcomeOK},
		{"one byte over the cap", func(w http.ResponseWriter) { _, _ = w.Write(whole) }, int64(len(whole)) - 1, data.OutcomeTooLarge},
		{"chunked, one byte over the cap", func(w http.ResponseWriter) { chunked(w, whole) }, int64(len(whole)) - 1, data.OutcomeTooLarge},
		{"cut against its length", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
			_, _ = w.Write(whole[:5000])
		}, most, data.OutcomeUnavailable},
		{"cut without a length", func(w http.ResponseWriter) { chunked(w, whole[:5000]) }, most, data.OutcomeUnavailable},
		{"cut in its last bytes", func(w http.ResponseWriter) { chunked(w, whole[:len(whole)-70]) }, most, data.OutcomeUnavailable},
		{"page about a limit", func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>Too many requests</html>") }, most, data.OutcomeLimited},
		{"some page", func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>maintenance</html>") }, most, data.OutcomeUnavailable},
		{"nothing", func(http.ResponseWriter) {}, most, data.OutcomeUnavailable},
		{"not found", func(w http.ResponseWriter) { w.WriteHeader(404) }, most, data.OutcomeGone},
		{"limited", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "3600"); w.WriteHeader(429) }, most, data.OutcomeLimited},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/base/o/kit/legacy.zip/"+sha {
					t.Errorf("asked %s", r.URL.Path)
				}
				test.serve(w)
			}))
			defer server.Close()
			c, err := github.New(github.Config{CodeloadURL: server.URL + "/base", RequestsPerSecond: 1e6, Now: func() time.Time { return clock }})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			err = c.Archive(t.Context(), data.Repo{Name: "o/kit", Commit: sha}, &got, test.most)
			if data.OutcomeOf(err) != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
			if test.want == data.OutcomeOK && !bytes.Equal(got.Bytes(), whole) || int64(got.Len()) > test.most {
				t.Errorf("%d bytes written", got.Len())
			}
			if item, ok := errors.AsType[*data.ItemError](err); ok && item.Outcome == data.OutcomeLimited && item.RetryAt.Before(clock.Add(time.Minute)) {
				t.Errorf("limited until %v", item.RetryAt)
			}
		})
	}
}

func chunked(w http.ResponseWriter, content []byte) {
	w.(http.Flusher).Flush()
	for part := range slices.Chunk(content, 7000) {
		_, _ = w.Write(part)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestArchiveOurFault(t *testing.T) {
	t.Parallel()
	h := steps(t, step{Path: "/repos/o/kit/zipball/*", Body: string(archive(t, 10))})
	if err := h.client().Archive(t.Context(), data.Repo{Name: "o/kit"}, fullDisk{}, most); data.OutcomeOf(err) != data.OutcomeInternal || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.client().Archive(ctx, data.Repo{Name: "o/kit"}, io.Discard, most); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path + "?" + r.URL.Query().Get("page") {
		case "/repos/o/kit/git/matching-refs/heads/feature?":
			w.Header().Set("Link", `<http://`+r.Host+`/repos/o/kit/git/matching-refs/heads/feature?page=2>; rel="next"`)
			_, _ = io.WriteString(w, `[{"ref":"refs/heads/feature/b"}]`)
		case "/repos/o/kit/git/matching-refs/heads/feature?2":
			_, _ = io.WriteString(w, `[{"ref":"refs/heads/feature/a"}]`)
		case "/repos/o/kit/git/matching-refs/tags/feature?":
			_, _ = io.WriteString(w, `[{"ref":"refs/tags/feature/a"},{"ref":"refs/tags/feature-1"}]`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	c, err := github.New(github.Config{APIURL: server.URL, RequestsPerSecond: 1e6, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Refs(t.Context(), "o/kit", "feature")
	if diff := cmp.Diff([]string{"feature-1", "feature/a", "feature/b"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := c.Refs(t.Context(), "o/none", ""); data.OutcomeOf(err) != data.OutcomeGone {
		t.Errorf("no repository: %v", err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, bad := range []github.Config{
		{APIURL: "http://api.test"},
		{CodeloadURL: "ftp://x"},
		{APIURL: "https://api.test/?x=1"},
		{Tokens: []string{"a b"}},
		{TokenHosts: []string{"http://x.test"}, Tokens: []string{"t"}},
		{APIURL: "api.github.com"},
	} {
		if _, err := github.New(bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
