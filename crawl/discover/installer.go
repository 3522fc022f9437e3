package discover

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"skillcorpus/data"
)

// The installers whose rules are known here (FACTS.md 2.4 and 3.3; checked against their public source).
const (
	SkillsCLI   data.Installer = "skills-cli"  // the `skills` command of vercel-labs, without --full-depth
	ClaudeCode  data.Installer = "claude-code" // the project's .claude/skills, and plugins
	AgentSkills data.Installer = "agentskills" // a client by the guide of agentskills.io, the repository in its skills folder
)

// Candidate is a skill with what its SKILL.md says of itself.
type Candidate struct {
	Dir         string // of the repository
	File        string // name of the main file as spelled
	Name        string // empty if it has none, or none that is text
	Description string // likewise
	Internal    bool   // `metadata.internal` is true
}

// Sight says whether an installer sees a skill, and why not.
type Sight struct {
	Installer data.Installer
	Seen      bool
	Why       string // empty for a skill that is seen; a skill that only some versions see says so
}

// Limits of the installers.
const (
	containerDepth = 3 // folders between a container and a skill, the skill's own counted
	fallbackDepth  = 5
	clientDepth    = 4 // what every client is to scan; some scan 6
	clientDeepest  = 6
	clientFolders  = 2000
)

// containers are the folders in which the skills command looks first, in its order.
func containers() []string {
	return []string{
		"", "skills", "skills/.curated", "skills/.experimental", "skills/.system", ".agents/skills", ".claude/skills", ".cline/skills",
		".codebuddy/skills", ".codex/skills", ".commandcode/skills", ".continue/skills", ".github/skills", ".goose/skills", ".grok/skills",
		".iflow/skills", ".junie/skills", ".kilocode/skills", ".kimchi/skills", ".kiro/skills", ".minimax/skills", ".mux/skills",
		".neovate/skills", ".opencode/skills", ".openhands/skills", ".pi/skills", ".posit/assistant/skills", ".qoder/skills", ".roo/skills",
		".trae/skills", ".windsurf/skills", ".zcode/skills", ".zencoder/skills",
	}
}

// Sights returns what each installer sees of a repository's skills, in their order: for each skill one row an
// installer. tree is the whole repository, manifests the plugin declarations by path (Found.Manifests).
func Sights(tree []data.TreeEntry, manifests map[string][]byte, skills []Candidate) [][]Sight {
	v := view{skills: skills, at: make(map[string]int, len(skills)), plugins: plugins(manifests)}
	for i, s := range skills {
		v.at[s.Dir] = i
	}
	command, claude, client := v.skillsCLI(), v.claudeCode(tree), v.agentSkills(tree)
	sights := make([][]Sight, len(skills))
	for i := range skills {
		for _, row := range []struct {
			installer data.Installer
			why       []string
		}{{SkillsCLI, command}, {ClaudeCode, claude}, {AgentSkills, client}} {
			why := row.why[i]
			sights[i] = append(sights[i], Sight{row.installer, why == "" || strings.HasPrefix(why, partly), why})
		}
	}
	return sights
}

// partly begins the reason of a skill that is seen, though not by all.
const partly = "not surely: "

type view struct {
	skills  []Candidate
	at      map[string]int // index by directory
	plugins []plugin
}

// skillsCLI returns why the skills command doesn't see each skill, empty for those that it sees.
func (v view) skillsCLI() []string {
	why := make([]string, len(v.skills))
	for i, s := range v.skills {
		why[i] = cmp.Or(unfit(s), "outside the folders that are searched")
	}
	if root, ok := v.at[""]; ok && unfit(v.skills[root]) == "" {
		for i := range why {
			why[i] = cmp.Or(unfit(v.skills[i]), "the SKILL.md at the root ends the search")
		}
		why[root] = ""
		return why
	}
	names := make(map[string]bool)
	take := func(i int) {
		s := v.skills[i]
		switch {
		case why[i] == "" || unfit(s) != "":
		case names[s.Name]:
			why[i] = fmt.Sprintf("another skill of the name %q is found first", s.Name)
		default:
			names[s.Name], why[i] = true, ""
		}
	}
	order := v.byDir()
	for _, container := range v.searched() {
		for _, i := range order {
			if v.inContainer(container, v.skills[i].Dir) {
				take(i)
			}
		}
	}
	if len(names) > 0 {
		return why
	}
	for _, i := range order {
		if dir := v.skills[i].Dir; depth(dir) <= fallbackDepth && !isSkipped(dir) {
			take(i)
		}
	}
	return why
}

