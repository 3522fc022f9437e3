package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"skillcorpus/audit/report"
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

// printByFile prints findings under the file that each is in, aligned. place says how the user finds a file; told holds
// the rules whose remedy needs no second telling, and is nil if none is wanted.
func (e *environment) printByFile(findings []data.Finding, place func(file string) string, told map[string]bool) {
	var files []string
	byFile, width := map[string][]data.Finding{}, 0
	for _, f := range findings {
		if byFile[f.File] == nil {
			files = append(files, f.File)
		}
		byFile[f.File], width = append(byFile[f.File], f), max(width, len(f.Rule))
	}
	texts := report.Texts()
	for _, file := range files {
		e.Printf("\n  %s\n", terminal.Quote(place(file)))
		for _, f := range byFile[file] {
			line := ""
			if f.Line > 0 {
				line = strconv.Itoa(f.Line)
			}
			e.Printf("  %5s  %s  %s  %s\n", line, e.severe(f.Severity), e.Dim(fmt.Sprintf("%-*s", width, f.Rule)), terminal.Quote(f.Message))
			if remedy := texts[f.Rule].Remedy; told != nil && !told[f.Rule] && remedy != "" {
				told[f.Rule] = true
				e.Printf("  %5s  %s\n", "", e.Dim("-> "+remedy))
			}
		}
	}
}

func (e *environment) severe(s data.Severity) string {
	text := fmt.Sprintf("%-7s", s)
	if s == data.SeverityError {
		return e.Bold(text)
	}
	return text
}
