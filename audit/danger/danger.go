// Package danger owns the signs that a skill might harm whoever uses it: commands that run what they download,
// destroy, persist, raise privileges, read credentials or send them away, code that hides what it does, characters
// that nobody sees, and orders to an agent to drop its rules or to keep its user in the dark.
//
// It never runs anything and never decides that a skill is malicious: each sign has a place and a confidence, which
// warnings, quotations and lessons on security lower. Package facts calls it.
package danger

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"skillcorpus/data"
)

// Sign is one sign of danger.
type Sign struct {
	Rule       string
	File       string // empty for SKILL.md
	Line       int
	Words      string // that led to it
	Confidence data.Confidence
	Alone      bool // an order that is a sentence of its own: a lesson would quote it
}

// Kind says what a text is.
type Kind int

// The kinds of text.
const (
	Prose  Kind = iota
	Code        // a block of SKILL.md
	Script      // a bundled file
)

// Text is one run of words or code of a skill.
type Text struct {
	Kind    Kind
	File    string // empty for SKILL.md
	Lang    string // canonical name of the language; empty where it is not said
	Line    int    // of the first line
	Text    string
	Context string // what stands before it: the heading and the end of the prose
}

// Skill is what a skill says of itself; lessons on security are known by it.
type Skill struct {
	ID, Name, Description string
}

// maxText bounds what of one text is looked at.
const maxText = 512 << 10

// Find returns the signs in the texts of a skill, by file, line and rule.
func Find(skill Skill, texts []Text) []Sign {
	lesson := sync.OnceValue(func() bool { return teaches.MatchString(skill.ID + " " + skill.Name + " " + skill.Description) })
	var signs []Sign
	for _, t := range texts {
		t.Text = t.Text[:min(len(t.Text), maxText)]
		for _, s := range t.signs() {
			s.File = t.File
			switch {
			case t.warned(s.Line), lesson() && !s.Alone:
				s.Confidence = data.ConfidenceLow
			case lesson() && s.Confidence == data.ConfidenceHigh:
				s.Confidence = data.ConfidenceMedium
			}
			s.Line += t.Line
			signs = append(signs, s)
		}
	}
	slices.SortStableFunc(signs, func(a, b Sign) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.CompactFunc(signs, func(a, b Sign) bool { return a.File == b.File && a.Line == b.Line && a.Rule == b.Rule })
}

// signs returns what a text shows, with lines from 0 at its start.
func (t Text) signs() []Sign {
	var signs []Sign
	if t.Kind == Prose {
		signs = orders(t.Text)
		for _, span := range spans(t.Text) {
			for _, s := range shellSigns(span.text) {
				s.Line += span.line
				signs = append(signs, s)
			}
		}
		return signs
	}
	switch t.Lang {
	case "bash", "":
		signs = shellSigns(t.Text)
	case "python", "javascript", "typescript", "powershell", "ruby", "php", "perl":
		signs = lineSigns(t.Text)
	case "sql":
		signs = sqlSigns(t.Text)
	case "dockerfile", "docker":
		signs = shellSigns(dockerRuns(t.Text))
	}
	return append(signs, blobs(t.Text)...)
}

// teaches knows a skill whose subject is danger itself: what it shows, it shows in order to explain or to find it.
var teaches = regexp.MustCompile(`(?i)secur|pentest|penetration|exploit|vulnerab|malware|malicious|forensic|red.?team|\bctf\b|hacking|attack|injection|jailbreak|threat|guardrail|dangerous|destructive|sanitiz|sandbox|privilege|escalation|\bhook|safety|audit|reverse.?engineer|obfuscat|incident|harden|compliance`)

// warns knows the words of a warning or of an example of what not to do.
var warns = regexp.MustCompile(`(?i)\bnever\b|\bdon'?t\b|\bdo not\b|\bmust not\b|\bshould not\b|\bnot allowed\b|\bavoid|\bdanger(?:ous)?\b|\bwarning|\bforbid|\bprohibit|\bblock(?:s|ed|ing)?\b|\brefus|\bdetect|\bdeny|\bdenied|\bunsafe|\binsecure|\bbad\b|\bwrong\b|\banti-?pattern|\bmalicious|\battack|\bexploit|\bvulnerab|\binject|\bsuspicious|\bdisaster|\bshould match|\brisky?\b|\bescalation|\bred flags?\b|\birreversible|\bdestructive|❌|⛔|🚫|✗|⚠`)

// warned reports whether the line, the two before it or, at the top of a text, what precedes it holds a warning.
func (t Text) warned(line int) bool {
	rows := strings.Split(t.Text, "\n")
	if line < len(rows) {
		first := max(0, line-2)
		if warns.MatchString(strings.Join(rows[first:line+1], "\n")) {
			return true
		}
	}
	return warns.MatchString(t.Context)
}

// clip shortens quoted words.
func clip(text string) string {
	const most = 120
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
