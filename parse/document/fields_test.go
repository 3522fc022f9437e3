package document

import (
	"strings"
	"testing"

	"skillcorpus/data"
)

func TestFields(t *testing.T) {
	t.Parallel()
	file := `---
name: a
description: b
Keywords: [x, "y z"]
category: c, x
when_to_use: On rainy days.
allowed-tools: Read, Bash(git add *) Write
Licence: MIT
metadata:
  tags: d
  version: 1.10
  author: {name: Ann}
  triggers:
    - rain
    - On rainy days.
---
# Top

## When **to use** this skill
- if it rains
` + "```sh\nnot this\n```" + `
- if it snows

## Other
x
`
	doc := parseChecked(t, []byte(file), "folder")
	equal(t, "fields", doc.Fields, data.Fields{
		Tags:         []string{"d", "x", "y z", "c"},
		Triggers:     []string{"On rainy days.", "rain", "- if it rains\n- if it snows"},
		License:      "MIT",
		AllowedTools: []string{"Read", "Bash(git add *)", "Write"},
		Version:      "1.10",
		Author:       "Ann",
	})
	equal(t, "heading", doc.Headings[1], data.Heading{Level: 2, Line: 19, Text: "When to use this skill"})
	equal(t, "findings", rules(doc), []string{})
}

func TestTriggersAreBounded(t *testing.T) {
	t.Parallel()
	doc := parseChecked(t, []byte(head+strings.Repeat("# When to use\n"+strings.Repeat("é ", 4000)+"\n", 9)), "x")
	equal(t, "sections", len(doc.Fields.Triggers), maxTriggerSections)
	for _, text := range doc.Fields.Triggers {
		if len(text) > maxTrigger || strings.Contains(text, "\uFFFD") {
			t.Errorf("%d bytes, or cut inside a character", len(text))
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	tests := []struct{ file, name, description, rules string }{
		{"NAME: A\nDescription: B", "A", "B", "frontmatter.key-case:2 frontmatter.key-case:3"},
		{"Name: A\nname: b\ndescription: c", "b", "c", ""},
		{"name: [a]\ndescription: [b, c]", "folder", "b c", "frontmatter.wrong-type:2 frontmatter.missing-name:2 frontmatter.wrong-type:3"},
		{"name: ''\ndescription: |\n  a\n\n  b\n", "folder", "a\n\nb", "frontmatter.missing-name:2"},
		{"name: null\ndescription:", "folder", "", "frontmatter.missing-name:2 frontmatter.missing-description:3"},
		{"- a\n- b", "folder", "", "frontmatter.not-mapping:2"},
		{"just words", "folder", "", "frontmatter.not-mapping:2"},
		{"name: a\ndescription: # b c", "a", "", "frontmatter.comment-cut:3 frontmatter.missing-description:3"},
	}
	for _, test := range tests {
		doc := parseChecked(t, []byte("---\n"+test.file+"\n---\nx\n"), "folder")
		equal(t, test.file, []string{doc.Name, doc.Description, strings.Join(rules(doc), " ")}, []string{test.name, test.description, test.rules})
		equal(t, "file", len(doc.Findings) == 0 || doc.Findings[0].File == "SKILL.md", true)
	}
}

func TestLinksAndHeadings(t *testing.T) {
	t.Parallel()
	file := head + "Set *ext* [l](a.md)\n===\n\nsee [the\ncard](refs/a%20b.md \"t\") and ![alt *x*](i.png)\n`[no](x)` [ref][r] <https://x.org/>\n\n" +
		"| [t](u) | b |\n|-|-|\n| [v](w) | |\n\n> - [q](z)\n\n# `c` & <b>d</b> #\n\n[r]: r.md\n\n```md\n# no\n[no](no)\n```\n"
	doc := parseChecked(t, []byte(file), "x")
	equal(t, "headings", doc.Headings, []data.Heading{{Level: 1, Line: 5, Text: "Set ext l"}, {Level: 1, Line: 18, Text: "c & d"}})
	equal(t, "links", doc.Links, []data.Link{
		{Line: 5, Target: "a.md", Text: "l"},
		{Line: 8, Target: "refs/a%20b.md", Text: "the card"},
		{Line: 9, Target: "i.png", Text: "alt *x*", Image: true},
		{Line: 10, Target: "r.md", Text: "ref"},
		{Line: 10, Target: "https://x.org/"},
		{Line: 12, Target: "u", Text: "t"},
		{Line: 14, Target: "w", Text: "v"},
		{Line: 16, Target: "z", Text: "q"},
	})
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"": "", "Python": "python", "py": "python", "{.python}": "python", "{r, echo=FALSE}": "r", "python title=\"a\"": "python",
		"ts {1,3}": "typescript", "bash,ignore": "bash", "c++": "cpp", "{ .js .numberLines }": "javascript", "sh": "sh", "C#": "csharp", "jsonc": "jsonc",
	} {
		equal(t, info, Language(info), want)
	}
}

func TestContainerText(t *testing.T) {
	t.Parallel()
	file := head + "> 1. a\r\n>\r\n>    ```js\r\n>    x\r\n>      y\r\n>\r\n>    ```\r\n\n-\tb\n\n\t\tcode\n\n<pre>\r\nz\r\n</pre>"
	doc := parseChecked(t, []byte(file), "x")
	var all []string
	for _, c := range codes(doc) {
		all = append(all, c.Read([]byte(file)))
	}
	equal(t, "texts", all, []string{"x\n  y\n\n", "code\n", "<pre>\nz\n</pre>"})
}
