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
		"run `python scripts/a.py --in x.csv`":                      {"scripts/a.py": reference.Present},
		"run `./scripts/a.py`, then `scripts/a.py:12`.":             {"scripts/a.py": reference.Present},
		"see `references/page.md`":                                  {"references/page.md": reference.CaseMismatch},
		"see assets/map.png":                                        {"assets/map.png": reference.Unbundled},
		"see `references/none.md`":                                  {"references/none.md": reference.Missing},
		"see references/none.md for more":                           {"references/none.md": reference.Missing},
		"`${CLAUDE_SKILL_DIR}/scripts/z.py`":                        {"scripts/z.py": reference.Missing},
		"`python <skill-dir>/scripts/z.py`":                         {"scripts/z.py": reference.Missing},
		"`node \"${CLAUDE_PLUGIN_ROOT}/skills/tide/scripts/a.py\"`": {"scripts/a.py": reference.Present},
		"`python ~/.claude/skills/tide/scripts/a.py`":               {"scripts/a.py": reference.Present},
		"`${CLAUDE_PLUGIN_ROOT}/tools/x.py`":                        {"tools/x.py": reference.Outside},
		"`../shared/a.md`":                                          {"../shared/a.md": reference.Outside},
		"`scripts/root.sh`":                                         {"scripts/root.sh": reference.Outside},
		"see `b.md`":                                                {"forms/b.md": reference.Present},
		"write the result to `references/out.md`":                   {},
		"create `assets/new.png`, later open `assets/new.png`":      {},
		"`src/main.go`, `package.json`, `notes.csv`":                {},
		"`references/*.md`, `references/{day}.md`":                  {},
		"`references/<x>.md` and `references/my-page.md`":           {},
		"`/scripts/a.py`, `https://x.dev/scripts/q.py`":             {},
		"`e.g.`, `and/or`, `v1.2/v1.3`, `SKILL.md`":                 {},
		"`tool > references/o.md`, `tool -o scripts/o.py`":          {},
		"edit `scripts/deploy.sh` in your project: `scripts/d.sh`":  {"scripts/deploy.sh": reference.Missing},
		"climb `../../../../x.md`":                                  {},
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
	doc, md := prose("", "a%20b.md#part", "a%2520b.md", "#top", "mailto:a@b.c", "https://x.dev/a.md", "data:image/gif;base64,AA", "/abs.md", "sub/",
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

// TestHostileTextStaysCheap holds that no long text takes more than time in proportion to it.
func TestHostileTextStaysCheap(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"](", "`", "`a", "<a", "../", "a.b ", "references/a.md ", "`references/a.md` ", "${skill_dir}/", "](<"} {
		text := strings.Repeat(unit, 64<<10/len(unit))
		doc, md := prose(text)
		doc.Sections = append(doc.Sections, data.Section{Kind: data.SectionCode, End: len(md), Line: 1, Open: true},
			data.Section{Kind: data.SectionCode, End: len(md), Line: 1, Lang: "bash"})
		start := time.Now()
		reference.Find(doc, md, reference.NewTree(bundle(data.BasisContents), nil))
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%q: %v", unit, took)
		} else {
			t.Logf("%q: %v", unit, took)
		}
	}
}
