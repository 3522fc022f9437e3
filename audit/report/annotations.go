package report

import (
	"fmt"
	"io"
	"strings"

	"skillcorpus/data"
)

// Annotations writes findings as the workflow commands by which GitHub Actions marks lines of a change.
func Annotations(w io.Writer, skills []Skill) error {
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, s := range skills {
		for _, f := range s.Findings {
			line := ""
			if f.Line > 0 {
				line = fmt.Sprintf(",line=%d", f.Line)
			}
			command := map[data.Severity]string{data.SeverityError: "error", data.SeverityWarning: "warning", data.SeverityInfo: "notice"}[f.Severity]
			if _, err := fmt.Fprintf(w, "::%s file=%s%s,title=%s::%s\n", command, property.Replace(s.Open(f.File)), line, property.Replace(f.Rule), text.Replace(f.Message)); err != nil {
				return err
			}
		}
	}
	return nil
}
