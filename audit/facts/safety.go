package facts

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/audit/conformance"
	"skillcorpus/audit/danger"
	"skillcorpus/audit/secret"
	"skillcorpus/data"
)

// Safety is what is so of a skill's form and of what it might do to its reader.
type Safety struct {
	Conformance conformance.Result
	Body        Body
	Dangers     []danger.Sign
	Secrets     []secret.Hit
}

// Body measures what an agent loads when it uses the skill.
type Body struct {
	Lines  int // after the frontmatter
	Tokens int // estimated: a quarter of the ASCII characters, and one for each other character
}

func safety(in Input) Safety {
	folder := ""
	if in.Bundle.Path != "" {
		folder = data.FolderName(in.Bundle.ID)
	}
	scripts, secrets := bundled(in)
	return Safety{
		Conformance: conformance.Check(conformance.Skill{File: in.SkillMD, Name: cmp.Or(in.Bundle.SkillFile, data.SkillFile), Folder: folder}),
		Body:        body(in.Document, in.SkillMD),
		Dangers:     dangers(in, scripts),
		Secrets:     secrets,
	}
}

func body(doc data.Document, file []byte) Body {
	start := 0
	for i, s := range doc.Sections {
		if s.Kind == data.SectionFrontmatter && i+1 < len(doc.Sections) {
			start = doc.Sections[i+1].End
		}
	}
	text := bytes.TrimSpace(file[min(start, len(file)):])
	if len(text) == 0 {
		return Body{}
	}
	characters := utf8.RuneCount(text)
	ascii := 0
	for _, c := range text {
		if c < utf8.RuneSelf {
			ascii++
		}
	}
	return Body{Lines: 1 + bytes.Count(text, []byte("\n")), Tokens: ascii/4 + characters - ascii}
}

// dangers looks at prose, blocks and bundled scripts.
func dangers(in Input, scripts []danger.Text) []danger.Sign {
	texts := make([]danger.Text, 0, len(in.Document.Sections))
	said := "" // the end of the prose before a block
	for _, s := range in.Document.Sections {
		text := s.Read(in.SkillMD)
		switch s.Kind {
		case data.SectionProse:
			texts = append(texts, danger.Text{Kind: danger.Prose, Line: s.Line, Text: text, Context: heading(in.Document, s.Line)})
			said = text[max(0, len(text)-maxSaid):]
		case data.SectionCode:
			texts = append(texts, danger.Text{Kind: danger.Code, Lang: code.Language(s.Lang), Line: s.Line, Text: text, Context: heading(in.Document, s.Line) + "\n" + said})
		}
	}
	signs := danger.Find(danger.Skill{ID: in.Bundle.ID, Name: in.Document.Name, Description: in.Document.Description}, append(texts, scripts...))
	signs = append(signs, danger.Hidden("", in.SkillMD)...)
	for _, s := range scripts {
		signs = append(signs, danger.Hidden(s.File, []byte(s.Text))...)
	}
	return signs
}

// bundled returns the scripts of the bundle whose content is there, and the secrets of all its texts.
func bundled(in Input) (scripts []danger.Text, secrets []secret.Hit) {
	scanner := secret.Gitleaks()
	if !in.Document.Binary {
		secrets = secret.Find(scanner, "", string(in.SkillMD))
	}
	for _, file := range in.Bundle.Files {
		if file.Note != "" || in.Content == nil {
			continue
		}
		content, ok := in.Content(file.Path)
		if !ok || bytes.IndexByte(content[:min(len(content), 8<<10)], 0) >= 0 {
			continue
		}
		text := string(content)
		secrets = append(secrets, secret.Find(scanner, file.Path, text)...)
		if lang := code.FileLanguage(file.Path, text); code.IsProgram(lang) {
			scripts = append(scripts, danger.Text{Kind: danger.Script, File: file.Path, Lang: code.Language(lang), Line: 1, Text: text})
		}
	}
	return scripts, secrets
}

// maxSaid is how many bytes of the prose before a block may hold a warning of it.
const maxSaid = 250

// heading returns the heading above a line.
func heading(doc data.Document, line int) string {
	last := ""
	for _, h := range doc.Headings {
		if h.Line > line {
			break
		}
		last = h.Text
	}
	return last
}
