package crawl_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"skillcorpus/crawl"
	"skillcorpus/crawl/source/dir"
	"skillcorpus/data"
)

// put writes a file and the folders that it needs.
func put(t testing.TB, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func localSkill(t testing.TB, name string) *dir.Source {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	put(t, filepath.Join(root, "SKILL.md"), []byte(skillMD(name)))
	return openDir(t, root)
}

func openDir(t testing.TB, root string) *dir.Source {
	t.Helper()
	src, err := dir.New(root)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func tarball(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	tw := tar.NewWriter(gz)
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := tw.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// local crawls a folder as a run of its own would, which looks at it anew.
func (f *field) local(root string) crawl.Summary {
	f.t.Helper()
	src := openDir(f.t, root)
	return f.crawl(func(o *crawl.Options) { o.Locate = src.Locate }, src)
}

// TestFolder crawls checkouts and archives, sees every change at the next crawl, and forgets nothing that it was
// not shown.
func TestFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	kit := filepath.Join(root, "kit")
	put(t, filepath.Join(kit, ".git", "HEAD"), []byte("ref: refs/heads/main\n"))
	put(t, filepath.Join(kit, "skills", "one", "SKILL.md"), []byte(skillMD("one")))
	put(t, filepath.Join(root, "packed.zip"), zipOf(t, "two/SKILL.md", skillMD("two")))
	put(t, filepath.Join(root, "rolled.tar.gz"), tarball(t, "rolled/SKILL.md", skillMD("rolled")))
	put(t, filepath.Join(root, "broken.zip"), []byte("PK\x03\x04 and no more"))
	f := newField(t, "http://127.0.0.1:1")

	if summary := f.local(root); summary.Incomplete() {
		t.Errorf("summary %+v", summary)
	}
	f.wantSkills("dir:kit/skills/one", "dir:packed/two", "dir:rolled")
	if got := f.failures()["dir:broken"]; got.Outcome != data.OutcomeMalformed {
		t.Errorf("broken.zip: %+v", got)
	}

	put(t, filepath.Join(kit, "skills", "three", "SKILL.md"), []byte(skillMD("three")))
	put(t, filepath.Join(root, "broken.zip"), zipOf(t, "four/SKILL.md", skillMD("four")))
	if err := os.Remove(filepath.Join(root, "packed.zip")); err != nil {
		t.Fatal(err)
	}
	f.local(root)
	f.wantSkills("dir:kit/skills/one", "dir:kit/skills/three", "dir:broken/four", "dir:rolled")
	if got := f.failures()["dir:packed"]; got.Outcome != data.OutcomeGone {
		t.Errorf("packed.zip: %+v", got)
	}

	// A crawl of something else leaves it alone, whatever happened to the folder meanwhile.
	put(t, filepath.Join(root, "packed.zip"), zipOf(t, "two/SKILL.md", skillMD("two")))
	if err := os.RemoveAll(kit); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	put(t, filepath.Join(other, "SKILL.md"), []byte(skillMD("other")))
	f.local(other)
	f.crawl(nil)
	f.wantSkills("dir:kit/skills/one", "dir:kit/skills/three", "dir:broken/four", "dir:rolled", "dir:other")

	f.local(root)
	f.wantSkills("dir:packed/two", "dir:broken/four", "dir:rolled", "dir:other")
	if got := f.failures()["dir:kit"]; got.Outcome != data.OutcomeGone {
		t.Errorf("kit: %+v", got)
	}
}

// TestFolderVanishes takes the folder away between the look at it and the reading.
func TestFolderVanishes(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "kit")
	put(t, filepath.Join(root, "SKILL.md"), []byte(skillMD("kit")))
	f := newField(t, "http://127.0.0.1:1")
	f.local(root)
	f.wantSkills("dir:kit")
	src := openDir(t, root)
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if summary := f.crawl(func(o *crawl.Options) { o.Locate = src.Locate }, src); summary.Incomplete() {
		t.Errorf("summary %+v", summary)
	}
	f.wantSkills()
	put(t, filepath.Join(root, "SKILL.md"), []byte(skillMD("kit")))
	f.local(root)
	f.wantSkills("dir:kit")
}
