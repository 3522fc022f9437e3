package proxy

import (
	"path"
	"strings"
	"unicode/utf8"

	"skillcorpus/data"
)

// Corrected returns the same counts by the document's real structure: headings and list items are those of
// the prose, blocks are fences by CommonMark, code is what lies in code sections, inline spans are those of
// the prose with fences of any length, scripts are those of the audit, and licences, readmes, change logs
// and other skills are not references. Words are those of frontmatter, prose and code.
func Corrected(doc data.Document, skillMD []byte, files []data.File) data.Proxies {
	p := data.Proxies{HeadingCount: len(doc.Headings), HasScripts: HasScripts(files)}
	spans, codeRunes, allRunes := 0, 0, 0
	for _, s := range doc.Sections {
		text := s.Read(skillMD)
		runes := utf8.RuneCountInString(text)
		allRunes += runes
		if s.Kind != data.SectionDelimiter {
			p.WordCount += words(text)
		}
		switch s.Kind {
		case data.SectionCode:
			codeRunes += runes
			if s.Fenced {
				p.CodeBlockCount++
			}
		case data.SectionProse:
			p.OrderedListCount += orderedItems(text)
			for range Spans(text) {
				spans++
			}
		}
	}
	p.CodeFraction = ratio(codeRunes, allRunes)
	p.InlineCodeDensity = density(spans, p.WordCount)
	for _, f := range files {
		name := path.Base(f.Path)
		p.HasBundledFiles = p.HasBundledFiles || !data.IsSkillFile(name)
		p.HasReferences = p.HasReferences || isReference(name)
	}
	return p
}

func orderedItems(text string) int {
	count := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, " \t>")
		rest := strings.TrimLeft(line, "0123456789")
		digits := len(line) - len(rest)
		// CommonMark: at most nine digits, then a full stop or a parenthesis, then white space or nothing.
		if digits == 0 || digits > 9 || rest == "" || (rest[0] != '.' && rest[0] != ')') {
			continue
		}
		if len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t' {
			count++
		}
	}
	return count
}

func isReference(name string) bool {
	lower := strings.ToLower(name)
	stem, isMarkdown := strings.CutSuffix(lower, ".md")
	if !isMarkdown {
		return false
	}
	switch strings.SplitN(stem, ".", 2)[0] {
	case "skill", "readme", "license", "licence", "changelog", "changes", "history", "notice", "copying", "contributing", "code_of_conduct", "security":
		return false
	}
	return true
}

// Span is an inline code span of a text.
type Span struct {
	Start int // byte offset of its content
	Text  string
}

// Spans yields the inline code spans of a prose text: a run of backticks up to the next run of equal length
// in the same paragraph.
func Spans(text string) func(yield func(Span) bool) {
	return func(yield func(Span) bool) {
		offset := 0
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			if !paragraphSpans(paragraph, offset, yield) {
				return
			}
			offset += len(paragraph) + len("\n\n")
		}
	}
}

func paragraphSpans(text string, offset int, yield func(Span) bool) bool {
	runs := tickRuns(text)
	// following[i] is the next run of the same length, so that hostile text costs no second scan.
	following := make([]int, len(runs))
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		next, ok := last[runs[i].length]
		if !ok {
			next = -1
		}
		following[i] = next
		last[runs[i].length] = i
	}
	for i := 0; i < len(runs); i++ {
		closer := following[i]
		if closer < 0 {
			continue
		}
		start := runs[i].at + runs[i].length
		if !yield(Span{Start: offset + start, Text: text[start:runs[closer].at]}) {
			return false
		}
		i = closer
	}
	return true
}

type tickRun struct{ at, length int }

func tickRuns(text string) []tickRun {
	var runs []tickRun
	for at := 0; at < len(text); {
		step := strings.IndexByte(text[at:], '`')
		if step < 0 {
			break
		}
		at += step
		length := len(text) - at - len(strings.TrimLeft(text[at:], "`"))
		runs = append(runs, tickRun{at, length})
		at += length
	}
	return runs
}
