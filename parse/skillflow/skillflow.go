// Package skillflow owns the section splitter of the SkillFlow paper (arXiv 2504.06188), rule for rule, so that
// its figures can be reproduced and compared. It repairs nothing: where the rules misread a file, so does it.
// It never reads what a section says. `parse --as skillflow` and the ranker of that name call it.
package skillflow

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Empty is the text that the paper embeds in place of an empty section.
const Empty = "[empty]"

// Sections are the three texts that the paper makes of a SKILL.md.
type Sections struct {
	YAML  string `json:"yaml"`
	Prose string `json:"prose"`
	Code  string `json:"code"`
}

var (
	// frontmatter is what the text must start with; its body ends before the next line that begins `---`.
	frontmatter = regexp.MustCompile(`^---[\s\v\p{Z}]*\n`)
	// fence is a code block: the closing backticks count anywhere, also inside a line.
	fence = regexp.MustCompile("(?s)```[A-Za-z0-9+_.-]*\n(.*?)```")
	blank = regexp.MustCompile(`\n{3,}`)
)

// Split cuts a file. It is read as UTF-8, each byte that is none as U+FFFD, a byte order mark as a character, and
// line ends as `\n`. The rules are those of the paper: YAML from a first line `---` up to the next line that begins
// so; code between triple backticks, the first followed by an info string without blanks, trimmed and joined
// by a blank line; prose is what is left behind the YAML, more than two line ends made two, trimmed.
func Split(file []byte) Sections {
	yaml, body := cutYAML(decode(file))
	var code []string
	for _, m := range fence.FindAllStringSubmatch(body, -1) {
		code = append(code, trim(m[1]))
	}
	return Sections{
		YAML:  trim(yaml),
		Prose: trim(blank.ReplaceAllLiteralString(fence.ReplaceAllLiteralString(body, ""), "\n\n")),
		Code:  trim(strings.Join(code, "\n\n")),
	}
}

// Embedded returns the texts that are embedded: Empty in place of an empty one.
func (s Sections) Embedded() Sections {
	for _, text := range []*string{&s.YAML, &s.Prose, &s.Code} {
		if *text == "" {
			*text = Empty
		}
	}
	return s
}

// cutYAML returns the frontmatter's body, and what follows the three dashes that end it: all of the text where
// there is none.
func cutYAML(text string) (yaml, body string) {
	open := frontmatter.FindString(text)
	if open == "" {
		return "", text
	}
	rest := text[len(open):]
	if strings.HasPrefix(rest, "---") {
		return "", rest[len("---"):]
	}
	yaml, body, closed := strings.Cut(rest, "\n---")
	if !closed {
		return "", text
	}
	return yaml, body
}

func decode(file []byte) string {
	text := string(file)
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\r", "\n")
}

// trim drops what Python calls white space: four separators more than Unicode does.
func trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
