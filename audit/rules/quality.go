package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"skillcorpus/audit/conformance"
	"skillcorpus/audit/facts"
)

func junkContent(f facts.Facts) []place {
	switch {
	case f.Binary:
		return []place{{line: 1, message: "binary file"}}
	case f.Junk != "":
		return []place{{line: f.JunkLine, message: f.Junk}}
	}
	return nil
}

func emptyBody(f facts.Facts) []place {
	if f.Prose.BodyLine != 0 || f.Binary {
		return nil
	}
	return []place{{line: 1, message: "no text after the frontmatter"}}
}

// Limits on a description, in words. The median of 35,129 skills is about thirty; below six nothing can be said of
// what a skill does and when.
const (
	fewWords   = 6
	manyPieces = 14 // pieces between commas that are no sentence but a list of keywords
	manyQuotes = 8  // phrases in quotes
)

// triggerWords say when a skill is to be used.
var triggerWords = regexp.MustCompile(`(?i)\b(?:use (?:this|it|when|for|to|if|after|before|whenever|proactively)|used (?:when|for|to)|when(?:ever)?\b|trigger|invoke|activat|applies|should be used|for (?:\w+ing|tasks|projects|users|all|any|every)\b|, for \w|before|after|during|mandatory|preferred for|cuando|quando|quand|lorsque|wenn|if (?:the|you|a)|ask(?:s|ed|ing)? (?:to|for|about)|helps?|mention)|使用|用于|当|场景|触发|適用|利用|とき|場合|때|사용`)

func described(f facts.Facts) (text string, ok bool) {
	empty := slices.ContainsFunc(f.Conformance.Faults, func(fault conformance.Fault) bool { return fault.Rule == "empty-description" })
	return f.Describe.Text, f.Describe.Text != "" && !empty && !f.Binary && f.Junk == "" && ascii(f.Describe.Text)
}

// ascii reports whether words are told by blanks: a description in another script has none to count.
func ascii(text string) bool {
	other := 0
	for _, r := range text {
		if r > 0x24F {
			other++
		}
	}
	return other*10 < len(text)
}

func descriptionShort(f facts.Facts) []place {
	text, ok := described(f)
	if words := len(strings.Fields(text)); ok && words < fewWords {
		return []place{{line: f.Describe.Line, message: fmt.Sprintf("%s: %q", number(words, "word"), clip(text))}}
	}
	return nil
}

func descriptionTrigger(f facts.Facts) []place {
	text, ok := described(f)
	if !ok || len(strings.Fields(text)) < fewWords || triggerWords.MatchString(text) {
		return nil
	}
	return []place{{line: f.Describe.Line, message: fmt.Sprintf("says what, not when: %q", clip(text))}}
}

// vague are openings and words that fit any skill.
var vague = regexp.MustCompile(`(?i)^(?:a |an |the |this |my )?(?:(?:very |really |most )?(?:useful|helpful|simple|great|powerful|general|generic|comprehensive|basic) )?(?:skill|tool|helper|utility|agent|assistant|things?|stuff)(?: (?:for|to|that|which) (?:various|many|different|all|general|any|do(?:es)? everything)\b.*)?[.!]?$|^(?:todo:|tbd\b|placeholder\b|your description|description of what)`)

func descriptionVague(f facts.Facts) []place {
	text, ok := described(f)
	if !ok || !vague.MatchString(strings.TrimSpace(text)) {
		return nil
	}
	return []place{{line: f.Describe.Line, message: clip(text)}}
}

// descriptionStuffed finds lists of keywords in the place of sentences.
func descriptionStuffed(f facts.Facts) []place {
	text, ok := described(f)
	if !ok {
		return nil
	}
	if quotes := strings.Count(text, "\"") / 2; quotes >= manyQuotes {
		return []place{{line: f.Describe.Line, message: fmt.Sprintf("%d phrases in quotes", quotes)}}
	}
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '.' || r == ';' || r == '\n' }) {
		if pieces := strings.Count(sentence, ",") + 1; pieces >= manyPieces {
			return []place{{line: f.Describe.Line, message: fmt.Sprintf("%d pieces between commas in one sentence", pieces)}}
		}
	}
	return nil
}
