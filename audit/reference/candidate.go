package reference

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"skillcorpus/data"
)

// candidate is a word that may name a file.
type candidate struct {
	text    string
	line    int
	kind    Kind
	before  string // what stands before it on its line
	unclose bool
	dir     directory // of a command
	use     use       // that a command makes of it
	listed  bool      // among files of the skill
}

var (
	// Line numbers after a path: `file.py:12`, `file.py:12-30`.
	lineSuffix = regexp.MustCompile(`:\d+(-\d+)?$`)
	mail       = regexp.MustCompile(`^[^/\s@]+@[\w-]+(?:\.[\w-]+)+$`) // <someone@tides.dev> is a link, too
)

// resolve decides whether a candidate names a file, which one, and whether it is there. What a command names in a
// directory that is not the skill's is the skill's only if it is there.
func (s *scanner) resolve(c candidate) (Reference, bool) {
	ref, ok := s.locate(c)
	if _, explicit := s.expand(c.text); c.dir.away && explicit == none {
		ok = ok && ref.State != Missing && ref.State != Doubtful && ref.State != Unknown && ref.State != OutsideMissing && ref.State != Escapes
	}
	return ref, ok
}

func (s *scanner) locate(c candidate) (Reference, bool) {
	ref := Reference{Written: c.text, Line: c.line, Kind: c.kind, UnclosedCode: c.unclose}
	name, explicit, ok := s.clean(c)
	if !ok {
		return s.pattern(ref, c)
	}
	if explicit == fromPlugin {
		return s.beyond(ref, name)
	}
	if explicit == none {
		name = s.within(name, c)
	}
	if s.page != "" && explicit == none {
		name = s.beside(name, c.kind)
	}
	full := path.Join("/", s.tree.dir, name)
	if climbs(s.tree.dir, name) {
		ref.Path, ref.State = name, Escapes
		if s.tree.partial {
			ref.State = Unknown
		}
		return ref, c.kind == Link
	}
	inside, within := below(full, s.tree.dir)
	if !within {
		if !extension.MatchString(name) && c.kind != Link {
			return ref, false
		}
		return s.beyondAt(ref, path.Clean(name), strings.TrimPrefix(full, "/"))
	}
	ref.Path = inside
	ref.State, ref.Actual = s.tree.state(inside)
	return s.settle(ref, c, explicit)
}

// beside resolves a path of a bundled page: from the page's folder, or from the skill's where only that has it.
func (s *scanner) beside(name string, kind Kind) string {
	near := path.Join(path.Dir(s.page), name)
	if s.tree.has(near) || kind == Link && !s.tree.has(name) {
		return near
	}
	return name
}

// pattern takes a path below the skill's pages that has a wildcard or a placeholder in it: where their folder is not
// there at all, no file can be the one that is meant. Patterns below other folders are mostly about files to be made.
func (s *scanner) pattern(ref Reference, c candidate) (Reference, bool) {
	text, explicit := s.expand(strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(c.text), "./"), ".,:;!?"))
	at := strings.IndexAny(text, "*<{[$")
	if s.page != "" || at < 0 || c.kind == Link || explicit == fromPlugin || !s.tree.complete || !extension.MatchString(text) || strings.ContainsAny(text, " \t\n|`\"'()") {
		return ref, false
	}
	folder, _, nested := strings.Cut(text[:at], "/")
	if !nested || folder != "references" && folder != "reference" || s.tree.dirs[folder] || (s.tree.inRepo != nil && s.tree.inRepo(folder)) ||
		creates(c.before) || yourProject.MatchString(c.before) {
		return ref, false
	}
	ref.Path, ref.State, ref.Kind = text, Missing, Pattern
	return ref, true
}

// settle keeps what is there, and of what is not there only what the skill claims as its own.
func (s *scanner) settle(ref Reference, c candidate, explicit prefix) (Reference, bool) {
	if ref.Path == "" || strings.EqualFold(ref.Path, s.skillFile()) {
		return ref, false
	}
	if ref.State != Missing && ref.State != Unknown {
		return ref, extension.MatchString(ref.Path) || strings.Contains(ref.Path, "/") || c.kind == Link
	}
	if actual := s.tree.bases[path.Base(ref.Path)]; actual != "" && (actual == ref.Path || strings.HasSuffix(actual, "/"+ref.Path)) {
		ref.Path, ref.State = actual, Present
		return ref, true
	}
	if s.tree.inRepo != nil && explicit == none && s.tree.inRepo(ref.Path) {
		ref.State = Outside
		return ref, true
	}
	// A bare word without a folder is a file's name only where the file is there.
	if c.kind != Link && (s.outer[ref.Path] || c.kind == Plain && !c.listed && !strings.Contains(ref.Path, "/")) {
		return ref, false
	}
	// A link to another SKILL.md below is one to a neighbour, written from the repository's root.
	if explicit == none && strings.EqualFold(path.Base(ref.Path), data.SkillFile) {
		return s.beyondAt(ref, ref.Path, ref.Path)
	}
	switch s.claims(ref.Path, c, explicit) {
	case foreign:
		return ref, false
	case doubtful:
		if ref.State == Missing {
			ref.State = Doubtful
		}
	case unlessAlone:
		s.alone[ref.Path] = true
	}
	return ref, true
}

