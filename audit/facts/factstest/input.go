// Package factstest builds the input of package facts from txtar archives, for tests of the audit's pure
// packages. It cuts a SKILL.md with just enough Markdown for small fixtures; the product's parser is another.
package factstest

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"

	"skillcorpus/audit/facts"
	"skillcorpus/data"
)

// Input returns the input that an archive stands for. Its one SKILL.md tells the skill's directory inside
// the repository; all files of the archive are the repository, and their contents are known.
func Input(archive *txtar.Archive) facts.Input {
	var in facts.Input
	content := map[string][]byte{}
	for _, f := range archive.Files {
		content[f.Name] = f.Data
		if data.IsSkillFile(path.Base(f.Name)) && in.SkillMD == nil {
			in.SkillMD = f.Data
			in.Bundle.Path = data.CleanDir(path.Dir(f.Name))
			in.Bundle.SkillFile = path.Base(f.Name)
		}
	}
	in.Bundle.RepoID = "owner/repo"
	in.Bundle.ID = data.SkillID(in.Bundle.RepoID, in.Bundle.Path)
	in.Bundle.Basis = data.BasisContents
	for _, f := range archive.Files {
		rel, ok := strings.CutPrefix("/"+f.Name, path.Join("/", in.Bundle.Path)+"/")
		if in.Bundle.Path == "" {
			rel, ok = f.Name, true
		}
		if !ok || rel == in.Bundle.SkillFile {
			continue
		}
		note := ""
		if bytes.HasPrefix(f.Data, []byte("version https://git-lfs")) {
			note = "lfs pointer"
		}
		in.Bundle.Files = append(in.Bundle.Files, data.File{Path: rel, Mode: data.ModeFile, Size: int64(len(f.Data)), Kept: true, Note: note})
	}
	slices.SortFunc(in.Bundle.Files, func(a, b data.File) int { return strings.Compare(a.Path, b.Path) })
	in.Content = func(name string) ([]byte, bool) {
		text, ok := content[path.Join(in.Bundle.Path, name)]
		return text, ok
	}
	in.InRepo = func(name string) bool { return exists(content, name) }
	in.Document = Document(in.SkillMD)
	return in
}

func exists(content map[string][]byte, name string) bool {
	if _, ok := content[name]; ok {
		return true
	}
	for file := range content {
		if strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}

// Document cuts a SKILL.md of a fixture: frontmatter of scalars, fences, indented code, headings, links.
func Document(md []byte) data.Document {
	var doc data.Document
	body := frontmatter(&doc, md)
	c := cutter{doc: &doc, md: md, body: body}
	root := goldmark.DefaultParser().Parse(text.NewReader(md[body:]))
	at := body
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			at = c.node(n, at)
		}
		return ast.WalkContinue, nil
	})
	c.section(data.Section{Kind: data.SectionProse}, at, len(md))
	return doc
}

func frontmatter(doc *data.Document, md []byte) int {
	rest, ok := bytes.CutPrefix(md, []byte("---\n"))
	head, _, closed := bytes.Cut(rest, []byte("\n---\n"))
	if !ok || !closed {
		return 0
	}
	var root yaml.Node
	if yaml.Unmarshal(head, &root) == nil && len(root.Content) > 0 {
		doc.Frontmatter.Format = "yaml"
		pairs := root.Content[0].Content
		for i := 0; i+1 < len(pairs); i += 2 {
			value := data.Scalar(pairs[i+1].Value)
			value.Null = pairs[i+1].Tag == "!!null"
			doc.Frontmatter.Fields = append(doc.Frontmatter.Fields, data.Field{Key: pairs[i].Value, Line: pairs[i].Line + 1, Value: value})
		}
	}
	if v, found := doc.Frontmatter.Get("name"); found {
		doc.Name = v.Scalar
	}
	if v, found := doc.Frontmatter.Get("description"); found {
		doc.Description = v.Scalar
	}
	end := len("---\n") + len(head) + 1
	doc.Sections = append(doc.Sections,
		data.Section{Kind: data.SectionDelimiter, End: 4, Line: 1},
		data.Section{Kind: data.SectionFrontmatter, Start: 4, End: end, Line: 2},
		data.Section{Kind: data.SectionDelimiter, Start: end, End: end + 4, Line: lineAt(md, end)})
	return end + 4
}

