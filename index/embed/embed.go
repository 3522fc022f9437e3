// Package embed owns the step from a text to its vector: the Embedder that others call, the word pieces that a
// model reads, and the run of its graph by ONNX Runtime.
//
// It never looks for files (index/model does), keeps no vectors (index/vector does) and uses no network. The
// index build, the search and the model commands call it.
package embed

import (
	"context"
	"errors"
	"fmt"
)

// Kind says what a text is to a search: some models read a question and an answer differently.
type Kind int

// A passage is what is searched, a query what somebody asks.
const (
	Passage Kind = iota
	Query
)

// Embedder turns texts into vectors. All methods but Close may be called from several goroutines at once.
type Embedder interface {
	// ID names the model with everything that its vectors depend on: two embedders with the same id give
	// the same vectors, and stored vectors of another id are of no use. It is fit for a file name.
	ID() string
	// Dimensions is the length of every vector.
	Dimensions() int
	// MaxTokens is the number of tokens of a passage that are read; what follows is cut.
	MaxTokens() int
	// Count returns the tokens that Embed reads of a passage, which is what embedding it costs.
	Count(text string) int
	// Embed returns a vector of length 1 for each text, in their order. It is fastest with hundreds of
	// texts a call, which it batches by length, and cancelled between batches. A text that cannot be
	// embedded has a nil vector, and the error is then a *TextError that names the first; all other
	// vectors hold. With any other error there are no vectors.
	Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error)
	// Close frees what the embedder holds. No other call may be under way or follow.
	Close() error
}

// The reasons why a text has no vector.
var (
	ErrEmptyText = errors.New("empty text")
	ErrNotUnit   = errors.New("the model gave zeros, an infinity or no number")
)

// TextError says that one of the texts of a call cannot be embedded.
type TextError struct {
	Index int    // in the call's texts
	Text  string // its first bytes
	Err   error  // ErrEmptyText or ErrNotUnit
}

// shownText is how much of a text an error quotes.
const shownText = 60

// NewTextError returns the error of one text.
func NewTextError(index int, text string, err error) *TextError {
	return &TextError{Index: index, Text: text[:min(len(text), shownText)], Err: err}
}

func (e *TextError) Error() string {
	return fmt.Sprintf("embed text %d %q: %v", e.Index, e.Text, e.Err)
}

func (e *TextError) Unwrap() error { return e.Err }
