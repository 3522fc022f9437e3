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
}
