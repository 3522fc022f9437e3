package document

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// check reports how sections fail to be a partition of a file, independently of how they were made.
func check(sections []data.Section, file []byte) error {
	at := 0
	for i, s := range sections {
		if s.Start != at {
			return fmt.Errorf("section %d starts at %d, want %d", i, s.Start, at)
		}
		if s.End <= s.Start || s.End > len(file) {
			return fmt.Errorf("section %d is [%d,%d) of %d bytes", i, s.Start, s.End, len(file))
		}
		if i > 0 && s.Kind == sections[i-1].Kind && s.Kind != data.SectionCode {
			return fmt.Errorf("sections %d and %d are both %s", i-1, i, s.Kind)
		}
		if s.Fenced && (i == 0 || sections[i-1].Kind != data.SectionDelimiter) {
			return fmt.Errorf("section %d is fenced but follows no delimiter", i)
		}
		if s.Text != nil && *s.Text == string(file[s.Start:s.End]) {
			return fmt.Errorf("section %d carries a text that equals its bytes", i)
		}
		if s.Kind != data.SectionDelimiter && strings.Contains(s.Read(file), "\r") {
			return fmt.Errorf("section %d has a carriage return in its text", i)
		}
		at = s.End
	}
	if at != len(file) {
		return fmt.Errorf("sections end at %d of %d", at, len(file))
	}
	return nil
}

// checkLines compares the line of each section with a count of line ends, for files in UTF-8.
func checkLines(sections []data.Section, file []byte) error {
	line, at := 1, 0
	for i, s := range sections {
		line += strings.Count(string(file[at:s.Start]), "\n")
		at = s.Start
		if s.Line != line {
			return fmt.Errorf("section %d: line %d, want %d", i, s.Line, line)
		}
	}
	return nil
}

func parseChecked(t testing.TB, file []byte, folder string) data.Document {
	t.Helper()
	doc := Parse(file, Source{File: "SKILL.md", Folder: folder})
	if err := check(doc.Sections, file); err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	return doc
}

// rules lists findings as `rule:line`.
func rules(doc data.Document) []string {
	all := []string{}
	for _, f := range doc.Findings {
		all = append(all, fmt.Sprintf("%s:%d", f.Rule, f.Line))
	}
	return all
}

