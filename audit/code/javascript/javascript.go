// Package javascript owns what esbuild makes of JavaScript and TypeScript, with and without JSX: whether it takes a
// text, and where not.
//
// It never executes anything and knows nothing of skills or Markdown. Package code calls it, and keeps texts from it
// that are too long or nest too deep, since the parser calls itself.
package javascript

import (
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Fault is the first thing that esbuild cannot read; its Line is 0 where it takes a text.
type Fault struct {
	Line    int // from 1
	Message string
}

// Check reads a text by each of the dialects in turn, the named one first, since fences often name a neighbour:
// TypeScript as `js`, JSX as `ts`. The fault is the first dialect's.
func Check(text, lang string) Fault {
	dialects := []api.Loader{api.LoaderJSX, api.LoaderTS, api.LoaderTSX}
	switch {
	case lang == "typescript" && (strings.Contains(text, "</") || strings.Contains(text, "/>")):
		dialects = []api.Loader{api.LoaderTSX, api.LoaderTS, api.LoaderJSX}
	case lang == "typescript":
		dialects = []api.Loader{api.LoaderTS, api.LoaderTSX, api.LoaderJSX}
	}
	var first Fault
	for i, dialect := range dialects {
		fault := check(text, dialect)
		if fault.Line == 0 {
			return Fault{}
		}
		if i == 0 {
			first = fault
		}
	}
	return first
}

// Snippet reads a text that may be a part of a program: an expression, the members of an object, class or interface,
// the cases of a switch, neighbouring elements, or a function's body. The fault is that of the text as a whole.
func Snippet(text, lang string) Fault {
	text = asides.ReplaceAllString(text, "")
	fault := Check(text, lang)
	if fault.Line == 0 {
		return Fault{}
	}
	if len(text) <= maxFragment && (fits(text) || allFit(text, lang)) {
		return Fault{}
	}
	return fault
}

// asides are what authors put before a line to judge it, and the first line of a script below its name.
var asides = regexp.MustCompile(`(?m)^[ \t]*[❌✅✓✗✔✘] ?|^#!.*`)

// fits reports whether a text is a part that one of the frames takes.
func fits(text string) bool {
	start := strings.TrimSpace(text)
	for _, frame := range frames {
		if !strings.HasPrefix(start, frame.needs) {
			continue
		}
		if fault := check(frame.before+text+frame.after, frame.dialect); fault.Line == 0 {
			return true
		}
	}
	return false
}

// Limits on the work for a text that no dialect takes as a whole: its bytes, and the pieces that are tried.
const (
	maxFragment = 8 << 10
	maxPieces   = 40
)

// allFit reports whether a text is several parts in a row, set apart by blank lines or by comments.
func allFit(text, lang string) bool {
	pieces := apart.Split(text, maxPieces+1)
	if len(pieces) < 2 || len(pieces) > maxPieces {
		return false
	}
	for _, piece := range pieces {
		if strings.TrimSpace(piece) != "" && Check(piece, lang).Line > 0 && !fits(piece) {
			return false
		}
	}
	return true
}

var apart = regexp.MustCompile(`(?m)(?:^[ \t]*(?://.*)?\r?\n)+`)

// frames are what fragments are cut out of. None begins with a line end, so lines stay where they are.
var frames = [...]struct {
	before, after string
	dialect       api.Loader
	needs         string // how the text must begin, since what stands between elements is any text
}{
	{"x = (", "\n)", api.LoaderTSX, ""},
	{"x = {", "\n}", api.LoaderTSX, ""},
	{"class X {", "\n}", api.LoaderTS, ""},
	{"interface X {", "\n}", api.LoaderTS, ""},
	{"async function* x() {", "\n}", api.LoaderTSX, ""},
	{"switch (x) {", "\n}", api.LoaderTS, ""},
	{"x = [", "\n]", api.LoaderTSX, ""},
	{"x = <>", "\n</>", api.LoaderTSX, "<"},
	{"x = <X ", "\n/>", api.LoaderTSX, "className="},
	{"x", "\n", api.LoaderTS, "."}, // `.method()`
	{"declare ", "\n", api.LoaderTS, ""},
	{"type X = ", "\n", api.LoaderTS, ""},
}

// meaning matches errors about what names and places mean rather than about syntax. Snippets that show two versions
// of one thing have them all the time.
var meaning = regexp.MustCompile(`already been declared|[Tt]op-level (await|return)|can only be used inside|` +
	`because it is a constant|configured target|Multiple exports|Cannot use a declaration|more than one constructor|Duplicate |ECMAScript module|strict mode|` +
	`"(super|await|return|break|continue|yield|new\.target)"|label|must be initialized|Decorators|not (valid|allowed) in`)

func check(text string, dialect api.Loader) Fault {
	result := api.Transform(text, api.TransformOptions{
		Loader:      dialect,
		LogLevel:    api.LogLevelSilent,
		JSX:         api.JSXPreserve,
		Target:      api.ESNext,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
	})
	for _, e := range result.Errors {
		if meaning.MatchString(e.Text) {
			continue
		}
		if e.Location == nil {
			return Fault{1, e.Text}
		}
		return Fault{e.Location.Line, strings.ToValidUTF8(e.Text, "\uFFFD")}
	}
	return Fault{}
}
