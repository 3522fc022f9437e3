package discover

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// readArchive reads an archive file and returns what was kept by digest.
func readArchive(t testing.TB, name string, limits archive.Limits, repo data.Repo) (Found, map[string][]byte) {
	t.Helper()
	tree, err := archive.Open(name, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	return readTree(t, tree, repo)
}

func readTree(t testing.TB, tree archive.Tree, repo data.Repo) (Found, map[string][]byte) {
	t.Helper()
	kept := map[string][]byte{}
	found, err := Read(t.Context(), repo, tree, func(sha256 string, content []byte) error {
		if _, again := kept[sha256]; again {
			t.Errorf("%s given to keep twice", sha256)
		}
		if data.SHA256Hex(content) != sha256 {
			t.Errorf("%s is not the digest of its content", sha256)
		}
		kept[sha256] = bytes.Clone(content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, kept
}

// item is one member of an archive to be made: a file, or a link to body.
type item struct {
	name string
	mode fs.FileMode
	body string
}

const link = fs.ModeSymlink

func write(t testing.TB, items []item) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "repo.zip")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(file)
	for _, it := range items {
		h := &zip.FileHeader{Name: "o-r-1/" + it.name, Method: zip.Store}
		h.SetMode(max(it.mode, it.mode.Type()|0o644))
		body, err := w.CreateHeader(h)
		if err == nil && !strings.HasSuffix(it.name, "/") {
			_, err = io.WriteString(body, it.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

var testRepo = data.Repo{
	ID: "o/r", Host: data.HostGitHub, Name: "o/r", Commit: "abc", License: "MIT", Stars: 7,
	UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
}

func readItems(t testing.TB, items ...item) (Found, map[string][]byte) {
	t.Helper()
	return readArchive(t, write(t, items), archive.DefaultLimits(), testRepo)
}

// places lists skills as directory:file.
func places(found Found) []string {
	var all []string
	for _, s := range found.Skills {
		all = append(all, s.Path+":"+s.SkillFile)
	}
	return all
}

func skillAt(t testing.TB, found Found, dir string) data.Bundle {
	t.Helper()
	for _, s := range found.Skills {
		if s.Path == dir {
			return s
		}
	}
	t.Fatalf("no skill at %q among %q", dir, places(found))
	return data.Bundle{}
}

// listing shows a bundle's files: path, K where kept, note.
func listing(b data.Bundle) string {
	var out strings.Builder
	for _, f := range b.Files {
		kept := "-"
		if f.Kept {
			kept = "K"
		}
		fmt.Fprintf(&out, "%s %d %s %s\n", kept, f.Size, f.Path, f.Note)
	}
	return strings.ReplaceAll(out.String(), " \n", "\n")
}

func has(findings []data.Finding, rule, file string) bool {
	return slices.ContainsFunc(findings, func(f data.Finding) bool { return f.Rule == rule && f.File == file })
}

func TestBundle(t *testing.T) {
	t.Parallel()
	found, kept := readItems(t,
		item{name: "a/SKILL.md", body: "skill a"},
		item{name: "a/run.sh", mode: 0o755, body: "#!/bin/sh\n"},
		item{name: "a/logo.png", body: "\x89PNG\x00\x00"},
		item{name: "a/nested/skill.md", body: "nested"},
		item{name: "a/nested/x.txt", body: "x"},
		item{name: "a/node_modules/m/SKILL.md", body: "vendored"},
		item{name: "a/__pycache__/SKILL.md", body: "vendored"},
		item{name: "a/doc.md", mode: link, body: "../shared/doc.md"},
		item{name: "a/out", mode: link, body: "/etc/hostname"},
		item{name: "a/dir", mode: link, body: "../shared"},
		item{name: "a/vendored.md", mode: link, body: "node_modules/m/SKILL.md"},
		item{name: "shared/doc.md", body: "shared"},
		item{name: "a-b/SKILL.md", body: "not below a"},
	)
	if got := places(found); !slices.Equal(got, []string{"a:SKILL.md", "a/nested:skill.md", "a-b:SKILL.md"}) && !slices.Equal(got, []string{"a:SKILL.md", "a-b:SKILL.md", "a/nested:skill.md"}) {
		t.Fatalf("skills %q", got)
	}
	a := skillAt(t, found, "a")
	want := `- 9 dir link to folder
K 6 doc.md
- 6 logo.png
K 6 nested/skill.md
K 1 nested/x.txt
- 13 out link outside
K 10 run.sh
K 8 vendored.md
`
	if diff := cmp.Diff(want, listing(a)); diff != "" {
		t.Error(diff)
	}
	if a.ID != "o/r/a" || a.Commit != "abc" || a.License != "MIT" || a.Stars != 7 || a.UpdatedAt != "2026-01-02T03:04:05Z" || a.Basis != data.BasisContents {
		t.Errorf("bundle %+v", a)
	}
	if a.Digest != data.BundleDigest(a.SkillFile, a.SkillSHA256, a.Files) || string(kept[a.SkillSHA256]) != "skill a" {
		t.Errorf("digest %s", a.Digest)
	}
	for _, f := range a.Files {
		if f.Path == "run.sh" && (f.Mode != data.ModeExecutable || string(kept[f.SHA256]) != "#!/bin/sh\n") {
			t.Errorf("run.sh %+v", f)
		}
		if f.Path == "doc.md" && (f.Mode != data.ModeLink || string(kept[f.SHA256]) != "shared") {
			t.Errorf("doc.md %+v", f)
		}
	}
	if !has(a.Findings, archive.RuleLink, "out") || has(found.Findings, archive.RuleLink, "a/out") {
		t.Errorf("findings of a %v, of the repository %v", a.Findings, found.Findings)
	}
	if len(found.Tree) != 13 {
		t.Errorf("tree %v", found.Tree)
	}
}

// TestCopies holds that the same files elsewhere have the same digest.
func TestCopies(t *testing.T) {
	t.Parallel()
	var items []item
	for _, dir := range []string{"skills/x/", ".claude/skills/x/", "other/"} {
		items = append(items, item{name: dir + "SKILL.md", body: "text"}, item{name: dir + "a/b.py", mode: 0o755, body: "1"})
	}
	items = append(items, item{name: "modes/SKILL.md", body: "text"}, item{name: "modes/a/b.py", body: "1"})
	found, kept := readItems(t, items...)
	if a, b, c := skillAt(t, found, "skills/x"), skillAt(t, found, ".claude/skills/x"), skillAt(t, found, "other"); a.Digest != b.Digest || b.Digest != c.Digest {
		t.Error("copies differ")
	}
	if skillAt(t, found, "modes").Digest == skillAt(t, found, "other").Digest {
		t.Error("a mode does not count")
	}
	if len(kept) != 2 {
		t.Errorf("%d contents kept, want 2", len(kept))
	}
}

func TestKeeping(t *testing.T) {
	t.Parallel()
	text := func(n int, salt string) string { return salt + strings.Repeat("t", n-len(salt)) }
	items := []item{
		{name: "big/SKILL.md", body: text(data.MaxKeptFile+1, "main")},
		{name: "big/edge.txt", body: text(data.MaxKeptFile, "edge")},
		{name: "big/over.txt", body: text(data.MaxKeptFile+1, "over")},
		{name: "binary/SKILL.md", body: "\x00\x01binary"},
		{name: "full/SKILL.md", body: "full"},
		{name: "full/inner/SKILL.md", body: "inner"},
		{name: "full/z-last.txt", body: "small"},
	}
	for i := range 9 {
		items = append(items, item{name: fmt.Sprintf("full/b%d.txt", i), body: text(data.MaxKeptFile, fmt.Sprint(i))})
		items = append(items, item{name: fmt.Sprintf("full/a%d.bin", i), body: "\x00" + text(data.MaxKeptFile-1, fmt.Sprint(i))})
	}
	found, kept := readItems(t, items...)
	for dir, want := range map[string]string{
		"big":        "K edge.txt, - over.txt",
		"binary":     "",
		"full/inner": "",
	} {
		var got []string
		for _, f := range skillAt(t, found, dir).Files {
			got = append(got, map[bool]string{true: "K ", false: "- "}[f.Kept]+f.Path)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	for _, s := range found.Skills {
		if _, ok := kept[s.SkillSHA256]; !ok {
			t.Errorf("%s: SKILL.md not kept", s.ID)
		}
	}
	// Eight of the nine texts fill the bundle, in path order; the binaries take no room.
	full := skillAt(t, found, "full")
	var total int64
	for _, f := range full.Files {
		if f.Kept {
			total += f.Size
			if len(kept[f.SHA256]) != int(f.Size) {
				t.Errorf("%s is not there", f.Path)
			}
		}
		if wantKept := strings.HasPrefix(f.Path, "b") && f.Path != "b8.txt"; f.Kept != wantKept {
			t.Errorf("%s: kept %t", f.Path, f.Kept)
		}
		if len(f.SHA256) != 64 {
			t.Errorf("%s has no digest", f.Path)
		}
	}
	if total != data.MaxKeptBundle {
		t.Errorf("%d bytes kept", total)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		"": true, "plain\r\n\ttext": true, "caf\xe9 latin": true, "\u4f60\u597d": true, "\x1b[31mred": true, strings.Repeat("a", 9000) + "\x00": true,
		"a\x00": false, "\x01\x02\x03": false, strings.Repeat("a", 97) + "\x01\x01\x01": true, strings.Repeat("a", 96) + "\x01\x01\x01\x01": false,
	} {
		if isText([]byte(content)) != want {
			t.Errorf("%.20q: text %t", content, !want)
		}
	}
}

func TestPointer(t *testing.T) {
	t.Parallel()
	const head = "version https://git-lfs.github.com/spec/v1\n"
	for content, want := range map[string]int64{
		head + "oid sha256:00\nsize 12\n": 12, head + "size 0": 0, head + "oid x\n": -1, head + "size -3\n": -1, head + "size x\n": -1,
		"size 12\n": -1, "# " + head + "size 12\n": -1, head + "size 12\n" + strings.Repeat("x", 1000): -1, "": -1,
	} {
		if got := pointerSize([]byte(content)); got != want {
			t.Errorf("%.60q: %d, want %d", content, got, want)
		}
	}
}

// TestUnreadable holds that a SKILL.md without content is told, and does not stand in the way of another.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	found, _ := readItems(t,
		item{name: "gone/SKILL.md", mode: link, body: "nowhere"},
		item{name: "second/SKILL.md", mode: link, body: "/etc/passwd"},
		item{name: "second/Skill.md", body: "readable"},
		item{name: "ok/SKILL.md", body: "ok"},
		item{name: "folder/SKILL.md/x", body: "a folder of that name"},
	)
	if got := places(found); !slices.Equal(got, []string{"ok:SKILL.md", "second:Skill.md"}) {
		t.Errorf("skills %q", got)
	}
	if !has(found.Findings, RuleUnreadable, "gone/SKILL.md") {
		t.Errorf("findings %v", found.Findings)
	}
	if s := skillAt(t, found, "second"); !has(s.Findings, RuleSpelling, "Skill.md") || !has(s.Findings, RuleTwoFiles, "SKILL.md") {
		t.Errorf("findings %v", s.Findings)
	}
}

// TestUnread: a file that this machine may not read is not taken for a damaged one.
func TestUnread(t *testing.T) {
	t.Parallel()
	r := reading{facts: map[string]content{"x": {damage: &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}}, "y": {damage: io.ErrUnexpectedEOF}}}
	for name, want := range map[string]string{"x": data.NoteUnread, "y": NoteDamaged} {
		if file := r.file(archive.Entry{Path: name}); file.Note != want || file.Kept {
			t.Errorf("%s: %+v", name, file)
		}
	}
}

// TestDamaged breaks contents in the archive: other skills live, and what was lost is told.
func TestDamaged(t *testing.T) {
	t.Parallel()
	name := write(t, []item{{name: "a/SKILL.md", body: "skill a"}, {name: "a/x", body: "unlucky x"}, {name: "b/SKILL.md", body: "unlucky b"}})
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range reader.File[1:] {
		at, _ := f.DataOffset()
		content[at+2] ^= 0xff
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	found, _ := readArchive(t, name, archive.DefaultLimits(), testRepo)
	if got := places(found); !slices.Equal(got, []string{"a:SKILL.md"}) {
		t.Fatalf("skills %q", got)
	}
	a := skillAt(t, found, "a")
	if a.Files[0].Note != NoteDamaged || a.Files[0].Kept || a.Files[0].SHA256 != "" || !has(a.Findings, RuleDamaged, "x") {
		t.Errorf("a: %+v", a)
	}
	if !has(found.Findings, RuleUnreadable, "b/SKILL.md") {
		t.Errorf("findings %v", found.Findings)
	}
}

func TestMemberOrder(t *testing.T) {
	t.Parallel()
	items := []item{
		{name: "a/SKILL.md", body: "a"},
		{name: "a/skill.md", body: "b"},
		{name: "a/in/SKILL.md", mode: link, body: "../../c.md"},
		{name: "c.md", body: "c"},
		{name: "a/in/x", mode: link, body: "y"},
		{name: "SKILL.md", body: "root"},
		{name: "sub/"},
		{name: ".gitmodules", body: "[submodule \"s\"]\npath = sub\nurl = ../s\n"},
	}
	first, firstKept := readItems(t, items...)
	random := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		found, kept := readItems(t, items...)
		if diff := cmp.Diff(first, found); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(firstKept, kept); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tree, err := archive.Open(write(t, []item{{name: "SKILL.md", body: "a"}, {name: "x", body: "b"}}), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	full := errors.New("disk full")
	if _, err := Read(t.Context(), testRepo, tree, func(string, []byte) error { return full }); !errors.Is(err, full) {
		t.Errorf("keep's error: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, testRepo, tree, func(string, []byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestNestingIsBounded lists no more files than the limit when skills lie within skills.
func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	r := newReading(testRepo, emptyTree{}, nil)
	r.most = 1000
	dir := ""
	for i := range 40 {
		dir = join(dir, fmt.Sprintf("d%02d", i))
		main := archive.Entry{Path: dir + "/SKILL.md", Mode: data.ModeFile}
		r.entries = append(r.entries, main)
		r.skills = append(r.skills, skill{dir: dir, main: main})
	}
	for i := range 100 {
		r.entries = append(r.entries, archive.Entry{Path: fmt.Sprintf("%s/f%05d", dir, i), Mode: data.ModeFile})
	}
	slices.SortFunc(r.entries, func(a, b archive.Entry) int { return strings.Compare(a.Path, b.Path) })
	listed := 0
	for _, b := range r.bundles() {
		listed += len(b.Files)
		if b.Files == nil != has(b.Findings, RuleManyFiles, "") || b.Digest == "" {
			t.Errorf("%s: %d files, findings %v", b.ID, len(b.Files), b.Findings)
		}
	}
	if listed > r.most || listed < r.most*8/10 {
		t.Errorf("%d files listed", listed)
	}
}

type emptyTree struct{ archive.Tree }

func (emptyTree) Entries() []archive.Entry { return nil }
func (emptyTree) Commit() string           { return "" }
func (emptyTree) Findings() []data.Finding { return nil }
