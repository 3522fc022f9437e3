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
	for _, v := range []struct {
		check   func(Skill, string) []Fault
		accepts *bool
	}{{skillsRef, &result.SkillsRef}, {quickValidate, &result.QuickValidate}, {claude, &result.Claude}} {
		faults := v.check(s, newlines(s.File))
		*v.accepts = len(faults) == 0
		all = append(all, faults...)
	}
	all = append(all, advice(newlines(s.File))...)
	slices.SortFunc(all, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	result.Faults = slices.CompactFunc(all, func(a, b Fault) bool { return a.Line == b.Line && a.Rule == b.Rule })
	return result
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

// skillsRef follows the reference validator: the block ends at the next three dashes, wherever they stand.
func skillsRef(s Skill, text string) []Fault {
	if s.Name != "SKILL.md" && s.Name != "skill.md" {
		return []Fault{{"skill-file-spelling", 1, "the file is called " + path.Base(s.Name)}}
	}
	if fault := unreadable(text); fault != nil {
		return []Fault{*fault}
	}
	block, _, closed := strings.Cut(text[len(opening):], opening)
	if !closed {
		return []Fault{{"unclosed-frontmatter", 1, "no second `---`"}}
	}
	b := read(block, 0)
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

// quickValidate follows the script that comes with Anthropic's skill creator: the block ends at the next line
// that starts with three dashes, and scalars have the types of YAML 1.1.
func quickValidate(s Skill, text string) []Fault {
	if s.Name != "SKILL.md" {
		return []Fault{{"skill-file-case", 1, "the file is called " + path.Base(s.Name)}}
	}
	if fault := unreadable(text); fault != nil {
		return []Fault{*fault}
	}
	b := quickBlock(text)
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

func quickBlock(text string) block {
	first, rest, _ := strings.Cut(text, "\n")
	if first != opening {
		return block{fault: &Fault{"unclosed-frontmatter", 1, "the first line holds more than `---`"}}
	}
	body, _, closed := strings.Cut(rest, "\n"+opening)
	if !closed {
		return block{fault: &Fault{"unclosed-frontmatter", 1, "no line that starts with `---` closes the block"}}
	}
	return read(body, 1)
}

// claude holds name and description against what the Claude platform accepts at upload.
func claude(_ Skill, text string) []Fault {
	if fault := unreadable(text); fault != nil {
		return []Fault{*fault}
	}
	b := quickBlock(text)
	if b.fault != nil {
		return []Fault{*b.fault}
	}
	faults := b.required(false)
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
func advice(text string) []Fault {
	if unreadable(text) != nil {
		return nil
	}
	b := quickBlock(text)
	if b.fault != nil {
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
