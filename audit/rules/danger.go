package rules

import (
	"skillcorpus/audit/facts"
)

// sign makes the check of one rule of package danger.
func sign(rule string) check {
	return check{rule, func(f facts.Facts) []place {
		if f.Binary {
			return nil
		}
		var places []place
		for _, s := range f.Dangers {
			if s.Rule == rule {
				places = append(places, place{file: s.File, line: s.Line, message: clip(s.Words), confidence: s.Confidence})
			}
		}
		return places
	}}
}

func secretFound(f facts.Facts) []place {
	var places []place
	for _, s := range f.Secrets {
		places = append(places, place{file: s.File, line: s.Line, message: s.Kind + ": " + s.Redacted, confidence: s.Confidence})
	}
	return places
}
