package rules

import (
	"cmp"
	"fmt"
	"slices"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// maxReasons bounds the places that one part of a verdict names.
const maxReasons = 10

// The parts of a verdict, as its JSON names them.
const (
	partBearing = "code_bearing"
	partSound   = "code_sound"
	partMissing = "missing_files"
	partPurpose = "purpose_aligned"
	partTier    = "tier"
)

// reasons collects why a verdict is as it is.
type reasons struct {
	skillFile string
	all       []data.Reason
	count     map[string]int
}

// add notes a reason; an empty file stands for SKILL.md where there is a line, and for the whole skill else.
func (r *reasons) add(part, file string, line int, format string, args ...any) {
	if r.count[part]++; r.count[part] > maxReasons {
		return
	}
	if line > 0 {
		file = cmp.Or(file, r.skillFile)
	}
	r.all = append(r.all, data.Reason{Part: part, File: file, Line: line, Words: fmt.Sprintf(format, args...)})
}

// list returns the reasons part by part, each part with a last word on the places that were left out.
func (r *reasons) list() []data.Reason {
	for _, part := range []string{partBearing, partSound, partMissing, partPurpose, partTier} {
		if more := r.count[part] - maxReasons; more > 0 {
			r.all = append(r.all, data.Reason{Part: part, Words: fmt.Sprintf("and %d more places", more)})
		}
	}
	slices.SortStableFunc(r.all, func(a, b data.Reason) int { return partOrder(a.Part) - partOrder(b.Part) })
	return r.all
}

func partOrder(part string) int {
	return slices.Index([]string{partBearing, partSound, partMissing, partPurpose, partTier}, part)
}

// bearing says whether there is code at all, by the paper's rule, and where.
func (r *reasons) bearing(f facts.Facts) bool {
	scripts := 0
	for _, file := range f.Bundle.Files {
		if isScript(file) {
			scripts++
			words := "a bundled script"
			if file.Note == data.NoteUnread {
				words += ", which could not be read: nothing of it was judged"
			}
			r.add(partBearing, file.Path, 0, "%s", words)
		}
	}
	if n := f.Exact.CodeBlockCount; n > 0 {
		line := 0
		for _, u := range f.Code {
			if u.Fenced {
				line = u.Line
				break
			}
		}
		r.add(partBearing, "", line, "%s of code in SKILL.md", number(n, "fence"))
		return true
	}
	if scripts == 0 {
		words := "no bundled script and no fence of code"
		if len(f.Code) > 0 {
			words = "no bundled script, and no fence of code that stands at the start of a line, as the paper counts them"
		}
		r.add(partBearing, "", 0, "%s", words)
	}
	return scripts > 0
}

// missing returns the files that SKILL.md names and the skill does not bring: those that are not there, and those of
// which only a stand-in is, such as a Git LFS pointer. What bundled pages and scripts name is a finding, and for scripts
// a matter of soundness.
func (r *reasons) missing(f facts.Facts) []string {
	paths := []string{}
	for _, ref := range f.References {
		switch {
		case ref.File != "":
			continue
		case ref.State == reference.Missing:
			r.add(partMissing, "", ref.Line, "%s", missingWords(ref))
		case ref.State == reference.Unbundled && ref.Actual == data.NoteUnread:
			r.add(partMissing, "", ref.Line, "%s is named in %s; it is there, and could not be read", quoted(ref), ref.Kind)
			continue
		case ref.State == reference.Unbundled:
			r.add(partMissing, "", ref.Line, "%s is named in %s, and only a stand-in of it is bundled: %s", quoted(ref), ref.Kind, ref.Actual)
		default:
			continue
		}
		paths = append(paths, ref.Path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) == 0 {
		r.add(partMissing, "", 0, "no file that SKILL.md names as the skill's own is missing")
	}
	return paths
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
