package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"skillcorpus/data"
)

// item is one member of an archive to be made: a file, or what mode says.
type item struct {
	name string
	mode fs.FileMode
	body string // of a link: its target
}

func zipOf(t testing.TB, comment string, items ...item) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, it := range items {
		h := &zip.FileHeader{Name: it.name, Method: zip.Deflate}
		h.SetMode(max(it.mode, it.mode.Type()|0o644))
		body, err := w.CreateHeader(h)
		if err == nil && !strings.HasSuffix(it.name, "/") {
			_, err = io.WriteString(body, it.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.SetComment(comment), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarOf(t testing.TB, comment string, items ...item) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	if comment != "" {
		writeTar(t, w, &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": comment}}, "")
	}
	for _, it := range items {
		h := &tar.Header{Name: it.name, Typeflag: tar.TypeReg, Mode: int64(max(it.mode.Perm(), 0o644)), Size: int64(len(it.body))}
		switch {
		case strings.HasSuffix(it.name, "/"):
			h.Typeflag = tar.TypeDir
		case it.mode&fs.ModeSymlink != 0:
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, it.body, 0
		case it.mode&fs.ModeDevice != 0:
			h.Typeflag = tar.TypeChar
		}
		writeTar(t, w, h, it.body)
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeTar(t testing.TB, w *tar.Writer, h *tar.Header, body string) {
	t.Helper()
	err := w.WriteHeader(h)
	if err == nil && h.Size > 0 {
		_, err = io.WriteString(w, body)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// makers are the two forms of archive, for tests that hold for both.
var makers = map[string]func(testing.TB, string, ...item) []byte{"zip": zipOf, "tar": tarOf}

func readBytes(content []byte, limits Limits) (Tree, error) {
	return read(source{ReaderAt: bytes.NewReader(content), Closer: io.NopCloser(nil), size: int64(len(content)), wrapped: true}, limits)
}

func mustRead(t testing.TB, content []byte, limits Limits) Tree {
	t.Helper()
	tree, err := readBytes(content, limits)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// contents reads everything and returns it by path; what failed is there as "!" and the error.
func contents(t testing.TB, tree Tree) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := tree.Contents(context.Background(), func(Entry) bool { return true }, func(e Entry, r io.Reader) error {
		content, err := io.ReadAll(r)
		all[e.Path] = string(content)
		if err != nil {
			all[e.Path] = "!" + err.Error()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// shape is a tree in short: one line an entry.
func shape(tree Tree) string {
	var out strings.Builder
	for _, e := range tree.Entries() {
		out.WriteString(e.Mode + " " + e.Path)
		if e.Link != "" {
			out.WriteString(" -> " + e.Link)
		}
		if e.Target != "" {
			out.WriteString(" = " + e.Target)
		}
		if e.Note != "" {
			out.WriteString(" (" + e.Note + ")")
		}
		out.WriteString("\n")
	}
	return out.String()
}

// count returns how many findings have the rule and name every one of the words.
func count(tree Tree, rule string, words ...string) int {
	n := 0
	for _, f := range tree.Findings() {
		all := f.Rule == rule
		for _, w := range words {
			all = all && strings.Contains(f.File+" "+f.Message, w)
		}
		if all {
			n++
		}
	}
	return n
}

func wantOutcome(t testing.TB, err error, want data.Outcome) {
	t.Helper()
	if data.OutcomeOf(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