// shape lists sections as `kind@line[lang]`, code with its fence and openness.
func shape(doc data.Document) string {
	var all []string
	for _, s := range doc.Sections {
		text := fmt.Sprintf("%s@%d", s.Kind, s.Line)
		if s.Kind == data.SectionCode {
			text += fmt.Sprintf("[%s]", s.Lang)
			if !s.Fenced {
				text += "bare"
			}
			if s.Open {
				text += "open"
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func codes(doc data.Document) []data.Section {
	var all []data.Section
	for _, s := range doc.Sections {
		if s.Kind == data.SectionCode {
			all = append(all, s)
		}
	}
	return all
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, shape string
		rules             []string
	}{
		{"empty", "", "", []string{"frontmatter.missing:1", "markdown.empty-body:1"}},
		{"head only", head, "delimiter@1 frontmatter@2 delimiter@4", []string{"markdown.empty-body:4"}},
		{"empty head", "---\n---\nx\n", "delimiter@1 prose@3", []string{"frontmatter.missing-name:2", "frontmatter.missing-description:2"}},
		{"blank lines before", "\n \n" + head + "x", "delimiter@1 frontmatter@4 delimiter@6 prose@7", nil},
		{"bom and prose", "\uFEFFx\n", "delimiter@1 prose@1", []string{"frontmatter.missing:1"}},
		{"bom only", "\uFEFF", "delimiter@1", []string{"frontmatter.missing:1", "markdown.empty-body:1"}},
		{"bom and head", "\uFEFF" + head + "x", "delimiter@1 frontmatter@2 delimiter@4 prose@5", nil},
		{"comment before", "<!-- x -->\n" + head, "prose@1", []string{"frontmatter.missing:1"}},
		{"indented opener", " ---\nname: a\n---\n", "prose@1", []string{"frontmatter.missing:1"}},
		{"four dashes", "----\nname: a\n----\n", "prose@1", []string{"frontmatter.missing:1"}},
		{"unclosed head", "---\nname: a\n", "prose@1", []string{"frontmatter.unclosed:1"}},
		{"dots close nothing", "---\nname: a\n...\nx\n", "prose@1", []string{"frontmatter.unclosed:1"}},
		{"fence", head + "a\n```py\nx\n```\nb\n", "delimiter@1 frontmatter@2 delimiter@4 prose@5 delimiter@6 code@7[python] delimiter@8 prose@9", nil},
		{"empty fence", "a\n```\n```\nb\n", "prose@1 delimiter@2 prose@4", []string{"frontmatter.missing:1"}},
		{"two fences", "```a\n1\n```\n```b\n2\n```\n", "delimiter@1 code@2[a] delimiter@3 code@5[b] delimiter@6", []string{"frontmatter.missing:1"}},
		{"unclosed fence", head + "x\n```sh\na\n\n# b\n", "delimiter@1 frontmatter@2 delimiter@4 prose@5 delimiter@6 code@7[sh]open", []string{"markdown.unclosed-fence:6"}},
		{"unclosed on the last line", head + "x\n```sh", "delimiter@1 frontmatter@2 delimiter@4 prose@5 delimiter@6", []string{"markdown.unclosed-fence:6"}},
		{"unclosed with blank end", head + "```\na\n\n", "delimiter@1 frontmatter@2 delimiter@4 code@6[]open", []string{"markdown.unclosed-fence:5"}},
		{"cut in a quote", head + "> ```\n> a\n\nb\n", "delimiter@1 frontmatter@2 delimiter@4 code@6[] prose@7", []string{"markdown.cut-fence:5"}},
		{"tilde in backtick", head + "```\n~~~\n```\n", "delimiter@1 frontmatter@2 delimiter@4 code@6[] delimiter@7", nil},
		{"indented", head + "a\n\n    x\n\n    y\n\nb\n", "delimiter@1 frontmatter@2 delimiter@4 prose@5 code@7[]bare prose@10", nil},
		{"not indented", head + "a\n    x\n", "delimiter@1 frontmatter@2 delimiter@4 prose@5", nil},
		{"pre", head + "<pre>\na\n\nb\n</pre>\nc\n", "delimiter@1 frontmatter@2 delimiter@4 code@5[]bare prose@10", nil},
		{"pre in one line", head + "<PRE class=x>a</pre>\nc\n", "delimiter@1 frontmatter@2 delimiter@4 code@5[]bare prose@6", nil},
		{"script is prose", head + "<script>\na\n</script>\n", "delimiter@1 frontmatter@2 delimiter@4 prose@5", nil},
		{"info with a space", head + "```python title=\"a b\"\nx\n```\n", "delimiter@1 frontmatter@2 delimiter@4 code@6[python] delimiter@7", nil},
		{"deep list fence", head + "1. a\n   - b\n\n     ~~~{.JS}\n     x\n     ~~~\n", "delimiter@1 frontmatter@2 delimiter@4 prose@5 delimiter@8 code@9[javascript] delimiter@10", nil},
		{"json", "{\n\"name\": \"a\", \"description\": \"b\"\n}\nx", "frontmatter@1 prose@4", nil},
		{"json with semicolons", ";;;\n{\"name\": \"a\", \"description\": \"b\"}\n;;;\nx", "delimiter@1 frontmatter@2 delimiter@3 prose@4", nil},
		{"toml", "+++\nname = \"a\"\ndescription = 'b'\n+++\nx", "delimiter@1 frontmatter@2 delimiter@4 prose@5", nil},
		{"brace that is no json", "{\nx\n}\n", "prose@1", []string{"frontmatter.missing:1"}},
		{"old mac", "---\rname: a\rdescription: b\r---\rx\r", "delimiter@1 frontmatter@2 delimiter@4 prose@5", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := parseChecked(t, []byte(test.file), "folder")
			equal(t, "sections", shape(doc), test.shape)
			if test.rules == nil {
				test.rules = []string{}
			}
			equal(t, "findings", rules(doc), test.rules)
		})
	}
}

func TestRulesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rule.All() {
		if seen[r.ID] || r.Meaning == "" || r.Severity == "" {
			t.Errorf("rule %q is twice in the table or says nothing", r.ID)
		}
		seen[r.ID] = true
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "no frontmatter: the file is empty; the folder gives the name",
		"# a\n":                   "no frontmatter; the folder gives the name",
		"-----\nname: a\n-----\n": "no frontmatter: it opens with exactly three dashes, and this line has more; the folder gives the name",
		"--- name: a\n---\n":      "no frontmatter: it opens with three dashes alone on their line; the folder gives the name",
		"```yaml\nname: a\n```\n": "no frontmatter: the file begins with a code fence; the folder gives the name",
		"name: a\n---\nb\n":       "no frontmatter: the keys have no line of three dashes above them; the folder gives the name",
		"<<<<<<< HEAD\n---\n":     "no frontmatter: the file begins with a conflict that Git could not merge; the folder gives the name",
		"../../a/b.md":            "no frontmatter: the file holds a path: a link that was stored as text; the folder gives the name",
	} {
		equal(t, text, missing([]byte(text)), want)
	}
}
