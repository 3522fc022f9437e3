package reference

import (
	"path"
	"regexp"
	"strings"
)

// directory is where a command runs, which `cd` changes. The zero value is where the reader starts, which skills take
// for their own folder.
type directory struct {
	path string // from the skill's folder; begins with a slash where that is not known
	away bool   // it is none of the skill's: what is named from there is not the skill's either
}

// skillish is the last part of a directory that stands for the skill, wherever that is installed.
var skillish = regexp.MustCompile(`(?i)skill[^/]*/?$`)

// enter returns the directory that a `cd` leads to.
func (s *scanner) enter(from directory, target string) directory {
	if s.cloned[strings.Trim(target, "./")] {
		return directory{path: "/", away: true}
	}
	rest, explicit := s.expand(strings.TrimSuffix(target, "/") + "/.")
	switch {
	case explicit == fromSkill:
		return directory{path: strings.TrimPrefix(path.Clean(rest), ".")}
	case skillish.MatchString(target):
		return directory{}
	case target == "" || strings.ContainsAny(target, "$<>{}[]*:%~\\") || target[0] == '/' || target[0] == '-':
		return directory{path: "/", away: true}
	}
	at, again := path.Join(from.path, target), path.Clean(target)
	switch {
	case at == ".":
		return directory{}
	case s.tree.dirs[at] || from.path == "" && OwnFolder(at+"/."):
		return directory{path: at}
	case !from.away && (s.tree.dirs[again] || OwnFolder(again+"/.")): // each line starts anew, in the author's mind
		return directory{path: again}
	}
	return directory{path: at, away: true}
}

// changes returns the directory that a word of a command line leads to, if it is a command that changes it.
func (s *scanner) changes(from directory, words []word, i int) (to directory, moved bool) {
	switch words[i].text {
	case "cd", "pushd", "chdir", "Set-Location":
	case "popd":
		return directory{}, words[i].starts
	default:
		return from, false
	}
	if !words[i].starts {
		return from, false
	}
	for _, w := range words[i+1:] {
		if w.starts {
			break
		}
		if w.text != "--" && w.text != "/d" {
			return s.enter(from, w.text), true
		}
	}
	return directory{path: "/", away: true}, true
}

// within resolves a path that a command names from its directory, or from the skill's where only that has it. What is
// in neither is claimed where it lies in a folder of the skill's own, or is the program that the command runs.
func (s *scanner) within(name string, c candidate) string {
	if c.dir.away || c.dir.path == "" {
		return name
	}
	joined := path.Join(c.dir.path, name)
	if s.tree.has(joined) || strings.HasPrefix(name, "../") || !s.tree.has(name) && (OwnFolder(name) || c.use == executed && program.MatchString(name)) {
		return joined
	}
	return name
}
