package fakehub_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
)

type repoAnswer struct {
	ID       int64  `json:"id"`
	NodeID   string `json:"node_id"`
	FullName string `json:"full_name"`
	Owner    struct {
		Login string `json:"login"`
	} `json:"owner"`
	DefaultBranch string `json:"default_branch"`
	Size          *int64 `json:"size"`
	Stars         *int   `json:"stargazers_count"`
	Archived      *bool  `json:"archived"`
	Fork          *bool  `json:"fork"`
	Disabled      *bool  `json:"disabled"`
	License       *struct {
		SPDX string `json:"spdx_id"`
	} `json:"license"`
	PushedAt  time.Time `json:"pushed_at"`
	UpdatedAt time.Time `json:"updated_at"`
	HTMLURL   string    `json:"html_url"`
}

func TestRepositoryInAnyLetterCase(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	var first, again, byID repoAnswer
	b.json(b.get("api", "/repos/kepano/obsidian-skills"), 200, &first)
	b.json(b.get("api", "/repos/KEPANO/Obsidian-Skills"), 200, &again)
	b.json(b.get("api", fmt.Sprintf("/repositories/%d", first.ID)), 200, &byID)
	for _, r := range []repoAnswer{first, again, byID} {
		if r.FullName != "kepano/obsidian-skills" || r.Owner.Login != "kepano" || r.License.SPDX != "MIT" || r.ID != first.ID ||
			r.NodeID == "" || r.HTMLURL != "https://github.com/kepano/obsidian-skills" || r.DefaultBranch == "" {
			t.Errorf("%+v", r)
		}
		if r.Size == nil || r.Stars == nil || r.Archived == nil || r.Fork == nil || r.Disabled == nil || r.PushedAt.IsZero() || r.UpdatedAt.Before(r.PushedAt) {
			t.Errorf("a field lacks: %+v", r)
		}
	}
}

func TestUnknownThings(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	for path, status := range map[string]int{
		"/repos/nobody/nothing":                           404,
		"/repositories/1":                                 404,
		"/repositories/x":                                 404,
		"/users/kepano":                                   404,
		"/repos/kepano/obsidian-skills/stargazers":        404,
		"/repos/kepano/obsidian-skills/zipball/no-such":   404,
		"/repos/kepano/obsidian-skills/git/trees/ffff":    404,
		"/repos/kepano/obsidian-skills/git/blobs/ffff":    404,
		"/repos/kepano/obsidian-skills/contents/nothing":  404,
		"/repos/kepano/obsidian-skills/contents/?ref=old": 404,
		"/repos/kepano/obsidian-skills/branches/no-such":  404,
		"/repos/kepano/obsidian-skills/commits/no-such":   422,
	} {
		var message struct {
			Message string `json:"message"`
			Docs    string `json:"documentation_url"`
		}
		b.json(b.get("api", path), status, &message)
		if message.Message == "" || message.Docs == "" {
			t.Errorf("%s: %+v", path, message)
		}
	}
	for _, address := range []string{"/kepano/obsidian-skills/HEAD/none", "/kepano/obsidian-skills/old/LICENSE", "/a/b/HEAD/c", "/a"} {
		if r := b.get("raw", address); r.status != 404 || string(r.body) != "404: Not Found" {
			t.Errorf("raw %s: %d %s", address, r.status, r.body)
		}
	}
	for _, address := range []string{"/kepano/obsidian-skills/legacy.zip/old", "/a/b/legacy.zip/HEAD", "/kepano/obsidian-skills/rar/HEAD"} {
		if r := b.get("codeload", address); r.status != 404 {
			t.Errorf("codeload %s: %d", address, r.status)
		}
	}
	if r := b.do(http.MethodDelete, b.hub.URLs()["api"]+"/repos/kepano/obsidian-skills"); r.status != 404 {
		t.Errorf("DELETE: %d", r.status)
	}
}

func TestEmptyRepository(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Hub: smallHub(t)})
	for path, status := range map[string]int{
		"": 200, "/branches": 200, "/commits": 409, "/commits/HEAD": 409, "/git/trees/HEAD": 409, "/git/blobs/ff": 409,
		"/contents/": 404, "/zipball/HEAD": 404, "/branches/main": 404,
	} {
		if r := b.get("api", "/repos/ann/nothing"+path); r.status != status {
			t.Errorf("%q: %d, want %d: %s", path, r.status, status, r.body)
		}
	}
	if r := b.get("api", "/repos/ann/nothing/commits/HEAD"); !strings.Contains(string(r.body), "Git Repository is empty.") {
		t.Errorf("%s", r.body)
	}
}

