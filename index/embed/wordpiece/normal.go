package wordpiece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words appends the pieces of a text without special ones; it stops once numbers are as long as end.
//
// The reference works in passes over the whole text: clean, set CJK characters apart, decompose and drop
// accents, lower, then cut at spaces and around punctuation. No pass needs a character's neighbours, since the
// accents whose order decomposition would settle are dropped; so each character passes all of them at once.
func (t *Tokenizer) words(numbers []int32, text string, end int) []int32 {
	var word [4 * maxWord]byte
	w := writer{tokenizer: t, numbers: numbers, word: word[:0]}
	for i := 0; i < len(text) && len(w.numbers) < end; {
		if c := text[i]; c < utf8.RuneSelf {
			w.ascii(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		w.wide(r)
		i += n
	}
	w.flush()
	return w.numbers
}

// writer collects the characters of one word.
type writer struct {
	tokenizer  *Tokenizer
	numbers    []int32
	word       []byte // its first maxWord characters: beyond, only their count matters
	characters int
	whole      [64]byte // room for one decomposed character
}

func (w *writer) flush() {
	if w.characters > 0 {
		w.numbers = w.tokenizer.word(w.numbers, w.word, w.characters)
		w.word, w.characters = w.word[:0], 0
	}
}

func (w *writer) ascii(c byte) {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		w.add(rune(c))
	case 'A' <= c && c <= 'Z':
		w.add(rune(c + 'a' - 'A'))
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		w.flush()
	case c < ' ' || c == 0x7f: // control characters vanish
	default:
		w.alone(rune(c))
	}
}

// wide takes a character outside ASCII.
func (w *writer) wide(r rune) {
	switch classify(r) {
	case gone:
		return
	case space:
		w.flush()
		return
	}
	apart := isCJK(r)
	if apart {
		w.flush()
	}
	whole := norm.NFD.AppendString(w.whole[:0], string(r))
	for len(whole) > 0 {
		part, n := utf8.DecodeRune(whole)
		whole = whole[n:]
		w.part(part)
	}
	if apart {
		w.flush()
	}
}

// part takes a part of a decomposed character.
func (w *writer) part(r rune) {
	if r < utf8.RuneSelf {
		w.ascii(byte(r))
		return
	}
	switch classify(r) {
	case accent:
	case punctuation:
		w.alone(r)
	default:
		w.add(unicode.ToLower(r))
	}
}

func (w *writer) add(r rune) {
	if w.characters < maxWord {
		w.word = utf8.AppendRune(w.word, r)
	}
	w.characters++
}

// alone adds a character that is a word by itself.
func (w *writer) alone(r rune) {
	w.flush()
	w.add(r)
	w.flush()
}
