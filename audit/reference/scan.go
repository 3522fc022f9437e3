package reference

import (
	"path"
	"regexp"
	"strings"

	"skillcorpus/audit/proxy"
)

// maxDestination bounds a link's destination together with its title.
const maxDestination = 512

// cutLinks takes the destinations of Markdown links out of a line.
func cutLinks(row string) (rest string, targets []string) {
	var kept strings.Builder
	for {
		at := strings.Index(row, "](")
		if at < 0 {
			kept.WriteString(row)
			return kept.String(), targets
		}
		kept.WriteString(row[:at+1])
		row = row[at+2:]
		end := strings.IndexByte(row[:min(len(row), maxDestination)], ')')
		if end < 0 {
			continue
		}
		target := strings.TrimSpace(row[:end])
		if inner, ok := strings.CutPrefix(target, "<"); ok {
			target, _, _ = strings.Cut(inner, ">")
		} else {
			target, _, _ = strings.Cut(target, " ")
		}
		targets = append(targets, target)
		row = row[end+1:]
	}
}

// links finds Markdown links in a text that the parser took for code.
func (s *scanner) links(text string, line int) {
	if !strings.Contains(text, "](") {
		return
	}
	for row := range strings.SplitSeq(text, "\n") {
		_, targets := cutLinks(row)
		for _, target := range targets {
			s.add(candidate{text: target, line: line, kind: Link, unclose: true})
		}
		line++
	}
}

// prose scans inline code and bare words.
func (s *scanner) prose(text string, line int, unclosed bool) {
	at := 0
	var plain strings.Builder
	for span := range proxy.Spans(text) {
		line += strings.Count(text[at:span.Start], "\n")
		plain.WriteString(text[at:span.Start])
		if strings.ContainsAny(span.Text, "./") {
			before := introduced(text, span.Start, lineBefore(text, span.Start))
			s.inline(span.Text, line, before, unclosed)
		}
		line += strings.Count(span.Text, "\n")
		plain.WriteString(strings.Repeat("\n", strings.Count(span.Text, "\n")))
		at = span.Start + len(span.Text)
	}
	plain.WriteString(text[at:])
	s.plain(plain.String(), line-strings.Count(text[:at], "\n"), unclosed)
}

// lineBefore returns up to 240 bytes that stand before an offset on its line, or on the one before where a sentence
// was wrapped there.
func lineBefore(text string, at int) string {
	from := max(0, at-240)
	before, wrapped := text[from:at], false
	for {
		nl := strings.LastIndexByte(before, '\n')
		switch {
		case nl < 0:
			return before
		case wrapped || strings.Trim(before[nl:], " \t\n`") != "":
			return before[nl+1:]
		}
		before, wrapped = before[:nl], true
	}
}

// introduced puts the line that introduces a list before the words of an item of it that say nothing of what is done.
func introduced(text string, at int, before string) string {
	if !itemStart.MatchString(before) || verb.MatchString(before) {
		return before
	}
	above := text[max(0, at-maxList):at]
	for end := strings.LastIndexByte(above, '\n'); end > 0; end = strings.LastIndexByte(above[:end], '\n') {
		row := strings.TrimSpace(above[strings.LastIndexByte(above[:end], '\n')+1 : end])
		switch {
		case row == "", len(row) > 1 && strings.IndexByte("-*+", row[0]) >= 0 && row[1] == ' ', row[0] >= '0' && row[0] <= '9':
			continue
		case strings.HasSuffix(strings.TrimRight(row, "*"), ":") && !exampleLabel.MatchString(row):
			return row + " " + before
		}
		break
	}
	return before
}

// exampleLabel ends a line that introduces examples beside other things.
var exampleLabel = regexp.MustCompile(`(?i)\S.*\bexamples?\W*$`)

// maxList bounds how far above an item its list is looked for the line that introduces it.
const maxList = 1500

