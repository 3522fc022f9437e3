package facts

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"skillcorpus/audit/conformance"
	"skillcorpus/data"
)

// Safety is what is so of a skill's form and of what it might do to its reader.
type Safety struct {
	Conformance conformance.Result
	Body        Body
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
	return Safety{
		Conformance: conformance.Check(conformance.Skill{File: in.SkillMD, Name: cmp.Or(in.Bundle.SkillFile, data.SkillFile), Folder: folder}),
		Body:        body(in.Document, in.SkillMD),
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
