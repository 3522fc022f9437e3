package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/audit/facts"
)

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
