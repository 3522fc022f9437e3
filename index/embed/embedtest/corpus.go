package embedtest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"skillcorpus/data"
)

// Corpus calls visit with the SKILL.md of every skill in the shared corpus, and skips the test where that is
// absent, except in CI.
func Corpus(t testing.TB, visit func(text string) error) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared(t), "corpus", "skills-*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s/corpus is needed in CI", shared(t))
		}
		t.Skipf("skipped: %s/corpus is absent", shared(t))
	}
	for _, file := range files {
		if err := records(file, visit); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}

// shared is SKILLCORPUS_SHARED, or the folder of that name beside the module.
func shared(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("SKILLCORPUS_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
	}
}

func records(file string, visit func(text string) error) (err error) {
	packed, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, packed.Close()) }()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	for d := json.NewDecoder(unpacked); ; {
		var r data.Record
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		text, _ := r.Text()
		if err := visit(string(text)); err != nil {
			return err
		}
	}
}
