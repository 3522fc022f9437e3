// Package words owns how text becomes searchable words: Unicode folding, splitting of compounds, bigrams for
// scripts without spaces, light plural stemming and stop words. Documents and queries pass through the same
// code, so that what is written alike is found alike.
//
// It never touches a file, a database or a ranking. index/lexical calls it for rows and queries, index/rank
// for the keys that exact names meet under.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxLength is the greatest length of a word in bytes. Longer runs are encoded data, not words, and are
// left out.
const MaxLength = 64

// maxJoined is the greatest number of parts of which the joined form is a word as well.
const maxJoined = 6

// Document calls emit with every word of a text: the parts of compounds and their joined form, and for
// scripts without spaces each character and each pair of neighbours. The slice is only valid during the call.
func Document(text string, emit func(word []byte)) {
	splitter{emit: emit, characters: true}.split(text)
}

// Query returns the distinct words of a query in the order of their first use. Other than for a document, a
// single character of a script without spaces is a word only where it stands alone.
func Query(text string) []string {
	var found []string
	seen := map[string]bool{}
	splitter{emit: func(word []byte) {
		if !seen[string(word)] {
			seen[string(word)] = true
			found = append(found, string(word))
		}
	}}.split(text)
	return found
}

// splitter holds what the words of one text are made with.
type splitter struct {
	emit       func(word []byte)
	characters bool // single characters of scripts without spaces, too
}

// split walks the text run by run.
func (s splitter) split(text string) {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	var previous rune
	for at := 0; at < len(text); {
		r, size := decode(text[at:])
		switch {
		case spaceless(r):
			end := runEnd(text, at, spaceless)
			s.grams(text[at:end])
			at = end
		case wordRune(r):
			at = s.compound(text, at, previous)
		default:
			at += size
		}
		previous = r
	}
}

// grams emits the pairs of a run of a script without spaces, and its single characters where they count.
func (s splitter) grams(run string) {
	last := -1
	for at, r := range run {
		size := utf8.RuneLen(r)
		if s.characters || size == len(run) {
			s.emit([]byte(run[at : at+size]))
		}
		if last >= 0 {
			s.emit([]byte(run[last : at+size]))
		}
		last = at
	}
}

// compound emits the words of one run such as `self-tide-agent`, `node.js`, `fetchData`, `C++` or `crew's`,
// and returns where it ends.
func (s splitter) compound(text string, at int, previous rune) int {
	var joined [MaxLength]byte
	whole, parts, start := joined[:0], 0, at
	for {
		end := runEnd(text, at, wordRune)
		word, next := contraction(text, text[at:end], end)
		if sign := suffix(word, text[next:]); sign != "" {
			s.add([]byte(strings.ToLower(word) + sign))
			return next
		}
		if isDotNet(word, at > start && text[at-1] == '.', previous) {
			s.add([]byte("dotnet"))
		}
		if start < at && digitsMeet(text, at) && len(whole) < MaxLength {
			whole = append(whole, '.')
		}
		from := len(whole)
		whole, parts = s.parts(word, whole, parts)
		single := parts == 1 && from == 0
		at = next
		if next+1 < len(text) && connector(text[next]) {
			if r, _ := decode(text[next+1:]); wordRune(r) && !spaceless(r) {
				previous, at = rune(text[next]), next+1
				continue
			}
		}
		if !single && parts <= maxJoined {
			s.add(whole)
		}
		return at
	}
}

// parts emits the folded parts of one word, split where its letter case says so, and appends them all to
// whole.
func (s splitter) parts(word string, whole []byte, count int) ([]byte, int) {
	var buffer [MaxLength]byte
	cuts := camel(word)
	from := 0
	for _, cut := range append(cuts, len(word)) {
		part := appendFolded(buffer[:0], word[from:cut])
		s.add(part)
		if len(whole)+len(part) <= MaxLength {
			whole = append(whole, part...)
		} else {
			count = maxJoined // too long to be joined
		}
		from = cut
		count++
	}
	return whole, count
}

// add emits a word of a sensible length.
func (s splitter) add(word []byte) {
	if len(word) > 0 && len(word) <= MaxLength {
		s.emit(word)
	}
}

// contraction cuts an English ending behind an apostrophe: `master's` is master, `isn't` is isnt.
func contraction(text, word string, end int) (string, int) {
	r, size := decode(text[end:])
	if r != '\'' && r != '’' {
		return word, end
	}
	tail := runEnd(text, end+size, wordRune)
	switch strings.ToLower(text[end+size : tail]) {
	case "s", "re", "ll", "ve", "d", "m":
		return word, tail
	case "t":
		return word + "t", tail
	}
	return word, end
}

// suffix returns how `++` and `#` behind a name of a language are spelled inside a word: C++ is cpp, C# is
// csharp.
func suffix(word, rest string) string {
	switch {
	case strings.HasPrefix(rest, "++") && (len(word) > 2 || strings.EqualFold(word, "c") || strings.EqualFold(word, "g")):
		return "pp"
	case strings.HasPrefix(rest, "#") && (strings.EqualFold(word, "c") || strings.EqualFold(word, "f")):
		return "sharp"
	}
	return ""
}

// isDotNet tells the platform `.NET` from a network: a dot before it, and either nothing before the dot or
// capitals.
func isDotNet(word string, joined bool, previous rune) bool {
	if joined {
		return word == "NET"
	}
	return previous == '.' && strings.EqualFold(word, "net")
}

// digitsMeet reports whether the dot before at stands between digits, as in a version.
func digitsMeet(text string, at int) bool {
	return at > 1 && text[at-1] == '.' && digit(text[at-2]) && digit(text[at])
}

// camel returns where a word's letter case splits it: `fetchData` after fetch, `HTTPServer` after HTTP.
// Nothing is split where a part would have one letter (`iOS`, `LaTeX`, `PDFs`).
func camel(word string) []int {
	var cuts []int
	var before, last rune
	from, beforeAt := 0, 0
	for at, r := range word {
		cut := -1
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			cut = at
		} else if unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before) {
			cut = beforeAt
		}
		if cut > from {
			if cut-from < 2 {
				return nil
			}
			cuts, from = append(cuts, cut), cut
		}
		before, last, beforeAt = last, r, at
	}
	if len(cuts) > 0 && (len(word)-from < 2 || strings.HasSuffix(word, "s") && len(word)-from == 2 && unicode.IsUpper(before)) {
		return nil
	}
	return cuts
}

// runEnd returns where the run of runes that belong ends.
func runEnd(text string, at int, belongs func(rune) bool) int {
	for at < len(text) {
		r, size := decode(text[at:])
		if !belongs(r) {
			break
		}
		at += size
	}
	return at
}

func decode(text string) (rune, int) {
	if len(text) == 0 {
		return 0, 0
	}
	if c := text[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func connector(c byte) bool { return c == '-' || c == '_' || c == '.' }

// wordRune reports whether a rune is part of a word of a script with spaces.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !spaceless(r)
}

// spaceless reports whether a rune belongs to a script that is written without spaces, or, like Korean, with
// endings glued to its words.
func spaceless(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
