package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
)

// never is a severity that no finding reaches.
const never data.Severity = "never"

// severity reads the value of --fail-on, which goes with files only.
func severity(flags *pflag.FlagSet, files bool) (data.Severity, error) {
	if flags.Changed("fail-on") && !files {
		return "", usageError{errors.New("--fail-on needs a FILE or DIR")}
	}
	text := flags.Lookup("fail-on").Value.String()
	switch s := data.Severity(strings.ToLower(text)); s {
	case data.SeverityError, data.SeverityWarning, data.SeverityInfo, never:
		return s, nil
	}
	return "", usageError{fmt.Errorf("--fail-on %q: want error, warning, info or never", text)}
}

func anyAtLeast(findings []data.Finding, floor data.Severity) bool {
	if floor == never {
		return false
	}
	for _, f := range findings {
		if f.Severity.AtLeast(floor) {
			return true
		}
	}
	return false
}

func (e *environment) printFindings(findings []data.Finding) {
	for _, f := range findings {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		e.Printf("  %-7s %s  %s  %s\n", f.Severity, f.Rule, terminal.Quote(place), terminal.Quote(f.Message))
	}
}
