package crawl_test

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl"
	"skillcorpus/data"
	"skillcorpus/store"
)

// file is one entry of a repository as git knows it.
type file struct{ path, mode, content string }

func (f file) id() string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.content), f.content)))
}

// gitHost serves one repository by all routes: archive, tree and raw.
type gitHost struct {
	*host
	commit   string
	files    []file
	most     int             // entries that one answer about a tree holds; 0 is any number
	missing  map[string]bool // paths that the raw host does not have
	sizeKB   int
	requests map[string]int // by kind
}

const gitRepo = "o/large"

func newGitHost(t *testing.T, files ...file) *gitHost {
	t.Helper()
	g := &gitHost{commit: commitOf(7), files: files, requests: map[string]int{}, missing: map[string]bool{}}
	var pairs []zipped
	for _, f := range files {
		pairs = append(pairs, zipped(f))
	}
	g.host = newHost(t, &repo{name: gitRepo, commit: commitOf(7), zip: zipWithModes(t, pairs...)})
	g.intercept(g.answer)
	return g
}

func (g *gitHost) answer(w http.ResponseWriter, r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, rest, isTree := strings.Cut(r.URL.Path, "/git/trees/")
	name, isRaw := strings.CutPrefix(r.URL.Path, "/raw/"+gitRepo+"/"+g.commit+"/")
	_, id, isBlob := strings.Cut(r.URL.Path, "/git/blobs/")
	switch {
	case isTree:
		g.requests["tree"]++
		g.tree(w, rest, r.URL.Query().Get("recursive") != "")
	case isRaw && !g.missing[name]:
		g.requests["raw"]++
		g.send(w, func(f file) bool { return f.path == name })
	case isBlob:
		g.requests["blob"]++
		g.send(w, func(f file) bool { return f.id() == id })
	case r.URL.Path == "/repos/"+gitRepo && g.sizeKB > 0:
		fmt.Fprintf(w, `{"id":1,"full_name":%q,"default_branch":"main","size":%d}`, gitRepo, g.sizeKB)
	case strings.Contains(r.URL.Path, "legacy.zip"):
		g.requests["zip"]++
		return false
	default:
		return false
	}
	return true
}

func (g *gitHost) send(w http.ResponseWriter, is func(file) bool) {
	if i := slices.IndexFunc(g.files, is); i >= 0 {
		_, _ = w.Write([]byte(g.files[i].content))
		return
	}
	http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
}

// tree lists a folder, whose id is its path in hex after the commit's.
func (g *gitHost) tree(w http.ResponseWriter, id string, recursive bool) {
	folder := ""
	if id != g.commit {
		fmt.Sscanf(strings.TrimPrefix(id, "f0"), "%x", &folder)
	}
	entries, seen := []map[string]any{}, map[string]bool{}
	for _, f := range g.files {
		below, inside := f.path, true
		if folder != "" {
			below, inside = strings.CutPrefix(f.path, folder+"/")
		}
		if !inside {
			continue
		}
		for at := below; at != "."; at = path.Dir(at) {
			if seen[at] || !recursive && strings.Contains(at, "/") {
				continue
			}
			seen[at] = true
			if at == below {
				entries = append(entries, map[string]any{"path": at, "mode": f.mode, "type": "blob", "size": len(f.content), "sha": f.id()})
				continue
			}
			entries = append(entries, map[string]any{"path": at, "mode": "040000", "type": "tree", "sha": fmt.Sprintf("f0%x", path.Join(folder, at))})
		}
	}
	cut := g.most > 0 && len(entries) > g.most && recursive
	if cut {
		entries = entries[:g.most]
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"sha": id, "url": "x", "truncated": cut, "tree": entries})
}

func (g *gitHost) field(t *testing.T) *field {
	t.Helper()
	f := newField(t, g.URL)
	f.raw = g.URL + "/raw"
	return f
}

func capped(most int64) func(*crawl.Options) {
	return func(o *crawl.Options) { impatient(o); o.Limits.Bytes = most }
}

func noise(seed uint64, n int) string {
	text, random := make([]byte, n), rand.New(rand.NewPCG(seed, 1))
	for i := range text {
		text[i] = byte(random.IntN(256))
	}
	return string(text)
}

// largeRepo has everything that makes a bundle: texts, binaries, links of all kinds, modes, nested skills, copies.
func largeRepo() []file {
	return []file{
		{"README.md", "100644", "# large\n"},
		{"LICENSE", "100644", "do as you like\n"},
		{"skills/COPYING.md", "120000", "../shared/terms"},
		{"shared/terms", "100644", "but not this\n"},
		{"assets/huge.bin", "100644", noise(1, 300_000)},
		{"shared/guide.md", "100644", "shared words\n"},
		{"skills/a/SKILL.md", "100644", skillMD("a")},
		{"skills/a/run.sh", "100755", "#!/bin/sh\necho a\n"},
		{"skills/a/data.bin", "100644", noise(2, 5000)},
		{"skills/a/guide.md", "120000", "../../shared/guide.md"},
		{"skills/a/out", "120000", "../../../etc/passwd"},
		{"skills/a/none", "120000", "nowhere"},
		{"skills/a/big.txt", "100644", strings.Repeat("a line of text\n", 100_000)},
		{"skills/a/we ird#?%.md", "100644", "odd name\n"},
		{"skills/a/inner/skill.md", "100644", skillMD("inner")},
		{"skills/a/pointer.bin", "100644", "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"},
		{"skills/b/SKILL.md", "120000", "../../shared/linked.md"},
		{"skills/b/run.sh", "100755", "#!/bin/sh\necho a\n"},
		{"shared/linked.md", "100644", skillMD("linked")},
		{"node_modules/x/SKILL.md", "100644", skillMD("vendored")},
		{".claude-plugin/marketplace.json", "100644", `{"plugins":[{"source":"./","skills":["./skills/a"]}]}`},
	}
}

