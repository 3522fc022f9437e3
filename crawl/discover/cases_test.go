package discover

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

func readCase(t *testing.T, folder, file, repo string) (Found, map[string][]byte) {
	t.Helper()
	return readArchive(t, datatest.Shared(t, "cases", folder, file), archive.DefaultLimits(),
		data.Repo{ID: repo, Host: data.HostGitHub, Name: repo})
}

func wantPlaces(t *testing.T, found Found, want ...string) {
	t.Helper()
	if got := places(found); !slices.Equal(got, want) {
		t.Errorf("skills %q, want %q", got, want)
	}
}

func TestCase10(t *testing.T) {
	t.Parallel()
	found, kept := readCase(t, "10-discovery-tree", "repo.zip", "o/harbour-pack")
	wantPlaces(t, found, ":SKILL.md", ".claude/skills/fog-horn:SKILL.md", "plugins/dock/skills/crane-watch:SKILL.md",
		"skills/both:SKILL.md", "skills/buoy-check:SKILL.md", "skills/rope-care:skill.md")
	if s := skillAt(t, found, "skills/rope-care"); !has(s.Findings, RuleSpelling, "skill.md") {
		t.Errorf("rope-care: %v", s.Findings)
	}
	both := skillAt(t, found, "skills/both")
	if !strings.Contains(string(kept[both.SkillSHA256]), "exact.") || !has(both.Findings, RuleTwoFiles, "skill.md") {
		t.Errorf("both: %v", both.Findings)
	}
	for _, f := range skillAt(t, found, "").Files {
		if strings.HasPrefix(f.Path, "node_modules") {
			t.Errorf("bundled: %s", f.Path)
		}
	}
}

func TestCase12(t *testing.T) {
	t.Parallel()
	found, _ := readCase(t, "12-copies-and-namesakes", "repo.zip", "o/knot-school")
	groups := map[string][]data.Bundle{}
	for _, s := range found.Skills {
		groups[s.CopyKey()] = append(groups[s.CopyKey()], s)
	}
	if len(found.Skills) != 6 || len(groups) != 3 {
		t.Fatalf("%d records in %d groups", len(found.Skills), len(groups))
	}
	for _, group := range groups {
		canonical := slices.MinFunc(group, func(a, b data.Bundle) int { return strings.Compare(a.CanonicalRank(), b.CanonicalRank()) })
		if len(group) == 4 && canonical.Path != "skills/knot-guide" {
			t.Errorf("canonical %q", canonical.Path)
		}
	}
}

func TestCase14(t *testing.T) {
	t.Parallel()
	found, kept := readCase(t, "14-zip-links-and-slips", "repo.zip", "o/pack")
	wantPlaces(t, found, "skills/linked:SKILL.md", "skills/ok:SKILL.md")
	if s := skillAt(t, found, "skills/linked"); !strings.Contains(string(kept[s.SkillSHA256]), "Lives in shared.") {
		t.Errorf("linked reads %q", kept[s.SkillSHA256])
	}
	ok := skillAt(t, found, "skills/ok")
	if got := listing(ok); got != "- 13 notes.md link outside\n" || ok.Files[0].SHA256 != "" {
		t.Errorf("ok: %s", got)
	}
	if !has(ok.Findings, archive.RuleLink, "notes.md") || !has(found.Findings, archive.RuleLink, "loop/a") {
		t.Errorf("findings %v, %v", ok.Findings, found.Findings)
	}
}

func TestCase15(t *testing.T) {
	t.Parallel()
	found, _ := readCase(t, "15-tar-global-header", "repo.tar.gz", "o/reef-survey")
	wantPlaces(t, found, "skills/reef-count:SKILL.md")
	s := found.Skills[0]
	if listing(s) != "K 9 scripts/count.py\n" || s.Commit != "5c0ffee0d15ea5e0ddba11feedface0badcafe42" {
		t.Errorf("commit %s, files %s", s.Commit, listing(s))
	}
}

