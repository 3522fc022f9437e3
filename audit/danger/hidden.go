package danger

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skillcorpus/data"
)

// Hidden finds the characters of a file that a reader does not see: tag characters outside flag emoji, bidirectional
// embeddings, overrides and isolates, and zero-width characters between letters of the ASCII alphabet or several on end
// after an ASCII character. Joiners that scripts and emoji need are none. Each kind is told once, at its first place.
func Hidden(file string, text []byte) []Sign {
	var signs []Sign
	for _, h := range hidden(text) {
		confidence := data.ConfidenceHigh
		if h.kind == zeroWidthKind && h.count < 3 {
			confidence = data.ConfidenceMedium
		}
		signs = append(signs, Sign{
			Rule: "hidden-unicode", File: file, Line: h.line, Confidence: confidence,
			Words: fmt.Sprintf("%s U+%04X, %d in all", h.kind, h.first, h.count),
		})
	}
	return signs
}

const zeroWidthKind = "zero width"

// unseen is a kind of character that a reader does not see, at its first place.
type unseen struct {
	kind  string // tag, bidirectional control, zero width
	first rune
	line  int
	count int
}

func hidden(text []byte) []unseen {
	var found []unseen
	line := 1
	var before, previous rune // the last visible character, and the character just before
	flag := false             // inside the tag sequence of a flag emoji
	for at := 0; at < len(text); {
		c := text[at]
		if c < utf8.RuneSelf {
			if c == '\n' {
				line++
			}
			before, previous, flag = rune(c), rune(c), false
			at++
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		flag = r >= 0xE0020 && r <= 0xE007F && (previous == blackFlag || flag)
		if kind := hiddenKind(r, before, previous, text[at+size:]); kind != "" && !flag && at > 0 {
			found = note(found, unseen{kind, r, line, 1})
		} else if !zeroWidth(r) {
			before = r
		}
		previous = r
		at += size
	}
	return found
}

const blackFlag = 0x1F3F4

func hiddenKind(r, before, previous rune, after []byte) string {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return "tag"
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return "bidirectional control"
	case !zeroWidth(r):
		return ""
	case isASCIILetter(before) && len(after) > 0 && isASCIILetter(rune(after[0])), zeroWidth(previous) && before < utf8.RuneSelf && !strings.ContainsRune("\"'`", before): // a list of them in quotes is code that looks for them
		return zeroWidthKind
	}
	return ""
}

func zeroWidth(r rune) bool {
	return (r >= 0x200B && r <= 0x200D) || r == 0x2060 || r == 0xFEFF
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func note(found []unseen, h unseen) []unseen {
	for i := range found {
		if found[i].kind == h.kind {
			found[i].count++
			return found
		}
	}
	return append(found, h)
}