// bundles are the skills with their files, as they have to come by any route.
func (f *field) bundles() (bundles []data.Bundle) {
	f.t.Helper()
	for _, skill := range f.skills() {
		bundles = append(bundles, skill.Bundle)
	}
	return bundles
}

// Of a repository over the cap that changed, what the corpus has is not fetched again, and the result is that of a first
// fetch; what lies elsewhere now, or is not what it was, comes anew.
func TestSparseAgain(t *testing.T) {
	t.Parallel()
	before, after := largeRepo(), largeRepo()
	before[4].content = noise(1, 3_000_000)
	after[4].content = before[4].content
	after[7].content = "#!/bin/sh\necho b\n" // skills/a/run.sh, of the size that it had
	after[9] = file{"skills/a/guide.md", "120000", "../../shared/terms"}
	after = append(after, file{"skills/a/more.md", "100644", "new\n"})
	g := newGitHost(t, before...)
	f := g.field(t)
	f.crawl(capped(2_000_000), f.list(gitRepo))
	g.mu.Lock()
	first := g.requests["raw"]
	g.commit, g.files, g.requests = commitOf(8), after, map[string]int{}
	g.repos[gitRepo].commit = g.commit
	g.mu.Unlock()
	f.clock.Add(25 * time.Hour)
	f.crawl(capped(2_000_000))
	fresh := newGitHost(t, after...)
	fresh.commit, fresh.repos[gitRepo].commit = g.commit, g.commit
	want := fresh.field(t)
	want.crawl(capped(2_000_000), want.list(gitRepo))
	if diff := cmp.Diff(want.bundles(), f.bundles()); diff != "" {
		t.Errorf("(-at first +again)\n%s", diff)
	}
	// Three are new. Of the others only what the corpus keeps no content of: the noise, the text of over 1 MiB, the pointer,
	// the manifest.
	if g.requests["raw"] != 7 || first != 16 {
		t.Errorf("%d files at first, then %v", first, g.requests)
	}
}

// A repository over the cap gives the same skills as its archive would, to the digest.
func TestSparse(t *testing.T) {
	t.Parallel()
	whole := newGitHost(t, largeRepo()...)
	want := whole.field(t)
	want.crawl(impatient, want.list(gitRepo))
	want.wantSkills("o/large/skills/a", "o/large/skills/a/inner", "o/large/skills/b")
	terms := []data.LicenseFile{{Path: "skills/COPYING.md", SHA256: data.SHA256Hex([]byte("but not this\n"))}}
	if got := want.bundles()[0].Licenses; !slices.Equal(got, terms) {
		t.Errorf("licence files %v, want %v", got, terms)
	}
	if whole.requests["zip"] != 1 || whole.requests["tree"] != 0 {
		t.Errorf("requests %v", whole.requests)
	}
	const most = 250_000 // bytes; the noise alone has 300,000
	for name, change := range map[string]func(*gitHost){
		"the archive is cut":          func(*gitHost) {},
		"the size tells":              func(g *gitHost) { g.sizeKB = 9000 },
		"the tree is walked":          func(g *gitHost) { g.most = 4 },
		"the raw host does not do it": func(g *gitHost) { g.missing["skills/a/we ird#?%.md"] = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitHost(t, largeRepo()...)
			change(g)
			f := g.field(t)
			f.crawl(func(o *crawl.Options) {
				capped(most)(o)
				o.Limits.Bytes = most
			}, f.list(gitRepo))
			t.Log(g.requests, f.failures())
			// The one text of 1.5 MB makes its skills too large here.
			f.wantSkills("o/large/skills/a/inner", "o/large/skills/b")
			f.crawl(func(o *crawl.Options) { impatient(o); o.Limits.Bytes = 2_000_000 }, f.list(gitRepo))
		})
		t.Run(name+", all skills fit", func(t *testing.T) {
			t.Parallel()
			files := largeRepo()
			files[4].content = noise(1, 3_000_000)
			g := newGitHost(t, files...)
			change(g)
			f := g.field(t)
			f.crawl(capped(2_000_000), f.list(gitRepo))
			t.Log(g.requests, f.failures())
			if diff := cmp.Diff(want.bundles(), f.bundles()); diff != "" {
				t.Errorf("(-archive +sparse)\n%s", diff)
			}
			f.look(func(corpus *store.Store) {
				if faults, err := corpus.Verify(t.Context()); err != nil || len(faults) > 0 {
					t.Errorf("%q %v", faults, err)
				}
			})
			if got, want := f.digest(), want.digest(); got != want {
				t.Errorf("digest %s, by the archive %s", got, want)
			}
			if zips := g.requests["zip"]; (zips == 0) != (g.sizeKB > 0) {
				t.Errorf("%d archives", zips)
			}
			if g.most == 0 && g.requests["tree"] != 1 {
				t.Errorf("requests %v", g.requests)
			}
		})
	}
}

