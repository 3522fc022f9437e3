package facts_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
)

func collect(body string) facts.Facts {
	return facts.Collect(factstest.Input(&txtar.Archive{Files: []txtar.File{{Name: "s/SKILL.md", Data: []byte("---\nname: s\n---\n" + body)}}}))
}

func TestCommandsOutsideOfFences(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"Get it: `tides sheets get --params '{\"id\": 1}'`, then `tides show -n 3`.\n":    2,
		"Use `git status`, `--flag x y`, `Some Text -x y` and `npm install`.\n":           0,
		"```\nexec command=\"curl -s https://tides.dev\"\nexec(cmd: 'tides show')\n```\n": 2,
		"```\n{\"command\": \"npx\", \"args\": [\"tides\"]}\n```\n":                       0,
		"```json\n{\"command\": \"npx tides\"}\n```\n":                                    0,
	} {
		if got := collect(body).Inline; got.Commands != want || (got.Line > 0) != (want > 0) {
			t.Errorf("%q: %+v", body, got)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"Run ```bash tides show # low``` now and ```bash tides\n":            4,
		"```bash\nx=1\nPATH=\"/api/v5/account\"\ncurl \"$HOST$PATH\"\n```\n": 6,
		"```bash\nPATH=\"/opt/tides/bin\"\n```\n":                            0,
		"```bash\nexport PATH=/opt/tides:$PATH\n```\n":                       0,
		"Use `` ``` `` to open a fence.\n":                                   0,
	} {
		line := 0
		if found := collect(body).Faults; len(found) > 0 {
			line = found[0].Line
		}
		if line != want {
			t.Errorf("%q: line %d, want %d", body, line, want)
		}
	}
}

func TestAProgramIsNoSkill(t *testing.T) {
	t.Parallel()
	in := factstest.Input(&txtar.Archive{Files: []txtar.File{{Name: "s/SKILL.md", Data: []byte("#!/usr/bin/env python3\nprint(1)\n")}}})
	if f := facts.Collect(in); !strings.HasPrefix(f.Junk, "program") {
		t.Errorf("junk %q", f.Junk)
	}
}
