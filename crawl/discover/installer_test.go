package discover

import (
	"fmt"
	"strings"
	"testing"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

// TestSights is the conformance table of the installers. A skill is written `path/of/SKILL.md`, with ` = name` for a
// name that is not its folder's, `= -` for none, and a `!` where metadata.internal is true. What is seen is
// written as c (the skills command), p (Claude Code), a (clients by the guide), in the order of the skills.
func TestSights(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		skills    string
		links     map[string]string
		manifests map[string]string
		want      string
	}{
		{"root stops", "SKILL.md; skills/a/SKILL.md; .claude/skills/b/SKILL.md", nil, nil, "ca a pa"},
		{"root without a name doesn't stop", "SKILL.md = -; skills/a/SKILL.md", nil, nil, "- ca"},
		{"root level", "a/SKILL.md; b/c/SKILL.md", nil, nil, "ca a"},
		{
			"containers", "skills/a/SKILL.md; skills/.curated/b/SKILL.md; .codex/skills/c/SKILL.md; .posit/assistant/skills/d/SKILL.md; x/skills/e/SKILL.md", nil, nil,
			"ca ca ca c~ a",
		},
		{"depth three", "skills/a/b/c/SKILL.md; skills/a/b/d/e/SKILL.md", nil, nil, "c~ ~"},
		{"no descent below a skill", "skills/a/SKILL.md; skills/a/b/SKILL.md; skills/SKILL.md", nil, nil, "ca a ca"},
		{"skipped folders", "skills/dist/a/SKILL.md; skills/b/SKILL.md; build/SKILL.md", nil, nil, "a ca a"},
		{"fallback", "a/b/SKILL.md; a/b/c/d/e/SKILL.md; a/b/c/d/e/f/SKILL.md; a/b/g/SKILL.md", nil, nil, "ca c~ - ca"},
		{"fallback descends below skills", "a/b/SKILL.md; a/b/c/SKILL.md; a/build/SKILL.md", nil, nil, "ca ca a"},
		{"no fallback where one is found", "skills/a/SKILL.md; x/y/SKILL.md", nil, nil, "ca a"},
		{"same name", "skills/a/SKILL.md = n; skills/b/SKILL.md = n; .claude/skills/c/SKILL.md = n", nil, nil, "ca a pa"},
		{"internal and nameless", "skills/a/SKILL.md!; skills/b/SKILL.md = -; skills/c/SKILL.md", nil, nil, "a - ca"},
		{"spelling", ".claude/skills/a/skill.md; skills/b/Skill.md", nil, nil, "ca ca"},
		{"claude's project folder", ".claude/skills/a/SKILL.md; .claude/skills/b/c/SKILL.md", nil, nil, "cpa c~"},
		{"links of folders", "x/y/a/SKILL.md; skills/b/SKILL.md", map[string]string{".claude/skills/a": "../../x/y/a"}, nil, "pa ca"},
		{
			"plugin at the root", "skills/a/SKILL.md; other/deep/b/SKILL.md; c/d/SKILL.md", nil,
			map[string]string{".claude-plugin/plugin.json": `{"skills":"./other/deep"}`},
			"cpa cpa a",
		},
		{"marketplace", "plugins/p/skills/a/SKILL.md; plugins/q/s/b/SKILL.md; plugins/r/skills/c/SKILL.md", nil, map[string]string{
			".claude-plugin/marketplace.json": `{"plugins":[{"source":"./plugins/p"},{"source":"./plugins/q","skills":["./s/b"]},{"source":{"source":"github","repo":"o/r"}}]}`,
		}, "cp~ cp~ ~"},
		{"plugin root", "p/x/skills/a/SKILL.md", nil, map[string]string{
			".claude-plugin/marketplace.json": `{"metadata":{"pluginRoot":"./p"},"plugins":[{"source":"./x"}]}`,
		}, "cp~"},
		{"paths that lead out", "skills/a/SKILL.md; x/y/SKILL.md", nil, map[string]string{
			".claude-plugin/marketplace.json": `{"plugins":[{"source":"../x"},{"source":"x"},{"source":"./","skills":["./../x/y","/x/y","x/y",7]}]}`,
		}, "cpa a"},
		{"nested plugin", "packages/k/skills/a/SKILL.md", nil, map[string]string{"packages/k/.claude-plugin/plugin.json": `{}`}, "cp~"},
		{"no JSON", "skills/a/SKILL.md", nil, map[string]string{".claude-plugin/plugin.json": `{`, ".claude-plugin/marketplace.json": `[]`}, "ca"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			skills, tree := parseSkills(test.skills)
			for from, to := range test.links {
				tree = append(tree, data.TreeEntry{Path: from, Mode: data.ModeLink, Link: to})
			}
			manifests := map[string][]byte{}
			for name, text := range test.manifests {
				manifests[name] = []byte(text)
			}
			if got := summary(Sights(tree, manifests, skills)); got != test.want {
				t.Errorf("seen %q, want %q", got, test.want)
			}
		})
	}
}

func parseSkills(text string) ([]Candidate, []data.TreeEntry) {
	var skills []Candidate
	var tree []data.TreeEntry
	for row := range strings.SplitSeq(text, "; ") {
		file, name, _ := strings.Cut(row, " = ")
		file, internal := strings.CutSuffix(file, "!")
		dir, base := split(file)
		if _, folder := split(dir); name == "" {
			name = folder + "."
		}
		s := Candidate{Dir: dir, File: base, Name: name, Description: "d", Internal: internal}
		if name == "-" {
			s.Name, s.Description = "", ""
		}
		skills = append(skills, s)
		tree = append(tree, data.TreeEntry{Path: file, Mode: data.ModeFile})
	}
	return skills, tree
}

func summary(sights [][]Sight) string {
	letters := map[data.Installer]string{SkillsCLI: "c", ClaudeCode: "p", AgentSkills: "a"}
	var words []string
	for _, rows := range sights {
		word := ""
		for _, s := range rows {
			switch {
			case s.Seen && s.Why != "":
				word += "~"
			case s.Seen:
				word += letters[s.Installer]
			}
		}
		if word == "" {
			word = "-"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestCrowded(t *testing.T) {
	t.Parallel()
	skills, tree := parseSkills("skills/a/SKILL.md")
	for i := range clientFolders {
		tree = append(tree, data.TreeEntry{Path: fmt.Sprintf("d%d/x", i)})
	}
	if got := summary(Sights(tree, nil, skills)); got != "c~" {
		t.Errorf("seen %q", got)
	}
}

// TestManifests reads the declarations of a real repository: a marketplace and 91 plugins, each with a manifest of its own.
func TestManifests(t *testing.T) {
	t.Parallel()
	found, _ := readArchive(t, datatest.Shared(t, "hub", "wshobson+agents.zip"), archive.DefaultLimits(), data.Repo{ID: "wshobson/agents", Host: data.HostGitHub})
	var skills []Candidate
	for _, s := range found.Skills {
		skills = append(skills, Candidate{Dir: s.Path, File: s.SkillFile, Name: s.Path, Description: "d"})
	}
	seen := map[data.Installer]int{}
	for _, rows := range Sights(found.Tree, found.Manifests, skills) {
		for _, s := range rows {
			if s.Seen {
				seen[s.Installer]++
			}
		}
	}
	if len(found.Manifests) != 92 {
		t.Errorf("%d manifests", len(found.Manifests))
	}
	for _, installer := range []data.Installer{SkillsCLI, ClaudeCode, AgentSkills} {
		if seen[installer] != len(skills) {
			t.Errorf("seen %v of %d", seen, len(skills))
		}
	}
}
