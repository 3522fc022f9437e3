package onnx_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"skillcorpus/data/models"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/embedtest"
	"skillcorpus/index/embed/onnx"
	"skillcorpus/index/model"
	"skillcorpus/index/model/modeltest"
)

// reference is testdata/reference.py at work.
type reference struct {
	t   testing.TB
	in  *bufio.Writer
	out *bufio.Reader
}

func newReference(t testing.TB, python string, e *onnx.Embedder, batches [][]string) *reference {
	t.Helper()
	vocabulary := filepath.Join(t.TempDir(), "vocab.txt")
	if err := os.WriteFile(vocabulary, []byte(models.Vocabulary()), 0o600); err != nil {
		t.Fatal(err)
	}
	// Not the test's context, which ends before its cleanup does: the tool ends with its input.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), python, "testdata/reference.py",
		vocabulary, e.Graph(), e.Pooling(), strconv.Itoa(e.MaxTokens()))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	r := &reference{t, bufio.NewWriter(in), bufio.NewReader(out)}
	if err := json.NewEncoder(r.in).Encode(batches); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reference) ask(question string) {
	fmt.Fprintln(r.in, question)
	if err := r.in.Flush(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reference) line() string {
	line, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (r *reference) vector() []float32 {
	packed, err := base64.StdEncoding.DecodeString(r.line())
	if err != nil {
		r.t.Fatal(err)
	}
	vector := make([]float32, len(packed)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return vector
}

func (r *reference) seconds(question string) float64 {
	r.ask(question)
	seconds, err := strconv.ParseFloat(r.line(), 64)
	if err != nil {
		r.t.Fatal(err)
	}
	return seconds
}

// sample returns n texts: skills at equal distances in the corpus, some cut to a sentence or two.
func sample(t testing.TB, n int) []string {
	t.Helper()
	const skills = 35129
	texts, i := make([]string, 0, n), 0
	embedtest.Corpus(t, func(text string) error {
		if i++; i%(skills/n) == 0 && len(texts) < n && strings.TrimSpace(text) != "" {
			texts = append(texts, text[:min(len(text), 100+(len(texts)%7)*150)])
		}
		return nil
	})
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text, "")
	}
	return texts
}

func batched(e *onnx.Embedder, texts []string) (batches [][]string, order []int, tokens int) {
	places, tokens := e.Batches(texts)
	for _, batch := range places {
		words := make([]string, len(batch))
		for i, place := range batch {
			words[i] = texts[place]
		}
		batches, order = append(batches, words), append(order, batch...)
	}
	return batches, order, tokens
}

// TestProofReference compares the vectors of 1,000 texts with those of ONNX Runtime driven from Python, which
// cuts the texts itself, and then our speed with that of its bare runs over the same batches, in turns.
func TestProofReference(t *testing.T) {
	embedtest.Proof(t)
	python := embedtest.Python(t, "onnxruntime=="+models.Load().Runtime.Version, "tokenizers==0.23.3", "numpy==2.4.6")
	texts := sample(t, 1000)
	for _, m := range models.Load().Models {
		t.Run(m.ID, func(t *testing.T) {
			e := modeltest.Open(t, m.ID, model.Options{})
			batches, order, tokens := batched(e, texts)
			r := newReference(t, python, e, batches)
			ours, err := e.Embed(t.Context(), embed.Passage, texts)
			if err != nil {
				t.Fatal(err)
			}
			r.ask("vectors")
			least := 1.0
			for _, place := range order {
				least = min(least, dot(ours[place], r.vector()))
			}
			t.Logf("%d texts, %d tokens, %d batches: least cosine %.7f", len(texts), tokens, len(batches), least)
			if least < 0.9999 || len(order) != 1000 {
				t.Errorf("least cosine %.7f of %d texts, want 0.9999 of 1000", least, len(order))
			}
			race(t, e, python, texts[:raced])
		})
	}
}

// raced is how many texts the speed is measured with: the int8 model takes some seconds for them.
const raced = 250

// race measures in turns, since others may use the machine, and compares the median of the turns' ratios.
func race(t *testing.T, e *onnx.Embedder, python string, texts []string) {
	batches, _, tokens := batched(e, texts)
	r := newReference(t, python, e, batches)
	var ratios []float64
	for range 5 {
		start := time.Now()
		if _, err := e.Embed(t.Context(), embed.Passage, texts); err != nil {
			t.Fatal(err)
		}
		ours := time.Since(start).Seconds()
		serial, parallel := r.seconds("serial"), r.seconds("parallel")
		t.Logf("tokens/s: ours %.0f, bare runs on all cores %.0f, one a core %.0f",
			float64(tokens)/ours, float64(tokens)/serial, float64(tokens)/parallel)
		ratios = append(ratios, min(serial, parallel)/ours)
	}
	slices.Sort(ratios)
	t.Logf("median of ours to the better of the bare ones: %.2f", ratios[len(ratios)/2])
	if ratios[len(ratios)/2] < 0.9 {
		t.Errorf("%.2f of bare ONNX Runtime, want 0.9", ratios[len(ratios)/2])
	}
}

// BenchmarkEmbed embeds the first 128 tokens of skills.
func BenchmarkEmbed(b *testing.B) {
	e := modeltest.Open(b, "", model.Options{})
	texts := sample(b, 200)
	_, tokens := e.Batches(texts)
	for b.Loop() {
		if _, err := e.Embed(b.Context(), embed.Passage, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkQuery embeds one question, as every search does.
func BenchmarkQuery(b *testing.B) {
	e := modeltest.Open(b, "", model.Options{})
	for b.Loop() {
		one(b, e, embed.Query, "fill in a PDF form and merge the pages")
	}
}

// BenchmarkOpen loads the model, as every search by a new process does.
func BenchmarkOpen(b *testing.B) {
	modeltest.Open(b, "", model.Options{})
	for b.Loop() {
		e, err := modeltest.Places(b).Open("", model.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
