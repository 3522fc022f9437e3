// Package embedtest gives tests an embedder without a model: texts that share words, or words that the test
// calls equal, have vectors that are close. It is deterministic, fast, and counts what it was asked. Only tests
// use it.
package embedtest

import (
	"context"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"skillcorpus/index/embed"
)

// Fake embeds a text as the bag of its words, hashed onto the dimensions. Set its fields before its first use.
type Fake struct {
	Size   int               // dimensions; 0 means 64
	Cut    int               // words of a passage that are read; 0 means 128
	Name   string            // the id begins with it; "" means fake
	Same   map[string]string // a word to the word that it counts as, so that a paraphrase can be found
	Before func(ctx context.Context, texts []string) error

	mu    sync.Mutex
	asked map[string]int
}

// ID changes with the fields that change vectors, except Same.
func (f *Fake) ID() string {
	name := f.Name
	if name == "" {
		name = "fake"
	}
	return name + "-" + strconv.Itoa(f.Dimensions()) + "-" + strconv.Itoa(f.MaxTokens())
}

// Dimensions is Size.
func (f *Fake) Dimensions() int {
	if f.Size == 0 {
		return 64
	}
	return f.Size
}

// MaxTokens is Cut.
func (f *Fake) MaxTokens() int {
	if f.Cut == 0 {
		return 128
	}
	return f.Cut
}

// Count returns the words that are read.
func (f *Fake) Count(text string) int { return min(len(split(text)), f.MaxTokens()) }

// Embed calls Before, if there is one, and remembers the texts. A text without a word cannot be embedded.
func (f *Fake) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.Before != nil {
		if err := f.Before(ctx, texts); err != nil {
			return nil, err
		}
	}
	f.remember(texts)
	vectors := make([][]float32, len(texts))
	var failed error
	for i, text := range texts {
		words := split(text)
		if kind == embed.Passage {
			words = words[:min(len(words), f.MaxTokens())]
		}
		if len(words) == 0 {
			if failed == nil {
				failed = embed.NewTextError(i, text, embed.ErrEmptyText)
			}
			continue
		}
		vectors[i] = f.bag(words)
	}
	return vectors, failed
}

// Asked returns how often each text was embedded.
func (f *Fake) Asked() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := make(map[string]int, len(f.asked))
	for text, n := range f.asked {
		asked[text] = n
	}
	return asked
}

// Close does nothing.
func (f *Fake) Close() error { return nil }

func (f *Fake) remember(texts []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked == nil {
		f.asked = map[string]int{}
	}
	for _, text := range texts {
		f.asked[text]++
	}
}

// bag adds each word's signed unit at its hash. A word's sign keeps texts without a common word near cosine 0.
// Words are counted by their square root, so that one that is often repeated does not drown the others.
func (f *Fake) bag(words []string) []float32 {
	counts := map[string]int{}
	for _, word := range words {
		if same, ok := f.Same[word]; ok {
			word = same
		}
		counts[word]++
	}
	sums := make([]float64, f.Dimensions())
	for word, n := range counts {
		hash := fnv.New64a()
		hash.Write([]byte(word))
		sum := hash.Sum64()
		weight := math.Sqrt(float64(n))
		if sum>>63 == 1 {
			weight = -weight
		}
		sums[sum%uint64(len(sums))] += weight
	}
	return unit(sums, words[0])
}

// unit scales to length 1. Words that cancel each other out leave the first one's place alone.
func unit(sums []float64, first string) []float32 {
	var square float64
	for _, x := range sums {
		square += x * x
	}
	if square == 0 {
		sums[len(first)%len(sums)], square = 1, 1
	}
	vector := make([]float32, len(sums))
	for i, x := range sums {
		vector[i] = float32(x / math.Sqrt(square))
	}
	return vector
}

func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