func TestCommitsAndBranches(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Hub: smallHub(t, "SKILL.md", "x")})
	const commit = "0123456789abcdef0123456789abcdef01234567"
	var repo repoAnswer
	b.json(b.get("api", "/repos/ann/tools"), 200, &repo)
	for _, ref := range []string{"HEAD", repo.DefaultBranch, "heads/" + repo.DefaultBranch, commit, "0123456", "0123456789AB"} {
		r := b.get("api", "/repos/ann/tools/commits/"+ref, "Accept", "application/vnd.github.sha")
		if string(r.body) != commit {
			t.Errorf("%s: %s", ref, r.body)
		}
	}
	type value struct {
		SHA    string `json:"sha"`
		Commit struct {
			Tree struct {
				SHA string `json:"sha"`
			} `json:"tree"`
		} `json:"commit"`
	}
	var one value
	var list []value
	var branch struct {
		Name   string `json:"name"`
		Commit value  `json:"commit"`
	}
	b.json(b.get("api", "/repos/ann/tools/commits/HEAD"), 200, &one)
	b.json(b.get("api", "/repos/ann/tools/commits?per_page=1"), 200, &list)
	b.json(b.get("api", "/repos/ann/tools/branches/"+repo.DefaultBranch), 200, &branch)
	if one.SHA != commit || len(list) != 1 || list[0] != one || branch.Commit != one || branch.Name != repo.DefaultBranch {
		t.Errorf("%+v %+v %+v", one, list, branch)
	}
}

func TestTreeOfKnownIDs(t *testing.T) {
	t.Parallel()
	// The ids were computed by git itself (hash-object, write-tree) over the same files.
	hub := smallHub(t, "SKILL.md", "hello\n", "a/run.sh", "echo\n", "a.txt", "", "a/b/deep.md", "deep\n", "link", "->SKILL.md")
	b := start(t, fakehub.Config{Hub: hub})
	type listing struct {
		SHA       string `json:"sha"`
		Truncated *bool  `json:"truncated"`
		Tree      []struct {
			Path, Mode, Type, SHA string
			Size                  *int64
		} `json:"tree"`
	}
	var all, top, sub listing
	b.json(b.get("api", "/repos/ann/tools/git/trees/HEAD?recursive=1"), 200, &all)
	var lines strings.Builder
	for _, e := range all.Tree {
		fmt.Fprintln(&lines, e.Mode, e.Type, e.SHA, e.Path)
	}
	if got := lines.String(); got != wantTree || all.SHA != wantRoot || all.Truncated == nil || *all.Truncated {
		t.Errorf("root %s\n%s\nwant %s\n%s", all.SHA, got, wantRoot, wantTree)
	}
	b.json(b.get("api", "/repos/ann/tools/git/trees/"+all.SHA), 200, &top)
	b.json(b.get("api", "/repos/ann/tools/git/trees/"+all.Tree[2].SHA), 200, &sub)
	if len(top.Tree) != 4 || len(sub.Tree) != 2 || sub.Tree[0].Path != "b" {
		t.Errorf("top %+v\nsub %+v", top, sub)
	}
}

