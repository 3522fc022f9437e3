package danger

import (
	"regexp"
	"slices"
	"strings"

	"skillcorpus/data"
)

var (
	// An order to drop the rules that are in force.
	override = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget|override|bypass|discard)\s+(?:all\s+|any\s+|every\s+|of\s+|the\s+|your\s+|my\s+|these\s+|those\s+)*(?:previous|prior|above|earlier|preceding|system|safety|original|former)\s+(?:\w+\s+){0,2}(?:instructions?|prompts?|rules|guidelines|directives|constraints|restrictions|policies|safeguards)\b`)
	// An order to keep the user in the dark.
	conceal = regexp.MustCompile(`(?i)\b(?:do\s+not|don't|never)\s+(?:tell|inform|notify|alert|mention\s+(?:this|it|that)\s+to|reveal\s+(?:this|it|that)\s+to|show\s+(?:this|it)\s+to|disclose\s+(?:this|it|that)\s+to|let)\s+the\s+(?:user|human)(?:s)?\s+(?:about\s+(?:this|these|it|the)|that\s+(?:you|this|it)|know|see|of\s+this)\b|\bwithout\s+(?:telling|informing|notifying|alerting)\s+the\s+(?:user|human)\b|\b(?:secretly|silently|covertly)\s+(?:send|upload|exfiltrate|transmit|collect|install|modify|copy)\b|\bhide\s+(?:this|it)\s+from\s+the\s+(?:user|human)\b`)
	quoted  = regexp.MustCompile("[\"“”'‘’`«»]")
	// A word before the order that makes it the object of a sentence, a list or a lesson.
	spokenOf = regexp.MustCompile(`(?i)\b(?:injection|jailbreak|attack|attempt|adversar|pattern|phrase|such as|e\.g\.|for example|example|like|says?|saying|containing|contains?|detect|treat|flag|reject|if (?:a|the|any)|instructions? (?:to|that)|asks? (?:you )?to|tell(?:s|ing)? (?:you|it|the agent) to|tries to|trying to|attempts? to|cannot|can't|may not|must not|should not|never|do not|don't|not to|no\b)`)
)

// order is a pattern with the words, in lower case, of which a line that it matches has one in each group.
type order struct {
	rule    string
	pattern *regexp.Regexp
	words   [][]string
}

func allOrders() []order {
	return []order{
		{"instruction-override", override, [][]string{{"ignore", "disregard", "forget", "override", "bypass", "discard"}}},
		{"concealment", conceal, [][]string{{"user", "human", "secretly", "silently", "covertly"}, {"not", "n't", "never", "without", "hide", "ly"}}},
	}
}

func (o order) possible(lower string) bool {
	for _, group := range o.words {
		if !slices.ContainsFunc(group, func(word string) bool { return strings.Contains(lower, word) }) {
			return false
		}
	}
	return true
}

// maxRow bounds the lines that are looked at, in bytes.
const maxRow = 8000

// orders returns orders to the agent in the prose. What stands in quotes or is spoken of is an example.
func orders(text string) []Sign {
	all, lower := allOrders(), strings.ToLower(text)
	all = slices.DeleteFunc(all, func(o order) bool { return !o.possible(lower) })
	if len(all) == 0 {
		return nil
	}
	var signs []Sign
	for i, row := range strings.Split(text, "\n") {
		if len(row) > maxRow {
			continue
		}
		lower := strings.ToLower(row)
		for _, o := range all {
			if !o.possible(lower) {
				continue
			}
			if at := o.pattern.FindStringIndex(row); at != nil {
				words := clip(row[at[0]:min(len(row), at[1]+40)])
				before := row[:at[0]]
				signs = append(signs, Sign{Rule: o.rule, Line: i, Words: words, Confidence: meant(row, before), Alone: sentence.MatchString(before)})
			}
		}
	}
	return signs
}

// sentence is what may stand in a line before a sentence: nothing, the mark of a list or a comment, another sentence.
var sentence = regexp.MustCompile(`(?:^\s*(?:[-*+#]+\s|\d+\.\s|<!--)?|[.!?>])[\s*_]*$`)

// meant is low where the words before an order in its line quote it, speak of it or make it part of a table.
func meant(row, before string) data.Confidence {
	start := strings.TrimSpace(row)
	if len(quoted.FindAllString(before, -1))%2 == 1 || spokenOf.MatchString(before) || strings.HasSuffix(strings.TrimRight(row, " *"), ":") ||
		strings.HasPrefix(start, "|") || strings.HasPrefix(start, ">") {
		return data.ConfidenceLow
	}
	return data.ConfidenceHigh
}
