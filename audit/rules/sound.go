package rules

import (
	"path"
	"slices"
	"strings"

	"skillcorpus/audit/code"
	"skillcorpus/audit/facts"
	"skillcorpus/audit/proxy"
	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// sound decides whether a skill's code is whole, and notes why. Any defect that stops the code rules it out. Then
// bundled scripts suffice, unless most that can be read are stubs: what SKILL.md shows beside them does not count, for
// readers forgive a slip in it. Without scripts nothing may be run that is not there, less than half of the blocks may be
// broken or elided, and the signs must say that the code is there to be run.
func (r *reasons) sound(f facts.Facts) bool {
	t := count(f)
	switch {
	case r.defects(f):
		return false
	case bundlesProgram(f):
		return r.scripts(t)
	case r.runsAbsent(f), r.halfDone(f, t):
		return false
	}
	return r.weigh(f, t)
}

// defects notes what stops any code of the skill from running as it stands.
func (r *reasons) defects(f facts.Facts) bool {
	before := r.count[partSound]
	switch {
	case f.Binary:
		r.add(partSound, "", 1, "SKILL.md is a binary file")
	case f.Junk != "":
		r.add(partSound, "", f.JunkLine, "SKILL.md holds no skill: %s", clip(f.Junk))
	}
	for _, fault := range f.Faults {
		r.add(partSound, "", fault.Line, "%s", clip(fault.Words))
	}
	for _, ref := range f.References {
		if ref.Kind == reference.Import && ref.State == reference.Missing {
			r.add(partSound, ref.File, ref.Line, "%s", missingWords(ref))
		}
	}
	for _, u := range f.Code {
		switch {
		case u.Swallows:
			r.add(partSound, "", u.Line, "a fence is opened here and never closed, and a heading stands in it")
		case u.Script && u.State == code.Broken:
			r.add(partSound, u.File, u.ProblemLine, "%s does not parse: %s", u.Lang, clip(u.Problem))
		}
	}
	return r.count[partSound] > before
}

// scripts judges by the bundled scripts: a listing tells nothing against them.
func (r *reasons) scripts(t tally) bool {
	sound := t.scripts == 0 || t.stubs*2 < t.scripts
	switch {
	case t.scripts == 0:
		r.add(partSound, "", 0, "the bundled scripts are taken for whole: none of them could be read")
	case sound:
		r.add(partSound, "", 0, "%s parsed or left unchecked without a fault, %d of them with a stub", number(t.scripts, "bundled script"), t.stubs)
	default:
		r.add(partSound, "", 0, "%d of %s are stubs", t.stubs, number(t.scripts, "bundled script"))
	}
	return sound
}

// runsAbsent reports whether a skill without scripts of its own runs one that is not there: it is missing, or lies beyond
// the folder and so is not there when the skill is installed alone.
func (r *reasons) runsAbsent(f facts.Facts) bool {
	before := r.count[partSound]
	for _, ref := range f.References {
		switch {
		case outsideScript(ref):
			r.add(partSound, "", ref.Line, "the script that does the work lies outside the skill's folder: %s", quoted(ref))
		case ref.File == "" && ref.State == reference.Missing && (ref.Kind == reference.Command || proxy.IsScript(ref.Path)):
			r.add(partSound, "", ref.Line, "the script that does the work is not there: %s", quoted(ref))
		}
	}
	return r.count[partSound] > before
}

func outsideScript(ref reference.Reference) bool {
	return ref.Beyond && ref.State != reference.Escapes && ref.File == "" && ref.Kind == reference.Command && proxy.IsScript(ref.Path)
}

// halfDone notes the blocks that no parser takes or that leave something out, where they are half of all or more. Fewer
// are slips, which readers forgive.
func (r *reasons) halfDone(f facts.Facts, t tally) bool {
	if bad := t.broken + t.elided; bad == 0 || 2*bad < t.blocks {
		return false
	}
	for _, u := range f.Code {
		switch {
		case u.Script:
		case u.State == code.Broken:
			r.add(partSound, "", u.ProblemLine, "%s does not parse: %s", u.Lang, clip(u.Problem))
		case isElided(u):
			r.add(partSound, "", u.ElisionLine, "left out: %s", clip(u.Elision))
		}
	}
	return true
}

// weigh judges by the code in SKILL.md alone: it adds up the signs, and names each with its points.
func (r *reasons) weigh(f facts.Facts, t tally) bool {
	if t.blocks == 0 && t.calls == 0 {
		r.add(partSound, "", 0, "no code in a language that is run")
		return false
	}
	points, all := 0, hints(f, t)
	for _, s := range all {
		points += s.points
	}
	said := "the code is there to be run"
	if points < enough {
		said = "the code illustrates"
	}
	r.add(partSound, "", 0, "%s: %d of the %d points that it takes", said, points, enough)
	for _, s := range all {
		if s.points != 0 {
			r.add(partSound, "", s.line, "%+d: %s", s.points, s.words)
		}
	}
	return points >= enough
}

// tally counts lines and blocks of code.
type tally struct {
	blocks, broken, elided int // fences in a known language
	calls, callLine        int // command lines, those in inline code and HTTP requests included; line of the first
	longest, longestLine   int // program, in lines
	line                   int // of the first command or program
	scripts, stubs         int // bundled scripts that could be read
}

func count(f facts.Facts) tally {
	t := tally{calls: f.Inline.Commands, callLine: f.Inline.Line, line: f.Inline.Line}
	for _, u := range f.Code {
		t.add(u)
	}
	t.calls += f.Page.Requests.Count
	t.callLine = first(t.callLine, f.Page.Requests.Line)
	return t
}

func (t *tally) add(u code.Unit) {
	switch {
	case u.Script:
		if code.IsProgram(u.Lang) {
			t.scripts++
			if u.Elision != "" {
				t.stubs++
			}
		}
		return
	case u.State == code.NotCode:
		return
	}
	t.blocks++
	if u.State == code.Broken {
		t.broken++
	} else if isElided(u) {
		t.elided++
	}
	switch {
	case u.Lang == code.Shell:
		t.calls += u.Lines
		t.callLine = first(t.callLine, u.Line)
	case !code.IsProgram(u.Lang):
		return
	case u.Lines > t.longest:
		t.longest, t.longestLine = u.Lines, u.Line
	}
	t.line = first(t.line, u.Line)
}

// first returns the lower of two lines; 0 stands for none.
func first(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// isElided leaves the dots of a shell block out: they stand for the output of a command that is shown with it.
func isElided(u code.Unit) bool {
	return !u.Script && u.Elision != "" && (u.Lang != code.Shell || strings.Trim(u.Elision, ".… ") != "")
}

// share returns the part of all characters that is commands or programs, commands in inline code included.
func (t *tally) share(f facts.Facts) float64 {
	if f.Characters == 0 {
		return 0
	}
	return float64(f.Page.Runnable+f.Inline.Runes) / float64(f.Characters)
}

func isScript(file data.File) bool { return proxy.IsScript(file.Path) }

// bundlesProgram reports whether any bundled file is a program, be it in a language that the paper's audit leaves out
// of its scripts.
func bundlesProgram(f facts.Facts) bool {
	return f.HasScripts || slices.ContainsFunc(f.Bundle.Files, func(file data.File) bool {
		switch strings.ToLower(path.Ext(file.Path)) {
		case ".r", ".ps1", ".pl", ".php", ".lua", ".swift", ".kt", ".jl", ".cs", ".scala", ".bash", ".zsh", ".bat", ".cjs", ".mts",
			".jsx", ".tsx", ".sql", ".ipynb", ".html":
			return true
		}
		return false
	})
}
