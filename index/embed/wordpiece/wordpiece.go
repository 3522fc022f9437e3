// Package wordpiece owns the cutting of a text into the word pieces that BERT's uncased models read, with the
// numbers of their vocabulary. It gives the same numbers as the reference, PyPI's tokenizers.
//
// It never runs a model and knows no other vocabulary than the one it is given. index/embed/onnx calls it.
package wordpiece

import (
	"errors"
	"fmt"
	"strings"
)

// Version rises when the same text would give other numbers.
const Version = 1

// The pieces with a meaning of their own, as BERT's vocabularies name them. The reference sees them in a text
// too, before anything else, and so do we.
const (
	pad, unknown, first, last, mask = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
)

const (
	continued = "##" // begins the pieces that go on with a word
	maxWord   = 100  // characters: a longer word is unknown as a whole, as in the reference
)

// framed is how many numbers frame a text: the first and the last.
const framed = 2

// ErrVocabulary means that a list of pieces is not a vocabulary.
var ErrVocabulary = errors.New("not a BERT vocabulary")

// Tokenizer cuts texts. It is never changed after New, so it may be shared.
type Tokenizer struct {
	starts, continues         map[string]int32
	longest                   int // bytes of the longest piece
	unknown, first, last, pad int32
	special                   map[string]int32
}

// New reads a vocabulary: one piece a line, numbered from 0.
func New(vocabulary string) (*Tokenizer, error) {
	lines := strings.Split(strings.TrimSuffix(vocabulary, "\n"), "\n")
	t := &Tokenizer{
		starts:    make(map[string]int32, len(lines)),
		continues: make(map[string]int32, len(lines)/4),
		special:   make(map[string]int32, 5),
	}
	for i, line := range lines {
		piece, id := strings.TrimSuffix(line, "\r"), int32(i)
		known := t.starts
		if rest, ok := strings.CutPrefix(piece, continued); ok && rest != "" {
			piece, known = rest, t.continues
		}
		if _, twice := known[piece]; twice || piece == "" {
			return nil, fmt.Errorf("line %d %q is empty or there twice: %w", i+1, line, ErrVocabulary)
		}
		known[piece] = id
		t.longest = max(t.longest, len(piece))
	}
	for _, piece := range []string{pad, unknown, first, last, mask} {
		id, ok := t.starts[piece]
		if !ok {
			return nil, fmt.Errorf("no %s: %w", piece, ErrVocabulary)
		}
		t.special[piece] = id
	}
	t.unknown, t.first, t.last, t.pad = t.special[unknown], t.special[first], t.special[last], t.special[pad]
	return t, nil
}

// Pad is the number that fills a batch's shorter texts.
func (t *Tokenizer) Pad() int32 { return t.pad }

// Append appends the numbers of a text, framed by those of its beginning and end: at most limit in all, of which
// the text's own pieces beyond are cut. A limit below 2 counts as 2. Reading stops where the limit is reached.
func (t *Tokenizer) Append(numbers []int32, text string, limit int) []int32 {
	numbers = append(numbers, t.first)
	end := len(numbers) + max(limit, framed) - framed
	for text != "" && len(numbers) < end {
		at, piece := t.nextSpecial(text)
		numbers = t.words(numbers, text[:at], end)
		if piece != "" {
			numbers = append(numbers, t.special[piece])
		}
		text = text[at+len(piece):]
	}
	return append(numbers[:min(len(numbers), end)], t.last)
}

// nextSpecial returns the place of the next special piece, or the text's end and "".
func (t *Tokenizer) nextSpecial(text string) (int, string) {
	for at := 0; ; at++ {
		open := strings.IndexByte(text[at:], '[')
		if open < 0 {
			return len(text), ""
		}
		at += open
		closed := strings.IndexByte(text[at:min(len(text), at+len(mask))], ']')
		if closed < 0 {
			continue
		}
		piece := text[at : at+closed+1]
		if _, ok := t.special[piece]; ok {
			return at, piece
		}
	}
}

// word appends the longest pieces that make up a word of so many characters, or the unknown one where they do not.
func (t *Tokenizer) word(numbers []int32, word []byte, characters int) []int32 {
	if characters > maxWord {
		return append(numbers, t.unknown)
	}
	begin, known := len(numbers), t.starts
	for len(word) > 0 {
		n := min(len(word), t.longest)
		id, ok := known[string(word[:n])]
		for !ok && n > 1 {
			n--
			id, ok = known[string(word[:n])]
		}
		if !ok {
			return append(numbers[:begin], t.unknown)
		}
		numbers, word, known = append(numbers, id), word[n:], t.continues
	}
	return numbers
}
