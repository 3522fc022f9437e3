package python

import "strings"

// window is how much is parsed at a time. The parser's recovery from errors takes time with the square of the text, and
// nothing that it tells of its progress shows that it recovers: 16 KiB are at most 0.8 s, a whole file of 96 KiB is 35 s.
const (
	window    = 16 << 10
	maxWindow = 24 << 10 // a statement of more than that is not parsed
)

// windows cuts a text before statements of the module's own level, so that each piece is a module.
func windows(text string) []string {
	if len(text) <= maxWindow {
		return []string{text}
	}
	var pieces []string
	start, l := 0, lexer{}
	for at := 0; at < len(text); {
		if at-start >= window && l.idle() && begins(text[at:]) {
			pieces = append(pieces, text[start:at])
			start = at
		}
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at - 1
		}
		l.line(text[at : at+end+1])
		at += end + 1
	}
	return append(pieces, text[start:])
}

// begins reports whether a statement that needs nothing above it may begin here.
func begins(text string) bool {
	for _, word := range [...]string{"def ", "class ", "async def ", "import ", "from ", "@", "if ", "for ", "while ", "with ", "try:"} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return text[0] >= 'A' && text[0] <= 'Z' // a constant
}

// lexer follows strings, brackets and decorators from line to line.
type lexer struct {
	quote     string // that ends a long string; empty outside
	depth     int
	decorated bool
}

func (l *lexer) idle() bool { return l.quote == "" && l.depth <= 0 && !l.decorated }

func (l *lexer) line(text string) {
	if l.quote == "" && l.depth <= 0 && strings.TrimSpace(text) != "" {
		l.decorated = text[0] == '@' || text[0] == '#' && l.decorated
	}
	for i := 0; i < len(text); {
		if l.quote != "" {
			end := strings.Index(text[i:], l.quote)
			if end < 0 {
				return
			}
			i += end + len(l.quote)
			l.quote = ""
			continue
		}
		i += l.step(text[i:])
	}
}

// step reads one token outside long strings and returns its length.
func (l *lexer) step(text string) int {
	switch text[0] {
	case '#':
		return len(text)
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth--
	case '\\':
		return min(2, len(text))
	case '"', '\'':
		if strings.HasPrefix(text, strings.Repeat(text[:1], 3)) {
			l.quote = text[:3]
			return 3
		}
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case text[0]:
				return i + 1
			}
		}
		return len(text)
	}
	return 1
}