func (s *scanner) skillFile() string { return s.tree.folded["skill.md"] }

// beyond resolves a path from the folder of the plugin: an ancestor of the skill, which one is not written.
func (s *scanner) beyond(ref Reference, name string) (Reference, bool) {
	for dir := s.tree.dir; ; dir = path.Dir(dir) {
		if dir == "." || dir == "/" {
			dir = ""
		}
		full := path.Join(dir, name)
		if inside, ok := below("/"+full, s.tree.dir); ok {
			state, note := s.tree.state(inside)
			if state != Missing || dir != s.tree.dir || dir == "" {
				ref.Path, ref.State, ref.Actual = inside, state, note
				return ref, inside != "" && extension.MatchString(inside)
			}
		} else if s.tree.inRepo != nil && s.tree.inRepo(full) {
			ref.Path, ref.State, ref.Beyond = full, Outside, true
			return ref, true
		}
		if dir == "" {
			break
		}
	}
	return s.beyondAt(ref, name, name)
}

// beyondAt resolves a path outside the skill's folder; full is the same path from the repository's root.
func (s *scanner) beyondAt(ref Reference, name, full string) (Reference, bool) {
	ref.Path, ref.Beyond = name, true
	switch {
	case s.tree.inRepo == nil:
		ref.State = Unknown
	case s.tree.inRepo(full):
		ref.State = Outside
	case s.tree.partial && s.tree.dir == "":
		ref.State = Unknown
	default:
		ref.State = OutsideMissing
	}
	return ref, !placeholder.MatchString(name)
}

// clean strips a candidate to a relative path. It refuses what no file of a bundle can be.
func (s *scanner) clean(c candidate) (name string, explicit prefix, ok bool) {
	text := strings.TrimSpace(c.text)
	if c.kind == Link {
		text, ok = linkPath(text)
		if !ok {
			return "", none, false
		}
	}
	if len(text) == 0 || len(text) > 512 {
		return "", none, false
	}
	text, explicit = s.expand(text)
	text = lineSuffix.ReplaceAllString(text, "")
	if c.kind != Link {
		text = strings.TrimRight(text, ".,:;!?")
	}
	if text == "" || strings.ContainsAny(text, "*<>{}$|\"`\\\n\x00=[]") || strings.Contains(text, "...") || strings.Contains(text, "…") ||
		strings.Contains(text, "://") || strings.Contains(text, "//") || strings.ContainsAny(text[:1], "/~#@-%&?+") {
		return "", none, false
	}
	if c.kind != Link && strings.ContainsAny(text, " \t,;:@()'") {
		return "", none, false
	}
	clean := path.Clean(text)
	return clean, explicit, clean != "." && clean != ".."
}

// linkPath decodes a link's destination once and cuts query and fragment.
func linkPath(target string) (string, bool) {
	target = strings.TrimSuffix(strings.TrimPrefix(target, "<"), ">")
	if at := strings.IndexAny(target, "#?"); at >= 0 {
		target = target[:at]
	}
	scheme, _, hasScheme := strings.Cut(target, ":")
	if target == "" || mail.MatchString(target) || (hasScheme && !strings.Contains(scheme, "/")) {
		return "", false
	}
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	return target, true
}

// climbs reports whether a relative path leaves the repository on its way.
func climbs(dir, name string) bool {
	depth := 0
	if dir != "" {
		depth = strings.Count(dir, "/") + 1
	}
	for part := range strings.SplitSeq(name, "/") {
		if part != ".." {
			return false
		}
		if depth--; depth < 0 {
			return true
		}
	}
	return false
}

// below returns the part of an absolute path below a directory.
func below(full, dir string) (string, bool) {
	if dir == "" {
		return strings.TrimPrefix(full, "/"), true
	}
	return strings.CutPrefix(full, "/"+dir+"/")
}

func tail(text string, n int) string {
	if len(text) > n {
		return text[len(text)-n:]
	}
	return text
}
