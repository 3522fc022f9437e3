package reference

import (
	"path"
	"regexp"
	"strings"
)

var (
	// A variable that agents and plugin hosts put before paths of the skill's own folder.
	skillRoot = regexp.MustCompile(`^(?:\$\{?|\{\{?|<|\[|%)\s?(?i:(?:path[-_ ]to[-_ ])?(?:claude|codex|agent|current|this|the|your|installed)?[-_ ]?(?:skills?[-_ ]root|skill|base)[-_ ]?(?:base[-_ ]?)?(?:install(?:ation)?[-_ ]?)?(?:dir|path|root|directory|folder|base|home|location)?)\s?(?:\}\}?|>|\]|%)?/`)
	// The same for the folder of the plugin that holds the skill.
	pluginRoot = regexp.MustCompile(`^(?:\$\{?|\{\{?|<|\[)(?i:claude[-_])?(?i:plugin)[-_]?(?i:root|dir|path)(?:\}\}?|>|\])?/`)
)

// prefix says what a written prefix tells of the folder that a path starts from.
type prefix int

const (
	none prefix = iota
	fromSkill
	fromPlugin
)

// expand takes known prefixes off: variables, and install folders that end in the skill's own name.
func (s *scanner) expand(text string) (string, prefix) {
	if at := skillRoot.FindStringIndex(text); at != nil {
		return s.own(text[at[1]:], fromSkill)
	}
	if m := variable.FindStringSubmatch(text); m != nil {
		if folder, known := s.variables[m[1]]; known {
			return s.own(path.Join(folder, m[2]), fromSkill)
		}
	}
	if at := pluginRoot.FindStringIndex(text); at != nil {
		return s.own(text[at[1]:], fromPlugin)
	}
	return s.own(text, none)
}

// own cuts a path at the skill's own folder, wherever that is installed.
func (s *scanner) own(text string, explicit prefix) (string, prefix) {
	for _, name := range s.names {
		if name == "" {
			continue
		}
		before, rest, ok := strings.Cut("/"+text, "/"+name+"/")
		if !ok || rest == "" {
			continue
		}
		install := strings.Contains(before+"/", "/skills/") || strings.Contains(before+"/", "skills/") && OwnFolder(rest)
		if install || before == "" && explicit == none && !s.tree.dirs[name] && !s.cloned[name] && (OwnFolder(rest) || s.tree.has(rest) || rest == ".") {
			return rest, fromSkill
		}
	}
	return text, explicit
}

var (
	variable   = regexp.MustCompile(`^\$\{?([A-Za-z_]\w*)\}?/(.+)$`)
	assignment = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=["']?([^\s"';]+)`)
)

// define notes the shell variables of a block that hold a path inside the skill's own folder.
func (s *scanner) define(text string) {
	if !strings.Contains(text, "=") {
		return
	}
	for _, m := range assignment.FindAllStringSubmatch(text, maxReferences) {
		if rest, explicit := s.expand(strings.TrimSuffix(m[2], "/") + "/."); explicit == fromSkill {
			s.variables[m[1]] = path.Clean(rest)
		}
	}
}
