package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

func FuzzZip(f *testing.F) {
	f.Add(zipOf(f, strings.Repeat("a", 40), hostile...))
	f.Add(zipOf(f, ""))
	for _, content := range caseFiles("*.zip") {
		f.Add(content)
	}
	f.Fuzz(checkBytes)
}

// FuzzTar changes the tar inside, since a changed gzip is rarely anything but malformed.
func FuzzTar(f *testing.F) {
	add := func(zipped []byte) {
		reader, err := gzip.NewReader(bytes.NewReader(zipped))
		if err != nil {
			return
		}
		if content, err := io.ReadAll(reader); err == nil {
			f.Add(content)
		}
	}
	add(tarOf(f, strings.Repeat("a", 40), hostile...))
	for _, content := range caseFiles("*.tar.gz") {
		add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var out bytes.Buffer
		zipped := gzip.NewWriter(&out)
		if _, err := zipped.Write(content); err != nil || zipped.Close() != nil {
			t.Fatal(err)
		}
		checkBytes(t, out.Bytes())
	})
}

func FuzzGzip(f *testing.F) {
	f.Add(tarOf(f, "", item{name: "w/a", body: "A"}))
	f.Fuzz(checkBytes)
}

// caseFiles returns the small archives of the shared cases, as seeds where there are any.
func caseFiles(pattern string) [][]byte {
	var all [][]byte
	names, _ := filepath.Glob(filepath.Join(os.Getenv("SKILLCORPUS_SHARED"), "cases", "1[0-9]-*", pattern))
	for _, name := range names {
		if content, err := os.ReadFile(name); err == nil && len(content) < 4000 {
			all = append(all, content)
		}
	}
	return all
}

// checkBytes holds what is true of every tree, whatever the bytes.
func checkBytes(t *testing.T, content []byte) {
	limits := DefaultLimits()
	limits.Entries, limits.Expanded, limits.RatioFrom = 500, 1<<20, 64<<10
	tree, err := readBytes(content, limits)
	if err != nil {
		if o := data.OutcomeOf(err); o != data.OutcomeMalformed && o != data.OutcomeTooLarge {
			t.Fatalf("outcome %s: %v", o, err)
		}
		return
	}
	checkTree(t, tree, limits, limits.budget(int64(len(content))))
}

func checkTree(t *testing.T, tree Tree, limits Limits, budget int64) {
	entries := tree.Entries()
	plain, declared := map[string]bool{}, int64(0)
	for i, e := range entries {
		if clean, why := limits.CheckName(e.Path); why != "" || clean != e.Path || clean == "" {
			t.Fatalf("name %q: %s", e.Path, why)
		}
		if i > 0 && entries[i-1].Path >= e.Path {
			t.Fatalf("%q after %q", e.Path, entries[i-1].Path)
		}
		if e.Plain() {
			plain[e.Path] = true
			declared += e.Size
		}
	}
	for _, e := range entries {
		if e.Mode == data.ModeLink && (e.Target == "") == (e.Note == "") || e.Target != "" && !plain[e.Target] {
			t.Fatalf("link %+v", e)
		}
	}
	if declared > budget || len(entries) > limits.Entries || len(tree.Findings()) > 1001 {
		t.Fatalf("%d bytes, %d entries, %d findings", declared, len(entries), len(tree.Findings()))
	}
	var seen []string
	err := tree.Contents(t.Context(), func(Entry) bool { return true }, func(e Entry, r io.Reader) error {
		seen = append(seen, e.Path)
		n, err := io.Copy(io.Discard, r)
		if n > e.Size || err == nil && n != e.Size {
			t.Fatalf("%q: %d bytes of %d", e.Path, n, e.Size)
		}
		return err
	})
	if err != nil || len(seen) != len(plain) {
		t.Fatalf("%d of %d read: %v", len(seen), len(plain), err)
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != len(plain) {
		t.Fatal("an entry was read twice")
	}
}

func BenchmarkOpenZip(b *testing.B) {
	name := datatest.Shared(b, "hub", "wshobson+agents.zip")
	for b.Loop() {
		tree, err := Open(name, DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		tree.Close()
	}
}

func BenchmarkOpenTar(b *testing.B) {
	name := filepath.Join(b.TempDir(), "repo.tar.gz")
	var items []item
	for i := range 2000 {
		items = append(items, item{name: "w/skills/" + itoa(100+i/10) + "/" + itoa(100+i%10), body: strings.Repeat("a line of text\n", i%400)})
	}
	if err := os.WriteFile(name, tarOf(b, "", items...), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		tree, err := Open(name, DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		tree.Close()
	}
}
