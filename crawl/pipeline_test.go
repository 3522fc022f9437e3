package crawl_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"skillcorpus/crawl"
	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/data/sample"
	"skillcorpus/store"
)

// hubEntry is what index.json says of one repository.
type hubEntry struct {
	Repo    string `json:"repo"`
	Commit  string `json:"commit"`
	License string `json:"license"`
	SkillMD int    `json:"skill_md"`
	Zip     string `json:"zip"`
}

// startHub serves a folder in hub format to a field, on the field's clock.
func startHub(t *testing.T, folder fs.FS, rules ...fakehub.Rule) (*field, *fakehub.Hub) {
	t.Helper()
	f := newField(t, "")
	hub, err := fakehub.New(fakehub.Config{Hub: folder, Faults: &fakehub.Script{Rules: rules}, Now: f.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hub.Close() })
	f.api, f.codeload = hub.URLs()["api"], hub.URLs()["codeload"]
	return f, hub
}

func hubIndex(t *testing.T, folder fs.FS) (entries []hubEntry) {
	t.Helper()
	text, err := fs.ReadFile(folder, "index.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestSampleCrawl(t *testing.T) {
	t.Parallel()
	wholeCrawl(t, sample.FS())
}

// TestHubCrawl crawls a few real repositories, with skills at the root, links and nested skills among them.
func TestHubCrawl(t *testing.T) {
	t.Parallel()
	whole := os.DirFS(datatest.Shared(t, "hub"))
	few := fstest.MapFS{}
	var kept []json.RawMessage
	var all []json.RawMessage
	text, err := fs.ReadFile(whole, "index.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for i, e := range hubIndex(t, whole) {
		if slices.Contains([]string{"getsentry/skills", "muratcankoylan/Agent-Skills-for-Context-Engineering"}, e.Repo) {
			content, err := fs.ReadFile(whole, e.Zip)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, all[i])
			few[e.Zip] = &fstest.MapFile{Data: content}
		}
	}
	index, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	few["index.json"] = &fstest.MapFile{Data: index}
	wholeCrawl(t, few)
}

// TestHubCrawlProof crawls all 30 real repositories.
func TestHubCrawlProof(t *testing.T) {
	t.Parallel()
	if os.Getenv("SKILLCORPUS_PROOF") == "" {
		t.Skip("a long proof: set SKILLCORPUS_PROOF=1")
	}
	if n := wholeCrawl(t, os.DirFS(datatest.Shared(t, "hub"))); n != 1508 {
		t.Errorf("%d skills, want 1508", n)
	}
}

// wholeCrawl crawls a hub three times by its marketplace, and compares the corpus with the archives' bytes.
func wholeCrawl(t *testing.T, folder fs.FS) int {
	t.Helper()
	f, hub := startHub(t, folder)
	entries := hubIndex(t, folder)
	summary := f.crawl(nil, f.marketAt(hub.URLs()["skillsmp"]))
	if summary.Incomplete() || len(summary.Sources) != 1 || summary.Sources[0].Rows == 0 {
		t.Errorf("first crawl: %+v", summary)
	}
	first := hub.Stats().Endpoints
	if got := first["codeload zip"].Requests; got != int64(len(entries)) {
		t.Errorf("%d archives were asked for, want one for each of %d repositories", got, len(entries))
	}
	skills := f.skills()
	checkAgainstArchives(t, f, folder, entries, skills)
	checkCopies(t, skills)
	digest := f.digest()

	f.crawl(nil)
	if again := hub.Stats().Endpoints; again["api repo"].Requests != first["api repo"].Requests || again["codeload zip"].Requests != first["codeload zip"].Requests {
		t.Errorf("a crawl within max-age asked: %+v", again)
	}
	f.crawl(func(o *crawl.Options) { o.MaxAge = 0 })
	last := hub.Stats().Endpoints
	if last["api repo"].Requests != first["api repo"].Requests+int64(len(entries)) || last["codeload zip"].Bytes != first["codeload zip"].Bytes {
		t.Errorf("a crawl of unchanged heads: %+v, before %+v", last, first)
	}
	if unchanged := last["api repo"].Status["304"]; unchanged != int64(len(entries)) {
		t.Errorf("%d conditional answers, want %d", unchanged, len(entries))
	}
	if f.digest() != digest {
		t.Error("the digest changed by crawls that brought nothing")
	}
	return len(skills)
}

