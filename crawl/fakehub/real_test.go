package fakehub_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"testing"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/data/sample"
)

type indexEntry struct {
	Repo    string `json:"repo"`
	Commit  string `json:"commit"`
	SkillMD int    `json:"skill_md"`
	Zip     string `json:"zip"`
}

// packed is one file of an archive, with the id that git gives its content.
type packed struct{ mode, sha string }

func TestSampleRepositories(t *testing.T) {
	t.Parallel()
	files, skills := checkHub(t, sample.FS(), smallArchive)
	if files != 107 || skills != 13 {
		t.Errorf("%d files, %d SKILL.md", files, skills)
	}
}

// smallArchive is the size of the largest archive whose tarball the short test compares: packing and unpacking the large
// ones again takes most of a minute under the race detector.
const smallArchive = 100_000

func TestRealRepositories(t *testing.T) {
	t.Parallel()
	checkReal(t, smallArchive)
}

func TestProofAllTarballs(t *testing.T) {
	t.Parallel()
	if os.Getenv("SKILLCORPUS_PROOF") == "" {
		t.Skip("the long form runs with SKILLCORPUS_PROOF=1")
	}
	checkReal(t, math.MaxInt)
}

func checkReal(t *testing.T, mostTarred int) {
	t.Helper()
	files, skills := checkHub(t, sharedHub(t), mostTarred)
	if files != 6947 || skills != 1508 {
		t.Errorf("%d files, %d SKILL.md, want 6947 and 1508", files, skills)
	}
}

// checkHub fetches every repository in every way and compares each with the archive in the folder; tarballs only of
// archives up to a size.
func checkHub(t *testing.T, folder fs.FS, mostTarred int) (files, skills int) {
	t.Helper()
	text, err := fs.ReadFile(folder, "index.json")
	if err != nil {
		t.Fatal(err)
	}
	var entries []indexEntry
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	b := start(t, fakehub.Config{Hub: folder})
	for _, e := range entries {
		content, err := fs.ReadFile(folder, e.Zip)
		if err != nil {
			t.Fatal(err)
		}
		want := readZip(t, content)
		files += len(want)
		for name := range want {
			if path.Base(name) == "SKILL.md" {
				skills++
			}
		}
		b.checkTree(e, want)
		zipped := b.get("", b.get("api", "/repos/"+e.Repo+"/zipball/HEAD").header.Get("Location"))
		if !bytes.Equal(zipped.body, content) {
			t.Errorf("%s: the zip differs", e.Repo)
		}
		if len(content) > mostTarred {
			continue
		}
		tarred := b.get("", b.get("api", "/repos/"+e.Repo+"/tarball/"+e.Commit).header.Get("Location"))
		compare(t, e.Repo+" tarball", want, readTar(t, e.Commit, tarred.body))
	}
	return files, skills
}

func (b *box) checkTree(e indexEntry, want map[string]packed) {
	b.t.Helper()
	var listing struct {
		Truncated bool
		Tree      []struct{ Path, Mode, Type, SHA string }
	}
	b.json(b.get("api", "/repos/"+e.Repo+"/git/trees/"+e.Commit+"?recursive=1"), 200, &listing)
	got := make(map[string]packed)
	for _, item := range listing.Tree {
		if item.Type == "blob" {
			got[item.Path] = packed{item.Mode, item.SHA}
		}
	}
	compare(b.t, e.Repo+" tree", want, got)
}

func compare(t *testing.T, what string, want, got map[string]packed) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: %s is %v, want %v", what, name, got[name], w)
		}
	}
}

func blobID(content []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
	return hex.EncodeToString(sum[:])
}

func readZip(t *testing.T, content []byte) map[string]packed {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]packed)
	for _, f := range zr.File {
		_, name, _ := strings.Cut(f.Name, "/")
		if name == "" {
			continue
		}
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		mode := map[uint32]string{0o100644: "100644", 0o100755: "100755", 0o120000: "120000"}[f.ExternalAttrs>>16&^0o777|f.ExternalAttrs>>16&0o755]
		if f.ExternalAttrs>>28 == 0o12 {
			mode = "120000"
		}
		found[name] = packed{mode, blobID(text)}
	}
	return found
}

func readTar(t *testing.T, commit string, content []byte) map[string]packed {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	tr := tar.NewReader(gz)
	found := make(map[string]packed)
	for first := true; ; first = false {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if first && (header.Typeflag != tar.TypeXGlobalHeader || header.PAXRecords["comment"] != commit) {
			t.Errorf("the tarball opens with %+v", header)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(header.Name, "/")
		switch header.Typeflag {
		case tar.TypeReg:
			mode := map[int64]string{0o664: "100644", 0o775: "100755"}[header.Mode]
			found[name] = packed{mode, blobID(text)}
		case tar.TypeSymlink:
			found[name] = packed{"120000", blobID([]byte(header.Linkname))}
		}
	}
}
