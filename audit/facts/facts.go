// Package facts owns what is so of one skill, before any judgement: which files it names and whether they
// are there, which code it carries and what a parser makes of it, its counts, its licence, its odd
// characters.
//
// It never opens a file by itself, never executes anything and never judges; the same input gives the same
// facts. The audit stage calls Collect, and package rules judges the result.
package facts

import (
	"slices"
	"strings"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/audit/license"
	"skillcorpus/audit/proxy"
	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// Input is everything that is known of one skill.
type Input struct {
	Bundle   data.Bundle
	Document data.Document
	SkillMD  []byte // the file as it lies in the repository
	// Content reads a bundled file by its path from the skill's directory. ok is false for a file whose
	// content is not kept; nil stands for none kept at all.
	Content func(path string) (content []byte, ok bool)
	// InRepo tells whether a path from the repository's root exists there, as a file or as a directory; nil
	// stands for a repository whose tree is not known.
	InRepo func(path string) bool
	// Licenses are the licence files of the nearest folder above the skill's that has any, sorted by path.
	Licenses []license.File
	// Partial tells that what InRepo knows is a part of a repository: a folder that a linter was given.
	Partial bool
}

// Facts is what is so of one skill.
type Facts struct {
	Bundle     data.Bundle
	SkillFile  string // name of the main file
	Binary     bool
	Describe   Field
	References []reference.Reference // of SKILL.md; then, with contents, those of bundled pages, and of scripts what is not there
	Orphans    []string              // bundled files that nothing leads to, sorted; none where only a listing is known
	Code       []code.Unit           // blocks in order, then bundled scripts by path
	HasScripts bool                  // by the paper's audit
	Exact      data.Proxies
	Corrected  data.Proxies
	License    license.License
	Requires   data.Requires
	Prose      Prose
	Characters int // of SKILL.md, in code points
	Inline     Inline
	Page       Page
	Faults     []Fault
	Junk       string // what the file is instead of a skill; empty for a skill
	JunkLine   int
	Safety
}

// Field is a scalar of the frontmatter as its author wrote it.
type Field struct {
	Text  string
	Line  int
	Found bool
}

// Prose measures what a reader reads.
type Prose struct {
	BodyLine int // first line after the frontmatter that is not blank; 0 if there is none
}

// Collect returns the facts of one skill.
func Collect(in Input) Facts {
	skillFile := in.Bundle.SkillFile
	if skillFile == "" {
		skillFile = data.SkillFile
	}
	f := Facts{
		Bundle:     in.Bundle,
		SkillFile:  skillFile,
		Binary:     in.Document.Binary,
		Describe:   scalar(in.Document, "description"),
		HasScripts: proxy.HasScripts(in.Bundle.Files),
		Characters: utf8.RuneCount(in.SkillMD),
		Exact:      proxy.Exact(in.SkillMD, in.Bundle.Files),
		Corrected:  proxy.Corrected(in.Document, in.SkillMD, in.Bundle.Files),
		Code:       code.Blocks(in.Document, in.SkillMD, skillFile),
	}
	f.Page = page(in.Document, in.SkillMD, f.Code)
	tree := reference.NewTree(in.Bundle, in.InRepo)
	if in.Partial {
		tree = tree.Partial()
	}
	f.References = reference.Find(in.Document, in.SkillMD, tree)
	f.scripts(in.Content)
	f.follow(in, tree)
	f.Requires = code.Requires(f.Code, in.Bundle.Files)
	f.license(in)
	f.read(in)
	f.Safety = safety(in)
	return f
}

// scripts adds the bundled files that are code, where their content is there.
func (f *Facts) scripts(content func(string) ([]byte, bool)) {
	if content == nil {
		return
	}
	for _, file := range f.Bundle.Files {
		if file.Note != "" || data.IsSkillFile(file.Path) {
			continue
		}
		if text, ok := content(file.Path); ok {
			if unit, isCode := code.Script(file.Path, text); isCode {
				f.Code = append(f.Code, unit)
			}
		}
	}
}

func (f *Facts) license(in Input) {
	field := scalar(in.Document, "license")
	written := in.Document.Fields.License
	if written == "" {
		written = field.Text
	}
	f.License = license.Of(license.Statements{
		Written: written, Files: in.Bundle.Files, Content: in.Content,
		Above: in.Licenses, Host: in.Bundle.License,
	})
	f.License.Line = field.Line
}

// read looks at the text itself.
func (f *Facts) read(in Input) {
	for _, s := range in.Document.Sections {
		if s.Kind != data.SectionProse && s.Kind != data.SectionCode {
			continue
		}
		text := s.Read(in.SkillMD)
		if f.Prose.BodyLine == 0 && strings.TrimSpace(text) != "" {
			f.Prose.BodyLine = s.Line
		}
		if s.Kind == data.SectionProse {
			f.Inline.read(text, s.Line)
			f.Faults = append(f.Faults, flattened(text, s.Line)...)
		} else {
			f.Inline.calls(s, text)
			f.Faults = append(f.Faults, searchPaths(s, text)...)
		}
	}
	if f.Binary {
		return
	}
	f.Junk, f.JunkLine = junk(in.Document, in.SkillMD)
}

func scalar(doc data.Document, key string) Field {
	for _, field := range slices.Backward(doc.Frontmatter.Fields) {
		if field.Key == key {
			return Field{Text: strings.TrimSpace(field.Value.Scalar), Line: field.Line, Found: field.Value.Kind == data.KindScalar && !field.Value.Null}
		}
	}
	return Field{}
}
