// Package onnx owns the Embedder that runs a model's graph by ONNX Runtime on the processor: texts to numbers,
// numbers to batches, the run, and the pooling of what comes out.
//
// It never looks for files: index/model finds the library and the model and opens it.
package onnx

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	ort "github.com/yalue/onnxruntime_go"
	"golang.org/x/sync/errgroup"

	"skillcorpus/data/models"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/wordpiece"
)

// The two ways in which an embedder cannot be opened.
var (
	ErrLibrary = errors.New("unusable ONNX Runtime")
	ErrGraph   = errors.New("unusable model")
)

// DefaultPassageTokens is how much of a passage is read. The first 128 tokens of each section are about 12
// million tokens over the corpus, whole sections 82 million.
const DefaultPassageTokens = 128

// Config says what to run.
type Config struct {
	Library    string // ONNX Runtime: a file, or a name that the system's loader finds
	Graph      string // the model's file
	Vocabulary string // "" means BERT's
	Model      models.Model
	// PassageTokens is how much of a passage is read; 0 means DefaultPassageTokens. It never passes what
	// the model reads, which queries always may fill.
	PassageTokens int
	Threads       int // texts are run on so many cores; 0 means all
}

// Embedder is an embed.Embedder.
type Embedder struct {
	config    Config
	id        string
	tokenizer *wordpiece.Tokenizer
	session   *ort.DynamicAdvancedSession
}

var _ embed.Embedder = (*Embedder)(nil)

// Open loads the library, if no other embedder has, and the model.
func Open(c Config) (*Embedder, error) {
	if c.Vocabulary == "" {
		c.Vocabulary = models.Vocabulary()
	}
	if c.PassageTokens == 0 {
		c.PassageTokens = DefaultPassageTokens
	}
	c.PassageTokens = min(c.PassageTokens, c.Model.MaxTokens)
	if c.Threads == 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	tokenizer, err := wordpiece.New(c.Vocabulary)
	if err != nil {
		return nil, fmt.Errorf("%w %s: vocabulary: %w", ErrGraph, c.Model.ID, err)
	}
	if err := load(c.Library); err != nil {
		return nil, err
	}
	e := &Embedder{config: c, id: fingerprint(c), tokenizer: tokenizer}
	if e.session, err = open(c); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrGraph, c.Graph, err)
	}
	return e, nil
}

// The names of the tensors of BERT's exports.
const (
	inputNumbers, inputMask, inputTypes = "input_ids", "attention_mask", "token_type_ids"
	outputStates                        = "last_hidden_state"
)

// open makes a session whose runs take one core each, since several runs at once use the cores better than one
// run on several.
func open(c Config) (session *ort.DynamicAdvancedSession, err error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, options.Destroy()) }()
	if err := errors.Join(options.SetIntraOpNumThreads(1), options.SetInterOpNumThreads(1)); err != nil {
		return nil, err
	}
	return ort.NewDynamicAdvancedSession(c.Graph,
		[]string{inputNumbers, inputMask, inputTypes}, []string{outputStates}, options)
}

// fingerprint names the model and the digest of all that its vectors depend on.
func fingerprint(c Config) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %s %d %d %t\n",
		wordpiece.Version, c.Model.Pooling, c.Model.Dimensions, c.Model.MaxTokens, c.Model.Alone)
	fmt.Fprintf(hash, "%q %q\n", c.Model.QueryPrefix, c.Model.PassagePrefix)
	for _, f := range c.Model.Files {
		fmt.Fprintf(hash, "%s %s\n", f.Name, f.SHA256)
	}
	fmt.Fprintf(hash, "%x\n", sha256.Sum256([]byte(c.Vocabulary)))
	return c.Model.ID + "-" + strconv.Itoa(c.PassageTokens) + "-" + fmt.Sprintf("%x", hash.Sum(nil)[:4])
}

// ID is the model's id, the tokens that are read of a passage, and a digest of everything else that matters.
func (e *Embedder) ID() string { return e.id }

// Dimensions is the length of a vector.
func (e *Embedder) Dimensions() int { return e.config.Model.Dimensions }

// MaxTokens is how much of a passage is read, with the two tokens that frame it.
func (e *Embedder) MaxTokens() int { return e.config.PassageTokens }

// Count returns how many tokens of a passage are read.
func (e *Embedder) Count(text string) int {
	return len(e.tokenizer.Append(nil, e.config.Model.PassagePrefix+text, e.config.PassageTokens))
}

// Close frees the session; the library stays loaded.
func (e *Embedder) Close() error { return e.session.Destroy() }

// Embed is as embed.Embedder says. It runs one batch a core at once.
func (e *Embedder) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	numbers := make([][]int32, len(texts))
	for i, text := range texts {
		numbers[i] = e.numbers(kind, text)
	}
	vectors := make([][]float32, len(texts))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(e.config.Threads)
	for _, batch := range e.batches(numbers) {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			return e.run(batch, numbers, vectors)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.id, err)
	}
	return vectors, firstFault(texts, numbers, vectors)
}

// framing is the number of tokens of a text that has no word.
const framing = 2

// numbers returns those that the model reads of a text, or nil for one without a word.
func (e *Embedder) numbers(kind embed.Kind, text string) []int32 {
	prefix, limit := e.config.Model.PassagePrefix, e.config.PassageTokens
	if kind == embed.Query {
		prefix, limit = e.config.Model.QueryPrefix, e.config.Model.MaxTokens
	}
	if len(e.tokenizer.Append(nil, text, framing+1)) <= framing {
		return nil
	}
	return e.tokenizer.Append(nil, prefix+text, limit)
}

func firstFault(texts []string, numbers [][]int32, vectors [][]float32) error {
	for i, vector := range vectors {
		switch {
		case numbers[i] == nil:
			return embed.NewTextError(i, texts[i], embed.ErrEmptyText)
		case vector == nil:
			return embed.NewTextError(i, texts[i], embed.ErrNotUnit)
		}
	}
	return nil
}
