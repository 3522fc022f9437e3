package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

type states = map[string]reference.State

// Lists of files, sentences that send the reader to one, and words that say whose a file is.
func TestClaims(t *testing.T) {
	t.Parallel()
	const missing, present = reference.Missing, reference.Present
	for text, want := range map[string]states{
		"### scripts/\n- `sort.py`: sorts\n- **gather.sh** - gathers\n":                          {"scripts/sort.py": missing, "scripts/gather.sh": missing},
		"**References** (in `references/`):\n- `moon.md`: the moon":                              {"references/moon.md": missing},
		"- `references/`\n  - `moon.md` the moon\n- `x.md`\n":                                    {"references/moon.md": missing},
		"## Supporting files\n- **moon.md** - of the moon\n- **log.json** - of days\n":           {"moon.md": missing},
		"## Files\n- `a.py` - reads\n- `gauge.py` - writes\n":                                    {"scripts/a.py": present, "scripts/gauge.py": missing},
		"## Files\n- `b.md` - reads\n- `moon.md` - of the moon\n":                                {"forms/b.md": present, "forms/moon.md": missing},
		"## Files\n- `forms/b.md`\n- `forms/moon.md`\n- `forms/out.md` - created by you\n":       {"forms/b.md": present, "forms/moon.md": missing},
		"## Pages\n- `gauge.md` - of gauges\n":                                                   {},
		"Load **moon.md** from this skill's `references` folder":                                 {"references/moon.md": missing},
		"See `MOON_PHASES.md` for all phases. See README.md for more.":                           {"MOON_PHASES.md": missing},
		"See MOON_PHASES.md for all phases; open `references/MOON_PHASES.md`":                    {"references/MOON_PHASES.md": missing},
		"Create a folder and move there:\n- `references/moon.md`\n":                              {},
		"| Generate | a table | `references/moon.md` |":                                          {"references/moon.md": missing},
		"Create the list using the template in `assets/moon.md`; create one in `assets/new.md`.": {"assets/moon.md": missing},
		"the **other-tide** skill: `references/moon.md`; `low-tide` (see its `scripts/low.py`)":  {},
		"<!-- made by scripts/draft.py\n see `{baseDir}/.env`, `skills/tide/.venv` -->":          {},
		"`See [moon](references/moon.md)`":                                                       {},
		"`~/.tide-skills/tide/OWN.md`, `tide/runtime/engine.py`":                                 {},
		"`{baseDir}/settings.json`":                                                              {"settings.json": reference.Doubtful},
		"参考 `references/moon.md`，生成 `references/new.md`":                                         {"references/moon.md": missing},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			doc, md := prose(text)
			if diff := cmp.Diff(want, find(doc, md, bundle(data.BasisContents, "scripts/a.py", "forms/b.md"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a command does with a file tells whose it is.
func TestUses(t *testing.T) {
	t.Parallel()
	const missing, doubtful, present = reference.Missing, reference.Doubtful, reference.Present
	for text, want := range map[string]states{
		"python -u scripts/sort.py":                                      {"scripts/sort.py": missing},
		"uv run --with x scripts/sort.py":                                {"scripts/sort.py": missing},
		".venv/bin/python scripts/sort.py":                               {"scripts/sort.py": missing},
		"python forms/sort.py && python src/main.py":                     {"forms/sort.py": missing},
		"node dist/index.js":                                             {"dist/index.js": missing},
		"npm run build\nnode dist/index.js":                              {},
		"python scripts/a.py --input assets/day.json":                    {"scripts/a.py": present, "assets/day.json": doubtful},
		"python scripts/a.py assets/day.csv":                             {"scripts/a.py": present, "assets/day.csv": doubtful},
		"python scripts/a.py --template assets/t.md assets/sample.csv":   {"scripts/a.py": present, "assets/t.md": missing, "assets/sample.csv": missing},
		"kamal app exec 'node scripts/sort.js'; vim templates/day.md":    {"scripts/sort.js": doubtful, "templates/day.md": doubtful},
		"explain scripts/sort.py; python -m profiler scripts/low.py":     {"scripts/sort.py": doubtful, "scripts/low.py": doubtful},
		"cp templates/day.md assets/day.md":                              {"templates/day.md": missing},
		"curl -d '{\n\"template\": \"templates/full.php\"\n}'":           {},
		"git clone https://x.dev/o/moon && cd moon && node scripts/s.js": {"scripts/a.py": present},
		"git clone https://x.dev/o/moon.git\npython templates/train.py":  {"templates/train.py": doubtful},
		"bash scripts/setup.sh":                                          {"scripts/setup.sh": missing},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			doc := data.Document{Sections: []data.Section{{Kind: data.SectionCode, End: len(text), Line: 1, Fenced: true, Lang: "bash"}}}
			got := find(doc, []byte(text), bundle(data.BasisContents, "scripts/a.py", "forms/b.md", "package.json"))
			if len(got) == 0 && len(want) == 1 && want["scripts/a.py"] == present {
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The scripts that a skill in a project's own folder names are the project's unless it keeps files of its own; and so are
// scripts under usual names.
func TestScriptsThatMayBeTheProjects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]states{
		"run `scripts/check.py`":                                     {"scripts/check.py": reference.Doubtful},
		"run the bundled `scripts/check.py`":                         {"scripts/check.py": reference.Missing},
		"run `scripts/check.py`, see `references/moon.md`":           {"scripts/check.py": reference.Missing, "references/moon.md": reference.Missing},
		"run `scripts/deploy.sh`, see `references/moon.md`":          {"scripts/deploy.sh": reference.Doubtful, "references/moon.md": reference.Missing},
		"**Sorts** (`scripts/sort.py`):\n\n":                         {},
		"run `${CLAUDE_SKILL_DIR}/scripts/check.py` of this project": {"scripts/check.py": reference.Missing},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			doc, md := prose(text)
			code := "#!/usr/bin/env python\nprint(1)\n"
			doc.Sections = append(doc.Sections, data.Section{Kind: data.SectionCode, Start: len(md), End: len(md) + len(code), Line: 3, Fenced: true, Lang: "python"})
			b := bundle(data.BasisContents)
			b.ID, b.Path = "o/r/.claude/skills/tide", ".claude/skills/tide"
			if diff := cmp.Diff(want, find(doc, append(md, code...), b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
