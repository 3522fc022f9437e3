package rules

import (
	"skillcorpus/audit/code"
	"skillcorpus/audit/facts"
)

// Thresholds of soundness without bundled scripts. They were read off 150 judged skills: where a reader
// calls fences complete, the skill drives a tool by commands, or is a body of code rather than a handful of
// examples.
const (
	minCommands     = 2   // command lines that make a recipe
	minCommandShare = 0.1 // of all characters that are code, below which commands are asides in prose
	minProgram      = 60  // program lines that make a body of code
	minProgramShare = 0.2
	maxContrast     = 2  // marks of good against bad: more, and the code is there to be compared
	elidedIn        = 10 // at most one in so many blocks may be elided
)

// sound decides whether a skill's code is whole. Any fence that nothing closes and any script that its
// parser refuses rule it out. Then bundled scripts suffice, unless most that can be read are stubs; without
// scripts the fences must be commands that do the work, or programs long enough to be more than examples.
func sound(f facts.Facts) bool {
	var t tally
	for _, u := range f.Code {
		if u.Open || (u.State == code.Broken && u.Script) {
			return false
		}
		t.add(u)
	}
	// A few bad blocks among many are slips; a tenth of them is how the skill is.
	if t.broken > 0 && t.broken*elidedIn >= t.blocks {
		return false
	}
	if f.HasScripts {
		return t.scripts == 0 || t.stubs*2 < t.scripts
	}
	if t.elided*elidedIn > t.blocks || f.Prose.Contrast > maxContrast {
		return false
	}
	share := f.Corrected.CodeFraction
	if t.commands >= minCommands && t.commands >= t.program && share >= minCommandShare {
		return true
	}
	return t.program >= minProgram && share >= minProgramShare
}

// tally counts lines and blocks of code.
type tally struct {
	blocks, broken, elided int // fences in a known language
	commands, program      int // their lines
	scripts, stubs         int // bundled scripts that could be read
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
	if u.Elision != "" {
		t.elided++
	}
	switch {
	case u.Lang == code.Shell:
		t.commands += u.Lines
	case code.IsProgram(u.Lang):
		t.program += u.Lines
	}
}
