package document

import (
	"regexp"
	"strings"

	"skillcorpus/parse/encoding"
)

// whenToUse matches headings whose section says when a skill is to be used. In 35,127 real skills 4,170 are
// `When to use`, 2,412 `When to trigger`, 1,871 `When to use this skill`, 490 `Use this skill when`.
var whenToUse = regexp.MustCompile(`(?i)^\W*(when (to (use|trigger|activate|apply|invoke)|this (skill )?(applies|activates))\b|use (this skill )?when|trigger(s$|$| (phrases|keywords|conditions))|activation$|example trigger phrases|触发条件)`)

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
