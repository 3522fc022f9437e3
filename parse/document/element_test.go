package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// structure returns the blocks and links of a body, one a line.
func structure(t *testing.T, body string) string {
	t.Helper()
	doc := parseChecked(t, []byte(body), "x")
	var out strings.Builder
	for _, b := range doc.Blocks {
		fmt.Fprintf(&out, "%s %d-%d items %d", b.Kind, b.Line, b.End, b.Items)
		if b.Columns > 0 {
			fmt.Fprintf(&out, " columns %d", b.Columns)
		}
		if b.Ordered {
			out.WriteString(" ordered")
		}
		if b.Tasks > 0 {
			fmt.Fprintf(&out, " tasks %d", b.Tasks)
		}
		out.WriteByte('\n')
	}
	for _, l := range doc.Links {
		kind := "link"
		if l.Image {
			kind = "image"
		}
		fmt.Fprintf(&out, "%s %d %s %q\n", kind, l.Line, l.Target, l.Text)
	}
	return out.String()
}

func TestStructure(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"list", "a\n\n- b\n- c\n  - d\n  - e\n\nf\n", "list 3-6 items 2\n"},
		{"ordered, loose, with code", "1. a\n\n   ```\n   b\n   ```\n2. c\n\n\n# d\n", "list 1-6 items 2 ordered\n"},
		{"tasks", "- [ ] a\n- [x] b\n- [y] c\n- [X](d)\n", "list 1-4 items 4 tasks 2\nlink 4 d \"X\"\n"},
		{"list in a quote", "> - a\n> - b\n>\n> c\n", "list 1-2 items 2\n"},
		{"list at the end", "* a\n\n\n", "list 1-1 items 1\n"},
		{"two lists", "- a\n\n* b\n", "list 1-1 items 1\nlist 3-3 items 1\n"},
		{"table", "| a | b\\|c |\n|:--|--:|\n| 1 | 2 |\n| 3 |\n\nd\n", "table 1-4 items 2 columns 2\n"},
		{"table below text", "a\nb | c\n--- | ---\n[d](e) | f\n", "table 2-4 items 1 columns 2\nlink 4 e \"d\"\n"},
		{"few tables", "| a | b |\n|---|\n\na\n|-\n\n- | b\n", "table 4-5 items 0 columns 1\nlist 7-7 items 1\n"},
		{"one column", "|a|\n|-|\n", "table 1-2 items 0 columns 1\n"},
		{"html", "<div>\n<a class=\"x\" href=\"b.md\">c</a>\n<IMG src='d.png'/>\n</div>\n", "html 1-4 items 0\nlink 2 b.md \"\"\nimage 3 d.png \"\"\n"},
		{"html inside text", "a <a href=b>c</a> <img alt=\"x\" src=\"d\"> <name>\n", "link 1 b \"\"\nimage 1 d \"\"\n"},
		{"comments", "<!-- a\n\nb -->\n\nc <!-- d --> e\n", "comment 1-3 items 0\ncomment 5-5 items 0\n"},
		{"pre is code", "<pre>\n- a\n</pre>\n", ""},
		{
			"urls", "see https://a.b/c_d(e). (http://f.g) *https://h.i*\nxhttps://j.k `https://l.m` https://n.o，p\n",
			"link 1 https://a.b/c_d(e) \"\"\nlink 1 http://f.g \"\"\nlink 1 https://h.i \"\"\nlink 2 https://n.o \"\"\n",
		},
		{
			"url in a link", "[https://a.b](c) <https://d.e> [![https://f.g](h)](i)\n",
			"link 1 c \"https://a.b\"\nlink 1 https://d.e \"\"\nlink 1 i \"https://f.g\"\nimage 1 h \"https://f.g\"\n",
		},
		{"urls in code", "```\nhttps://a.b\n```\n", ""},
		{"url in a heading", "# a https://b.c\n", "link 1 https://b.c \"\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, structure(t, test.body)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParent(t *testing.T) {
	t.Parallel()
	doc := parseChecked(t, []byte("# a\n## b\n#### c\n### d\n# e\n"), "x")
	var parents []int
	for i := range doc.Headings {
		parents = append(parents, doc.Parent(i))
	}
	equal(t, "parents", fmt.Sprint(parents), "[-1 0 1 1 -1]")
}

func TestLanguageName(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"bash": "Shell", "{.python}": "Python", "C++": "C++", "PowerShell 7": "PowerShell", "pwsh": "PowerShell", "mermaid": "Mermaid", "": "", "nonsense": "", "tsx": "TSX",
		"golang": "Go", "jsonc": "JSON with Comments", "text": "Text", "objective c": "",
	} {
		equal(t, info, LanguageName(info), want)
	}
}
