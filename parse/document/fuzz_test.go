package document

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds for any bytes that sections are a partition and texts are UTF-8.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", head + "# a\n\n```sh\nb\n```\n", "\xFF\xFE-\x00-\x00-\x00\n\x00a\x00:\x00b\x00\n\x00", "\uFEFF---\r\na: b\r\n---  \r\n> ```\r\n> x\r\n",
		"+++\na = 1\n+++\n", "{\n\"a\": [1]\n}\n", "---\na: [\nb: 'x\n---\n- \t    x\n\n1.     y\n\n\t\tz\n", "a\r\rb\xffc\n", "> - > ~~~\n> - ~~~\n[a]: b\n[a]\n===\n<pre>\n",
		"---\r\r\na: b\n---\n```\n```\n```x\n\n\n", strings.Repeat("é", maxHeading) + "x\n---\n", "# x" + strings.Repeat("é", maxHeading), "a|b\n-|-\n<a href=b>https://c\n- [ ] d\n<!--\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		doc := parseChecked(t, file, "folder")
		if utf8.Valid(file) && !doc.Binary && bytes.IndexByte(file, '\n') >= 0 {
			if err := checkLines(doc.Sections, file); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range doc.Sections {
			if s.Text != nil && !utf8.ValidString(*s.Text) {
				t.Fatalf("text at %d is not UTF-8", s.Start)
			}
		}
		for _, h := range doc.Headings {
			if h.Line < 1 || !utf8.ValidString(h.Text) {
				t.Fatalf("heading %v", h)
			}
		}
		for _, l := range doc.Links {
			if l.Line < 1 {
				t.Fatalf("link %v", l)
			}
		}
	})
}