// checkAgainstArchives reads the archives by archive/zip alone.
func checkAgainstArchives(t *testing.T, f *field, folder fs.FS, entries []hubEntry, skills []store.Skill) {
	t.Helper()
	byID := make(map[string]store.Skill, len(skills))
	for _, s := range skills {
		byID[s.ID] = s
	}
	found := 0
	f.look(func(corpus *store.Store) {
		for _, e := range entries {
			members := unzip(t, folder, e.Zip)
			inThis := 0
			for _, name := range slices.Sorted(maps.Keys(members)) {
				if !strings.EqualFold(path.Base(name), "SKILL.md") {
					continue
				}
				inThis++
				id := strings.TrimSuffix(e.Repo+"/"+path.Dir(name), "/.")
				skill, ok := byID[id]
				if !ok {
					t.Errorf("%s: %s is no skill", e.Repo, name)
					continue
				}
				if skill.SkillSHA256 != hash(members[name]) || skill.Commit != e.Commit || skill.License != e.License || skill.Basis != data.BasisContents {
					t.Errorf("%s: digest, commit, licence or basis differ: %+v", id, skill.Bundle)
				}
				content, kept, err := corpus.Content(t.Context(), skill.SkillSHA256)
				if err != nil || !kept || !bytes.Equal(content, members[name]) {
					t.Errorf("%s: stored text differs: %t, %v", id, kept, err)
				}
				checkFiles(t, skill, members, path.Dir(name))
			}
			if inThis != e.SkillMD {
				t.Errorf("%s: %d SKILL.md in the archive, %d in the index", e.Repo, inThis, e.SkillMD)
			}
			found += inThis
		}
	})
	if found != len(skills) {
		t.Errorf("%d SKILL.md in the archives, %d skills", found, len(skills))
	}
}

func checkFiles(t *testing.T, skill store.Skill, members map[string][]byte, dir string) {
	t.Helper()
	bundled := make(map[string]data.File, len(skill.Files))
	for _, file := range skill.Files {
		bundled[path.Join(dir, file.Path)] = file
	}
	for name, content := range members {
		if dir != "." && !strings.HasPrefix(name, dir+"/") || name == path.Join(dir, skill.SkillFile) {
			continue
		}
		file, ok := bundled[name]
		if !ok {
			t.Errorf("%s: %s is not bundled", skill.ID, name)
		} else if file.Mode != data.ModeLink && (file.SHA256 != hash(content) || file.Size != int64(len(content))) {
			t.Errorf("%s: digest or size of %s differ", skill.ID, name)
		}
	}
}

func unzip(t *testing.T, folder fs.FS, name string) map[string][]byte {
	t.Helper()
	packed, err := fs.ReadFile(folder, name)
	if err != nil {
		t.Fatal(err)
	}
	zr, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]byte{}
	for _, m := range zr.File {
		if strings.HasSuffix(m.Name, "/") {
			continue
		}
		body, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		_, inside, _ := strings.Cut(m.Name, "/")
		members[inside] = content
	}
	return members
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// checkCopies holds that each set of equal bundles has one canonical skill, to which all others are linked.
func checkCopies(t *testing.T, skills []store.Skill) {
	t.Helper()
	canonical := map[string]string{}
	for _, s := range skills {
		if s.CopyOf == "" {
			if other := canonical[s.Digest]; other != "" {
				t.Errorf("%s and %s are equal and both canonical", other, s.ID)
			}
			canonical[s.Digest] = s.ID
		}
	}
	for _, s := range skills {
		if s.CopyOf != "" && canonical[s.Digest] != s.CopyOf {
			t.Errorf("%s is linked to %s, want %s", s.ID, s.CopyOf, canonical[s.Digest])
		}
	}
}

func (f *field) marketAt(url string) *skillsmp.Source {
	f.t.Helper()
	src, err := skillsmp.New(skillsmp.Config{
		BaseURL: url, RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Now: f.clock.Now,
		Warn: func(line string) { f.t.Errorf("warning: %s", line) },
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return src
}
