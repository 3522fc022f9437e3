package facts

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"skillcorpus/data"
)

// Hidden is a kind of character that a reader does not see, at its first place.
type Hidden struct {
	Kind  string // tag, bidirectional control, zero width
	Rune  rune
	Line  int
	Count int
}

// hidden finds tag characters outside flag emoji, bidirectional embeddings, overrides and isolates, and
// zero-width characters between letters of the ASCII alphabet. Joiners that scripts and emoji need are none.
func hidden(text []byte) []Hidden {
	var found []Hidden
	line := 1
	var before, previous rune // the last visible character, and the character just before
	flag := false             // inside the tag sequence of a flag emoji
	for at := 0; at < len(text); {
		c := text[at]
		if c < utf8.RuneSelf {
			if c == '\n' {
				line++
			}
			before, previous, flag = rune(c), rune(c), false
			at++
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		flag = r >= 0xE0020 && r <= 0xE007F && (previous == blackFlag || flag)
		if kind := hiddenKind(r, before, text[at+size:]); kind != "" && !flag && at > 0 {
			found = note(found, Hidden{Kind: kind, Rune: r, Line: line, Count: 1})
		} else if !zeroWidth(r) {
			before = r
		}
		previous = r
		at += size
	}
	return found
}

const blackFlag = 0x1F3F4

func hiddenKind(r, before rune, after []byte) string {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return "tag"
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return "bidirectional control"
	case zeroWidth(r) && isASCIILetter(before) && len(after) > 0 && isASCIILetter(rune(after[0])):
		return "zero width"
	}
	return ""
}

func zeroWidth(r rune) bool {
	return (r >= 0x200B && r <= 0x200D) || r == 0x2060 || r == 0xFEFF
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func note(found []Hidden, h Hidden) []Hidden {
	for i := range found {
		if found[i].Kind == h.Kind {
			found[i].Count++
			return found
		}
	}
	return append(found, h)
}

// Download is a command that runs what it has just fetched.
type Download struct {
	Line int
	Text string
}

var pipesToShell = regexp.MustCompile(`(?i)\b(?:curl|wget)\b[^|\n` + "`" + `]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+(?:\w+=\S+\s+)*)?(?:/\w+/(?:\w+/)*)?(?:ba|z|da|k)?sh\b(?:[^-./\w]|\s|$)|(?:\b(?:ba|z|da)?sh|\beval|\bsource)\s+(?:-c\s+)?["']?(?:<\(|\$\()\s*(?:curl|wget)\b`)

func downloads(text string, line int) []Download {
	if !strings.Contains(text, "curl") && !strings.Contains(text, "wget") {
		return nil
	}
	var found []Download
	for row := range strings.SplitSeq(text, "\n") {
		if len(row) <= 4000 && (strings.Contains(row, "curl") || strings.Contains(row, "wget")) {
			if m := pipesToShell.FindString(row); m != "" {
				found = append(found, Download{line, strings.TrimSpace(m)})
			}
		}
		line++
	}
	return found
}

// junk tells what a file is that holds no skill: an error page or an HTML document that a crawler saved in
// the place of a SKILL.md.
func junk(doc data.Document, skillMD []byte) (what string, line int) {
	head := string(skillMD[:min(len(skillMD), 1024)])
	trimmed := strings.TrimSpace(strings.TrimPrefix(head, "\uFEFF"))
	lower := strings.ToLower(trimmed)
	switch {
	case len(skillMD) < 200 && isErrorText(lower):
		return "error message: " + trimmed, 1
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "HTML page", 1
	case strings.HasPrefix(trimmed, "version https://git-lfs.github.com/spec/"):
		return "LFS pointer", 1
	}
	for _, s := range doc.Sections {
		if s.Kind != data.SectionProse {
			continue
		}
		if body := strings.TrimSpace(doc.Join(data.SectionProse, skillMD)); len(body) < 200 && isErrorText(strings.ToLower(body)) {
			return "error message: " + body, s.Line
		}
		break
	}
	return "", 0
}

func isErrorText(lower string) bool {
	for _, start := range []string{"404: not found", "404 not found", "not found", "403 forbidden", "403: forbidden", "500 internal server error", "429: too many requests", "access denied", "bad gateway", "502 bad gateway"} {
		if lower == start || strings.HasPrefix(lower, start) && strings.HasPrefix(start, "4") {
			return true
		}
	}
	return strings.HasPrefix(lower, `{"message":"not found"`) || strings.HasPrefix(lower, `{"message": "not found"`)
}

// contrasts counts marks of examples that show how not to do it.
func contrasts(text string) int {
	count := 0
	for _, mark := range []string{"❌", "✅", "# Bad", "// Bad", "# Good", "// Good", "# BAD", "// BAD", "# GOOD", "// GOOD", "# Wrong", "// Wrong", "**Bad", "**Good"} {
		count += strings.Count(text, mark)
	}
	return count
}
