// Package reference owns what a skill says of its own files: it finds links, inline code, command arguments and
// imports that name a file of the bundle, in SKILL.md, in bundled pages and in bundled scripts; it tells for each
// whether that file is there, and which files of the bundle nothing leads to.
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
	Doubtful       State = "doubtful"        // not there, and the skill may not mean one of its own
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
	Link    Kind = "a link" // a link or an image
	Inline  Kind = "inline code"
	Command Kind = "a command" // an argument or the command itself
	Import  Kind = "import"    // a module or script that a bundled script loads
	Pattern Kind = "pattern"   // a path with a wildcard or a placeholder, of which no file is there
	Plain   Kind = "the text"  // a bare word of the prose
)

// Reference is one file that a text names, at the first place where it does.
type Reference struct {
	Path         string // from the skill's directory; as written where it leaves the repository
	Written      string // the words of the author
	Actual       string // the file's own spelling, with CaseMismatch; why it is not bundled, with Unbundled
	File         string // that names it, from the skill's directory; empty for SKILL.md
	Line         int    // in File, from 1
	Kind         Kind
	State        State
	Near         []string // bundled files that may be meant instead, likeliest first, with Missing
	Beyond       bool     // the path leads out of the skill's folder
	UnclosedCode bool     // the place lies inside a fence that nothing closes
}

// maxReferences bounds what one text may claim: the corpus's longest names under 600 files.
const maxReferences = 2000

// maxAsked bounds for how many missing files others of a like name are looked for: more are not reported.
const maxAsked = 50

// Find returns the files that a SKILL.md names, each once, sorted by line and path. Examples in Markdown
// fences, placeholders, outputs, URLs, anchors and files of the user's project are not references.
func Find(doc data.Document, skillMD []byte, tree Tree) []Reference {
	scan := newScanner(tree, doc.Name)
	scan.document(doc, skillMD)
	return scan.result()
}

func newScanner(tree Tree, name string) *scanner {
	return &scanner{
		tree: tree, names: []string{data.FolderName(tree.id), name},
		created: map[string]bool{}, outer: map[string]bool{}, variables: map[string]string{},
		cloned: map[string]bool{}, alone: map[string]bool{}, loose: map[string]bool{},
	}
}

func (s *scanner) document(doc data.Document, text []byte) {
	s.text = text
	for _, section := range doc.Sections {
		if section.Kind == data.SectionCode {
			s.define(section.Read(text))
		}
	}
	for _, l := range doc.Links {
		s.add(candidate{text: l.Target, line: l.Line, kind: Link})
		if strings.HasPrefix(l.Target, "../") {
			s.outer[strings.TrimLeft(l.Target, "./")] = true
		}
	}
	prose := "" // that stands before the section
	for _, section := range doc.Sections {
		content := section.Read(text)
		switch {
		case section.Kind == data.SectionProse:
			s.prose(content, section.Line, false)
			s.lists(content, section.Line)
		case section.Kind == data.SectionCode && section.Open:
			s.prose(content, section.Line, true)
			s.links(content, section.Line)
		case section.Kind == data.SectionCode:
			s.caption(prose, content, section.Lang)
			s.code(content, section.Lang, section.Line)
		}
		if section.Kind == data.SectionProse || section.Kind == data.SectionCode {
			prose = content
		}
	}
}

type scanner struct {
	tree      Tree
	text      []byte   // that is read
	page      string   // the bundled page that is read; empty for SKILL.md
	names     []string // of the skill itself
	found     []Reference
	created   map[string]bool   // paths that a command or a sentence makes
	outer     map[string]bool   // link targets outside the skill without their leading dots: their texts name the same file
	cloned    map[string]bool   // folders that the text has a repository fetched into
	alone     map[string]bool   // paths that are the skill's own only if it keeps other files
	heading   string            // the last one
	loose     map[string]bool   // files that lists claim without a folder
	variables map[string]string // shell variables that hold a path inside the skill, and that path
}

func (s *scanner) add(c candidate) {
	if len(s.found) >= maxReferences {
		return
	}
	if ref, ok := s.resolve(c); ok {
		ref.File = s.page
		s.found = append(s.found, ref)
	}
}

func (s *scanner) result() []Reference {
	byPath := map[string]int{}
	var unique []Reference
	nested := map[string]bool{}
	for _, r := range s.found {
		nested[path.Base(r.Path)] = nested[path.Base(r.Path)] || strings.Contains(r.Path, "/")
	}
	for _, r := range s.found {
		if (r.State == Missing || r.State == Doubtful) && (s.created[r.Path] || s.loose[r.Path] && nested[r.Path]) {
			continue
		}
		if r.State == Missing && s.alone[r.Path] && !s.company(r.Path) {
			r.State = Doubtful
		}
		if at, seen := byPath[r.Path]; seen {
			if was := unique[at]; was.State == Doubtful && r.State == Missing || was.State == r.State && r.Line < was.Line {
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
	asked := 0
	for i := range unique {
		if unique[i].State == Missing && asked < maxAsked {
			asked++
			unique[i].Near = s.tree.near(unique[i].Path)
		}
	}
	return unique
}

// company reports whether the text names files of the skill's own about which there is no doubt: in a skill that a
// project keeps any, else scripts beside the one given.
func (s *scanner) company(file string) bool {
	any := !usual.MatchString(file)
	for _, r := range s.found {
		if (r.State == Present && OwnFolder(r.Path) || r.State == Missing && !s.alone[r.Path]) && (any || strings.HasPrefix(r.Path, "scripts/")) {
			return true
		}
	}
	return false
}
