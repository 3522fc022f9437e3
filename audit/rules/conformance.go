package rules

import (
	"fmt"
	"path"
	"strings"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// breach makes the check of one rule of package conformance. What holds no skill at all has a rule of its own.
func breach(rule string) check {
	return check{rule, func(f facts.Facts) []place {
		if f.Binary || f.Junk != "" {
			return nil
		}
		var places []place
		for _, fault := range f.Conformance.Faults {
			if fault.Rule == rule {
				places = append(places, place{line: fault.Line, message: fault.Message})
			}
		}
		return places
	}}
}

// What agentskills.io advises for the part that an agent loads whole.
const (
	maxBodyLines  = 500
	maxBodyTokens = 5000
)

func bodyLength(f facts.Facts) []place {
	if f.Binary || f.Junk != "" || f.Body.Lines < maxBodyLines && f.Body.Tokens < maxBodyTokens {
		return nil
	}
	return []place{{line: f.Prose.BodyLine, message: fmt.Sprintf("%s, about %d tokens; under %d and %d are advised", number(f.Body.Lines, "line"), f.Body.Tokens, maxBodyLines, maxBodyTokens)}}
}

// deepReference leaves out what bundled pages name, and other skills below.
func deepReference(f facts.Facts) []place {
	var places []place
	told := map[string]bool{}
	for _, r := range f.References {
		if r.State != reference.Present || !ofSkillFile(r) || strings.Count(r.Path, "/") < 2 || told[r.Path] || data.IsSkillFile(path.Base(r.Path)) {
			continue
		}
		told[r.Path] = true
		places = append(places, place{line: r.Line, message: quoted(r) + " lies deeper than one folder"})
	}
	return places
}