type cutter struct {
	doc  *data.Document
	md   []byte
	body int // offset of what goldmark saw
}

func lineAt(md []byte, at int) int { return 1 + bytes.Count(md[:at], []byte("\n")) }

func (c *cutter) section(s data.Section, start, end int) {
	if start < end {
		s.Start, s.End, s.Line = start, end, lineAt(c.md, start)
		c.doc.Sections = append(c.doc.Sections, s)
	}
}

// node notes what a node is, and returns the offset up to which sections are cut.
func (c *cutter) node(n ast.Node, at int) int {
	switch n := n.(type) {
	case *ast.Heading:
		line, words := 0, ""
		if n.Lines().Len() > 0 {
			row := n.Lines().At(0)
			line, words = lineAt(c.md, c.body+row.Start), string(row.Value(c.md[c.body:]))
		}
		c.doc.Headings = append(c.doc.Headings, data.Heading{Level: n.Level, Line: line, Text: words})
	case *ast.Link:
		c.link(n, string(n.Destination), false)
	case *ast.Image:
		c.link(n, string(n.Destination), true)
	case *ast.FencedCodeBlock:
		return c.fence(n, at)
	case *ast.CodeBlock:
		return c.code(data.Section{Kind: data.SectionCode}, n.Lines(), at)
	}
	return at
}

func (c *cutter) link(n ast.Node, target string, image bool) {
	for block := n.Parent(); block != nil; block = block.Parent() {
		if block.Type() == ast.TypeBlock && block.Lines().Len() > 0 {
			line := lineAt(c.md, c.body+block.Lines().At(0).Start)
			// goldmark does not place links: the line is that of the target's first mention from there on.
			from := c.body + block.Lines().At(0).Start
			if step := bytes.Index(c.md[from:], []byte(target)); step >= 0 {
				line = lineAt(c.md, from+step)
			}
			c.doc.Links = append(c.doc.Links, data.Link{Line: line, Target: target, Image: image})
			return
		}
	}
}

func (c *cutter) fence(n *ast.FencedCodeBlock, at int) int {
	s := data.Section{Kind: data.SectionCode, Fenced: true}
	if n.Info != nil {
		s.Info = string(n.Info.Value(c.md[c.body:]))
		if words := strings.Fields(s.Info); len(words) > 0 {
			s.Lang = strings.ToLower(words[0])
		}
	}
	if n.Lines().Len() == 0 {
		return at
	}
	end := c.body + n.Lines().At(n.Lines().Len()-1).Stop
	closer, _, _ := bytes.Cut(c.md[end:], []byte("\n"))
	s.Open = end >= len(c.md) || !bytes.Contains(closer, []byte("```")) && !bytes.Contains(closer, []byte("~~~"))
	start := c.body + n.Lines().At(0).Start
	opening := bytes.LastIndexByte(c.md[:start-1], '\n') + 1
	for bytes.LastIndexByte(c.md[:start], '\n')+1 == opening {
		opening = bytes.LastIndexByte(c.md[:opening-1], '\n') + 1
	}
	c.section(data.Section{Kind: data.SectionProse}, at, opening)
	c.section(data.Section{Kind: data.SectionDelimiter}, opening, bytes.LastIndexByte(c.md[:start], '\n')+1)
	end = c.code(s, n.Lines(), bytes.LastIndexByte(c.md[:start], '\n')+1)
	if s.Open {
		return end
	}
	c.section(data.Section{Kind: data.SectionDelimiter}, end, end+len(closer)+1)
	return min(len(c.md), end+len(closer)+1)
}

func (c *cutter) code(s data.Section, lines *text.Segments, at int) int {
	first, last := lines.At(0), lines.At(lines.Len()-1)
	start := bytes.LastIndexByte(c.md[:c.body+first.Start], '\n') + 1
	c.section(data.Section{Kind: data.SectionProse}, at, start)
	var content strings.Builder
	for i := range lines.Len() {
		segment := lines.At(i)
		content.Write(segment.Value(c.md[c.body:]))
	}
	shown := content.String()
	s.Text = &shown
	c.section(s, start, c.body+last.Stop)
	return c.body + last.Stop
}
