// Package proxy owns the structural counts of a SKILL.md that the SkillFlow paper compares (its Figure 2):
// Exact counts as the paper's code does, faults included, and Corrected by the document's real structure.
//
// It never judges and never reads anything but the text and the listing that it is given. Package facts
// calls it.
package proxy

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	encoding "golang.org/x/text/encoding/unicode"

	"skillcorpus/data"
)

// Exact returns the counts as the paper's code takes them over a whole SKILL.md, frontmatter included:
// bytes that are not UTF-8 become U+FFFD, one for each maximal ill-formed run, and every line end is a
// newline.
func Exact(skillMD []byte, files []data.File) data.Proxies {
	text := normalise(skillMD)
	p := data.Proxies{WordCount: words(text)}
	fences := 0
	lines := strings.SplitAfter(text, "\n")
	for _, line := range lines {
		rest := strings.TrimLeftFunc(line, space)
		switch {
		case strings.HasPrefix(rest, "#"):
			p.HeadingCount++
		case ordered(rest):
			p.OrderedListCount++
		}
		if strings.HasPrefix(line, "```") {
			fences++
		}
	}
	p.CodeBlockCount = fences / 2
	p.CodeFraction = ratio(fencedRunes(lines), utf8.RuneCountInString(text))
	p.InlineCodeDensity = density(singleSpans(text), p.WordCount)
	for _, f := range files {
		name := path.Base(f.Path)
		p.HasScripts = p.HasScripts || figureSuffix(name)
		p.HasReferences = p.HasReferences || (strings.HasSuffix(name, ".md") && name != data.SkillFile)
		p.HasBundledFiles = p.HasBundledFiles || name != data.SkillFile
	}
	return p
}

// IsScript reports whether a file is a script for the paper's audit: by suffix, in any letter case.
func IsScript(name string) bool {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) {
	case "py", "sh", "js", "ts", "mjs", "rb", "go", "java", "rs", "cpp", "c":
		return true
	}
	return false
}

// HasScripts reports whether any file is a script for the paper's audit.
func HasScripts(files []data.File) bool {
	return slices.ContainsFunc(files, func(f data.File) bool { return IsScript(f.Path) })
}

// figureSuffix is the list of Figure 2, which is shorter than the audit's and minds the letter case.
func figureSuffix(name string) bool {
	switch strings.TrimPrefix(path.Ext(name), ".") {
	case "py", "sh", "js", "ts", "mjs", "rb", "go", "java":
		return true
	}
	return false
}

func normalise(skillMD []byte) string {
	text := string(skillMD)
	if !utf8.Valid(skillMD) {
		// The decoder replaces, so the only error it could give is that of a writer, which it has not.
		text, _ = encoding.UTF8.NewDecoder().String(text)
	}
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return text
}

// space is white space as Python splits at it, which adds the four separators U+001C to U+001F.
func space(r rune) bool { return unicode.IsSpace(r) || (r >= 0x1c && r <= 0x1f) }

func words(text string) int {
	count, inside := 0, false
	for _, r := range text {
		if space(r) {
			inside = false
		} else if !inside {
			inside = true
			count++
		}
	}
	return count
}

// ordered reports whether a line without its leading white space is digits, a full stop and white space.
// The line's own newline is white space too.
func ordered(line string) bool {
	rest := strings.TrimLeftFunc(line, unicode.IsDigit)
	if len(rest) == len(line) || !strings.HasPrefix(rest, ".") {
		return false
	}
	r, size := utf8.DecodeRuneInString(rest[1:])
	return size > 0 && space(r)
}

// fencedRunes counts the characters between a line-start fence of exactly three backticks and the next line
// that starts with three. A fence that nothing closes holds nothing.
func fencedRunes(lines []string) int {
	total, inside, open := 0, 0, false
	for _, line := range lines {
		fence := strings.HasPrefix(line, "```")
		switch {
		case open && fence:
			total += inside
			open = false
		case open:
			inside += utf8.RuneCountInString(line)
		case fence && !strings.Contains(line[3:], "`") && strings.HasSuffix(line, "\n"):
			open, inside = true, 0
		}
	}
	return total
}

// singleSpans counts spans between two lone backticks with no other backtick between, across lines.
func singleSpans(text string) int {
	spans, open := 0, false
	for {
		at := strings.IndexByte(text, '`')
		if at < 0 {
			return spans
		}
		run := len(text) - at - len(strings.TrimLeft(text[at:], "`"))
		text = text[at+run:]
		switch {
		case run > 1:
			open = false
		case open:
			spans++
			open = false
		default:
			open = true
		}
	}
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func density(spans, words int) float64 { return 100 * ratio(spans, words) }
