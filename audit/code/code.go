// Package code owns what can be known of a skill's code without running it: which language a block is in,
// whether a real parser takes it, whether it is whole or elided, and what it needs on the machine that runs it.
//
// It never executes anything and never judges a skill. Package facts calls it.
package code

import (
	"regexp"
	"strings"

	"skillcorpus/data"
)

// State says what a parser makes of a piece of code.
type State string

// The states of a piece of code.
const (
	OK        State = "ok"
	Broken    State = "broken"
	Template  State = "template"  // it does not parse, and carries prompts, placeholders or elisions that explain it
	Unchecked State = "unchecked" // a programming language for which no parser is at hand, or over the limits
	NotCode   State = "not code"  // text, Markdown, console output, diffs
)

// Unit is one fence, one indented block or one bundled script.
type Unit struct {
	File        string // from the skill's directory; SKILL.md's own name for a block
	Line        int    // of the opening fence, or of the first line
	Lang        string // canonical, empty where none is named
	Fenced      bool
	Open        bool // a fence that nothing closes
	Swallows    bool // with Open: a heading stands in it, so that it is more than its code
	Script      bool // a bundled file
	Lines       int  // that are neither blank nor comments
	State       State
	Problem     string // the parser's message, with Broken
	ProblemLine int    // in File
	Elision     string // the words that show that something was left out
	ElisionLine int
	Needs       Needs
	Imports     []Import // in order of appearance; the same one may repeat
}

var headingInside = regexp.MustCompile(`(?m)^#{2,6} \S`)

// Blocks returns the code sections of a SKILL.md, in order.
func Blocks(doc data.Document, skillMD []byte, file string) []Unit {
	var units []Unit
	for _, s := range doc.Sections {
		if s.Kind != data.SectionCode {
			continue
		}
		u := Unit{File: file, Line: s.Line, Lang: Language(s.Lang), Fenced: s.Fenced, Open: s.Open}
		if s.Fenced {
			u.Line--
		}
		text := s.Read(skillMD)
		u.Swallows = s.Open && headingInside.MatchString(text)
		u.inspect(text, s.Line)
		units = append(units, u)
	}
	return units
}

// Script returns the state of a bundled file, given its content. ok is false for a file in no language that
// is known.
func Script(name string, content []byte) (u Unit, ok bool) {
	text := string(content)
	lang := FileLanguage(name, text)
	if lang == "" {
		return Unit{}, false
	}
	u = Unit{File: name, Line: 1, Lang: lang, Script: true}
	u.inspect(text, 1)
	return u, true
}

// inspect fills in everything that depends on the text, whose first line is line first of the file.
func (u *Unit) inspect(text string, first int) {
	u.Lines = countLines(text, u.Lang)
	u.State = NotCode
	guessed := u.Lang == "" && looksLikeShell(text)
	if guessed {
		u.Lang = Shell
	}
	if !isCode(u.Lang) {
		return
	}
	u.Elision, u.ElisionLine = elision(text, first, u.Script)
	u.check(text, first)
	if guessed && u.State == Broken {
		*u = Unit{File: u.File, Line: u.Line, Fenced: u.Fenced, Open: u.Open, Script: u.Script, State: NotCode, Lines: u.Lines}
		return // the guess was wrong
	}
	u.Needs, u.Imports = needs(text, u.Lang)
	for i := range u.Imports {
		u.Imports[i].Line += first - 1
	}
	if u.Script {
		u.Needs.interpreters(text, u.Lang)
	}
	u.Imports = append(u.Imports, imports(text, u.Lang, first)...)
}

func (u *Unit) check(text string, first int) {
	parse := parserOf(u.Lang)
	if parse == nil || !parsable(text, u.Lang) {
		u.State = Unchecked
		return
	}
	if !u.Script && strings.TrimSpace(text) == "" {
		u.State = OK
		return
	}
	at := parse(text, u.Script)
	if at != nil && !u.Script && lenient(u.Lang) && commands(text) {
		u.Lang = Shell // the label is wrong
		u.check(text, first)
		return
	}
	switch {
	case at == nil:
		u.State = OK
	case at.gaveUp:
		u.State = Unchecked
	case lenient(u.Lang):
		if u.Script && strings.Contains(text, "{{") || !u.Script && (isDiff(text) || explained(text, u.Lang, at)) {
			u.State = Template
			return
		}
		u.State, u.Problem, u.ProblemLine = Broken, at.message, first+max(at.line, 1)-1
	case !u.Script && isTemplate(text):
		u.State = Template
	case u.Script && strings.Contains(text, "{{"):
		u.State = Template
	default:
		u.State, u.Problem, u.ProblemLine = Broken, at.message, first+max(at.line, 1)-1
	}
}

// Limits on what is given to a parser: recursive ones need stack in proportion to the nesting, and the
// shell's takes time with its square.
const (
	maxParse = 256 << 10
	maxShell = 32 << 10
	maxDepth = 200
	// esbuild calls itself for every operator before a value, with frames of several KB each.
	maxJavaScript = 64 << 10
)

func parsable(text, lang string) bool {
	most := maxParse
	switch lang {
	case Shell, "zsh":
		most = maxShell
	case "javascript", "typescript":
		most = maxJavaScript
	}
	return len(text) <= most && !tooDeep(text)
}

// tooDeep reports whether brackets nest deeper than any parser here should follow.
func tooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

func countLines(text, lang string) int {
	count := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") || (strings.HasPrefix(line, "#") && lang != "c" && lang != "cpp") {
			continue
		}
		count++
	}
	return count
}
