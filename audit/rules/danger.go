package rules

import (
	"fmt"

	"skillcorpus/audit/facts"
)

func pipeToShell(f facts.Facts) []place {
	var places []place
	for _, d := range f.Downloads {
		places = append(places, place{line: d.Line, message: clip(d.Text)})
	}
	return places
}

func hiddenUnicode(f facts.Facts) []place {
	var places []place
	for _, h := range f.Hidden {
		places = append(places, place{line: h.Line, message: fmt.Sprintf("%s U+%04X, %d in all", h.Kind, h.Rune, h.Count)})
	}
	return places
}