// unfit says why a skill is none to the skills command wherever it lies.
func unfit(s Candidate) string {
	switch {
	case s.Name == "" || s.Description == "":
		return "no name or no description"
	case s.Internal:
		return "metadata.internal hides it"
	}
	return ""
}

func (v view) byDir() []int {
	order := make([]int, len(v.skills))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(v.skills[a].Dir, v.skills[b].Dir) })
	return order
}

// searched returns the containers, then those that plugins declare.
func (v view) searched() []string {
	all := containers()
	for _, p := range v.plugins {
		for _, dir := range p.skills {
			all = append(all, parent(dir))
		}
		all = append(all, join(p.root, "skills"))
	}
	slices.Sort(all[len(containers()):])
	return slices.Compact(all)
}

// inContainer reports whether the search of a container reaches a directory: not below another skill, not through
// a skipped folder, and from the repository's root one level only.
func (v view) inContainer(container, dir string) bool {
	rest, ok := below(container, dir)
	deepest := containerDepth
	if container == "" {
		deepest = 1
	}
	if !ok || depth(rest) > deepest || isSkipped(rest) {
		return false
	}
	for up := parent(dir); up != container && up != "" && rest != ""; up = parent(up) {
		if _, skill := v.at[up]; skill {
			return false
		}
	}
	return true
}

// claudeCode returns why Claude Code doesn't see each skill. A folder that is a link counts as what it leads to.
func (v view) claudeCode(tree []data.TreeEntry) []string {
	places := map[string]bool{".claude/skills": true}
	declared := make(map[string]bool)
	for _, p := range v.plugins {
		places[join(p.root, "skills")] = true
		for _, dir := range p.skills {
			declared[dir] = true
		}
	}
	for _, e := range tree {
		if e.Mode == data.ModeLink && e.Link != "" && places[parent(e.Path)] {
			declared[path.Join(parent(e.Path), e.Link)] = true
		}
	}
	why := make([]string, len(v.skills))
	for i, s := range v.skills {
		up := parent(s.Dir)
		switch {
		case s.File != data.SkillFile:
			why[i] = "its file is not spelled " + data.SkillFile
		case declared[s.Dir] || s.Dir != "" && (declared[up] || places[up]):
		default:
			why[i] = "neither in .claude/skills nor in a plugin"
		}
	}
	return why
}

// agentSkills returns why a client by the guide doesn't see each skill.
func (v view) agentSkills(tree []data.TreeEntry) []string {
	crowded := folders(tree) > clientFolders
	why := make([]string, len(v.skills))
	for i, s := range v.skills {
		deep := depth(s.Dir) + 1 // the repository is a folder of the skills folder
		switch {
		case s.Description == "":
			why[i] = "no description"
		case deep > clientDeepest:
			why[i] = fmt.Sprintf("%d folders deep, and no client scans more than %d", deep, clientDeepest)
		case deep > clientDepth:
			why[i] = fmt.Sprintf(partly+"%d folders deep, and clients scan %d to %d", deep, clientDepth, clientDeepest)
		case crowded:
			why[i] = fmt.Sprintf(partly+"clients stop after %d folders, and the repository has more", clientFolders)
		}
	}
	return why
}

// folders counts the directories of a tree.
func folders(tree []data.TreeEntry) int {
	seen := make(map[string]bool)
	for _, e := range tree {
		for dir := parent(e.Path); dir != "" && !seen[dir]; dir = parent(dir) {
			seen[dir] = true
		}
	}
	return len(seen)
}

// below returns the path of a directory from a folder above it, or itself.
func below(folder, dir string) (string, bool) {
	if folder == "" || dir == folder {
		return strings.TrimPrefix(dir, folder), true
	}
	return strings.CutPrefix(dir, folder+"/")
}

func parent(name string) string {
	dir, _ := split(name)
	return dir
}

func depth(dir string) int {
	if dir == "" {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// isSkipped reports whether a path leads through a folder that the skills command never enters.
func isSkipped(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "node_modules", ".git", "dist", "build", "__pycache__":
			return true
		}
	}
	return false
}
