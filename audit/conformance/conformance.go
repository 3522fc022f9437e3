// Package conformance owns the question which validators accept a skill: skills-ref of agentskills.io, Anthropic's
// quick_validate, and the Claude platform. Each is followed by its own reading of the file, since they cut and read
// the frontmatter differently.
//
// It never repairs what it reads, as the parser does, and never judges how bad a fault is. Package facts calls it.
package conformance

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Fault is one breach of a rule.
type Fault struct {
	Rule    string
	Line    int
	Message string
}

// Result is what the validators say of a skill.
type Result struct {
	Faults        []Fault // by line, then rule; those of all validators, each once
	SkillsRef     bool    // skills-ref accepts the skill
	QuickValidate bool    // quick_validate accepts the skill
	Claude        bool    // the Claude platform's own limits on name and description are kept
}

// Skill is what a validator is given.
type Skill struct {
	File   []byte // SKILL.md as it lies there
	Name   string // of the file, in its spelling
	Folder string // name of the skill's directory; empty where an installer chooses it
}

// Limits of agentskills.io, in characters.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

// Limits on what is read. A frontmatter beyond them is refused like one that is no YAML.
const maxFrontmatter = 256 << 10

// Check holds a skill against every validator.
func Check(s Skill) Result {
	var all []Fault
	var result Result
	text := newlines(s.File)
	front := readFrontmatter(text)
	for _, v := range []struct {
		check   func(Skill, frontmatter) []Fault
		accepts *bool
	}{{skillsRef, &result.SkillsRef}, {quickValidate, &result.QuickValidate}, {claude, &result.Claude}} {
		faults := v.check(s, front)
		*v.accepts = len(faults) == 0
		all = append(all, faults...)
	}
	all = append(all, advice(front)...)
	slices.SortFunc(all, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	result.Faults = slices.CompactFunc(all, func(a, b Fault) bool { return a.Line == b.Line && a.Rule == b.Rule })
	result.Faults = slices.DeleteFunc(result.Faults, func(f Fault) bool { return retold(f, result.Faults) })
	return result
}

// retold reports whether a fault is the same as another one, which says more of it.
func retold(f Fault, all []Fault) bool {
	var by []string
	switch f.Rule {
	case "skill-file-case":
		by = []string{"skill-file-spelling"}
	case "field-typed":
		by = []string{"empty-name", "empty-description"}
	case "name-case", "name-characters", "name-folder":
		by = []string{"empty-name"}
	case "name-ascii":
		by = []string{"empty-name", "name-case", "name-characters"}
	case "description-angle":
		by = []string{"xml-tag"}
	}
	return slices.ContainsFunc(all, func(other Fault) bool { return other.Line == f.Line && slices.Contains(by, other.Rule) })
}

// newlines returns the text as Python reads it: every line end is a line feed.
func newlines(file []byte) string {
	text := string(file)
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// opening is how both validators know a frontmatter.
const opening = "---"

// unreadable returns the fault of a file that has no frontmatter to look at.
func unreadable(text string) *Fault {
	switch {
	case !utf8.ValidString(text):
		return &Fault{"not-utf8", 1, "the file is not UTF-8"}
	case !strings.HasPrefix(text, opening):
		what := "the first line is not `---`"
		if strings.HasPrefix(text, "\uFEFF"+opening) {
			what = "a byte order mark stands before `---`"
		}
		return &Fault{"missing-frontmatter", 1, what}
	}
	return nil
}

// frontmatter is a file's as each validator cuts and reads it.
type frontmatter struct {
	unreadable *Fault // where there is none
	ref, quick block  // as skills-ref reads it; as quick_validate does
}

// readFrontmatter parses the block once where both validators cut it alike, as they mostly do.
func readFrontmatter(text string) frontmatter {
	if fault := unreadable(text); fault != nil {
		return frontmatter{unreadable: fault}
	}
	ref, closed := refCut(text)
	quick, fault := quickCut(text)
	f := frontmatter{quick: block{fault: fault}, ref: block{fault: &Fault{"unclosed-frontmatter", 1, "no second `---`"}}}
	if fault == nil {
		f.quick = read(quick, 1)
	}
	switch {
	case closed && fault == nil && ref == "\n"+quick+"\n" && !strings.ContainsAny(quick, "|>"): // the last line end may be part of a block scalar
		f.ref = f.quick
	case closed:
		f.ref = read(ref, 0)
	}
	return f
}

// refCut returns what skills-ref reads: the block ends at the next three dashes, wherever they stand.
func refCut(text string) (body string, closed bool) {
	body, _, closed = strings.Cut(text[len(opening):], opening)
	return body, closed
}

// quickCut returns what quick_validate reads: the block ends at the next line that starts with three dashes.
func quickCut(text string) (body string, fault *Fault) {
	first, rest, _ := strings.Cut(text, "\n")
	if first != opening {
		return "", &Fault{"unclosed-frontmatter", 1, "the first line holds more than `---`"}
	}
	body, _, closed := strings.Cut(rest, "\n"+opening)
	if !closed {
		return "", &Fault{"unclosed-frontmatter", 1, "no line that starts with `---` closes the block"}
	}
	return body, nil
}

// skillsRef follows the reference validator.
func skillsRef(s Skill, front frontmatter) []Fault {
	if s.Name != "SKILL.md" && s.Name != "skill.md" {
		return []Fault{{"skill-file-spelling", 1, "the file is called " + path.Base(s.Name)}}
	}
	if front.unreadable != nil {
		return []Fault{*front.unreadable}
	}
	b := front.ref
	if b.fault != nil {
		return []Fault{*b.fault}
	}
	if fault := strict(b.root); fault != nil {
		return []Fault{*fault}
	}
	faults := b.unknownKeys()
	faults = append(faults, b.required(false)...)
	faults = append(faults, b.refName(s.Folder)...)
	if d, ok := b.text("description"); ok {
		faults = append(faults, tooLong("description-length", d.Line, d.Value, maxDescription)...)
	}
	if c, ok := b.text("compatibility"); ok {
		faults = append(faults, tooLong("compatibility-length", c.Line, c.Value, maxCompatibility)...)
	}
	return faults
}

// quickValidate follows the script that comes with Anthropic's skill creator: scalars have the types of YAML 1.1.
func quickValidate(s Skill, front frontmatter) []Fault {
	if s.Name != "SKILL.md" {
		return []Fault{{"skill-file-case", 1, "the file is called " + path.Base(s.Name)}}
	}
	if front.unreadable != nil {
		return []Fault{*front.unreadable}
	}
	b := front.quick
	if b.fault != nil {
		return []Fault{*b.fault}
	}
	faults := append(b.unknownKeys(), b.required(true)...)
	faults = append(faults, b.typed()...)
	if name, ok := b.text("name"); ok {
		faults = append(faults, asciiName(name)...)
	}
	if d, ok := b.text("description"); ok {
		if at := strings.IndexAny(d.Value, "<>"); at >= 0 {
			faults = append(faults, Fault{"description-angle", d.Line, "angle bracket at " + quote(around(d.Value, at))})
		}
		faults = append(faults, tooLong("description-length", d.Line, strings.TrimSpace(d.Value), maxDescription)...)
	}
	if c, ok := b.text("compatibility"); ok {
		if c.Value == "" {
			faults = append(faults, Fault{"compatibility-empty", c.Line, "compatibility is empty"})
		}
		faults = append(faults, tooLong("compatibility-length", c.Line, c.Value, maxCompatibility)...)
	}
	return faults
}

// claude holds name and description against what the Claude platform accepts at upload.
func claude(_ Skill, front frontmatter) []Fault {
	if front.unreadable != nil {
		return []Fault{*front.unreadable}
	}
	b := front.quick
	if b.fault != nil {
		return []Fault{*b.fault}
	}
	faults := append(b.required(false), b.nulls()...)
	if name, ok := b.text("name"); ok {
		faults = append(faults, asciiName(name)...)
		faults = append(faults, reserved(name)...)
		faults = append(faults, xmlTag("name", name)...)
	}
	if d, ok := b.text("description"); ok {
		faults = append(faults, xmlTag("description", d)...)
		faults = append(faults, tooLong("description-length", d.Line, strings.TrimSpace(d.Value), maxDescription)...)
	}
	return faults
}

// advice is what agentskills.io says and no validator checks.
func advice(front frontmatter) []Fault {
	b := front.quick
	if front.unreadable != nil || b.fault != nil {
		return nil
	}
	var faults []Fault
	if tools := b.get("allowed-tools"); tools != nil && tools.Kind != yaml.ScalarNode {
		faults = append(faults, Fault{"allowed-tools-list", tools.Line, "allowed-tools is a list or mapping; the format asks for one line of words"})
	}
	if meta := b.get("metadata"); meta != nil {
		faults = append(faults, metadataForm(meta)...)
	}
	return faults
}

func metadataForm(meta *yaml.Node) []Fault {
	if meta.Kind != yaml.MappingNode {
		if meta.Kind == yaml.ScalarNode && isNull(meta) {
			return nil
		}
		return []Fault{{"metadata-form", meta.Line, "metadata is no mapping"}}
	}
	for i := 0; i+1 < len(meta.Content); i += 2 {
		if meta.Content[i+1].Kind != yaml.ScalarNode {
			return []Fault{{"metadata-form", meta.Content[i].Line, "metadata." + quote(meta.Content[i].Value) + " is no text"}}
		}
	}
	return nil
}
