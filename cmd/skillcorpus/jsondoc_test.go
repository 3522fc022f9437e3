package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data/datatest"
)

// free are fields whose value is an object with keys that are no fields of ours: frontmatter, paths, outcomes.
var free = []string{"frontmatter", "contents", "digests", "licenses", "notes", "outcomes", "matched", "urls", "stages", "basis"}

// TestJSONIsDocumented runs every command on the sample and looks each field that it prints up in docs/json.md.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(datatest.ModuleRoot(t), "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	corpus, skill := t.TempDir(), t.TempDir()
	file := filepath.Join(skill, "SKILL.md")
	var out strings.Builder
	try := func(args ...string) { out.WriteString(run(t, nil, append(args, "--json", "--data", corpus)...)) }
	try("demo")
	for _, id := range []string{"lackeyjb/playwright-skill/skills/playwright-skill", "blader/humanizer"} {
		try("show", id)
		if err := os.WriteFile(file, []byte(run(t, nil, "show", "--raw", "--data", corpus, id)), 0o600); err != nil {
			t.Fatal(err)
		}
		try("parse", "--fail-on", "never", skill)
		try("audit", "--fail-on", "never", file)
	}
	try("audit")
	try("report", "--sample", "9", "--compare", "stars=0")
	judged := filepath.Join(skill, "judged.jsonl")
	if err := os.WriteFile(judged, []byte(`{"repo":"blader/humanizer","path":"","tier":"partial"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	try("audit", "--agree", judged)
	try("search", "--explain", "browser")
	try("search", "xyzzyplugh")
	try("status")
	try("verify")
	try("verify", "--digest")
	try("doctor")
	try("version")
	try("export", "--with-files")
	fields := map[string]bool{}
	decoder := json.NewDecoder(strings.NewReader(out.String()))
	for decoder.More() {
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			t.Fatal(err)
		}
		collect(object, fields)
	}
	if len(fields) < 100 {
		t.Errorf("only %d fields were printed: %v", len(fields), slices.Sorted(maps.Keys(fields)))
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !strings.Contains(string(text), "`"+field+"`") {
			t.Errorf("docs/json.md does not document %q", field)
		}
	}
}

func collect(value any, fields map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			collect(item, fields)
		}
	case map[string]any:
		for name, item := range v {
			fields[name] = true
			if object, ok := item.(map[string]any); ok && slices.Contains(free, name) {
				for _, inner := range object {
					if name == "stages" {
						collect(inner, fields)
					}
				}
				continue
			}
			collect(item, fields)
		}
	}
}
