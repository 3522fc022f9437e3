package rules

import (
	"fmt"

	"skillcorpus/audit/facts"
)

// enough is how many points make the code of a SKILL.md, without bundled scripts, a thing to be run.
const enough = 3

// hint is one of the reasons for which readers take the code of a SKILL.md for whole, or for an illustration.
type hint struct {
	points int // for it, or against it; 0 where it is not there
	line   int // where it is seen first
	words  string
}

// hints weighs a SKILL.md. Signs, thresholds and points were fitted to the labels of careful readers for skills without
// scripts: a logistic regression, its weights rounded to whole points (docs/audit.md tells how, and how well it holds for
// skills that it was not fitted to).
func hints(f facts.Facts, t tally) []hint {
	p := f.Page
	share := t.share(f)
	return []hint{
		{when(share >= 0.1, 2), t.line, fmt.Sprintf("%.0f %% of all characters are commands or programs", 100*share)},
		{when(t.longest >= 60, 2), t.longestLine, fmt.Sprintf("a program of %d lines stands in one block", t.longest)},
		{when(t.calls >= 5, 2) + when(t.calls >= 2 && t.calls < 5, 1), t.callLine, fmt.Sprintf("%d commands or requests stand there, to be sent", t.calls)},
		{when(p.Covered > 0 && 5*p.Covered >= p.Headings, 1), t.line, fmt.Sprintf("%d of %s stand right over code", p.Covered, number(p.Headings, "heading"))},
		{when(p.Setup.Count > 0, 1), p.Setup.Line, fmt.Sprintf("a heading tells what to set up first: %q", clip(p.Setup.Words))},
		{when(p.Guide.Count > 0, -1), p.Guide.Line, fmt.Sprintf("it is a guide, or for somebody to be: %q", clip(p.Guide.Words))},
		{when(p.Patterns.Count >= 2, -1), p.Patterns.Line, fmt.Sprintf("%d headings are over patterns, principles or pitfalls, the first %q", p.Patterns.Count, clip(p.Patterns.Words))},
		{when(p.Good.Count > 0 && p.Bad.Count > 0, -1), p.Bad.Line, fmt.Sprintf("good examples are set against bad ones: %q", clip(p.Bad.Words))},
		undefined(f),
	}
}

func undefined(f facts.Facts) hint {
	names := f.Page.Undefined
	switch len(names) {
	case 0:
		return hint{}
	case 1:
		return hint{-1, names[0].Line, fmt.Sprintf("%q is called and defined nowhere on the page", clip(names[0].Text))}
	}
	return hint{-2, names[0].Line, fmt.Sprintf("%d names are called and defined nowhere on the page, the first %q", len(names), clip(names[0].Text))}
}

func when(holds bool, points int) int {
	if holds {
		return points
	}
	return 0
}
