package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

const link = fs.ModeSymlink

func TestCheckName(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	deep := strings.TrimSuffix(strings.Repeat("d/", 64), "/")
	for name, want := range map[string]string{
		"a/b.md": "a/b.md", "./a//b/./c": "a/b/c", "a/": "a", ".": "", "./": "", "": "",
		".claude/x": ".claude/x", "...": "...", "a..b/c": "a..b/c", "-x": "-x", "a:b": "a:b", "caf\u00e9\u202f.md": "caf\u00e9\u202f.md",
		deep: deep, strings.Repeat("n", 512): strings.Repeat("n", 512),
	} {
		if got, why := limits.CheckName(name); got != want || why != "" {
			t.Errorf("%q: got %q, refused for %q", name, got, why)
		}
	}
	for name, want := range map[string]string{
		"../a": "`..`", "a/../b": "`..`", "..": "`..`", "/a": "absolute", `a\b`: "backslash", "a\x00b": "control",
		"a\nb": "control", "a\x7f": "control", "a\u009b": "control", "a\xff": "UTF-8", deep + "/x": "65 parts",
		strings.Repeat("n", 513): "513 bytes",
	} {
		if got, why := limits.CheckName(name); !strings.Contains(why, want) || got != "" {
			t.Errorf("%q: got %q, %q; want refused for %q", name, got, why, want)
		}
	}
}

// hostile is one archive with a fault of every kind between sound members.
var hostile = []item{
	{name: "w/"},
	{name: "w/skills/a/SKILL.md", body: "A"},
	{name: "w/skills/a/run.sh", mode: 0o755, body: "run"},
	{name: "w/../up", body: "x"},
	{name: "/abs", body: "x"},
	{name: `w\..\win`, body: "x"},
	{name: "w/bad\xff", body: "x"},
	{name: "w/bell\a", body: "x"},
	{name: "w/twice", body: "first"},
	{name: "w/twice", body: "second"},
	{name: "w/Case", body: "1"},
	{name: "w/case", body: "2"},
	{name: "w/both", body: "file"},
	{name: "w/both/inside", body: "in"},
	{name: "w/device", mode: fs.ModeDevice | fs.ModeCharDevice | 0o644},
	{name: "w/empty/"},
	{name: "w/l/plain", mode: link, body: "../skills/a/SKILL.md"},
	{name: "w/l/out", mode: link, body: "../../x"},
	{name: "w/l/abs", mode: link, body: "/etc/hostname"},
	{name: "w/l/gone", mode: link, body: "nothing"},
	{name: "w/l/folder", mode: link, body: "../skills"},
	{name: "w/l/empty", mode: link, body: "../empty"},
	{name: "w/l/chain", mode: link, body: "plain"},
	{name: "w/l/through", mode: link, body: "folder/a/run.sh"},
	{name: "w/l/loop", mode: link, body: "pool"},
	{name: "w/l/pool", mode: link, body: "loop"},
	{name: "w/l/self", mode: link, body: "self"},
	{name: "w/l/file", mode: link, body: "plain/x"},
	{name: "w/l/device", mode: link, body: "../device"},
	{name: "w/l/long", mode: link, body: strings.Repeat("x", 513)},
	{name: "w/l/away", mode: link, body: "../../w/twice"},
}

const hostileShape = `100644 Case
100644 both/inside
100644 case
100644 device (refused)
120000 l/abs -> /etc/hostname (link outside)
120000 l/away -> ../../w/twice (link outside)
120000 l/chain -> plain = skills/a/SKILL.md
120000 l/device -> ../device (refused)
120000 l/empty -> ../empty (link to folder)
120000 l/file -> plain/x (link broken)
120000 l/folder -> ../skills (link to folder)
120000 l/gone -> nothing (link broken)
120000 l/long (refused)
120000 l/loop -> pool (link broken)
120000 l/out -> ../../x (link outside)
120000 l/plain -> ../skills/a/SKILL.md = skills/a/SKILL.md
120000 l/pool -> loop (link broken)
120000 l/self -> self (link broken)
120000 l/through -> folder/a/run.sh = skills/a/run.sh
100644 skills/a/SKILL.md
100755 skills/a/run.sh
100644 twice
`

