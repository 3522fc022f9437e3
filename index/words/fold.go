package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Key returns the form under which spellings of one name or id meet: compatibility characters and letter
// case folded, and every run of spaces, hyphens and underscores made one hyphen.
func Key(name string) string {
	if !norm.NFKC.IsNormalString(name) {
		name = norm.NFKC.String(name)
	}
	var out strings.Builder
	gap := false
	for _, r := range strings.TrimSpace(name) {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap {
			out.WriteByte('-')
			gap = false
		}
		out.WriteRune(unicode.ToLower(r))
	}
	if gap {
		out.WriteByte('-')
	}
	return out.String()
}

// Searchable reports whether a text holds a letter or digit at all.
func Searchable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// appendFolded appends a word in lower case and without accents. The word is NFKC already.
func appendFolded(out []byte, word string) []byte {
	for at := 0; at < len(word); {
		r, size := decode(word[at:])
		at += size
		if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			out = append(out, byte(r))
			continue
		}
		out = appendPlain(out, unicode.ToLower(r))
	}
	return out
}

// appendPlain appends a lower-case letter without its accents. Only Latin, Greek and Cyrillic lose them: in
// other scripts marks are part of the letter.
func appendPlain(out []byte, r rune) []byte {
	switch r {
	case 'ß':
		return append(out, "ss"...)
	case 'æ':
		return append(out, "ae"...)
	case 'œ':
		return append(out, "oe"...)
	case 'ø':
		return append(out, 'o')
	case 'ł':
		return append(out, 'l')
	case 'đ', 'ð':
		return append(out, 'd')
	case 'ı':
		return append(out, 'i')
	case 'ς':
		return append(out, "σ"...)
	}
	if unicode.Is(unicode.Mn, r) && r < 0x0370 {
		return out
	}
	if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return utf8.AppendRune(out, r)
	}
	if plain := norm.NFD.PropertiesString(string(r)).Decomposition(); len(plain) > 0 {
		first, _ := utf8.DecodeRune(plain)
		return appendPlain(out, first)
	}
	return utf8.AppendRune(out, r)
}