// itemStart is what a list's item begins with.
var itemStart = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s`)

func (s *scanner) inline(text string, line int, before string, unclosed bool) {
	if strings.Contains(text, "](") { // a link that is shown, not made
		return
	}
	words := splitWords(text)
	if len(words) == 1 {
		s.add(candidate{text: words[0].text, line: line, kind: Inline, before: before, unclose: unclosed})
		return
	}
	s.command(words, candidate{line: line, kind: Command, before: before, unclose: unclosed})
}

// caption notes the file whose content a block gives: the last line before the block, or its first line, is nothing
// but a path in the dress of a title, an emphasis or a comment, or the line ends with a path and the block is no command
// that runs it. The reader is to make such a file.
func (s *scanner) caption(before, block, lang string) {
	before = strings.TrimRight(before, " \t\r\n")
	last := before[strings.LastIndexByte(before, '\n')+1:]
	first, _, _ := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
	comment := strings.HasPrefix(first, "#") || strings.HasPrefix(first, "//") || strings.HasPrefix(first, "--") || strings.HasPrefix(first, "<!--")
	for i, row := range []string{last, first} {
		name := strings.Trim(row, " \t\r#*_`:()/<>!-.")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "File:"), "Filename:"))
		name = strings.Trim(name, "*_` ")
		if (i == 0 || comment) && len(row) <= maxDestination && extension.MatchString(name) && !strings.ContainsAny(name, " \t`") {
			s.created[path.Clean(name)] = true
		}
	}
	if lang != "" && !isShell(lang) || strings.HasPrefix(first, "#!") {
		if m := lastPath.FindStringSubmatch(tail(last, maxDestination)); m != nil && !uses.MatchString(m[1]) {
			s.created[path.Clean(m[2])] = true
		}
	}
}

// lastPath is a path in inline code that ends a line which announces something.
var lastPath = regexp.MustCompile("^(.*)`([^`\\s]+\\.\\w+)`[)*]*\\s*:[*]*$")

// uses are words that say of a path that the file is there.
var uses = regexp.MustCompile(`(?i)\b(?:see|read|load|run|use|uses|using|edit|update|modify|open|follow|from|via|with)\b`)

// plain scans words that carry no mark-up: only a file that is there, or one in a folder of the skill's own.
func (s *scanner) plain(text string, line int, unclosed bool) {
	for row := range strings.SplitSeq(text, "\n") {
		if strings.Contains(row, ".") {
			row, _ = cutLinks(comment.ReplaceAllString(row, ""))
			at := 0
			for _, w := range strings.FieldsFunc(row, notInPlainPath) {
				step := strings.Index(row[at:], w)
				at += step + len(w)
				if w = strings.TrimRight(w, ".,:;!?"); extension.MatchString(w) && !strings.Contains(w, "..") {
					s.add(candidate{text: w, line: line, kind: Plain, before: tail(row[:at-len(w)], 120), unclose: unclosed})
				}
			}
		}
		line++
	}
}

// comment is one of Markdown's, or its first line: what an author or a tool notes for itself.
var comment = regexp.MustCompile(`<!--.*?(?:-->|$)`)

func notInPlainPath(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("/._-:~@#%&?=+$*<>{}\\", r)
}

// code scans a fence or an indented block: commands in a shell's language, or command lines in a block that
// names no language.
func (s *scanner) code(text, lang string, line int) {
	shell := isShell(lang)
	if !shell && lang != "" && lang != "text" {
		return
	}
	heredoc, dir := "", directory{}
	for row := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(row)
		switch {
		case heredoc != "":
			if trimmed == heredoc {
				heredoc = ""
			}
		case strings.HasPrefix(trimmed, "#"), jsonRow.MatchString(trimmed):
		case shell || runs(trimmed):
			command, _, _ := strings.Cut(trimmed, " #")
			words := splitWords(strings.TrimPrefix(command, "$ "))
			dir = s.command(words, candidate{line: line, kind: Command, dir: dir})
			if m := heredocStart.FindStringSubmatch(row); m != nil {
				heredoc = m[1]
			}
		default:
			for _, m := range interpreted.FindAllStringSubmatch(trimmed, -1) {
				s.add(candidate{text: m[1], line: line, kind: Command, dir: dir})
			}
		}
		line++
	}
}

// jsonRow is a line of JSON that a command sends.
var jsonRow = regexp.MustCompile(`^"[\w-]+"\s*:`)

// interpreted is a script that a command inside a line hands to an interpreter: `command="python scripts/x.py"`.
var interpreted = regexp.MustCompile(`["'](?:python3?|node|bash|sh|bun|deno run|npx tsx)\s+((?:\./)?[a-z]+/[\w./-]+\.[a-z]{1,4})\b`)

var heredocStart = regexp.MustCompile(`<<-?\s*\\?['"]?([A-Za-z_]\w*)`)

func isShell(lang string) bool {
	switch lang {
	case "bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "shellsession", "powershell", "ps1", "pwsh", "cmd", "bat":
		return true
	}
	return false
}

// runs reports whether a line of an unnamed block starts an interpreter or a script.
func runs(line string) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " ")
	switch first {
	case "npx", "uv", "source", "go", "java", "cat", "touch", "tee", "cp", "chmod", "cd":
		return rest != ""
	}
	return interprets(first) && rest != "" || strings.HasPrefix(first, "./") || skillRoot.MatchString(first) || pluginRoot.MatchString(first)
}
