package facts_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
	"skillcorpus/data"
)

func TestNameFault(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]bool{
		"pdf-forms": false, "a": false, "9": false, "größe": false, "潮汐": false, strings.Repeat("a", 64): false,
		"": false, "PDF": true, "-a": true, "a-": true, "a--b": true, "a_b": true, "a b": true, "a.b": true, strings.Repeat("a", 65): true,
	} {
		if got := facts.NameFault(name); (got != "") != fault {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestScriptsWithAndWithoutContent(t *testing.T) {
	t.Parallel()
	in := factstest.Input(&txtar.Archive{Files: []txtar.File{
		{Name: "s/SKILL.md", Data: []byte("---\nname: s\n---\nText\n")},
		{Name: "s/a.sh", Data: []byte("ls\n")},
		{Name: "s/b.py", Data: []byte("x = 1\n")},
		{Name: "s/notes.txt", Data: []byte("x\n")},
	}})
	with := facts.Collect(in)
	if len(with.Code) != 2 || len(with.Unread) != 0 || !with.HasScripts {
		t.Errorf("with contents: %+v, %v", with.Code, with.Unread)
	}
	in.Content, in.Bundle.Basis = nil, data.BasisListing
	without := facts.Collect(in)
	if len(without.Code) != 0 || len(without.Unread) != 2 || !without.HasScripts {
		t.Errorf("without contents: %+v, %v", without.Code, without.Unread)
	}
}
