package onnx_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data/models"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/onnx"
	"skillcorpus/index/model"
	"skillcorpus/index/model/modeltest"
)

func dot(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func one(t testing.TB, e embed.Embedder, kind embed.Kind, text string) []float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), kind, []string{text})
	if err != nil {
		t.Fatal(err)
	}
	return vectors[0]
}

// A paraphrase without a common word is nearer than a text of something else.
func TestMeaning(t *testing.T) {
	t.Parallel()
	e := modeltest.Open(t, "", model.Options{})
	query := one(t, e, embed.Query, "repair a broken automobile")
	near := one(t, e, embed.Passage, "How to fix cars that do not start")
	far := one(t, e, embed.Passage, "Deploy containers to a Kubernetes cluster")
	if dot(query, near) < dot(query, far)+0.2 {
		t.Errorf("cosine %.3f to the paraphrase, %.3f to another text", dot(query, near), dot(query, far))
	}
	if e.Dimensions() != len(query) || math.Abs(dot(query, query)-1) > 1e-5 {
		t.Errorf("%d dimensions of length² %f", len(query), dot(query, query))
	}
}

var someTexts = []string{
	"Short.", "Extract tables from PDF files.", strings.Repeat("many words in a long text ", 60),
	"Create, edit and analyse spreadsheets", "你好，世界", "x", strings.Repeat("deploy ", 40),
}

// A text's vector depends on nothing else: not on the batch, its padding, the order or the threads. So an
// interrupted build may go on with other batches.
func TestVectorDependsOnTextAlone(t *testing.T) {
	t.Parallel()
	for _, m := range models.Load().Models {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			e := modeltest.Open(t, m.ID, model.Options{Threads: 2})
			all, err := e.Embed(t.Context(), embed.Passage, someTexts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range someTexts {
				if alone := one(t, e, embed.Passage, text); !slices.Equal(alone, all[i]) {
					t.Errorf("%.20q: cosine %.9f to itself in a batch", text, dot(alone, all[i]))
				}
			}
		})
	}
}

func TestTextsWithoutAWord(t *testing.T) {
	t.Parallel()
	e := modeltest.Open(t, "", model.Options{})
	vectors, err := e.Embed(t.Context(), embed.Passage, []string{"a word", "", " \n\t", "\x00\u200b", "another"})
	var fault *embed.TextError
	if !errors.As(err, &fault) || fault.Index != 1 || !errors.Is(err, embed.ErrEmptyText) {
		t.Fatalf("%v, want a TextError of text 1", err)
	}
	for i, vector := range vectors {
		if want := i == 0 || i == 4; (vector != nil) != want {
			t.Errorf("text %d has a vector: %v, want %v", i, vector != nil, want)
		}
	}
	if vectors, err := e.Embed(t.Context(), embed.Passage, nil); err != nil || len(vectors) != 0 {
		t.Errorf("no texts: %v, %v", vectors, err)
	}
}

// Passages are cut, queries only by the model; both begin with what the model wants.
func TestLimitsAndPrefixes(t *testing.T) {
	t.Parallel()
	e := modeltest.Open(t, "", model.Options{PassageTokens: 16})
	head := strings.Repeat("word ", 14)
	if a, b := one(t, e, embed.Passage, head), one(t, e, embed.Passage, head+"and more"); !slices.Equal(a, b) {
		t.Error("a passage was not cut at 16 tokens")
	}
	if a, b := one(t, e, embed.Query, head), one(t, e, embed.Query, head+"and more"); slices.Equal(a, b) {
		t.Error("a query was cut at 16 tokens")
	}
	if e.MaxTokens() != 16 || e.Count(head+"and more") != 16 || e.Count("two words") != 4 {
		t.Errorf("max %d, counts %d and %d", e.MaxTokens(), e.Count(head+"and more"), e.Count("two words"))
	}
	bge := modeltest.Open(t, "bge-small-en-v1.5-q8", model.Options{PassageTokens: 1000})
	if bge.MaxTokens() != 512 {
		t.Errorf("max %d, want the model's 512", bge.MaxTokens())
	}
	prefixed := one(t, bge, embed.Passage, "Represent this sentence for searching relevant passages: web tests")
	if query := one(t, bge, embed.Query, "web tests"); !slices.Equal(query, prefixed) {
		t.Error("a query has no prefix")
	}
}

func TestIDNamesWhatMatters(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, id := range []string{"minilm-l6-int8", "bge-small-en-v1.5-q8"} {
		for _, tokens := range []int{64, 128} {
			e := modeltest.Open(t, id, model.Options{PassageTokens: tokens})
			if !strings.HasPrefix(e.ID(), id+"-") {
				t.Errorf("id %q of %s", e.ID(), id)
			}
			ids[e.ID()] = true
		}
	}
	if len(ids) != 4 {
		t.Errorf("ids %v, want 4", ids)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	e := modeltest.Open(t, "", model.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if vectors, err := e.Embed(ctx, embed.Passage, someTexts); vectors != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", vectors, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	modeltest.Open(t, "", model.Options{}) // the library is loaded
	m := models.Load().Models[0]
	if _, err := onnx.Open(onnx.Config{Graph: "no such file", Model: m}); !errors.Is(err, onnx.ErrGraph) {
		t.Errorf("no graph: %v", err)
	}
	if _, err := onnx.Open(onnx.Config{Graph: filepath.Join("..", "embed.go"), Model: m}); !errors.Is(err, onnx.ErrGraph) {
		t.Errorf("no graph but a text: %v", err)
	}
	if _, err := onnx.Open(onnx.Config{Vocabulary: "a\nb\n", Model: m}); !errors.Is(err, onnx.ErrGraph) {
		t.Errorf("no vocabulary: %v", err)
	}
}
