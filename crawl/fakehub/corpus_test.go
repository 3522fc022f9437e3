package fakehub_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/data/datatest"
)

// line is one record of a corpus.
func line(repo, path, text, files string) string {
	return fmt.Sprintf(`{"repo":%q,"origin":"x/y","commit":"ff","path":%q,"file":"SKILL.md","license":"MIT","updated_at":"2026-04-11T04:02:10+00:00","files":[%s],"stars":7,"skill_md":%q}`+"\n",
		repo, path, files, text)
}

func corpusOf(t testing.TB, lines ...string) fstest.MapFS {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for _, l := range lines {
		if _, err := io.WriteString(w, l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{"skills-00.jsonl.gz": {Data: packed.Bytes()}}
}

func smallCorpus(t testing.TB) fstest.MapFS {
	t.Helper()
	return corpusOf(t,
		line("Ann/Tools", "a/one", "# One\n", `["run.sh",10,"100755"],["x/skill.md",5,"100644"],["link",6,"120000"],["sub",0,"160000"],["inner/SKILL.md",9,"100644"]`),
		line("Ann/Tools", "a/one/inner", "# Inner\n", `["d",3,"100644"],["d/e.txt",4,"100644"]`),
		line("ann/root", "", "# Root\n", ``),
		`{"repo":"bob/bytes","path":"b","file":"skill.md","files":[],"skill_md_b64":"AP8="}`+"\n",
		line("eve/other", "s", "# Other\n", `["data.bin",2000,"100644"]`),
	)
}

func TestCorpusArchive(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Corpus: smallCorpus(t)})
	first := b.get("codeload", "/ann/tools/legacy.zip/HEAD")
	if again := b.get("codeload", "/ann/tools/legacy.zip/HEAD"); !bytes.Equal(first.body, again.body) {
		t.Error("two archives of one commit differ")
	}
	zr, err := zip.NewReader(bytes.NewReader(first.body), int64(len(first.body)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range zr.File {
		_, name, _ := strings.Cut(f.Name, "/")
		got = append(got, fmt.Sprintf("%s %v %d", name, f.Mode(), f.UncompressedSize64))
	}
	want := []string{
		"a/one/SKILL.md -rw-r--r-- 6", "a/one/inner/SKILL.md -rw-r--r-- 8", "a/one/inner/d/e.txt -rw-r--r-- 4",
		"a/one/link Lrwxrwxrwx 6", "a/one/run.sh -rwxr-xr-x 10", "a/one/sub/ drwxr-xr-x 0",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	commit := b.get("api", "/repos/Ann/Tools/commits/HEAD", "Accept", "application/vnd.github.sha")
	if zr.Comment != string(commit.body) {
		t.Errorf("the comment is %s, the commit %s", zr.Comment, commit.body)
	}
	tree := readZip(t, first.body)
	delete(tree, "a/one/sub/")
	tarred := b.get("codeload", "/ann/tools/tar.gz/HEAD")
	compare(t, "tarball", tree, readTar(t, zr.Comment, tarred.body))
	b.checkTree(indexEntry{Repo: "Ann/Tools", Commit: zr.Comment}, tree)
	if r := b.get("raw", "/bob/bytes/HEAD/b/skill.md"); string(r.body) != "\x00\xff" {
		t.Errorf("%q", r.body)
	}
	var repo repoAnswer
	b.json(b.get("api", "/repos/ann/tools"), 200, &repo)
	if *repo.Stars != 7 || repo.License.SPDX != "MIT" || repo.PushedAt.Format(time.DateOnly) != "2026-04-11" {
		t.Errorf("%+v", repo)
	}
}

func TestCorpusIsRefused(t *testing.T) {
	t.Parallel()
	for name, corpus := range map[string]fs.FS{
		"no files": fstest.MapFS{},
		"no gzip":  fstest.MapFS{"skills-00.jsonl.gz": {Data: []byte("x")}},
		"no JSON":  corpusOf(t, "{"),
		"escape":   corpusOf(t, line("a/b", "../x", "", "")),
		"bad name": corpusOf(t, line("a", "x", "", "")),
		"bad file": corpusOf(t, line("a/b", "x", "", `["../../y",1,"100644"]`)),
	} {
		if _, err := fakehub.New(fakehub.Config{Corpus: corpus}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestEditsAndPadding changes a running hub: a new commit, one text changed, and the old commit still to be had.
func TestEditsAndPadding(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Corpus: smallCorpus(t)})
	commit := func(repo string) string {
		return string(b.get("api", "/repos/"+repo+"/commits/HEAD", "Accept", "application/vnd.github.sha").body)
	}
	old, other := commit("ann/tools"), commit("eve/other")
	before := b.get("codeload", "/ann/tools/legacy.zip/"+old)
	b.script(`{rules: [{match: {repo: Ann/Tools}, do: {edit: true}}, {match: {repo: eve/*}, do: {pad: 2000000}}]}`)
	head := commit("ann/tools")
	if head == old || len(head) != 40 || commit("eve/other") == other {
		t.Errorf("%s after %s", head, old)
	}
	if r := b.get("codeload", "/ann/tools/legacy.zip/"+old); !bytes.Equal(r.body, before.body) {
		t.Error("the old commit has changed")
	}
	was, is := readZip(t, before.body), readZip(t, b.get("codeload", "/ann/tools/legacy.zip/HEAD").body)
	var changed []string
	for name := range is {
		if was[name] != is[name] {
			changed = append(changed, name)
		}
	}
	repos := b.hub.Repos(false)
	if len(changed) != 1 || len(repos) != 2 || fmt.Sprint(repos[0].Edits) != fmt.Sprint(changed) || repos[0].Commit != head {
		t.Errorf("%v, %+v", changed, repos)
	}
	if r := b.get("raw", "/ann/tools/"+head+"/"+changed[0]); !strings.HasSuffix(string(r.body), "\nChanged by edit 1.\n") {
		t.Errorf("%q", r.body)
	}
	padded := b.get("codeload", "/eve/other/legacy.zip/HEAD")
	if n := len(readZip(t, padded.body)); n != 3 || len(padded.body) < 2_000_000 || len(padded.body) > 2_100_000 {
		t.Errorf("%d files in %d bytes", n, len(padded.body))
	}
	if r := b.do(http.MethodGet, b.hub.URLs()["raw"]+fakehub.ReposPath+"?all=1"); strings.Count(string(r.body), `"repo"`) != 4 {
		t.Errorf("%s", r.body)
	}
}

// script posts a fault script to a running hub.
func (b *box) script(text string) {
	b.t.Helper()
	resp, err := b.client.Post(b.hub.URLs()["api"]+fakehub.ScriptPath, "application/yaml", strings.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatalf("%d %s %v", resp.StatusCode, answer, err)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	script, err := fakehub.ReadScript(strings.NewReader(`
seed: 3
tree_entries: 2
rules:
  - {match: {pick: 1}, do: {vanish: true}}
  - {match: {pick: 1}, do: {rename_to: "{owner}/{name}-moved"}}
  - {match: {pick: 9}, do: {pad: 1000}}
`))
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, fakehub.Config{Corpus: smallCorpus(t), Faults: script})
	var vanished, renamed, padded int
	for _, r := range b.hub.Repos(false) {
		switch {
		case r.Vanished:
			vanished++
		case r.RenamedTo == r.Repo+"-moved":
			renamed++
		case r.Padding == 1000 && r.Repo != "ann/root":
			padded++
		default:
			t.Errorf("%+v", r)
		}
	}
	if vanished != 1 || renamed != 1 || padded < 1 {
		t.Errorf("%d vanished, %d renamed, %d padded", vanished, renamed, padded)
	}
	for _, r := range b.hub.Repos(true) {
		if listing := b.get("api", "/repos/"+r.Repo+"/git/trees/HEAD?recursive=1"); r.Repo == "Ann/Tools" && !r.Vanished && r.RenamedTo == "" &&
			!strings.Contains(string(listing.body), `"truncated":true`) {
			t.Errorf("%s", listing.body)
		}
	}
}

// TestFaultCatalogue orders each kind once, and looks at what reaches a client.
func TestFaultCatalogue(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]func(reply) bool{
		"500":                func(r reply) bool { return r.status == 500 },
		"502":                func(r reply) bool { return r.status == 502 && strings.Contains(string(r.body), "<html>") },
		"503":                func(r reply) bool { return r.status == 503 },
		"429-retry-after":    func(r reply) bool { return r.status == 429 && r.header.Get("Retry-After") == "2" },
		"429-bare":           func(r reply) bool { return r.status == 429 && len(r.body) == 0 && r.header.Get("Retry-After") == "" },
		"429-body":           func(r reply) bool { return r.status == 429 && bare(r) },
		"403-secondary":      func(r reply) bool { return r.status == 403 && r.header.Get("Retry-After") == "2" && !bare(r) },
		"403-secondary-bare": func(r reply) bool { return r.status == 403 && bare(r) },
		"reset":              func(r reply) bool { return r.err != nil && r.status == 0 },
		"timeout":            func(r reply) bool { return r.err != nil && r.status == 0 },
		"cut":                func(r reply) bool { return errors.Is(r.err, io.ErrUnexpectedEOF) && r.status == 200 },
		"stall":              func(r reply) bool { return errors.Is(r.err, io.ErrUnexpectedEOF) && r.status == 200 },
		"html":               func(r reply) bool { return r.status == 200 && strings.HasPrefix(string(r.body), "<!DOCTYPE html>") },
		"graphql-rate-limited": func(r reply) bool {
			return r.status == 200 && strings.Contains(string(r.body), `"RATE_LIMITED"`) && r.header.Get("X-RateLimit-Remaining") == "0"
		},
		"graphql-rate-limit": func(r reply) bool {
			return r.status == 200 && strings.Contains(string(r.body), `"RATE_LIMIT"`) && r.header.Get("X-RateLimit-Remaining") == "4"
		},
		"graphql-partial": func(r reply) bool {
			return r.status == 200 && strings.Contains(string(r.body), "Something went wrong") && strings.Contains(string(r.body), `"name":`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := scripted(t, `{rules: [{match: {nth: [1]}, do: {fault: "`+name+`", hold: 20ms}}]}`, nil)
			var query strings.Builder
			for i, r := range b.hub.Repos(true) {
				owner, repo, _ := strings.Cut(r.Repo, "/")
				fmt.Fprintf(&query, "r%d: repository(owner: %q, name: %q) { name nameWithOwner url id pushedAt updatedAt }\n", i, owner, repo)
			}
			if r := b.post("t", "{"+query.String()+"}", nil); !want(r) {
				t.Errorf("%d %v %s %v", r.status, r.header, r.body, r.err)
			}
		})
	}
	if _, err := fakehub.ReadScript(strings.NewReader(`{rules: [{do: {fault: flood}}]}`)); err == nil {
		t.Error("an unknown fault was accepted")
	}
}

// bare reports that nothing but the text of the body tells of a secondary limit.
func bare(r reply) bool {
	return r.header.Get("Retry-After") == "" && r.header.Get("X-RateLimit-Reset") == "" && strings.Contains(string(r.body), "secondary rate limit") &&
		!strings.Contains(string(r.body), "documentation_url")
}

// TestAnyFault draws for many requests: about the share fails, in the same way whatever the order.
func TestAnyFault(t *testing.T) {
	t.Parallel()
	const script = `{seed: 5, rules: [{match: {host: codeload, probability: 0.3}, do: {fault: any, hold: 1ms}}]}`
	outcomes := func(backwards bool) map[string]string {
		b := scripted(t, script, nil)
		b.client.Transport = &http.Transport{DisableKeepAlives: true} // else the client itself asks again after a reset
		seen := make(map[string]string)
		for i := range 200 {
			if backwards {
				i = 199 - i
			}
			path := fmt.Sprintf("/blader/humanizer/legacy.zip/HEAD?%d", i)
			resp, err := b.client.Get(b.hub.URLs()["codeload"] + path)
			if err != nil {
				seen[path] = "torn"
				continue
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			seen[path] = fmt.Sprint(resp.StatusCode, len(body), err)
		}
		return seen
	}
	forwards := outcomes(false)
	if backwards := outcomes(true); fmt.Sprint(forwards) != fmt.Sprint(backwards) {
		t.Error("the order of requests changes what happens to them")
	}
	kinds := make(map[string]int)
	for _, outcome := range forwards {
		kinds[outcome]++
	}
	if len(kinds) < 8 {
		t.Errorf("%v", kinds)
	}
}

// TestLimitsHoldForOneToken: another token, and the other resource, go on.
func TestLimitsHoldForOneToken(t *testing.T) {
	t.Parallel()
	b := scripted(t, `{rules: [{match: {host: api, path: /repos/*, nth: [1]}, do: {limit: {kind: primary, reset: 1h}}}]}`, nil)
	const path = "/repos/blader/humanizer"
	for _, step := range []struct {
		token  string
		status int
	}{{"one", 403}, {"one", 403}, {"two", 200}, {"one", 403}} {
		if r := b.get("api", path, "Authorization", "Bearer "+step.token); r.status != step.status {
			t.Errorf("%s: %d, want %d", step.token, r.status, step.status)
		}
	}
	if g := b.graph("one", "{ viewer { login } }", nil); len(g.Errors) != 0 {
		t.Errorf("%+v", g.Errors)
	}
	callers := b.hub.Stats().Callers["api"]
	if callers[fakehub.CallerKey("one")] != 4 || callers[fakehub.CallerKey("two")] != 1 {
		t.Errorf("%v", callers)
	}
}

// TestRealCorpus fetches some repositories of the real corpus and compares each SKILL.md with its record.
func TestRealCorpus(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(datatest.Shared(t, "corpus", "skills-14.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, fakehub.Config{Corpus: fstest.MapFS{"skills-14.jsonl.gz": {Data: content}}})
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	archives := make(map[string]map[string]packed)
	for lines := json.NewDecoder(unpacked); ; {
		var r struct {
			Repo, Path, File string
			SkillMD          string `json:"skill_md"`
		}
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if archives[r.Repo] == nil {
			archives[r.Repo] = readZip(t, b.get("codeload", "/"+r.Repo+"/legacy.zip/HEAD").body)
		}
		name := strings.TrimPrefix(r.Path+"/"+r.File, "/")
		if got := archives[r.Repo][name]; got.sha != blobID([]byte(r.SkillMD)) {
			t.Errorf("%s/%s: %v", r.Repo, name, got)
		}
	}
	if len(archives) == 0 {
		t.Error("no repository")
	}
}
