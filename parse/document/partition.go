package document

import (
	"bytes"

	"skillcorpus/data"
	"skillcorpus/parse/encoding"
	"skillcorpus/parse/frontmatter"
)

// cutter lays sections side by side over a file. Every border but that of the byte order mark is the
// beginning of a line, so a section is a run of lines and no byte can fall between two.
type cutter struct {
	content  []byte
	text     encoding.Text
	at       int // first line that has no section yet
	sections []data.Section
}

// partition lays out the sections: the frontmatter, then from line first on what the scan found, and prose
// between and after.
func partition(content []byte, text encoding.Text, block frontmatter.Block, s *scan, first int) []data.Section {
	c := cutter{content: content, text: text, sections: make([]data.Section, 0, 2*len(s.blocks)+4)}
	if text.BOM > 0 {
		c.sections = append(c.sections, data.Section{Kind: data.SectionDelimiter, End: text.BOM, Line: 1})
	}
	if block.End > 0 {
		body, bodyEnd := text.LineAt(block.Body), text.LineAt(block.BodyEnd)
		if block.BodyEnd == len(text.Bytes) {
			bodyEnd = text.Lines()
		}
		c.to(body, data.SectionDelimiter)
		c.to(bodyEnd, data.SectionFrontmatter)
		c.to(first, data.SectionDelimiter)
	}
	for _, b := range s.blocks {
		c.code(b, first)
	}
	c.to(text.Lines(), data.SectionProse)
	c.setTexts()
	return c.sections
}

// setTexts gives each section but code the text that a reader sees, where that differs from the file's bytes.
func (c *cutter) setTexts() {
	end := c.text.Lines()
	for i := len(c.sections) - 1; i >= 0; i-- {
		section := &c.sections[i]
		start := section.Line - 1
		if section.Kind != data.SectionCode {
			section.Text = c.differing(*section, start, end)
		}
		end = start
	}
}

// to gives the lines up to end one kind, joined to the section before if that has the same.
func (c *cutter) to(end int, kind data.SectionKind) {
	if end <= c.at {
		return
	}
	last := len(c.sections) - 1
	if last < 0 || c.sections[last].Kind != kind || kind == data.SectionCode {
		c.sections = append(c.sections, data.Section{Kind: kind, Start: c.text.Origin(c.at), Line: c.at + 1})
		last++
	}
	c.sections[last].End = c.text.Origin(end)
	c.at = end
}

func (c *cutter) code(b block, first int) {
	if b.open >= 0 {
		c.to(first+b.open, data.SectionProse)
		c.to(first+b.open+1, data.SectionDelimiter)
	} else {
		c.to(first+b.start, data.SectionProse)
	}
	if b.end > b.start {
		c.to(first+b.end, data.SectionCode)
		section := &c.sections[len(c.sections)-1]
		section.Info, section.Lang, section.Language = b.info, Language(b.info), LanguageName(b.info)
		section.Fenced = b.open >= 0
		section.Open = section.Fenced && b.close < 0 && c.at == c.text.Lines()
		section.Text = nil
		if string(c.content[section.Start:section.End]) != b.text {
			section.Text = &b.text
		}
	}
	if b.close >= 0 {
		c.to(first+b.close+1, data.SectionDelimiter)
	}
}

// differing returns the text of a section's lines with `\n` line ends where that differs from the file's bytes.
func (c *cutter) differing(s data.Section, start, end int) *string {
	text := unixLines(c.text.Bytes[c.text.LineStart(start):c.text.LineStart(end)])
	if bytes.Equal(text, c.content[s.Start:s.End]) {
		return nil
	}
	read := string(text)
	return &read
}
