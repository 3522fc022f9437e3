// Package reference owns what a SKILL.md says of other files: it finds links, inline code and command
// arguments that name a file of the bundle, and tells for each whether that file is there.
//
// It never opens a file and never judges. Package facts calls it.
package reference

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"skillcorpus/data"
)

// State says what became of a reference.
type State string

// The states of a reference.
const (
	Present        State = "present"
	Missing        State = "missing"         // the skill says it is its own, and it is not there
	CaseMismatch   State = "case mismatch"   // there under a name that differs only in letter case
	Outside        State = "outside"         // not in the skill's folder, but in its repository
	OutsideMissing State = "outside missing" // beyond the skill's folder, and not in the repository either
	Escapes        State = "escapes"         // leaves the repository
	Unbundled      State = "unbundled"       // listed, but its content could not be bundled
	Unknown        State = "unknown"         // the listing that would tell is not there
)

// Kind says in what form a file is named.
type Kind string

// The kinds of reference.
const (
	Link    Kind = "link" // a link or an image
	Inline  Kind = "inline code"
	Command Kind = "command" // an argument or the command itself
	Plain   Kind = "text"    // a bare word of the prose
)

// Reference is one file that a SKILL.md names, at the first place where it does.
type Reference struct {
	Path         string // from the skill's directory; as written where it leaves the repository
	Written      string // the words of the author
	Actual       string // the file's own spelling, with CaseMismatch; why it is not bundled, with Unbundled
	Line         int    // in SKILL.md, from 1
	Kind         Kind
	State        State
	UnclosedCode bool // the place lies inside a fence that nothing closes
}

// maxReferences bounds what one SKILL.md may claim: the corpus's longest text names under 600 files.
const maxReferences = 2000

// Find returns the files that a document names, each once, sorted by line and path. Examples in Markdown
// fences, globs, placeholders, outputs, URLs, anchors and files of the user's project are not references.
func Find(doc data.Document, skillMD []byte, tree Tree) []Reference {
	scan := scanner{tree: tree, names: []string{data.FolderName(tree.id), doc.Name}, created: map[string]bool{}, outer: map[string]bool{}}
	for _, l := range doc.Links {
		scan.add(candidate{text: l.Target, line: l.Line, kind: Link})
		if strings.HasPrefix(l.Target, "../") {
			scan.outer[strings.TrimLeft(l.Target, "./")] = true
		}
	}
	for _, s := range doc.Sections {
		text := s.Read(skillMD)
		switch {
		case s.Kind == data.SectionProse:
			scan.prose(text, s.Line, false)
		case s.Kind == data.SectionCode && s.Open:
			scan.prose(text, s.Line, true)
			scan.links(text, s.Line)
		case s.Kind == data.SectionCode:
			scan.code(text, s.Lang, s.Line)
		}
	}
	return scan.result()
}

type scanner struct {
	tree    Tree
	names   []string // of the skill itself
	found   []Reference
	created map[string]bool // paths that a command or a sentence makes
	outer   map[string]bool // link targets outside the skill without their leading dots: their texts name the same file
}

func (s *scanner) add(c candidate) {
	if len(s.found) >= maxReferences {
		return
	}
	if ref, ok := s.resolve(c); ok {
		s.found = append(s.found, ref)
	}
}

func (s *scanner) result() []Reference {
	byPath := map[string]int{}
	var unique []Reference
	for _, r := range s.found {
		if r.State == Missing && s.created[r.Path] {
			continue
		}
		if at, seen := byPath[r.Path]; seen {
			if r.Line < unique[at].Line {
				unique[at] = r
			}
			continue
		}
		byPath[r.Path] = len(unique)
		unique = append(unique, r)
	}
	slices.SortFunc(unique, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Path, b.Path))
	})
	return unique
}

// Tree is what is known of the files around a skill.
type Tree struct {
	id       string
	dir      string
	files    map[string]string // path in the skill → note
	folded   map[string]string // lower-case path → path
	dirs     map[string]bool
	bases    map[string]string // base name → its only path, empty where several files have it
	complete bool
	inRepo   func(string) bool
}

// listingCap is the most files that a listing gives of one skill: a longer one is cut there.
const listingCap = 200

// NewTree indexes a bundle's files. inRepo tells whether a path exists in the repository, and is nil where
// nothing is known of it. A listing that is cut, or that of a root skill, proves no absence.
func NewTree(b data.Bundle, inRepo func(path string) bool) Tree {
	t := Tree{
		id: b.ID, dir: data.CleanDir(b.Path), inRepo: inRepo,
		files: map[string]string{}, folded: map[string]string{}, dirs: map[string]bool{}, bases: map[string]string{},
		complete: b.Basis == data.BasisContents || (len(b.Files) < listingCap && b.Path != ""),
	}
	t.put(cmp.Or(b.SkillFile, data.SkillFile), "")
	for _, f := range b.Files {
		t.put(f.Path, f.Note)
	}
	return t
}

func (t *Tree) put(name, note string) {
	t.files[name] = note
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