func TestContentsBlobsAndRaw(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("All the same, not quite. ", 9)
	b := start(t, fakehub.Config{Hub: smallHub(t, "SKILL.md", text, "a/with space.md", "spaced", "link", "->SKILL.md", "big", strings.Repeat("x", 1<<20+1))})
	type file struct {
		Type, Encoding, Content, SHA, Path, Target string
		Size                                       int
		DownloadURL                                string `json:"download_url"`
	}
	var skill, blob, link, big file
	b.json(b.get("api", "/repos/ann/tools/contents/SKILL.md"), 200, &skill)
	b.json(b.get("api", "/repos/ann/tools/git/blobs/"+skill.SHA), 200, &blob)
	for _, f := range []file{skill, blob} {
		got, err := base64.StdEncoding.DecodeString(f.Content)
		if err != nil || string(got) != text || f.Size != len(text) || f.Encoding != "base64" || strings.Index(f.Content, "\n") != 60 {
			t.Errorf("%v %+v", err, f)
		}
	}
	if r := b.get("", skill.DownloadURL); string(r.body) != text {
		t.Errorf("download_url %s: %d %s", skill.DownloadURL, r.status, r.body)
	}
	for _, path := range []string{"/contents/SKILL.md", "/git/blobs/" + skill.SHA} {
		if r := b.get("api", "/repos/ann/tools"+path, "Accept", "application/vnd.github.raw+json"); string(r.body) != text {
			t.Errorf("raw %s: %s", path, r.body)
		}
	}
	b.json(b.get("api", "/repos/ann/tools/contents/link"), 200, &link)
	b.json(b.get("api", "/repos/ann/tools/contents/big"), 200, &big)
	if link.Type != "symlink" || link.Target != "SKILL.md" || big.Encoding != "none" || big.Content != "" {
		t.Errorf("link %+v, big %+v", link, big)
	}
	var folder []file
	b.json(b.get("api", "/repos/ann/tools/contents/a"), 200, &folder)
	if len(folder) != 1 || folder[0].Path != "a/with space.md" || folder[0].Type != "file" {
		t.Fatalf("%+v", folder)
	}
	if r := b.get("", folder[0].DownloadURL); string(r.body) != "spaced" {
		t.Errorf("%s: %s", folder[0].DownloadURL, r.body)
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	for _, c := range []struct{ token, used string }{{"", "2"}, {"Bearer some-token", "1"}} {
		header := []string{}
		if c.token != "" {
			header = []string{"Authorization", c.token}
		}
		first := b.get("api", "/repos/blader/humanizer", header...)
		again := b.get("api", "/repos/blader/humanizer", append(header, "If-None-Match", first.header.Get("ETag"))...)
		if again.status != 304 || len(again.body) != 0 || again.header.Get("X-RateLimit-Used") != c.used {
			t.Errorf("token %q: %d, used %s", c.token, again.status, again.header.Get("X-RateLimit-Used"))
		}
		other := b.get("api", "/repos/blader/humanizer", "If-None-Match", `"other"`)
		if other.status != 200 {
			t.Errorf("another ETag: %d", other.status)
		}
	}
	for host, path := range map[string]string{"codeload": "/blader/humanizer/legacy.zip/HEAD", "raw": "/blader/humanizer/HEAD/LICENSE"} {
		first := b.get(host, path)
		if again := b.get(host, path, "If-None-Match", first.header.Get("ETag")); again.status != 304 {
			t.Errorf("%s: %d", host, again.status)
		}
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	clock := newClock()
	b := start(t, fakehub.Config{Faults: &fakehub.Script{Quotas: fakehub.RealQuotas()}, Now: clock.now})
	b.get("api", "/rate_limit") // free
	for i := range 60 {
		r := b.get("api", "/repos/blader/humanizer")
		if r.status != 200 || r.header.Get("X-RateLimit-Remaining") != fmt.Sprint(59-i) || r.header.Get("X-RateLimit-Limit") != "60" {
			t.Fatalf("request %d: %d, remaining %s", i, r.status, r.header.Get("X-RateLimit-Remaining"))
		}
	}
	over := b.get("api", "/repos/blader/humanizer")
	reset := fmt.Sprint(clock.now().Add(time.Hour).Unix())
	if over.status != 403 || over.header.Get("X-RateLimit-Remaining") != "0" || over.header.Get("X-RateLimit-Reset") != reset ||
		over.header.Get("X-RateLimit-Resource") != "core" || !strings.Contains(string(over.body), "API rate limit exceeded") {
		t.Errorf("over the limit: %d %v %s", over.status, over.header, over.body)
	}
	keyed := b.get("api", "/repos/blader/humanizer", "Authorization", "Bearer t")
	if keyed.status != 200 || keyed.header.Get("X-RateLimit-Limit") != "5000" || keyed.header.Get("X-RateLimit-Remaining") != "4999" {
		t.Errorf("with a token: %d %v", keyed.status, keyed.header)
	}
	var limits struct {
		Rate struct{ Limit, Remaining, Used int }
	}
	b.json(b.get("api", "/rate_limit"), 200, &limits)
	if limits.Rate.Limit != 60 || limits.Rate.Remaining != 0 || limits.Rate.Used != 60 {
		t.Errorf("%+v", limits)
	}
	clock.add(time.Hour)
	if r := b.get("api", "/repos/blader/humanizer"); r.status != 200 {
		t.Errorf("after the reset: %d", r.status)
	}
}

func TestArchiveRedirectCrossesHosts(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	for _, kind := range []string{"zipball", "tarball"} {
		link := b.get("api", "/repos/Blader/Humanizer/"+kind+"/HEAD")
		to, err := url.Parse(link.header.Get("Location"))
		if err != nil || link.status != 302 {
			t.Fatalf("%s: %d %v", kind, link.status, err)
		}
		if "http://"+to.Host != b.hub.URLs()["codeload"] || !strings.HasPrefix(to.Path, "/blader/humanizer/legacy.") {
			t.Errorf("%s leads to %s", kind, to)
		}
		first, second := b.get("", to.String()), b.get("", to.String())
		if first.raw.ContentLength != -1 || len(first.raw.TransferEncoding) != 1 || first.header.Get("ETag") == "" {
			t.Errorf("%s is not chunked or has no ETag: %v", kind, first.header)
		}
		if string(first.body) != string(second.body) || len(first.body) < 1000 {
			t.Errorf("%s: two downloads differ", kind)
		}
	}
}

// clock is a clock that stands until it is moved.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
