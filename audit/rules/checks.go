package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/audit/facts"
	"skillcorpus/audit/reference"
)

func missingFile(f facts.Facts) []place {
	return inState(f, reference.Missing, func(r reference.Reference) string {
		return fmt.Sprintf("%s is named in %s and not there", quoted(r), r.Kind)
	})
}

func caseMismatch(f facts.Facts) []place {
	return inState(f, reference.CaseMismatch, func(r reference.Reference) string {
		return fmt.Sprintf("%s is spelled %q in the bundle", quoted(r), r.Actual)
	})
}

func outsideMissing(f facts.Facts) []place {
	return inState(f, reference.OutsideMissing, func(r reference.Reference) string {
		return fmt.Sprintf("%s leads out of the skill's folder to no file of the repository", quoted(r))
	})
}

func pathEscape(f facts.Facts) []place {
	return inState(f, reference.Escapes, func(r reference.Reference) string {
		return fmt.Sprintf("%s leaves the repository", quoted(r))
	})
}

func inState(f facts.Facts, state reference.State, say func(reference.Reference) string) []place {
	var places []place
	for _, r := range f.References {
		if r.State != state {
			continue
		}
		message := say(r)
		if r.UnclosedCode {
			message += ", inside a fence that nothing closes"
		}
		places = append(places, place{line: r.Line, message: message})
	}
	return places
}

func quoted(r reference.Reference) string {
	if r.Written == r.Path {
		return fmt.Sprintf("%q", clip(r.Path))
	}
	return fmt.Sprintf("%q (written %q)", clip(r.Path), clip(r.Written))
}

func unbundledFile(f facts.Facts) []place {
	var places []place
	for _, file := range f.Bundle.Files {
		if file.Note != "" {
			places = append(places, place{file: file.Path, message: file.Note})
		}
	}
	return places
}

func unclosedFence(f facts.Facts) []place {
	var places []place
	for _, u := range f.Code {
		if u.Open {
			places = append(places, place{line: u.Line, message: "fence is never closed"})
		}
	}
	return places
}

// brokenCode leaves fences out that nothing closes: what is below them is no code, and has its own rule.
func brokenCode(f facts.Facts) []place {
	var places []place
	for _, u := range f.Code {
		if u.State != code.Broken || u.Open {
			continue
		}
		at, where := u.Line, ""
		if u.Script {
			at = u.ProblemLine
		} else if u.ProblemLine != u.Line {
			where = fmt.Sprintf(" (line %d)", u.ProblemLine)
		}
		places = append(places, place{file: u.File, line: at, message: fmt.Sprintf("%s: %s%s", u.Lang, clip(u.Problem), where)})
	}
	return places
}

func placeholderCode(f facts.Facts) []place {
	var places []place
	for _, u := range f.Code {
		if u.Elision != "" && !u.Open {
			places = append(places, place{file: u.File, line: u.ElisionLine, message: fmt.Sprintf("%s: %s", u.Lang, u.Elision)})
		}
	}
	return places
}

// clip shortens words that are quoted in a message.
func clip(text string) string {
	const most = 120
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
