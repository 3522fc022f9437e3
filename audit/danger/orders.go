package danger

import (
	"regexp"
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

// orders returns orders to the agent in the prose. What stands in quotes or is spoken of is an example.
func orders(text string) []Sign {
	lower := strings.ToLower(text)
	rules := map[string]*regexp.Regexp{}
	for _, word := range []string{"ignore", "disregard", "forget", "override", "bypass", "discard"} {
		if strings.Contains(lower, word) {
			rules["instruction-override"] = override
		}
	}
	for _, word := range []string{"the user", "the human", "secretly", "silently", "covertly"} {
		if strings.Contains(lower, word) {
			rules["concealment"] = conceal
		}
	}
	if len(rules) == 0 {
		return nil
	}
	var signs []Sign
	for i, row := range strings.Split(text, "\n") {
		if len(row) > 8000 {
			continue
		}
		for rule, pattern := range rules {
			at := pattern.FindStringIndex(row)
			if at == nil {
				continue
			}
			confidence := data.ConfidenceHigh
			before := row[:at[0]]
			if len(quoted.FindAllString(before, -1))%2 == 1 || spokenOf.MatchString(before) || strings.HasSuffix(strings.TrimRight(row, " *"), ":") || strings.HasPrefix(strings.TrimSpace(row), "|") || strings.HasPrefix(strings.TrimSpace(row), ">") {
				confidence = data.ConfidenceLow
			}
			signs = append(signs, Sign{Rule: rule, Line: i, Words: clip(row[at[0]:min(len(row), at[1]+40)]), Confidence: confidence})
		}
	}
	return signs
}