// The size is the history's: an archive under the cap is taken all the same, but for few files.
func TestSparseChoosesTheArchive(t *testing.T) {
	t.Parallel()
	var files []file
	for i := range 150 {
		files = append(files, file{fmt.Sprintf("skills/s%d/SKILL.md", i), "100644", skillMD(fmt.Sprint("s", i))})
	}
	g := newGitHost(t, files...)
	g.sizeKB = 90_000
	f := g.field(t)
	f.crawl(impatient, f.list(gitRepo))
	if len(f.skills()) != 150 || g.requests["zip"] != 1 || g.requests["tree"] != 1 || g.requests["raw"] != 0 {
		t.Errorf("%d skills, requests %v", len(f.skills()), g.requests)
	}
	strict := g.field(t)
	g.requests = map[string]int{}
	strict.crawl(func(o *crawl.Options) { impatient(o); o.StrictSize = true }, strict.list(gitRepo))
	if failure := strict.failures()[gitRepo]; failure.Outcome != data.OutcomeTooLarge || len(g.requests) != 0 {
		t.Errorf("the strict rule: %+v, requests %v", failure, g.requests)
	}
}

// A skill is lost only if it is too large itself, and the repository only if all of them are.
func TestSparseTooLarge(t *testing.T) {
	t.Parallel()
	root := file{"SKILL.md", "100644", skillMD("root")}
	huge := file{"media/film.bin", "100644", noise(3, 400_000)}
	g := newGitHost(t, root, huge, file{"skills/a/SKILL.md", "100644", skillMD("a")})
	f := g.field(t)
	f.crawl(capped(200_000), f.list(gitRepo))
	f.wantSkills("o/large/skills/a")
	f.look(func(corpus *store.Store) {
		found, err := corpus.RepoFindings(t.Context())
		if err != nil || !slices.ContainsFunc(found, func(r store.RepoFinding) bool {
			return r.File == "SKILL.md" && strings.Contains(r.Message, "limit 200000")
		}) {
			t.Errorf("findings %+v, %v", found, err)
		}
	})
	if g.requests["raw"] != 1 {
		t.Errorf("requests %v", g.requests)
	}
	g = newGitHost(t, root, huge)
	f = g.field(t)
	f.crawl(capped(200_000), f.list(gitRepo))
	if failure := f.failures()[gitRepo]; failure.Outcome != data.OutcomeTooLarge || g.requests["raw"] != 0 {
		t.Errorf("%+v, requests %v", failure, g.requests)
	}
	g = newGitHost(t, huge, file{"README.md", "100644", "no skill"})
	f = g.field(t)
	f.crawl(capped(200_000), f.list(gitRepo))
	if len(f.failures()) != 0 || g.requests["raw"] != 0 {
		t.Errorf("without skills: %v, requests %v", f.failures(), g.requests)
	}
}

// What came before a limit of the raw host is not fetched again in the same crawl.
func TestSparseGoesOn(t *testing.T) {
	t.Parallel()
	files := []file{{"huge.bin", "100644", noise(4, 400_000)}}
	for i := range 20 {
		files = append(files, file{fmt.Sprintf("skills/s%02d/SKILL.md", i), "100644", skillMD(fmt.Sprint("s", i))})
	}
	g := newGitHost(t, files...)
	f := g.field(t)
	f.log = t.Output()
	refused := 0
	g.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/s12/") && refused < 2 {
			refused++
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		return g.answer(w, r)
	})
	f.crawl(func(o *crawl.Options) { capped(200_000)(o); patient(o) }, f.list(gitRepo))
	if len(f.skills()) != 20 || g.requests["raw"] != 20 || refused != 2 {
		t.Errorf("%d skills, requests %v, %d refused", len(f.skills()), g.requests, refused)
	}
}

// A body that is not the one that was listed is not taken.
func TestSparseWrongBytes(t *testing.T) {
	t.Parallel()
	g := newGitHost(t, file{"huge.bin", "100644", noise(5, 400_000)}, file{"a/SKILL.md", "100644", skillMD("a")})
	g.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/raw/") {
			_, _ = w.Write([]byte(strings.Repeat("x", len(skillMD("a")))))
			return true
		}
		return g.answer(w, r)
	})
	f := g.field(t)
	f.crawl(capped(200_000), f.list(gitRepo))
	if failure := f.failures()[gitRepo]; failure.Outcome != data.OutcomeUnavailable || len(f.skills()) != 0 {
		t.Errorf("%+v", failure)
	}
}
