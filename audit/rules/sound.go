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

// Thresholds of soundness without bundled scripts. They were first read off 150 judged skills (docs/audit.md says how they
// were held against others since): where a reader calls fences complete, the skill drives a tool by commands, or is a body
// of code rather than a handful of examples.
const (
	minCommands     = 2   // command lines that make a recipe
	lostAmong       = 10  // lines of configuration to one command, from which commands are lost among data
	minCommandShare = 0.1 // of all characters that are code, below which commands are asides in prose
	minProgram      = 60  // program lines that make a body of code
	minProgramShare = 0.2
	maxContrast     = 2  // marks of good against bad: more, and the code is there to be compared
	elidedIn        = 10 // at most one in so many blocks may be elided
)

// sound decides whether a skill's code is whole, and notes why. Any defect that stops the code rules it out. Then
// bundled scripts suffice, unless most that can be read are stubs: what SKILL.md shows beside them does not count, for
// readers forgive a slip in it. Without scripts nothing may be run that is not there, and the blocks must be commands
// that do the work, or programs long enough to be more than examples.
func (r *reasons) sound(f facts.Facts) bool {
	t := count(f)
	switch {
	case r.defects(f):
		return false
	case bundlesProgram(f):
		return r.scripts(t)
	case r.broken(f, t), r.runsAbsent(f):
		return false
	}
	return r.fences(f, t)
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

// broken notes the blocks of SKILL.md that no parser takes, where they are a tenth of all: a few bad ones among many are
// slips.
func (r *reasons) broken(f facts.Facts, t tally) bool {
	if t.broken == 0 || t.broken*elidedIn < t.blocks {
		return false
	}
	for _, u := range f.Code {
		if !u.Script && u.State == code.Broken {
			r.add(partSound, "", u.ProblemLine, "%s does not parse: %s", u.Lang, clip(u.Problem))
		}
	}
	return true
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

// fences judges by the code in SKILL.md alone.
func (r *reasons) fences(f facts.Facts, t tally) bool {
	share := t.share(f)
	recipe := t.commands >= minCommands && t.commands >= t.program && t.commands*lostAmong >= t.config && share >= minCommandShare
	program := t.program >= minProgram && share >= minProgramShare
	switch {
	case t.elided*elidedIn > t.blocks:
		for _, u := range f.Code {
			if isElided(u) {
				r.add(partSound, "", u.ElisionLine, "left out: %s", clip(u.Elision))
			}
		}
		return false
	case f.Prose.Contrast > maxContrast:
		r.add(partSound, "", 0, "code is shown to be compared: %d marks of good against bad", f.Prose.Contrast)
		return false
	case recipe:
		r.add(partSound, "", t.line, "%s are a recipe: %.0f %% of all characters are code", number(t.commands, "command line"), 100*share)
	case program:
		r.add(partSound, "", t.line, "%s of program code are more than an example: %.0f %% of all characters are code", number(t.program, "line"), 100*share)
	case t.blocks == 0 && t.commands == 0:
		r.add(partSound, "", 0, "no code in a language that is run")
	default:
		r.add(partSound, "", t.line, "%s and %s of program code, %.0f %% of all characters, only illustrate: it takes %d command lines and %.0f %%, or %d lines of program code and %.0f %%",
			number(t.commands, "command line"), number(t.program, "line"), 100*share, minCommands, 100*minCommandShare, minProgram, 100*minProgramShare)
	}
	return recipe || program
}

// tally counts lines and blocks of code.
type tally struct {
	blocks, broken, elided int // fences in a known language
	commands, program      int // their lines; commands in inline code count as well
	config                 int // lines of what a program reads
	line                   int // of the first command or program
	scripts, stubs         int // bundled scripts that could be read
}

func count(f facts.Facts) tally {
	t := tally{commands: f.Inline.Commands, line: f.Inline.Line}
	for _, u := range f.Code {
		t.add(u)
	}
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
	}
	if isElided(u) {
		t.elided++
	}
	switch {
	case u.Lang == code.Shell:
		t.commands += u.Lines
	case code.IsProgram(u.Lang):
		t.program += u.Lines
	default:
		t.config += u.Lines
		return
	}
	if t.line == 0 || u.Line < t.line {
		t.line = u.Line
	}
}

// isElided leaves the dots of a shell block out: they stand for the output of a command that is shown with it.
func isElided(u code.Unit) bool {
	return !u.Script && u.Elision != "" && (u.Lang != code.Shell || strings.Trim(u.Elision, ".… ") != "")
}

// share returns the part of all characters that is code, commands in inline code included.
func (t *tally) share(f facts.Facts) float64 {
	share := f.Corrected.CodeFraction
	if f.Characters > 0 {
		share += float64(f.Inline.Runes) / float64(f.Characters)
	}
	return share
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