func TestCase16(t *testing.T) {
	t.Parallel()
	limits := archive.DefaultLimits()
	limits.Member, limits.Expanded, limits.Entries = 1<<20, 16<<20, 5000
	for _, name := range []string{"honest.zip", "lying.zip", "bomb.tar.gz", "many.zip"} {
		found, kept := readArchive(t, datatest.Shared(t, "cases", "16-archive-bombs", name), limits, testRepo)
		wantPlaces(t, found, "skills/feather:SKILL.md")
		s := found.Skills[0]
		if len(s.Findings) == 0 || len(kept[s.SkillSHA256]) == 0 {
			t.Errorf("%s: findings %v", name, s.Findings)
		}
		for _, f := range s.Files {
			if strings.HasSuffix(f.Path, "data.bin") && (f.Note != archive.NoteTooLarge && f.Note != NoteDamaged || f.Kept) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func TestCase19(t *testing.T) {
	t.Parallel()
	found, _ := readCase(t, "19-lfs-and-submodule", "repo.zip", "example-owner/kiosk")
	wantPlaces(t, found, "skills/sound-board:SKILL.md")
	s := found.Skills[0]
	if got := listing(s); got != "- 133 assets/horn.wav lfs pointer\nK 31 scripts/play.py\n" {
		t.Error(got)
	}
	told := slices.ContainsFunc(s.Findings, func(f data.Finding) bool {
		return f.Rule == RulePointer && f.File == "assets/horn.wav" && strings.Contains(f.Message, "48211034")
	})
	if !told {
		t.Errorf("findings %v", s.Findings)
	}
	want := []Submodule{
		{"skills/tide-kit", "https://github.com/example-owner/tide-kit"},
		{"skills/vendor-kit", "https://github.com/example-owner/vendor-kit"},
	}
	if !slices.Equal(found.Submodules, want) {
		t.Errorf("submodules %v", found.Submodules)
	}
	notes := map[string]string{}
	for _, e := range found.Tree {
		if e.Mode == data.ModeSubmodule {
			notes[e.Path] = e.Note
		}
	}
	if !maps.Equal(notes, map[string]string{want[0].Path: want[0].URL, want[1].Path: want[1].URL}) {
		t.Errorf("tree %v", notes)
	}
}

func TestCase30(t *testing.T) {
	t.Parallel()
	before, _ := readCase(t, "30-vanished-skill", "crawl1.zip", "o/gear")
	after, _ := readCase(t, "30-vanished-skill", "crawl2.zip", "o/gear")
	wantPlaces(t, before, "skills/ebb-log:SKILL.md", "skills/sail-fold:SKILL.md", "skills/wind-note:SKILL.md")
	wantPlaces(t, after, "skills/ebb-log:SKILL.md", "skills/sail-stow:SKILL.md")
	if a, b := skillAt(t, before, "skills/ebb-log"), skillAt(t, after, "skills/ebb-log"); a.ID != b.ID || a.Digest != b.Digest {
		t.Error("the skill that stayed has changed")
	}
}

// TestStrange rebuilds the links and the submodule of odd repositories.
func TestStrange(t *testing.T) {
	t.Parallel()
	strange := datatest.Shared(t, "strange")
	read := func(parts ...string) string {
		content, err := os.ReadFile(filepath.Join(append([]string{strange}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	linked := func(folder string) item {
		path, target, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(read(folder, "LINK.txt")), "path: "), "\ntarget: ")
		return item{name: path, mode: link, body: target}
	}
	t.Run("59 SKILL.md links out of its folder", func(t *testing.T) {
		l := linked("59-link-outside-skill")
		found, kept := readItems(t, l, item{name: "agents/personas/README.md", body: "persona"})
		wantPlaces(t, found, filepath.Dir(l.name)+":SKILL.md")
		if string(kept[found.Skills[0].SkillSHA256]) != "persona" {
			t.Error("not read through the link")
		}
		if found, _ = readItems(t, l); len(found.Skills) != 0 || !has(found.Findings, RuleUnreadable, l.name) {
			t.Errorf("without its target: %q, %v", places(found), found.Findings)
		}
	})
	t.Run("61 SKILL.md links to nothing", func(t *testing.T) {
		l := linked("61-link-dangling-inside")
		found, _ := readItems(t, l, item{name: "x/SKILL.md", body: "sound"})
		wantPlaces(t, found, "x:SKILL.md")
		if !has(found.Findings, RuleUnreadable, l.name) || !has(found.Findings, archive.RuleLink, l.name) {
			t.Errorf("findings %v", found.Findings)
		}
	})
	t.Run("65 a submodule inside a skill", func(t *testing.T) {
		sub := strings.TrimSpace(read("65-submodule-in-skill", "SUBMODULE.txt"))
		found, kept := readItems(t,
			item{name: "agent-council/SKILL.md", body: read("65-submodule-in-skill", "SKILL.md")},
			item{name: sub + "/"},
			item{name: ".gitmodules", body: "[submodule \"p\"]\n\tpath = " + sub + "\n\turl = git@github.com:o/profiles.git\n"},
		)
		wantPlaces(t, found, "agent-council:SKILL.md")
		if s := found.Skills[0]; listing(s) != "- 0 profiles submodule\n" || len(kept[s.SkillSHA256]) != 16543 {
			t.Errorf("files %s", listing(s))
		}
		if !slices.Equal(found.Submodules, []Submodule{{sub, "https://github.com/o/profiles"}}) {
			t.Errorf("submodules %v", found.Submodules)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	name := datatest.Shared(b, "hub", "wshobson+agents.zip")
	for b.Loop() {
		tree, err := archive.Open(name, archive.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Read(b.Context(), testRepo, tree, func(string, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
		tree.Close()
	}
}
