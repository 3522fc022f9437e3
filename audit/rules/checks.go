package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/audit/facts"
	"skillcorpus/audit/license"
	"skillcorpus/audit/reference"
)

func junkContent(f facts.Facts) []place {
	switch {
	case f.Binary:
		return []place{{line: 1, message: "binary file"}}
	case f.Junk != "":
		return []place{{line: f.JunkLine, message: f.Junk}}
	}
	return nil
}

func emptyBody(f facts.Facts) []place {
	if f.Prose.BodyLine != 0 || f.Binary {
		return nil
	}
	return []place{{line: 1, message: "no text after the frontmatter"}}
}

func missingName(f facts.Facts) []place {
	if f.Binary || f.Junk != "" || f.Name.Text != "" {
		return nil
	}
	return []place{{line: max(1, f.Name.Line), message: fmt.Sprintf("no name; the folder's is %q", f.Folder)}}
}

func missingDescription(f facts.Facts) []place {
	if f.Binary || f.Junk != "" || f.Describe.Text != "" {
		return nil
	}
	return []place{{line: max(1, f.Describe.Line), message: "no description"}}
}

// nameForm holds a name against agentskills.io as its reference validator does: letters of any script count.
func nameForm(f facts.Facts) []place {
	if f.Name.Text == "" {
		return nil
	}
	if why := facts.NameFault(f.Name.Text); why != "" {
		return []place{{line: f.Name.Line, message: fmt.Sprintf("name %q %s", clip(f.Name.Text), why)}}
	}
	return nil
}

func nameFolder(f facts.Facts) []place {
	if f.Name.Text == "" || f.Name.Text == f.Folder || f.Bundle.Path == "" {
		return nil
	}
	return []place{{line: f.Name.Line, message: fmt.Sprintf("name %q, folder %q", clip(f.Name.Text), f.Folder)}}
}

// maxDescription is agentskills.io's limit, in characters.
const maxDescription = 1024

func descriptionLength(f facts.Facts) []place {
	if n := utf8.RuneCountInString(f.Describe.Text); n > maxDescription {
		return []place{{line: f.Describe.Line, message: fmt.Sprintf("%d characters, %d allowed", n, maxDescription)}}
	}
	return nil
}

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

func unknownLicense(f facts.Facts) []place {
	switch {
	case f.License.ID != license.Unknown:
		return nil
	case f.License.Written != "":
		return []place{{line: f.License.Line, message: fmt.Sprintf("%q is no SPDX licence", clip(f.License.Written))}}
	}
	return []place{{message: "neither the skill nor its repository states a licence"}}
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
