package reference

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"skillcorpus/data"
)

// Tree is what is known of the files around a skill.
type Tree struct {
	id       string
	dir      string
	files    map[string]string // path in the skill → note
	folded   map[string]string // lower-case path → path
	dirs     map[string]bool
	stems    map[string]bool   // paths of files without their last suffixes: `src/types` of `src/types.d.ts`
	bases    map[string]string // base name → its only path, empty where several files have it
	complete bool
	partial  bool
	inRepo   func(string) bool
}

// listingCap is the most files that a listing gives of one skill: a longer one is cut there.
const listingCap = 200

// NewTree indexes a bundle's files. inRepo tells whether a path exists in the repository, and is nil where
// nothing is known of it. A listing that is cut, or that of a root skill, proves no absence.
func NewTree(b data.Bundle, inRepo func(path string) bool) Tree {
	t := Tree{
		id: b.ID, dir: data.CleanDir(b.Path), inRepo: inRepo,
		files: map[string]string{}, folded: map[string]string{}, dirs: map[string]bool{}, stems: map[string]bool{}, bases: map[string]string{},
		complete: b.Basis == data.BasisContents || (len(b.Files) < listingCap && b.Path != ""),
	}
	t.put(cmp.Or(b.SkillFile, data.SkillFile), "")
	for _, f := range b.Files {
		t.put(f.Path, f.Note)
	}
	return t
}

// Partial returns the tree of a part of a repository: what lies around it is not known, so a path that leads out of it
// proves nothing.
func (t Tree) Partial() Tree {
	t.partial = true
	return t
}

func (t *Tree) put(name, note string) {
	t.files[name] = note
	stem, _, _ := strings.Cut(path.Base(name), ".")
	t.stems[path.Join(path.Dir(name), stem)] = true
	lower := strings.ToLower(name)
	if _, taken := t.folded[lower]; !taken {
		t.folded[lower] = name
	}
	base := path.Base(name)
	if _, taken := t.bases[base]; taken {
		t.bases[base] = ""
	} else {
		t.bases[base] = name
	}
	for dir := path.Dir(name); dir != "." && dir != "/" && !t.dirs[dir]; dir = path.Dir(dir) {
		t.dirs[dir] = true
	}
}

// state looks a clean path inside the skill up; the string is the spelling or the note that explains it.
func (t *Tree) state(name string) (State, string) {
	if note, ok := t.files[name]; ok {
		if note != "" {
			return Unbundled, note
		}
		return Present, ""
	}
	if t.dirs[name] {
		return Present, ""
	}
	if actual, ok := t.folded[strings.ToLower(name)]; ok {
		return CaseMismatch, actual
	}
	if !t.complete {
		return Unknown, ""
	}
	return Missing, ""
}

// has reports whether a clean path is a file or a folder of the skill.
func (t *Tree) has(name string) bool {
	_, file := t.files[name]
	return file || t.dirs[name]
}

// maxNear is how many files a message offers in the place of one that is missing.
const maxNear = 3

// near returns the bundled files whose name is like that of a path: the same name in another folder or letter case,
// the same but for the suffix, or at most two letters apart.
func (t *Tree) near(name string) []string {
	type candidate struct {
		path     string
		distance int
	}
	var found []candidate
	base := strings.ToLower(path.Base(name))
	for file := range t.files {
		if data.IsSkillFile(file) {
			continue
		}
		if d := distance(base, strings.ToLower(path.Base(file))); d < farApart {
			found = append(found, candidate{file, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(a.distance-b.distance, cmp.Compare(a.path, b.path)) })
	var paths []string
	for _, c := range found[:min(len(found), maxNear)] {
		paths = append(paths, c.path)
	}
	return paths
}

// farApart is the distance from which two names are not alike.
const farApart = 3

// distance tells two names in lower case apart: 0 the same, 1 the same stem or one letter, 2 two letters, else farApart.
// Short names are alike only where they are equal: `a.md` is not `b.md`.
func distance(a, b string) int {
	const short = 4
	stemA, stemB := strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	switch {
	case a == b:
		return 0
	case plainStem(stemA) == plainStem(stemB):
		return 1
	case min(len(stemA), len(stemB)) <= short || path.Ext(a) != path.Ext(b) || max(len(a)-len(b), len(b)-len(a)) >= farApart:
		return farApart
	}
	return min(edits(a, b), farApart)
}

func plainStem(stem string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(stem)
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// First returns the first of several paths that is a file of the skill. The skill's folder itself is one as well: a
// package that a script of it loads.
func (t *Tree) First(paths []string) (file string, ok bool) {
	for _, p := range paths {
		if p == "." || t.has(p) || t.stems[p] {
			return p, true
		}
	}
	return "", false
}

// Import returns the reference of a bundled script to a file that it loads and that is none of the skill: name is the
// likeliest path of it, from the skill's directory.
func (t *Tree) Import(script, written string, line int, name string) Reference {
	ref := Reference{Path: name, Written: written, File: script, Line: line, Kind: Import, State: Missing}
	if !strings.HasPrefix(name, "../") {
		ref.Near = t.near(name)
		return ref
	}
	switch full := path.Join(t.dir, name); {
	case t.inRepo == nil || strings.HasPrefix(full, "../"):
		ref.State = Unknown
	case t.inRepo(full) || t.inRepo(path.Dir(full)):
		ref.State = Outside
	default:
		ref.State = OutsideMissing
	}
	return ref
}
