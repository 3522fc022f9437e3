package code_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/code"
	"skillcorpus/data"
)

func script(t *testing.T, name, text string) code.Unit {
	t.Helper()
	u, ok := code.Script(name, []byte(text))
	if !ok {
		t.Fatalf("%s is no script", name)
	}
	return u
}

func TestRequires(t *testing.T) {
	t.Parallel()
	units := []code.Unit{
		block("pip install 'numpy>=2,<3' pillow -r requirements.txt\nnpx -y @tide/cli@1.2 run\nsudo apt-get install -y jq=1.7\nls | grep x | jq .\nhelper a\ncargo install ripgrep --version 14\n", "bash"),
		block("[alias]\n  co = checkout\nls --sort new|top|old\nls <post_id|url>\nls --all|jq .\nls $CLAUDE_PLUGIN_ROOT\n", "bash"),
		block("import numpy as np\nimport yaml, os\nfrom app.models import A\nfrom google.cloud.storage import Client\nimport your_module\n", "python"),
		block("import fs from 'node:fs';\nimport x from '@/lib/x';\nimport { z } from \"zod/v4\";\nimport h from '@hono/node-server/x';\n", "ts"),
		block("import (\n\t\"fmt\"\n\t\"github.com/tide/sea/v2/shore\"\n\tx \"tides.dev/log\"\n)\n", "go"),
		script(t, "scripts/run.py", "#!/usr/bin/env python3.11\n# /// script\n# requires-python = \">=3.10\"\n# dependencies = [\n#   \"httpx[http2]>=0.27\",\n# ]\n# ///\nimport httpx\nimport util\nfrom lib import a\n"),
		script(t, "scripts/helper", "#!/bin/sh -e\nhelper2\n"),
		script(t, "scripts/a.mjs", "import './b.mjs';\n"),
	}
	files := []data.File{{Path: "scripts/util.py"}, {Path: "scripts/lib/__init__.py"}, {Path: "scripts/helper"}}
	got := code.Requires(units, files)
	want := data.Requires{
		Executables: []string{"apt-get", "cargo", "helper2", "jq", "npx", "pip", "sudo"},
		Packages: []string{
			"apt:jq", "cargo:ripgrep", "go:github.com/tide/sea/v2", "go:tides.dev/log", "npm:@hono/node-server", "npm:@tide/cli", "npm:zod",
			"pip:google-cloud-storage", "pip:httpx", "pip:numpy", "pip:pillow", "pip:pyyaml",
		},
		Environment: []string{},
		Hosts:       []string{},
		Dependencies: []data.Dependency{
			{Manager: "apt", Name: "jq", Version: "1.7"},
			{Manager: "cargo", Name: "ripgrep"},
			{Manager: "go", Name: "github.com/tide/sea/v2", Imported: true},
			{Manager: "go", Name: "tides.dev/log", Imported: true},
			{Manager: "npm", Name: "@hono/node-server", Imported: true},
			{Manager: "npm", Name: "@tide/cli", Version: "1.2"},
			{Manager: "npm", Name: "zod", Imported: true},
			{Manager: "pip", Name: "google-cloud-storage", Imported: true},
			{Manager: "pip", Name: "httpx", Version: ">=0.27"},
			{Manager: "pip", Name: "numpy", Version: ">=2,<3"},
			{Manager: "pip", Name: "pillow"},
			{Manager: "pip", Name: "pyyaml", Imported: true},
		},
		Interpreters: []data.Interpreter{{Name: "node"}, {Name: "python", Version: ">=3.10"}, {Name: "python", Version: "3.11"}, {Name: "sh"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, code.Merge(got, got, data.Requires{})); diff != "" {
		t.Errorf("merged with itself: %s", diff)
	}
}
