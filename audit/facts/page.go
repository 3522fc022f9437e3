package facts

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/data"
)

// Page is what a SKILL.md shows of its purpose: whether its code is there to be run, or to illustrate.
type Page struct {
	Runnable  int         // characters of commands and programs in blocks
	Requests  Mark        // lines of blocks that are HTTP requests
	Headings  int         // in all
	Covered   int         // headings right over commands or a program
	Setup     Mark        // headings over what to install or how to begin
	Patterns  Mark        // headings over patterns, principles or pitfalls
	Guide     Mark        // name or description promise patterns, best practices, a guide or an expert, or the reader is to be one
	Good, Bad Mark        // marks that set one example against another
	Undefined []code.Name // called in blocks of Python, JavaScript or TypeScript, and said nowhere else on the page
}

// Mark counts one kind of sign.
type Mark struct {
	Count int
	Line  int    // of the first
	Words string // of the first
}

func (m *Mark) add(line int, words string) {
	if m.Count++; m.Count == 1 {
		m.Line, m.Words = line, strings.TrimSpace(words)
	}
}

var request = regexp.MustCompile(`^\s*(?:GET|POST|PUT|PATCH|DELETE)\s+(?:https?://\S|/\S)`)

// personaWithin is how much of the first prose may tell the reader who to be: later, it is said of somebody else.
const personaWithin = 800

// page reads the signs off headings, prose and blocks; units are the blocks in order.
func page(doc data.Document, file []byte, units []code.Unit) Page {
	p := Page{Headings: len(doc.Headings)}
	p.title(doc)
	var names code.Names
	began, block, above, covered := false, 0, -1, -1
	for _, s := range doc.Sections {
		if s.Kind != data.SectionProse && s.Kind != data.SectionCode {
			continue
		}
		text := s.Read(file)
		p.contrast(text, s.Line)
		if s.Kind == data.SectionProse {
			if head := text[:min(len(text), personaWithin)]; !began && strings.TrimSpace(head) != "" {
				began = true
				p.persona(head, s.Line)
			}
			continue
		}
		unit := units[block]
		block++
		p.requests(text, s.Line)
		if unit.State == code.NotCode || !code.IsProgram(unit.Lang) {
			continue
		}
		p.Runnable += utf8.RuneCountInString(text)
		names.Read(text, unit.Lang, s.Line)
		for above+1 < len(doc.Headings) && doc.Headings[above+1].Line <= s.Line {
			above++
		}
		if above > covered {
			covered = above
			p.Covered++
		}
	}
	p.Undefined = names.Undefined()
	return p
}

// title reads name, description and headings.
func (p *Page) title(doc data.Document) {
	about := strings.ToLower(strings.NewReplacer("-", " ", "_", " ").Replace(doc.Name) + " " + doc.Description)
	if phrase, _, ok := find(about, guidePhrases()); ok {
		p.Guide.add(0, phrase)
	}
	p.persona(doc.Description, 0)
	setup, patterns := setupPhrases(), patternPhrases()
	for _, h := range doc.Headings {
		heading := strings.ToLower(h.Text)
		if _, _, ok := find(heading, setup); ok {
			p.Setup.add(h.Line, h.Text)
		}
		if _, _, ok := find(heading, patterns); ok {
			p.Patterns.add(h.Line, h.Text)
		}
	}
}

func (p *Page) persona(text string, line int) {
	lower := strings.ToLower(text)
	phrase, at, ok := find(lower, personaPhrases())
	if !ok {
		return
	}
	if line > 0 {
		line += strings.Count(lower[:at], "\n")
	}
	p.Guide.add(line, phrase)
}

func (p *Page) requests(text string, line int) {
	for row := range strings.SplitSeq(text, "\n") {
		if len(row) < 2000 && strings.Contains(row, "/") && request.MatchString(row) {
			p.Requests.add(line, row)
		}
		line++
	}
}

// contrast counts the marks that tell a good example from a bad one.
func (p *Page) contrast(text string, line int) {
	for _, mark := range [...]string{"❌", "🚫", "**Bad", "**Wrong", "**Don't"} {
		p.Bad.count(text, mark, line)
	}
	for _, mark := range [...]string{"✅", "**Good", "**Right", "**Correct", "**Do"} {
		p.Good.count(text, mark, line)
	}
	for _, comment := range [...]string{"# ", "// "} {
		for at, next := 0, 0; ; at = next {
			next = strings.Index(text[at:], comment)
			if next < 0 {
				break
			}
			next += at + len(comment)
			word := text[next:min(len(text), next+len("incorrect"))]
			switch {
			case starts(word, "bad", "wrong", "fail:", "avoid", "problem", "don't", "incorrect"):
				p.Bad.add(line+strings.Count(text[:next], "\n"), comment+word)
			case starts(word, "good", "right", "pass:", "correct", "solution", "better"):
				p.Good.add(line+strings.Count(text[:next], "\n"), comment+word)
			}
		}
	}
}

// starts reports whether a text starts with one of some words, in capitals or with one.
func starts(text string, words ...string) bool {
	for _, word := range words {
		if len(text) >= len(word) && text[0] <= 'Z' && strings.EqualFold(text[:len(word)], word) {
			return true
		}
	}
	return false
}

func (m *Mark) count(text, mark string, line int) {
	if n := strings.Count(text, mark); n > 0 {
		m.add(line+strings.Count(text[:strings.Index(text, mark)], "\n"), mark)
		m.Count += n - 1
	}
}
