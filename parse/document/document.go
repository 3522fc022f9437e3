// Package document owns the parse of one SKILL.md: from bytes to a data.Document whose sections cover every
// byte, with the fields a searcher needs, headings, links, lists,
// tables, raw HTML and findings. It is pure: no I/O, no state, and no
// input makes it fail; troubles are findings. The root of parse calls it in its workers, and `parse FILE`
// directly.
package document

import (
	"bytes"
	"slices"

	"skillcorpus/data"
	"skillcorpus/parse/encoding"
	"skillcorpus/parse/frontmatter"
	"skillcorpus/parse/rule"
)

// Source says where a SKILL.md comes from.
type Source struct {
	File   string // the File of every finding: the main file's name as spelled in its directory
	Folder string // name of the skill's directory (data.FolderName): the name of a skill that gives none
}

// Parse cuts a SKILL.md into sections and reads its frontmatter. Lines count from 1; offsets are bytes of
// content, whatever its encoding. An empty file has no sections.
func Parse(content []byte, source Source) data.Document {
	doc := parse(content, source.Folder)
	for i := range doc.Findings {
		doc.Findings[i].File = source.File
	}
	slices.SortStableFunc(doc.Findings, func(a, b data.Finding) int { return a.Line - b.Line })
	return doc
}

func parse(content []byte, folder string) data.Document {
	text := encoding.Decode(content)
	doc := data.Document{Name: folder, Findings: text.Findings, Binary: text.Binary}
	if text.Binary {
		doc.Sections = []data.Section{{Kind: data.SectionDelimiter, End: len(content), Line: 1}}
		return doc
	}
	block, found, unclosed := frontmatter.Cut(text.Bytes)
	reading := read(&doc, text, block, found, unclosed)
	first := text.LineAt(block.End)
	if block.End == len(text.Bytes) {
		first = text.Lines()
	}
	markdown, last := scanBody(&doc, text, first)
	doc.Sections = partition(content, text, block, markdown, first)
	for _, h := range markdown.headings {
		doc.Headings = append(doc.Headings, data.Heading{Level: h.level, Line: first + h.line + 1, Text: h.text})
	}
	for _, l := range markdown.links {
		doc.Links = append(doc.Links, data.Link{Line: first + l.line + 1, Target: l.target, Text: l.text, Image: l.image})
	}
	for _, e := range markdown.elements {
		e.Line, e.End = first+e.Line+1, first+e.End+1
		doc.Blocks = append(doc.Blocks, e)
	}
	reportMarkdown(&doc, markdown, first, last == text.Lines())
	doc.Fields = fields(doc.Frontmatter)
	doc.Fields.Unread = reading.Unread
	doc.Fields.Triggers = append(doc.Fields.Triggers, triggerSections(text, markdown, first)...)
	return doc
}

// read fills in what the frontmatter says, and reports what it doesn't.
func read(doc *data.Document, text encoding.Text, block frontmatter.Block, found bool, unclosed int) frontmatter.Reading {
	switch {
	case unclosed > 0:
		doc.Findings = append(doc.Findings, rule.Finding(rule.Unclosed, unclosed,
			"the delimiter opens frontmatter that is never closed; the folder gives the name"))
		return frontmatter.Reading{}
	case !found:
		doc.Findings = append(doc.Findings, rule.Finding(rule.Missing, 1, "%s", missing(text.Bytes)))
		return frontmatter.Reading{}
	}
	line := text.LineAt(block.Body) + 1
	reading := frontmatter.Read(text.Bytes[block.Body:block.BodyEnd], block.Format, line)
	doc.Frontmatter = reading.Frontmatter
	doc.Findings = append(doc.Findings, reading.Findings...)
	if !reading.Hostile {
		identify(doc, line)
	}
	return reading
}

// missing names what stands where frontmatter should open, for the oddities that the corpus shows.
func missing(text []byte) string {
	why := ""
	text = bytes.TrimSpace(text)
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	switch line = bytes.TrimSpace(line); {
	case len(text) == 0:
		why = "the file is empty"
	case len(line) > 3 && len(bytes.Trim(line, "-")) == 0:
		why = "it opens with exactly three dashes, and this line has more"
	case bytes.HasPrefix(line, []byte("---")):
		why = "it opens with three dashes alone on their line"
	case bytes.HasPrefix(line, []byte("```")):
		why = "the file begins with a code fence"
	case bytes.HasPrefix(line, []byte("name:")):
		why = "the keys have no line of three dashes above them"
	case bytes.HasPrefix(line, []byte("<<<<<<<")):
		why = "the file begins with a conflict that Git could not merge"
	case len(rest) == 0 && bytes.HasPrefix(line, []byte("../")):
		why = "the file holds a path: a link that was stored as text"
	default:
		return "no frontmatter; the folder gives the name"
	}
	return "no frontmatter: " + why + "; the folder gives the name"
}

// scanBody parses the Markdown from a line on, and returns also the line at which parsing ended: the number
// of lines, but for a file that is too large.
func scanBody(doc *data.Document, text encoding.Text, first int) (*scan, int) {
	last := text.Lines()
	if len(text.Bytes) > MaxBytes {
		last = max(first, text.LineAt(MaxBytes))
		doc.Findings = append(doc.Findings, rule.Finding(rule.TooLarge, last+1,
			"%d bytes of text; only whole lines within the first %d are parsed", len(text.Bytes), MaxBytes))
	}
	base := text.LineStart(first)
	starts := make([]int, last-first)
	for i := range starts {
		starts[i] = text.LineStart(first+i) - base
	}
	return scanMarkdown(text.Bytes[base:text.LineStart(last)], starts), last
}

func reportMarkdown(doc *data.Document, s *scan, first int, whole bool) {
	report := func(id string, line int, format string, args ...any) {
		doc.Findings = append(doc.Findings, rule.Finding(id, first+line+1, format, args...))
	}
	for _, b := range s.blocks {
		switch {
		case b.open < 0 || b.close >= 0:
		case b.end < len(s.starts):
			report(rule.CutFence, b.open, "the fence has no closing line inside its list item or quote")
		case whole:
			report(rule.UnclosedFence, b.open, "the fence is never closed: everything below it is code")
		}
	}
	if s.deep >= 0 {
		report(rule.TooDeep, s.deep, "lists and quotes nested more than %d deep, or more than %d in all", MaxNesting, MaxLists)
	}
	if len(bytes.TrimSpace(s.source)) == 0 && whole {
		report(rule.EmptyBody, max(0, first+len(s.starts)-1)-first, "there is no text beside the frontmatter")
	}
	if s.unread >= 0 {
		report(rule.LinksNotParsed, s.unread, "links not read: the paragraph has too many brackets for its length")
	}
}
