package data

import "slices"

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

// Once drops the findings of crawling and parsing that a finding of the audit tells as well, on the same file, with its
// remedy and its own severity. The view v_findings holds the same list.
func Once(earlier, audited []Finding) []Finding {
	type place struct{ rule, file string }
	told := map[place]bool{}
	for _, f := range audited {
		told[place{f.Rule, f.File}] = true
	}
	once := make([]Finding, 0, len(earlier))
	for _, f := range earlier {
		if !slices.ContainsFunc(f.retold(), func(rule string) bool { return told[place{rule, f.File}] }) {
			once = append(once, f)
		}
	}
	return once
}

// retold returns the audit's rules for the same fault.
func (f Finding) retold() []string {
	switch f.Rule {
	case "archive.link", "archive.too-large", "archive.refused", "discover.damaged", "discover.lfs-pointer", "discover.submodule", "discover.unread":
		return []string{"unbundled-file"}
	case "discover.spelling":
		return []string{"skill-file-spelling", "skill-file-case"}
	case "encoding.binary":
		return []string{"junk-content"}
	case "encoding.invalid":
		return []string{"not-utf8", "junk-content"}
	case "frontmatter.missing":
		return []string{"missing-frontmatter", "unclosed-frontmatter", "frontmatter-mapping", "invalid-yaml", "junk-content"}
	case "frontmatter.unclosed":
		return []string{"unclosed-frontmatter"}
	case "frontmatter.not-mapping":
		return []string{"frontmatter-mapping"}
	case "frontmatter.recovered":
		return []string{"invalid-yaml"}
	case "frontmatter.missing-name":
		return []string{"missing-name", "empty-name", "field-not-text"}
	case "frontmatter.missing-description":
		return []string{"missing-description", "empty-description", "field-not-text"}
	case "frontmatter.wrong-type":
		return []string{"field-not-text"}
	case "markdown.unclosed-fence":
		return []string{"unclosed-fence"}
	case "markdown.empty-body":
		return []string{"empty-body"}
	}
	return nil
}
