package code_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/code"
)

func TestImports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []code.Import
	}{
		{"a.py", "import os, lib.x as y\nfrom .util import z\nfrom . import w\n# import no\nfrom json import (\n    dumps,\n)\n", []code.Import{
			{"os", 1, false}, {"lib.x", 1, false}, {".util", 2, true}, {".", 3, true}, {"json", 5, false},
		}},
		{"a.ts", "import a from './a.js';\nimport 'side';\nexport * from \"../b\";\nconst c = require('c/d');\nawait import('./e.mjs')\n// import './no'\n", []code.Import{
			{"./a.js", 1, true}, {"side", 2, false}, {"../b", 3, true}, {"c/d", 4, false}, {"./e.mjs", 5, true},
		}},
		{"a.sh", "#!/bin/sh\nsource lib/common.sh\n. \"$x/y.sh\"\nbash -c 'z.sh'\npython3 scripts/w.py --a b.txt\nsudo ./v.sh\n", []code.Import{
			{"lib/common.sh", 2, true}, {"scripts/w.py", 5, true}, {"./v.sh", 6, true},
		}},
	} {
		u, _ := code.Script(tt.name, []byte(tt.text))
		if diff := cmp.Diff(tt.want, u.Imports); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	u := block("ls\n$ bash run.sh\n", "console")
	if diff := cmp.Diff([]code.Import{{"run.sh", 3, true}}, u.Imports); diff != "" {
		t.Error(diff)
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ script, path, want string }{
		{"scripts/a.py", "util", "scripts/util.py"},
		{"scripts/a.py", "lib.util", "scripts/lib/util/__init__.py"},
		{"scripts/lib/a.py", "..util", "scripts/util.py"},
		{"scripts/a.py", ".", "scripts/__init__.py"},
		{"scripts/a.ts", "./b.js", "scripts/b.ts"},
		{"scripts/a.mjs", "../b", "b/index.js"},
		{"scripts/a.sh", "b.sh", "scripts/b.sh"},
		{"scripts/a.sh", "scripts/b.sh", "scripts/b.sh"},
		{"SKILL.md", "./run.sh", "run.sh"},
	} {
		if got := (code.Import{Path: tt.path, Local: true}).Candidates(tt.script); !slices.Contains(got, tt.want) {
			t.Errorf("%s in %s: %v lacks %s", tt.path, tt.script, got, tt.want)
		}
	}
	if got := (code.Import{Path: "react"}).Candidates("a.js"); got != nil {
		t.Errorf("a package is looked for at %v", got)
	}
}
