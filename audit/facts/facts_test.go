package facts_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
	"skillcorpus/data"
)

func TestScriptsWithAndWithoutContent(t *testing.T) {
	t.Parallel()
	in := factstest.Input(&txtar.Archive{Files: []txtar.File{
		{Name: "s/SKILL.md", Data: []byte("---\nname: s\n---\nText\n")},
		{Name: "s/a.sh", Data: []byte("ls\n")},
		{Name: "s/b.py", Data: []byte("x = 1\n")},
		{Name: "s/notes.txt", Data: []byte("x\n")},
	}})
	with := facts.Collect(in)
	if len(with.Code) != 2 || !with.HasScripts {
		t.Errorf("with contents: %+v", with.Code)
	}
	in.Content, in.Bundle.Basis = nil, data.BasisListing
	without := facts.Collect(in)
	if len(without.Code) != 0 || !without.HasScripts {
		t.Errorf("without contents: %+v", without.Code)
	}
}