func TestHostileMembers(t *testing.T) {
	t.Parallel()
	for kind, make := range makers {
		tree := mustRead(t, make(t, "", hostile...), DefaultLimits())
		if diff := cmp.Diff(hostileShape, shape(tree)); diff != "" {
			t.Errorf("%s: entries (-want +got)\n%s", kind, diff)
		}
		want := map[string]string{
			"Case": "1", "case": "2", "both/inside": "in", "twice": "first", "skills/a/SKILL.md": "A", "skills/a/run.sh": "run",
		}
		if diff := cmp.Diff(want, contents(t, tree)); diff != "" {
			t.Errorf("%s: contents (-want +got)\n%s", kind, diff)
		}
		for rule, want := range map[string]int{RuleRefused: 9, RuleDuplicate: 1, RuleCase: 1, RuleLink: 10} {
			if got := count(tree, rule); got != want {
				t.Errorf("%s: %d findings of %s, want %d: %v", kind, got, rule, want, tree.Findings())
			}
		}
		for _, f := range tree.Findings() {
			if text := f.File + f.Message; !utf8.ValidString(text) || strings.Contains(text, "\a") {
				t.Errorf("%s: raw bytes in %+v", kind, f)
			}
		}
	}
}

// TestMemberOrder holds that only exact duplicates depend on the order of members.
func TestMemberOrder(t *testing.T) {
	t.Parallel()
	items := slices.DeleteFunc(slices.Clone(hostile), func(it item) bool { return it.body == "second" })
	random := rand.New(rand.NewPCG(1, 2))
	for kind, make := range makers {
		first := mustRead(t, make(t, "", items...), DefaultLimits())
		for range 20 {
			random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			tree := mustRead(t, make(t, "", items...), DefaultLimits())
			if diff := cmp.Diff(first.Entries(), tree.Entries()); diff != "" {
				t.Fatalf("%s: %s", kind, diff)
			}
			if diff := cmp.Diff(first.Findings(), tree.Findings()); diff != "" {
				t.Fatalf("%s: %s", kind, diff)
			}
		}
	}
}

