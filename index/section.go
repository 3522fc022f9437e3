package index

import (
	"strings"
	"unicode/utf8"

	"skillcorpus/index/lexical"
)

// Section is a part of a skill that has a vector of its own.
type Section string

// The sections that are embedded.
const (
	SectionDescription Section = "description"
	SectionYAML        Section = "yaml" // the frontmatter as written
	SectionProse       Section = "prose"
	SectionCode        Section = "code"
)

// Sections returns all sections.
func Sections() []Section {
	return []Section{SectionDescription, SectionYAML, SectionProse, SectionCode}
}

// text returns the text of a section, of which the embedder reads the beginning; empty ones have no vector.
func (s Section) text(skill lexical.Skill) string {
	text := skill.Description + " " + skill.Unread
	switch s {
	case SectionYAML:
		text = skill.YAML
	case SectionProse:
		text = skill.Prose
	case SectionCode:
		text = skill.Code
	}
	return strings.TrimSpace(text)
}

// bytesPerToken is more than a token of any text takes, white space included, but for freaks of a few.
const bytesPerToken = 32

// beginning cuts a text behind what an embedder reads of it, so that the texts of a whole corpus can wait in
// memory.
func beginning(text string, tokens int) string {
	end := tokens * bytesPerToken
	if len(text) <= end {
		return text
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
