package data

// Severity orders findings.
type Severity string

// The severities, from the worst down.
const (
	SeverityError   Severity = "error"   // the skill does not work as it claims
	SeverityWarning Severity = "warning" // something was repaired, or is likely wrong
	SeverityInfo    Severity = "info"    // worth knowing
)

// AtLeast reports whether s is as bad as floor or worse.
func (s Severity) AtLeast(floor Severity) bool { return s.rank() >= floor.rank() }

func (s Severity) rank() int {
	switch s {
	case SeverityError:
		return 3
	case SeverityWarning:
		return 2
	case SeverityInfo:
		return 1
	}
	return 0
}

// Finding is what a rule says of a skill, with a place.
type Finding struct {
	Rule     string   `json:"rule"` // stage-prefixed: `frontmatter.duplicate-key`, `archive.refused`, `missing-file`
	Severity Severity `json:"severity"`
	File     string   `json:"file"` // from the skill's directory
	Line     int      `json:"line"` // from 1; 0 where a line makes no sense
	Message  string   `json:"message"`
	// Confidence is how sure a rule is that reads intent out of words; empty for a fault that is certain.
	Confidence Confidence `json:"confidence,omitempty"`
}

// Confidence orders the findings of rules that may be mistaken.
type Confidence string

// The degrees of confidence. A finding of low confidence is never more than an info.
const (
	ConfidenceHigh   Confidence = "high"   // the words leave no other reading
	ConfidenceMedium Confidence = "medium" // the usual reading
	ConfidenceLow    Confidence = "low"    // the words stand in a warning, a lesson or an example
)

// Once drops the findings of parsing that a finding of the audit tells as well, with its remedy and its own severity.
func Once(parsed, audited []Finding) []Finding {
	told := map[string]bool{}
	for _, f := range audited {
		told[f.Rule] = true
	}
	once := make([]Finding, 0, len(parsed))
	for _, f := range parsed {
		if !told[f.retold()] {
			once = append(once, f)
		}
	}
	return once
}

// retold returns the audit's rule for the same fault.
func (f Finding) retold() string {
	switch f.Rule {
	case "encoding.binary":
		return "junk-content"
	case "encoding.invalid":
		return "not-utf8"
	case "frontmatter.missing":
		return "missing-frontmatter"
	case "frontmatter.unclosed":
		return "unclosed-frontmatter"
	case "frontmatter.not-mapping":
		return "frontmatter-mapping"
	case "frontmatter.missing-name":
		return "missing-name"
	case "frontmatter.missing-description":
		return "missing-description"
	case "markdown.unclosed-fence":
		return "unclosed-fence"
	case "markdown.empty-body":
		return "empty-body"
	}
	return ""
}