func TestWrapper(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names []string
		want  []string
	}{
		"github":            {[]string{"o-r-1/", "o-r-1/a", "o-r-1/b/c"}, []string{"a", "b/c"}},
		"no folder entry":   {[]string{"w/b/c", "w/a"}, []string{"a", "b/c"}},
		"dot before":        {[]string{"./", "./w/", "./w/a"}, []string{"a"}},
		"skill at the root": {[]string{"SKILL.md", "scripts/x"}, []string{"SKILL.md", "scripts/x"}},
		"two folders":       {[]string{"a/x", "b/y"}, []string{"a/x", "b/y"}},
		"one file":          {[]string{"SKILL.md"}, []string{"SKILL.md"}},
		"refused beside":    {[]string{"/etc/x", "w/../../y", "w/a"}, []string{"a"}},
		"only the wrapper":  {[]string{"w/"}, nil},
		"nothing":           {nil, nil},
	} {
		for kind, make := range makers {
			var items []item
			for _, n := range c.names {
				items = append(items, item{name: n})
			}
			var got []string
			for _, e := range mustRead(t, make(t, "", items...), DefaultLimits()).Entries() {
				got = append(got, e.Path)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s of %s: %q, want %q", name, kind, got, c.want)
			}
		}
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("0123456789", 4)
	for kind, make := range makers {
		for comment, want := range map[string]string{commit: commit, commit[1:]: "", strings.Repeat("g", 40): "", "": ""} {
			if got := mustRead(t, make(t, comment, item{name: "w/a"}), DefaultLimits()).Commit(); got != want {
				t.Errorf("%s: comment %q gives %q", kind, comment, got)
			}
		}
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("some text that is long enough to fill a block\n", 300)
	for kind, make := range makers {
		whole := make(t, "", item{name: "w/SKILL.md", body: "A"}, item{name: "w/data", body: body})
		for cut := range len(whole) {
			_, err := readBytes(whole[:cut], DefaultLimits())
			if data.OutcomeOf(err) != data.OutcomeMalformed {
				t.Fatalf("%s cut to %d of %d bytes: %v", kind, cut, len(whole), err)
			}
		}
	}
	longer := append(tarOf(t, "", item{name: "w/a"}), "<html>"...)
	for _, bad := range []string{"", "{\"message\": \"Not Found\"}", "<!DOCTYPE html>", "PK\x03\x04", "\x1f\x8b", string(longer)} {
		_, err := readBytes([]byte(bad), DefaultLimits())
		wantOutcome(t, err, data.OutcomeMalformed)
	}
	if _, err := Open(t.TempDir()+"/none", DefaultLimits()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestDamagedMember flips bytes of single members: only those are lost.
func TestDamagedMember(t *testing.T) {
	t.Parallel()
	whole := zipOf(t, "", item{name: "w/a", body: "first"}, item{name: "w/b", body: "broken content"}, item{name: "w/c", body: "third"})
	reader, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	at, _ := reader.File[1].DataOffset()
	for name, damage := range map[string]func(b []byte){
		"content":      func(b []byte) { b[at+3] ^= 0xff },
		"local header": func(b []byte) { copy(b[at-30-3:], "XXXX") },
		"place": func(b []byte) {
			binary.LittleEndian.PutUint32(b[bytes.LastIndex(b, []byte("w/b"))-46+42:], uint32(len(b)-2))
		},
		"size":       func(b []byte) { understate(b, "w/b", 4) },
		"overstated": func(b []byte) { understate(b, "w/b", 400) },
	} {
		b := bytes.Clone(whole)
		damage(b)
		got := contents(t, mustRead(t, b, DefaultLimits()))
		if got["a"] != "first" || got["c"] != "third" || !strings.HasPrefix(got["b"], "!") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// understate writes another expanded size into a member's directory entry.
func understate(b []byte, name string, size uint32) {
	at := bytes.LastIndex(b, []byte(name)) - 46
	binary.LittleEndian.PutUint32(b[at+24:], size)
}

func TestOddZipMembers(t *testing.T) {
	t.Parallel()
	whole := zipOf(t, "", item{name: "w/a", body: "A"}, item{name: "w/locked", body: "x"}, item{name: "w/odd", body: "x"})
	directory := func(name string) int { return bytes.LastIndex(whole, []byte(name)) - 46 }
	whole[directory("w/locked")+8] |= 1
	whole[directory("w/odd")+10] = 99
	tree := mustRead(t, whole, DefaultLimits())
	if got := shape(tree); got != "100644 a\n100644 locked (refused)\n100644 odd (refused)\n" {
		t.Error(got)
	}
	if count(tree, RuleRefused, "encrypted") != 1 || count(tree, RuleRefused, "method 99") != 1 {
		t.Errorf("findings %v", tree.Findings())
	}
}

func TestOddTarMembers(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, h := range []*tar.Header{
		{Name: "w/a", Typeflag: tar.TypeReg, Size: 1, Mode: 0o644},
		{Name: "w/hard", Typeflag: tar.TypeLink, Linkname: "w/a"},
		{Name: "w/hard-out", Typeflag: tar.TypeLink, Linkname: "../a"},
		{Name: "w/hard-else", Typeflag: tar.TypeLink, Linkname: "v/a"},
		{Name: "w/pipe", Typeflag: tar.TypeFifo},
	} {
		writeTar(t, w, h, "A")
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	want := `100644 a
120000 hard -> a = a
120000 hard-else -> a (link outside)
120000 hard-out (link outside)
100644 pipe (refused)
`
	tree := mustRead(t, out.Bytes(), DefaultLimits())
	if diff := cmp.Diff(want, strings.Replace(shape(tree), "v/a", "a", 1)); diff != "" {
		t.Error(diff)
	}
}

// TestSparse holds that a file of holes, a few bytes that read as a terabyte, is not read at all.
func TestSparse(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	put := func(b []byte) {
		if _, err := zipped.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	block := func(name string, kind byte, body string) {
		head := make([]byte, 512)
		copy(head, name)
		copy(head[100:], "0000644\x000000000\x000000000\x00")
		copy(head[124:], []byte(octal(len(body))))
		copy(head[136:], "00000000000\x00        ")
		head[156] = kind
		copy(head[257:], "ustar\x0000")
		sum := 0
		for _, b := range head {
			sum += int(b)
		}
		copy(head[148:], octal(sum)[5:11]+"\x00 ")
		put(head)
		put([]byte(body))
		put(make([]byte, (512-len(body)%512)%512))
	}
	records := ""
	for _, r := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=w/holes", "GNU.sparse.realsize=1099511627776"} {
		records += record(r)
	}
	block("pax", 'x', records)
	block("w/GNUSparseFile/holes", '0', "1\n0\n0\n"+strings.Repeat("\x00", 506))
	block("w/SKILL.md", '0', "A")
	put(make([]byte, 1024))
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	tree := mustRead(t, out.Bytes(), DefaultLimits())
	if got := shape(tree); got != "100644 SKILL.md\n100644 holes (refused)\n" {
		t.Error(got, tree.Findings())
	}
	if got := contents(t, tree); !maps.Equal(got, map[string]string{"SKILL.md": "A"}) {
		t.Error(got)
	}
}

func octal(n int) string {
	text := []byte("00000000000\x00")
	for i := 10; n > 0; i, n = i-1, n/8 {
		text[i] = byte('0' + n%8)
	}
	return string(text)
}

// record writes one record of a pax header, which begins with its own length.
func record(text string) string {
	for n := len(text) + 3; ; n++ {
		if line := itoa(n) + " " + text + "\n"; len(line) == n {
			return line
		}
	}
}

func itoa(n int) string {
	return strings.TrimLeft(string([]byte{byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}), "0")
}

func TestContentsErrors(t *testing.T) {
	t.Parallel()
	all := func(Entry) bool { return true }
	for kind, make := range makers {
		tree := mustRead(t, make(t, "", item{name: "w/a", body: "A"}, item{name: "w/b", body: "B"}), DefaultLimits())
		stop, seen := errors.New("stop"), 0
		err := tree.Contents(t.Context(), all, func(Entry, io.Reader) error { seen++; return stop })
		if !errors.Is(err, stop) || seen != 1 {
			t.Errorf("%s: %v after %d", kind, err, seen)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = tree.Contents(ctx, all, func(Entry, io.Reader) error { seen++; cancel(); return nil })
		if !errors.Is(err, context.Canceled) || seen != 2 {
			t.Errorf("%s: cancelled: %v after %d", kind, err, seen)
		}
		// A pass can be repeated, and leaves out what is not wanted.
		for range 2 {
			var paths []string
			err = tree.Contents(t.Context(), func(e Entry) bool { return e.Path == "b" }, func(e Entry, _ io.Reader) error {
				paths = append(paths, e.Path)
				return nil
			})
			if err != nil || !reflect.DeepEqual(paths, []string{"b"}) {
				t.Errorf("%s: %q, %v", kind, paths, err)
			}
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	var items []item
	for i := range 1500 {
		items = append(items, item{name: "w/" + strings.Repeat("a", i%7) + "\x01" + itoa(100+i%900) + itoa(100+i/900)})
	}
	findings := mustRead(t, zipOf(t, "", items...), DefaultLimits()).Findings()
	if last := findings[len(findings)-1]; len(findings) != 1001 || last.Rule != RuleMore || !strings.Contains(last.Message, "500 ") {
		t.Errorf("%d findings, last %+v", len(findings), last)
	}
}
