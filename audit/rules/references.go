package rules

import (
	"fmt"
	"strings"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

func missingFile(f facts.Facts) []place {
	return append(inState(f, ofSkillFile, reference.Missing, missingWords), doubtful(f, ofSkillFile)...)
}

func missingImport(f facts.Facts) []place {
	return inState(f, ofScripts, reference.Missing, missingWords)
}

func missingInPage(f facts.Facts) []place {
	return append(inState(f, ofPages, reference.Missing, missingWords), doubtful(f, ofPages)...)
}

// doubtful returns the files that are not there and may be none of the skill's. No verdict rests on them.
func doubtful(f facts.Facts, in func(reference.Reference) bool) []place {
	places := inState(f, in, reference.Doubtful, func(r reference.Reference) string {
		return missingWords(r) + "; it may be a file of the project that the skill works on"
	})
	for i := range places {
		places[i].confidence = data.ConfidenceLow
	}
	return places
}

// missingWords says of a file that is not there how it is named, and which other one may be meant.
func missingWords(r reference.Reference) string {
	words := fmt.Sprintf("%s is named in %s and not there", quoted(r), r.Kind)
	switch r.Kind {
	case reference.Import:
		words = fmt.Sprintf("%s is loaded and not there", quoted(r))
	case reference.Pattern:
		words = fmt.Sprintf("%s matches no file: its folder is not there", quoted(r))
	}
	if len(r.Near) > 0 {
		words += "; did you mean " + strings.Join(r.Near, " or ") + "?"
	}
	return words
}

func caseMismatch(f facts.Facts) []place {
	return inState(f, everywhere, reference.CaseMismatch, func(r reference.Reference) string {
		return fmt.Sprintf("%s is spelled %q in the bundle", quoted(r), r.Actual)
	})
}

func outsideMissing(f facts.Facts) []place {
	return inState(f, everywhere, reference.OutsideMissing, func(r reference.Reference) string {
		return fmt.Sprintf("%s leads out of the skill's folder to no file of the repository", quoted(r))
	})
}

func pathEscape(f facts.Facts) []place {
	return inState(f, everywhere, reference.Escapes, func(r reference.Reference) string {
		return fmt.Sprintf("%s leaves the repository", quoted(r))
	})
}

// The texts that name files: a rule looks at one kind of them, or at all.
func ofSkillFile(r reference.Reference) bool { return r.File == "" }
func ofScripts(r reference.Reference) bool   { return r.Kind == reference.Import }
func ofPages(r reference.Reference) bool     { return r.File != "" && r.Kind != reference.Import }
func everywhere(reference.Reference) bool    { return true }

func inState(f facts.Facts, in func(reference.Reference) bool, state reference.State, say func(reference.Reference) string) []place {
	var places []place
	for _, r := range f.References {
		if r.State != state || !in(r) {
			continue
		}
		message := say(r)
		if r.UnclosedCode {
			message += ", inside a fence that nothing closes"
		}
		places = append(places, place{file: r.File, line: r.Line, message: message})
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
			places = append(places, place{file: file.Path, message: standIn(file.Note)})
		}
	}
	return places
}

// standIn says in words what the note of a bundled file means.
func standIn(note string) string {
	switch note {
	case data.NoteUnread:
		return "there, but this machine may not read it: nothing of it was judged"
	case "link outside":
		return "a link that leads out of the repository"
	case "link broken":
		return "a link to nothing, or in a loop"
	case "lfs pointer":
		return "a Git LFS pointer in the place of the file"
	case "submodule":
		return "a submodule, whose files are not here"
	case "damaged":
		return "damaged: its content does not fit its size or checksum"
	}
	return note
}

func orphanFile(f facts.Facts) []place {
	var places []place
	for _, file := range f.Orphans {
		places = append(places, place{file: file, message: "no text that the skill leads to names this file"})
	}
	return places
}
