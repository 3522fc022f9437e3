package reference

import (
	"path"
	"slices"
	"strings"

	"skillcorpus/data"
)

// Reach tells which files of a bundle something leads to: a chain of names that starts in SKILL.md and goes on in every
// text that is reached. It is generous, so that what it leaves out is dead weight: a file is reached by its path, its
// name or the stem of its name as a word of a text, by the name of a folder above it, and by an import.
type Reach struct {
	tree    Tree
	byWord  map[string][]string // base name, and stem, in lower case → files
	byDir   map[string][]string // folder → files below it
	reached map[string]bool
	queue   []string
}

// minStem is the shortest stem that counts as a name of its file: shorter ones are words of every text.
const minStem = 5

// NewReach returns the reach of a bundle's files from nothing yet.
func NewReach(tree Tree) *Reach {
	r := &Reach{tree: tree, byWord: map[string][]string{}, byDir: map[string][]string{}, reached: map[string]bool{}}
	for file := range tree.files {
		base := strings.ToLower(path.Base(file))
		r.byWord[base] = append(r.byWord[base], file)
		if stem := strings.TrimSuffix(base, path.Ext(base)); len(stem) >= minStem && stem != base {
			r.byWord[stem] = append(r.byWord[stem], file)
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			r.byDir[dir] = append(r.byDir[dir], file)
		}
	}
	return r
}

// Text reaches what the words of a text name. from is the file that holds it, empty for SKILL.md.
func (r *Reach) Text(from, text string) {
	for word := range strings.FieldsFuncSeq(text, notInName) {
		word = strings.TrimLeft(strings.TrimRight(word, ".-/"), "/")
		if len(word) == 0 || len(word) > maxDestination {
			continue
		}
		lower := strings.ToLower(path.Base(word))
		for _, file := range r.byWord[lower] {
			r.Add(file)
		}
		if !strings.Contains(word, "/") && !r.tree.dirs[word] {
			continue
		}
		for dir := range suffixes(path.Join(path.Dir(from), word)) {
			for _, file := range r.byDir[dir] {
				r.Add(file)
			}
		}
	}
}

// suffixes yields a path and what remains of it without its first folders.
func suffixes(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(name) {
			_, rest, more := strings.Cut(name, "/")
			if !more {
				return
			}
			name = rest
		}
	}
}

func notInName(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.', c == '/', c > 127:
		return false
	}
	return true
}

// Add reaches one file, if it is one of the bundle.
func (r *Reach) Add(file string) {
	if _, there := r.tree.files[file]; there && !r.reached[file] {
		r.reached[file] = true
		r.queue = append(r.queue, file)
	}
}

// Next returns a file that was reached and not yet returned: what it names has to be added.
func (r *Reach) Next() (file string, ok bool) {
	if len(r.queue) == 0 {
		return "", false
	}
	file = r.queue[0]
	r.queue = r.queue[1:]
	return file, true
}

// Orphans returns the files that were not reached, sorted, without those that need no one to name them: licences and
// the like, settings of tools, tests, and other skills with all that is theirs.
func (r *Reach) Orphans() []string {
	var orphans, skills []string
	for file := range r.tree.files {
		if data.IsSkillFile(path.Base(file)) && strings.Contains(file, "/") {
			skills = append(skills, path.Dir(file)+"/")
		}
	}
	for file, note := range r.tree.files {
		nested := slices.ContainsFunc(skills, func(dir string) bool { return strings.HasPrefix(file, dir) })
		if note == "" && !r.reached[file] && !nested && !standsAlone(file) {
			orphans = append(orphans, file)
		}
	}
	slices.Sort(orphans)
	return orphans
}

// standsAlone reports whether a file is looked for by people or tools under its own name.
func standsAlone(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		switch strings.ToLower(part) {
		case "test", "tests", "__tests__", "testdata", "evals", "node_modules", "__pycache__", "fixtures":
			return true
		}
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	base := strings.ToLower(path.Base(file))
	stem, _, _ := strings.Cut(base, ".")
	switch stem {
	case "skill", "readme", "license", "licence", "changelog", "changes", "history", "notice", "notices", "copying", "authors", "contributing",
		"code_of_conduct", "security", "index", "claude", "agents", "gemini", "metadata", "source", "package", "package-lock", "pnpm-lock",
		"tsconfig", "jsconfig", "pyproject", "requirements", "setup", "uv", "poetry", "pipfile", "go", "cargo", "gemfile", "makefile",
		"dockerfile", "plugin", "skill-card", "manifest", "yarn", "bun":
		return true
	}
	return file == "agents/openai.yaml" || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.Contains(base, ".test.") ||
		strings.Contains(base, ".spec.") || strings.HasPrefix(stem, "license") || strings.HasPrefix(stem, "readme")
}
