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
	"skillcorpus/data/datatest"
)

// Corpus calls visit with the SKILL.md of every skill in the shared corpus, and skips the test where that is
// absent, except in CI.
func Corpus(t testing.TB, visit func(text string) error) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "skills-*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file of the corpus: %v", err)
	}
	for _, file := range files {
		if err := records(file, visit); err != nil {
			t.Fatalf("%s: %v", file, err)
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
