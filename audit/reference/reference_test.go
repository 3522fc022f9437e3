package reference_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// prose returns a document of one section of prose.
func prose(text string, links ...string) (data.Document, []byte) {
	doc := data.Document{Name: "tide", Sections: []data.Section{{Kind: data.SectionProse, End: len(text), Line: 1}}}
	for _, target := range links {
		doc.Links = append(doc.Links, data.Link{Line: 1, Target: target})
	}
	return doc, []byte(text)
}

func bundle(basis data.Basis, files ...string) data.Bundle {
	b := data.Bundle{ID: "o/r/skills/tide", Path: "skills/tide", SkillFile: "SKILL.md", Basis: basis}
	for _, f := range files {
		name, note, _ := strings.Cut(f, "|")
		b.Files = append(b.Files, data.File{Path: name, Note: note})
	}
	return b
}

func find(doc data.Document, md []byte, b data.Bundle) map[string]reference.State {
	inRepo := func(p string) bool { return p == "skills/shared/a.md" || p == "tools/x.py" || p == "scripts/root.sh" }
	got := map[string]reference.State{}
	for _, r := range reference.Find(doc, md, reference.NewTree(b, inRepo)) {
		got[r.Path] = r.State
	}
	return got
}

func TestProse(t *testing.T) {
	t.Parallel()
	files := []string{"scripts/a.py", "references/Page.md", "assets/map.png|lfs pointer", "forms/b.md"}
	type want = map[string]reference.State
	for text, wanted := range map[string]want{
		"run `python scripts/a.py --in x.csv`":                       {"scripts/a.py": reference.Present},
		"run `./scripts/a.py`, then `scripts/a.py:12`.":              {"scripts/a.py": reference.Present},
		"see `references/page.md`":                                   {"references/page.md": reference.CaseMismatch},
		"see assets/map.png":                                         {"assets/map.png": reference.Unbundled},
		"see `references/none.md`":                                   {"references/none.md": reference.Missing},
		"see references/none.md for more":                            {"references/none.md": reference.Missing},
		"`${CLAUDE_SKILL_DIR}/scripts/z.py`":                         {"scripts/z.py": reference.Missing},
		"`python <skill-dir>/scripts/z.py`":                          {"scripts/z.py": reference.Missing},
		"`node \"${CLAUDE_PLUGIN_ROOT}/skills/tide/scripts/a.py\"`":  {"scripts/a.py": reference.Present},
		"`python ~/.claude/skills/tide/scripts/a.py`":                {"scripts/a.py": reference.Present},
		"`${CLAUDE_PLUGIN_ROOT}/tools/x.py`":                         {"tools/x.py": reference.Outside},
		"`../shared/a.md`":                                           {"../shared/a.md": reference.Outside},
		"`scripts/root.sh`":                                          {"scripts/root.sh": reference.Outside},
		"see `b.md`":                                                 {"forms/b.md": reference.Present},
		"write the result to `references/out.md`":                    {},
		"create `assets/new.png`, later open `assets/new.png`":       {},
		"`src/main.go`, `package.json`, `notes.csv`":                 {},
		"`references/*.md`, `references/{day}.md`":                   {},
		"`references/<x>.md` and `references/my-page.md`":            {},
		"`/scripts/a.py`, `https://x.dev/scripts/q.py`":              {},
		"`e.g.`, `and/or`, `v1.2/v1.3`, `SKILL.md`":                  {},
		"`tool > references/o.md`, `tool -o scripts/o.py`":           {},
		"edit `scripts/deploy.sh` in your project: `scripts/d.sh`":   {"scripts/deploy.sh": reference.Missing},
		"climb `../../../../x.md`":                                   {},
		"load `reference/{day}.md` of the day":                       {"reference/{day}.md": reference.Missing},
		"load `references/{day}.md` of the day":                      {},
		"write `reference/{day}.md` each day":                        {},
		"**Examples**: `references/one.md` for days":                 {},
		"make a file at `~/.x/skills/tide/notes.json`":               {},
		"`<path-to-skill>/scripts/z.py`, `%SKILL_DIR%/scripts/a.py`": {"scripts/z.py": reference.Missing, "scripts/a.py": reference.Present},
		"`tide/scripts/a.py` and `other/scripts/a.py`":               {"scripts/a.py": reference.Present},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			doc, md := prose(text)
			got := find(doc, md, bundle(data.BasisContents, files...))
			if diff := cmp.Diff(wanted, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	doc, md := prose("", "a%20b.md#part", "a%2520b.md", "#top", "mailto:a@b.c", "a@b.dev", "https://x.dev/a.md", "data:image/gif;base64,AA", "/abs.md", "sub/",
		"../../../up.md", "../shared/a.md", "../shared/none.md", "gone.md?x=1", "other/SKILL.md")
	got := find(doc, md, bundle(data.BasisContents, "a b.md", "sub/c.md"))
	want := map[string]reference.State{
		"a b.md": reference.Present, "a%20b.md": reference.Missing, "sub": reference.Present, "../../../up.md": reference.Escapes,
		"../shared/a.md": reference.Outside, "../shared/none.md": reference.OutsideMissing, "gone.md": reference.Missing,
		"other/SKILL.md": reference.OutsideMissing,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestListingThatProvesNoAbsence(t *testing.T) {
	t.Parallel()
	doc, md := prose("see `references/none.md`")
	cut := bundle(data.BasisListing)
	for range 200 {
		cut.Files = append(cut.Files, data.File{Path: "x"})
	}
	root := bundle(data.BasisListing)
	root.Path, root.ID = "", "o/r"
	for name, b := range map[string]data.Bundle{"cut": cut, "root": root} {
		if diff := cmp.Diff(map[string]reference.State{"references/none.md": reference.Unknown}, find(doc, md, b)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(map[string]reference.State{"references/none.md": reference.Missing}, find(doc, md, bundle(data.BasisListing))); diff != "" {
		t.Error(diff)
	}
}

func TestCodeSections(t *testing.T) {
	t.Parallel()
	text := "# scripts/comment.sh\ncat > scripts/made.py <<'EOF'\nopen scripts/inner.py\nEOF\npython scripts/made.py\nbash scripts/real.sh # scripts/tail.sh\n"
	for lang, want := range map[string]map[string]reference.State{
		"bash":     {"scripts/real.sh": reference.Missing},
		"markdown": {},
		"python":   {},
		"":         {"scripts/real.sh": reference.Missing},
	} {
		doc := data.Document{Sections: []data.Section{{Kind: data.SectionCode, End: len(text), Line: 1, Fenced: true, Lang: lang}}}
		if diff := cmp.Diff(want, find(doc, []byte(text), bundle(data.BasisContents))); diff != "" {
			t.Errorf("%q: %s", lang, diff)
		}
	}
}

func TestShellVariablesAndCaptions(t *testing.T) {
	t.Parallel()
	intro := "Make this file, `scripts/given.py`:\n\n**`scripts/shown.py`**\n"
	shown := "# scripts/first.py\nx = 1\n"
	shell := "export TIDE=\"$HOME/.agents/skills/tide\"\npython \"$TIDE/scripts/gone.py\" --report-out references/r.md\npython scripts/shown.py scripts/first.py\n"
	tool := "run(cwd='x', command=\"python scripts/inside.py --now\")\n"
	md := intro + shown + shell + tool
	doc := data.Document{Sections: []data.Section{
		{Kind: data.SectionProse, End: len(intro), Line: 1},
		{Kind: data.SectionCode, Start: len(intro), End: len(intro + shown), Line: 4, Lang: "python", Fenced: true},
		{Kind: data.SectionCode, Start: len(intro + shown), End: len(intro + shown + shell), Line: 6, Lang: "bash", Fenced: true},
		{Kind: data.SectionCode, Start: len(intro + shown + shell), End: len(md), Line: 9, Fenced: true},
	}}
	want := map[string]reference.State{"scripts/gone.py": reference.Missing, "scripts/inside.py": reference.Missing}
	if diff := cmp.Diff(want, find(doc, []byte(md), bundle(data.BasisContents))); diff != "" {
		t.Error(diff)
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	for missing, want := range map[string][]string{
		"scripts/plot.py":       {"tools/plot.py"},
		"references/harbor.md":  {"references/harbour.md"},
		"reference/tide-map.md": {"references/tide_map.txt"},
		"references/a.md":       nil,
		"scripts/other.py":      nil,
	} {
		doc, md := prose("", missing)
		refs := reference.Find(doc, md, reference.NewTree(bundle(data.BasisContents, "tools/plot.py", "references/harbour.md", "references/tide_map.txt", "references/b.md"), nil))
		if len(refs) != 1 {
			t.Fatalf("%s: %+v", missing, refs)
		}
		if missing == "scripts/plot.py" && refs[0].State == reference.Present {
			continue
		}
		if diff := cmp.Diff(want, refs[0].Near); diff != "" {
			t.Errorf("%s: %s", missing, diff)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	page := "# Page\n[a](b.md) `[no](no.md)` [up](../scripts/a.py)\n~~~md\n[shown](shown.md)\n~~~\n```bash\npython scripts/none.py\n```\nSee references/b.md.\n"
	got := map[string]reference.State{}
	lines := map[string]int{}
	for _, r := range reference.FindInPage("references/p.md", []byte(page), reference.NewTree(bundle(data.BasisContents, "references/p.md", "references/b.md", "scripts/a.py"), nil)) {
		got[r.Path], lines[r.Path] = r.State, r.Line
		if r.File != "references/p.md" {
			t.Errorf("%s is named in %q", r.Path, r.File)
		}
	}
	want := map[string]reference.State{"references/b.md": reference.Present, "scripts/a.py": reference.Present, "scripts/none.py": reference.Missing}
	if diff := cmp.Diff(want, got); diff != "" || lines["scripts/none.py"] != 7 {
		t.Errorf("%s %v", diff, lines)
	}
}

func FuzzPage(f *testing.F) {
	f.Add([]byte("```\n[a](b.md)\n~~~\n`c.md`"))
	f.Add([]byte("\r\n\x00](<a>)"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, r := range reference.FindInPage("references/p.md", text, reference.NewTree(bundle(data.BasisContents, "a.md"), nil)) {
			if r.Line < 1 || r.Line > strings.Count(string(text), "\n")+1 || r.Path == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// TestHostileTextStaysCheap holds that no long text takes more than time in proportion to it.
func TestHostileTextStaysCheap(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"](", "`", "`a", "<a", "../", "a.b ", "references/a.md ", "`references/a.md` ", "${skill_dir}/", "](<", "- `a.md`\n", "python a.py ", "See a.md for b "} {
		text := strings.Repeat(unit, 64<<10/len(unit))
		doc, md := prose(text)
		doc.Sections = append(doc.Sections, data.Section{Kind: data.SectionCode, End: len(md), Line: 1, Open: true},
			data.Section{Kind: data.SectionCode, End: len(md), Line: 1, Lang: "bash"})
		start := time.Now()
		reference.Find(doc, md, reference.NewTree(bundle(data.BasisContents), nil))
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: %v", unit, took)
		} else {
			t.Logf("%q: %v", unit, took)
		}
	}
}

// Of a folder that a linter was given, what leads out of it proves nothing; of a repository it does.
func TestPartialTree(t *testing.T) {
	t.Parallel()
	doc, md := prose("", "../harbour/map.md", "a.md", "gone.md", ".agents/skills/other/SKILL.md")
	root := data.Bundle{ID: "dir:tide", SkillFile: "SKILL.md", Basis: data.BasisContents, Files: []data.File{{Path: "a.md"}}}
	tree := reference.NewTree(root, func(path string) bool { return path == "a.md" })
	for name, tt := range map[string]struct {
		tree            reference.Tree
		climbs, outside reference.State
	}{
		"a repository": {tree, reference.Escapes, reference.OutsideMissing},
		"a part of it": {tree.Partial(), reference.Unknown, reference.Unknown},
	} {
		want := map[string]reference.State{
			"../harbour/map.md": tt.climbs, ".agents/skills/other/SKILL.md": tt.outside, "a.md": reference.Present, "gone.md": reference.Missing,
		}
		got := map[string]reference.State{}
		for _, r := range reference.Find(doc, md, tt.tree) {
			got[r.Path] = r.State
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestDirectory: `cd` says where the paths after it start from.
func TestDirectory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]reference.State{
		"cd my-app && python scripts/gather.py":                                          {},
		"cd my-app\npython scripts/gather.py\ncd ..\nbash scripts/sort.sh":               {"scripts/sort.sh": reference.Missing},
		"cd /srv/app; cd lib; cd ..; python scripts/gather.py":                           {},
		"cd \"$PROJECT\"\npython scripts/gather.py":                                      {},
		"cd\nbash scripts/gather.sh":                                                     {},
		"pushd app\nbash scripts/gather.sh\npopd\nbash scripts/sort.sh":                  {"scripts/sort.sh": reference.Missing},
		"(cd app && bash scripts/gather.sh)\nbash scripts/sort.sh":                       {"scripts/sort.sh": reference.Missing},
		"cd app && python ../scripts/gather.py":                                          {},
		"cd app && python scripts/a.py":                                                  {"scripts/a.py": reference.Present},
		"cd app && cat ${SKILL_DIR}/references/gather.md":                                {"references/gather.md": reference.Missing},
		"cd ~/.agents/skills/tide && python scripts/gather.py":                           {"scripts/gather.py": reference.Missing},
		"cd path/to/skill\npython scripts/gather.py":                                     {"scripts/gather.py": reference.Missing},
		"cd <skill-dir>/scripts\npython gather.py":                                       {"scripts/gather.py": reference.Missing},
		"cd scripts\npython a.py\npython gather.py data.json\n./sort.sh":                 {"scripts/a.py": reference.Present, "scripts/gather.py": reference.Missing, "scripts/sort.sh": reference.Missing},
		"cd scripts && node dist/index.js && python scripts/a.py":                        {"scripts/a.py": reference.Present},
		"cd scripts && python ../references/gather.md":                                   {"references/gather.md": reference.Missing},
		"cd scripts && touch gather.py && python gather.py":                              {},
		"cd scripts && node sort.js\ncd scripts && node a.py\ncd forms/ && node sort.js": {"scripts/sort.js": reference.Missing, "scripts/a.py": reference.Present, "forms/sort.js": reference.Missing},
		"echo cd app && bash scripts/gather.sh":                                          {"scripts/gather.sh": reference.Missing},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			doc := data.Document{Sections: []data.Section{{Kind: data.SectionCode, End: len(text), Line: 1, Fenced: true, Lang: "bash"}}}
			if diff := cmp.Diff(want, find(doc, []byte(text), bundle(data.BasisContents, "scripts/a.py", "forms/b.md"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
