package code

import (
	"cmp"
	"slices"
	"strings"
)

// Names gathers, over the blocks of one page, which names are called and which are known by any other use: an import, a
// definition, a parameter. The zero value is ready.
type Names struct {
	called map[string]int // with the line of the first call
	known  map[string]bool
}

// Name is a name that a page calls, and the line where it does so first.
type Name struct {
	Text string
	Line int
}

// Undefined returns the names that the page calls and never says in any other way, and that the language does not bring,
// by line. A name that is only ever called was defined nowhere that the reader can see.
func (n *Names) Undefined() []Name {
	var found []Name
	for name, line := range n.called {
		if !n.known[name] && !brought[name] {
			found = append(found, Name{Text: name, Line: line})
		}
	}
	slices.SortFunc(found, func(a, b Name) int { return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text)) })
	return found
}

// Read adds a block of Python, JavaScript or TypeScript whose first line is line first of the file; other languages tell
// nothing. It goes by tokens, not by grammar, so that a block which no parser takes counts as well.
func (n *Names) Read(text, lang string, first int) {
	if !lenient(lang) || len(text) > maxJavaScript {
		return
	}
	if n.called == nil {
		n.called, n.known = map[string]int{}, map[string]bool{}
	}
	tokens := tokenize(text, lang == "python")
	closer := closers(tokens)
	at := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].text
	}
	for i, t := range tokens {
		before := at(i - 1)
		switch {
		case !isName(t.text) || before == ".":
		case before == "/" && at(i-2) == "<": // the end of an element
		case at(i+1) == "(" && !defines(before) && (lang == "python" || !opensBody(before, at(closer[i+1]+1))),
			lang != "python" && before == "<" && t.text[0] <= 'Z' && (at(i-2) == "return" || !isName(at(i-2))): // an element, and no type's argument
			if _, ok := n.called[t.text]; !ok {
				n.called[t.text] = first + t.line
			}
		default:
			n.known[t.text] = true
		}
	}
}

// defines reports whether a word makes the name that follows it known.
func defines(word string) bool {
	switch word {
	case "def", "class", "function", "get", "set", "static", "*":
		return true
	}
	return false
}

// opensBody reports whether a name with parentheses is a method's definition, by what stands before it and after them.
func opensBody(before, after string) bool {
	switch after {
	case "{":
		return true
	case ":":
		switch before {
		case "", "{", "}", ";", ",", "async", "private", "public", "protected":
			return true
		}
	}
	return false
}

// lexeme is a name, a mark or a string, which is told by its quote alone.
type lexeme struct {
	text string
	line int // from 0
}

func tokenize(text string, python bool) []lexeme {
	var tokens []lexeme
	line := 0
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '\n' || c == ' ' || c == '\t' || c == '\r':
			line += strings.Count(text[i:end], "\n")
			i = end
			continue
		case python && c == '#', !python && strings.HasPrefix(text[i:], "//"):
			end = upTo(text, i, "\n")
			i = end
			continue
		case !python && strings.HasPrefix(text[i:], "/*"):
			end = upTo(text, i+2, "*/")
			line += strings.Count(text[i:end], "\n")
			i = min(end+2, len(text))
			continue
		case c == '"' || c == '\'' || c == '`':
			end = quoted(text, i, python)
			tokens = append(tokens, lexeme{text[i : i+1], line})
		case isNameByte(c):
			for end < len(text) && isNameByte(text[end]) {
				end++
			}
			tokens = append(tokens, lexeme{text[i:end], line})
		default:
			tokens = append(tokens, lexeme{text[i:end], line})
		}
		line += strings.Count(text[i:end], "\n")
		i = end
	}
	return tokens
}

func upTo(text string, from int, mark string) int {
	if at := strings.Index(text[from:], mark); at >= 0 {
		return from + at
	}
	return len(text)
}

// quoted returns the end of the string that starts at a quote. One that nothing closes ends with its line.
func quoted(text string, start int, python bool) int {
	quote := text[start : start+1]
	if triple := strings.Repeat(quote, 3); python && strings.HasPrefix(text[start:], triple) {
		return min(upTo(text, start+3, triple)+3, len(text))
	}
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == quote[0]:
			return i + 1
		case text[i] == '\n' && quote != "`":
			return i
		}
	}
	return len(text)
}

// closers returns for the index of every opening parenthesis that of its partner.
func closers(tokens []lexeme) map[int]int {
	partner := map[int]int{}
	var open []int
	for i, t := range tokens {
		switch {
		case t.text == "(":
			open = append(open, i)
		case t.text == ")" && len(open) > 0:
			partner[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return partner
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isName(text string) bool {
	return text != "" && isNameByte(text[0]) && (text[0] < '0' || text[0] > '9')
}

// brought holds what may be called without a definition: words of the languages, their built-in functions and classes,
// those of browsers and Node.js, and those that test runners and React hand to every file.
var brought = words(`if for while switch catch return typeof new super await async constructor throw in of yield delete void else do
	try import export and or not is lambda print assert elif with except raise from del pass match case this
	abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir
	divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
	issubclass iter len list locals map max memoryview min next object oct open ord pow property range repr reversed round
	set setattr slice sorted staticmethod str sum tuple type vars zip __import__ display
	Exception ValueError TypeError KeyError IndexError AttributeError RuntimeError NotImplementedError StopIteration OSError
	IOError FileNotFoundError PermissionError TimeoutError ConnectionError ImportError LookupError ArithmeticError
	ZeroDivisionError AssertionError SystemExit KeyboardInterrupt UnicodeDecodeError BaseException
	Array ArrayBuffer BigInt Blob Boolean Buffer Date Error EventSource FormData Function Headers Image IntersectionObserver
	Map MutationObserver Number Object Promise Proxy RangeError ReadableStream RegExp Request ResizeObserver Response Set
	String Symbol SyntaxError TextDecoder TextEncoder Uint8Array URL URLSearchParams WeakMap WeakSet WebSocket Worker
	AbortController CustomEvent Event File FileReader Float32Array
	alert atob btoa cancelAnimationFrame clearInterval clearTimeout confirm decodeURIComponent encodeURIComponent encodeURI
	fetch isFinite isNaN parseFloat parseInt prompt queueMicrotask requestAnimationFrame requestIdleCallback require
	setImmediate setInterval setTimeout structuredClone
	afterAll afterEach beforeAll beforeEach describe expect it test jest vi
	React Fragment useCallback useContext useEffect useMemo useReducer useRef useState`)
