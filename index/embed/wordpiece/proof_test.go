package wordpiece_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skillcorpus/data/models"
	"skillcorpus/index/embed/embedtest"
)

// TestProofReference compares the numbers of every SKILL.md of the shared corpus with the reference's, whole.
func TestProofReference(t *testing.T) {
	embedtest.Proof(t)
	python := embedtest.Python(t, "tokenizers==0.23.3")
	vocabulary := filepath.Join(t.TempDir(), "vocab.txt")
	if err := os.WriteFile(vocabulary, []byte(models.Vocabulary()), 0o600); err != nil {
		t.Fatal(err)
	}
	reference := exec.CommandContext(t.Context(), python, "testdata/reference.py", vocabulary, "digests")
	reference.Stderr = os.Stderr
	in, err := reference.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := reference.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := reference.Start(); err != nil {
		t.Fatal(err)
	}
	w, answers := tokenizer(t), bufio.NewReader(out)
	texts, bytes, numbers, wrong := 0, 0, 0, 0
	embedtest.Corpus(t, func(text string) error {
		// As Python reads it: what is not UTF-8 becomes U+FFFD.
		line, err := json.Marshal(text)
		if err != nil {
			return err
		}
		if _, err := in.Write(append(line, '\n')); err != nil {
			return err
		}
		got := w.Append(nil, text, whole)
		want, err := answers.ReadString('\n')
		if err != nil {
			return err
		}
		if want = strings.TrimSpace(want); digest(got) != want {
			wrong++
			t.Errorf("%.60q…: %s, want %s", text, digest(got), want)
		}
		texts, bytes, numbers = texts+1, bytes+len(text), numbers+len(got)
		return nil
	})
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, answers); err != nil {
		t.Error(err)
	}
	if err := reference.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d texts, %d bytes, %d numbers, %d texts differ", texts, bytes, numbers, wrong)
	if texts < 35_000 {
		t.Errorf("%d texts are not the corpus", texts)
	}
}

// BenchmarkAppend cuts SKILL.md files of the corpus, whole, on one core.
func BenchmarkAppend(b *testing.B) {
	var text strings.Builder
	embedtest.Corpus(b, func(skill string) error {
		if text.Len() < 8<<20 {
			text.WriteString(skill)
		}
		return nil
	})
	w, numbers := tokenizer(b), make([]int32, 0, 4<<20)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		numbers = w.Append(numbers[:0], text.String(), whole)
	}
}
