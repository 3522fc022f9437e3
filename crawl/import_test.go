package crawl_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl"
	"skillcorpus/data/datatest"
	"skillcorpus/data/sample"
	"skillcorpus/index"
	"skillcorpus/store"
)

// record is a line of the corpus format.
func record(t testing.TB, repo, path, text string) string {
	t.Helper()
	line, err := json.Marshal(map[string]any{"repo": repo, "path": path, "files": []any{}, "stars": 1, "skill_md": text})
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// take imports one input.
func (f *field) take(input io.Reader) (stored, refused int, err error) {
	f.t.Helper()
	corpus := f.open()
	defer corpus.Close()
	return crawl.Import(f.t.Context(), corpus, "test", input, crawl.ImportOptions{
		Counter: new(store.Counter), Stop: make(chan struct{}), Warn: func(line string) { f.warnings = append(f.warnings, line) },
	})
}

func (f *field) export(options index.ExportOptions) []byte {
	f.t.Helper()
	var out bytes.Buffer
	f.look(func(corpus *store.Store) {
		if _, err := index.ExportJSONL(f.t.Context(), corpus, &out, options); err != nil {
			f.t.Fatal(err)
		}
	})
	return out.Bytes()
}

func (f *field) text(id string) string {
	f.t.Helper()
	var text string
	f.look(func(corpus *store.Store) {
		skill, ok, err := corpus.Skill(f.t.Context(), id)
		if err != nil || !ok {
			f.t.Fatalf("%s: %t, %v", id, ok, err)
		}
		content, _, err := corpus.Content(f.t.Context(), skill.SkillSHA256)
		if err != nil {
			f.t.Fatal(err)
		}
		text = string(content)
	})
	return text
}

func TestImportCorpus(t *testing.T) {
	t.Parallel()
	roundTripCorpus(t, []string{datatest.Shared(t, "corpus", "skills-00.jsonl.gz")}, 300)
}

// TestImportCorpusProof takes in and gives back the corpus at full size.
func TestImportCorpusProof(t *testing.T) {
	t.Parallel()
	if os.Getenv("SKILLCORPUS_PROOF") == "" {
		t.Skip("a long proof: set SKILLCORPUS_PROOF=1")
	}
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if n := roundTripCorpus(t, files, 1<<30); n != 35_129 {
		t.Errorf("%d records, want 35,129", n)
	}
}

// roundTripCorpus imports the first records of each file, and holds that the export brings every one with the same
// fields and values in the same order.
func roundTripCorpus(t *testing.T, files []string, most int) int {
	t.Helper()
	f := newField(t, "http://127.0.0.1:1")
	want := map[string]string{}
	for _, name := range files {
		lines := readLines(t, name, most)
		for _, line := range lines {
			want[keyOf(t, line)] = line
		}
		stored, refused, err := f.take(strings.NewReader(strings.Join(lines, "")))
		if err != nil || stored != len(lines) || refused != 0 {
			t.Fatalf("%s: %d stored, %d refused, %v", name, stored, refused, err)
		}
	}
	last, count := "", 0
	reader := bufio.NewReader(bytes.NewReader(f.export(index.ExportOptions{})))
	for {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		count++
		var got struct{ ID string }
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got.ID <= last {
			t.Errorf("%s after %s", got.ID, last)
		}
		last = got.ID
		if before, after := fields(t, want[keyOf(t, line)], ""), fields(t, line, "id"); !slices.Equal(before, after) {
			t.Errorf("%s: %.2000s", got.ID, cmp.Diff(before, after))
		}
	}
	if count != len(want) {
		t.Errorf("%d records exported, %d imported", count, len(want))
	}
	if digest := f.digest(); len(files) == 1 {
		again := newField(t, "")
		if _, _, err := again.take(bytes.NewReader(f.export(index.ExportOptions{}))); err != nil || again.digest() != digest {
			t.Errorf("importing the export gives another corpus: %v", err)
		}
	}
	return count
}

func readLines(t *testing.T, name string, most int) (lines []string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(unzipped)
	for len(lines) < most {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func keyOf(t *testing.T, line string) string {
	t.Helper()
	var at struct{ Repo, Path string }
	if err := json.Unmarshal([]byte(line), &at); err != nil {
		t.Fatal(err)
	}
	return at.Repo + "\x00" + at.Path
}

// fields are the keys and values of a record in their order, up to the first key that the export adds.
func fields(t *testing.T, line, end string) (all []string) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(line))
	if _, err := decoder.Token(); err != nil {
		t.Fatalf("%.100q: %v", line, err)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if key == end {
			return all
		}
		if list, ok := value.([]any); ok { // files: the export sorts them by path
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		all = append(all, fmt.Sprintf("%s=%v", key, value))
	}
	return all
}

// TestImportTwice changes nothing the second time.
func TestImportTwice(t *testing.T) {
	t.Parallel()
	f := newField(t, "")
	input := record(t, "o/a", "x", skillMD("x")) + record(t, "o/b", "x", skillMD("x"))
	for range 2 {
		if stored, refused, err := f.take(strings.NewReader(input)); stored != 2 || refused != 0 || err != nil {
			t.Errorf("%d stored, %d refused, %v", stored, refused, err)
		}
	}
	digest := f.digest()
	if _, _, err := f.take(strings.NewReader(input)); err != nil || f.digest() != digest {
		t.Errorf("the corpus changed: %v", err)
	}
	f.wantSkills("o/a/x", "o/b/x")
	if f.skills()[1].CopyOf != "o/a/x" {
		t.Error("the copy is not linked")
	}
}

func TestImportBadLines(t *testing.T) {
	t.Parallel()
	f := newField(t, "")
	long := `{"repo":"o/long","path":"x","skill_md":"` + strings.Repeat("x", 64<<20) + "\"}\n"
	input := "\xef\xbb\xbf" + record(t, "o/a", "x", "one") + // 1
		"\n  \r\n" + // 2, 3
		"{not json}\n" + // 4
		`{"path":"x","skill_md":"no repo"}` + "\n" + // 5
		`{"repo":"o/none","path":"x"}` + "\n" + // 6
		`{"repo":"o/b","path":"x","skill_md":"` + "\xff" + `"}` + "\n" + // 7
		long + // 8
		`{"repo":"o/c","path":"","skill_md_b64":"` + base64.StdEncoding.EncodeToString([]byte("\xff\x00")) + `"}` + "\r\n" + // 9
		`[1,2]` + "\n" + // 10
		`{"repo":"o/d","path":"x","skill_md":"t` // 11: torn
	stored, refused, err := f.take(strings.NewReader(input))
	if err != nil || stored != 2 || refused != 7 {
		t.Errorf("%d stored, %d refused, %v", stored, refused, err)
	}
	f.wantSkills("o/a/x", "o/c")
	if f.text("o/c") != "\xff\x00" || f.text("o/a/x") != "one" {
		t.Error("the texts differ")
	}
	slices.Sort(f.warnings)
	var numbers []string
	for _, line := range f.warnings {
		number, _, _ := strings.Cut(strings.TrimPrefix(line, "test line "), ":")
		numbers = append(numbers, number)
	}
	if got := strings.Join(numbers, " "); got != "10 11 4 5 6 7 8" {
		t.Errorf("lines %s: %q", got, f.warnings)
	}
}

// TestImportAgainInOneInput lets the last line of a skill count, whatever the workers' order.
func TestImportAgainInOneInput(t *testing.T) {
	t.Parallel()
	f := newField(t, "")
	var input strings.Builder
	for i := range 600 {
		input.WriteString(record(t, "o/a", fmt.Sprint(i%3), fmt.Sprintf("version %d", i)))
	}
	stored, refused, err := f.take(strings.NewReader(input.String()))
	if err != nil || stored != 3 || refused != 597 || len(f.warnings) != 597 {
		t.Errorf("%d stored, %d refused, %v", stored, refused, err)
	}
	for i := range 3 {
		if got, want := f.text(fmt.Sprintf("o/a/%d", i)), fmt.Sprintf("version %d", 597+i); got != want {
			t.Errorf("o/a/%d is %q, want %q", i, got, want)
		}
	}
}

// TestImportTornGzip stores every whole line before the tear.
func TestImportTornGzip(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	const before = 321
	for i := range before {
		fmt.Fprint(gz, record(t, "o/a", fmt.Sprint(i), "text"))
	}
	if err := gz.Flush(); err != nil {
		t.Fatal(err)
	}
	whole := packed.Len()
	fmt.Fprint(gz, record(t, "o/a", "torn", strings.Repeat("text that does not fit", 1000)))
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	f := newField(t, "")
	stored, refused, err := f.take(bytes.NewReader(packed.Bytes()[:whole+20]))
	if !errors.Is(err, io.ErrUnexpectedEOF) || stored != before || refused != 0 || !strings.Contains(err.Error(), "line 321") {
		t.Errorf("%d stored, %d refused, %v", stored, refused, err)
	}
	if n := len(f.skills()); n != before {
		t.Errorf("%d skills, want %d", n, before)
	}
	if _, _, err := f.take(strings.NewReader("\x1f\x8bno gzip")); err == nil {
		t.Error("a broken gzip header is no error")
	}
	if stored, refused, err := f.take(strings.NewReader("")); stored+refused != 0 || err != nil {
		t.Errorf("nothing: %d, %d, %v", stored, refused, err)
	}
}

// TestImportCancelled stores nothing after the context's end, and everything before a stop.
func TestImportCancelled(t *testing.T) {
	t.Parallel()
	f := newField(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	corpus := f.open()
	options := crawl.ImportOptions{Counter: new(store.Counter), Stop: make(chan struct{}), Warn: func(string) {}}
	_, _, err := crawl.Import(ctx, corpus, "test", strings.NewReader(record(t, "o/a", "x", "one")), options)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	stop := make(chan struct{})
	close(stop)
	options.Stop = stop
	if stored, _, err := crawl.Import(t.Context(), corpus, "test", strings.NewReader(record(t, "o/a", "x", "one")), options); stored != 0 || err != nil {
		t.Errorf("%d stored after a stop, %v", stored, err)
	}
	if err := corpus.Close(); err != nil {
		t.Error(err)
	}
	f.wantSkills()
}

// TestExportWithFiles moves a crawled corpus to a fresh store without any loss.
func TestExportWithFiles(t *testing.T) {
	t.Parallel()
	f, hub := startHub(t, sample.FS())
	f.crawl(nil, f.marketAt(hub.URLs()["skillsmp"]))
	odd := newField(t, newHost(t, &repo{name: "o/odd", commit: commitOf(1), zip: zipOf(t,
		"a/skill.md", skillMD("a"), "a/.gitignore", "", "a/bin", "\x00\x01", "a/big.txt", strings.Repeat("long\n", 300_000),
		"b/SKILL.md", "\xff\xfe", "b/lfs.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")}).URL)
	odd.crawl(nil, odd.list("o/odd\n"))
	for _, from := range []*field{f, odd} {
		exported := from.export(index.ExportOptions{WithFiles: true})
		to := newField(t, "")
		if stored, refused, err := to.take(bytes.NewReader(exported)); err != nil || refused != 0 || stored != len(from.skills()) {
			t.Fatalf("%d stored, %d refused, %v", stored, refused, err)
		}
		if to.digest() != from.digest() {
			t.Error("the digest differs")
		}
		if !bytes.Equal(to.export(index.ExportOptions{WithFiles: true}), exported) {
			t.Error("the second export differs from the first")
		}
	}
}
