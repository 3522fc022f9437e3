package document

import (
	"regexp"
	"strings"

	"skillcorpus/parse/encoding"
)

// Headings matches the headings whose section says when a skill is to be used, by the words they begin with.
// docs/parse.md has the count of each in the reference corpus.
func Headings() []Alias {
	return []Alias{
		{"When to use", []string{`when to (?:use|trigger|activate|apply|invoke)\b`}},
		{"When this skill applies", []string{`when this (?:skill )?(?:applies|activates)\b`}},
		{"Use this skill when", []string{`use (?:this skill )?when\b`}},
		{"Triggers", []string{`trigger(?:s$|$| (?:phrases|keywords|conditions))`, `example trigger phrases`, `activation$`}},
		{"触发条件, 触发时机, 何时使用, 使用场景", []string{`触发条件`, `触发时机`, `何时使用`, `使用场景`}},
	}
}

// whenToUse matches all of Headings.
var whenToUse = headingPattern(Headings()...)

func headingPattern(rows ...Alias) *regexp.Regexp {
	var words []string
	for _, row := range rows {
		words = append(words, row.Keys...)
	}
	return regexp.MustCompile(`(?i)^\W*(?:` + strings.Join(words, "|") + `)`)
}

// Bounds on what is taken of such sections.
const (
	maxTrigger         = 2 << 10 // bytes of one section
	maxTriggerSections = 4
)

// triggerSections returns the prose below each heading that says when to use the skill, up to the next one.
// Line first of the text is the scan's line 0.
func triggerSections(text encoding.Text, s *scan, first int) []string {
	var found []string
	for i, h := range s.headings {
		if !whenToUse.MatchString(h.text) {
			continue
		}
		end := len(s.starts)
		if i+1 < len(s.headings) {
			end = s.headings[i+1].line
		}
		if prose := proseBetween(text, s, first, h.line+1, end); prose != "" {
			found = append(found, prose)
		}
		if len(found) == maxTriggerSections {
			break
		}
	}
	return found
}

// proseBetween returns the lines from one of the scan up to another that are not code, at most maxTrigger bytes.
func proseBetween(text encoding.Text, s *scan, first, from, to int) string {
	var out []byte
	add := func(start, end int) {
		if start < end && len(out) < maxTrigger {
			prose := text.Bytes[text.LineStart(first+start):text.LineStart(first+end)]
			out = append(out, prose[:min(len(prose), maxTrigger-len(out))]...)
		}
	}
	for _, b := range s.blocks {
		if b.end <= from || b.start >= to {
			continue
		}
		start := b.start
		if b.open >= 0 {
			start = b.open
		}
		add(from, start)
		from = max(b.end, b.close+1)
	}
	add(from, to)
	return strings.TrimSpace(strings.ToValidUTF8(string(unixLines(out)), ""))
}
