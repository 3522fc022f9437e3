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
		before := lineBefore(text, span.Start)
		s.inline(span.Text, line, before, unclosed)
		line += strings.Count(span.Text, "\n")
		plain.WriteString(strings.Repeat("\n", strings.Count(span.Text, "\n")))
		at = span.Start + len(span.Text)
	}
	plain.WriteString(text[at:])
	s.plain(plain.String(), line-strings.Count(text[:at], "\n"), unclosed)
}

// lineBefore returns up to 120 bytes that stand before an offset on its line, or on the one before where a sentence
// was wrapped there.
func lineBefore(text string, at int) string {
	from := max(0, at-120)
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

func (s *scanner) inline(text string, line int, before string, unclosed bool) {
	words := splitWords(text)
	if len(words) == 1 {
		s.add(candidate{text: words[0].text, line: line, kind: Inline, before: before, unclose: unclosed})
		return
	}
	s.command(words, candidate{line: line, kind: Command, before: before, unclose: unclosed})
}

// command adds the words of a command line that are not its outputs. at gives the place and the directory; the
// directory that the line leaves behind is returned.
func (s *scanner) command(words []word, at candidate) directory {
	after, program := at.dir, ""
	for i, w := range words {
		if w.starts {
			program = w.text
		}
		if to, moved := s.changes(at.dir, words, i); moved {
			at.dir = to
			if !w.nested {
				after = to
			}
			continue
		}
		if w.output || !w.starts && writes(words[i-1].text, program) {
			s.created[strings.TrimPrefix(path.Join(at.dir.path, w.text), "/")] = true
			continue
		}
		if strings.ContainsAny(w.text, "/.") {
			c := at
			c.text, c.runs = w.text, !w.starts && interprets(words[i-1].text) || w.starts && strings.HasPrefix(w.text, "./")
			s.add(c)
		}
	}
	return after
}

// interprets reports whether the first argument of a command is a program.
func interprets(command string) bool {
	switch command {
	case "python", "python3", "node", "bash", "sh", "bun", "deno", "ruby", "tsx", "perl", "php", "Rscript":
		return true
	}
	return false
}

// outputFlag is an option whose value is a file that the command makes.
var outputFlag = regexp.MustCompile(`^(?:-o|-O|--?(?:[a-z]+[-_])*(?:out|output|outfile|outdir|save|saveto|dest|destination|target)(?:[-_][a-z]+)*)$`)

// writes reports whether a word of a command line is made by the command, given the word before it and the program.
func writes(previous, program string) bool {
	switch program {
	case "touch", "tee", "mkdir":
		return true
	}
	return previous == "tee" || outputFlag.MatchString(previous)
}

// caption notes the file whose content a block gives: the last line before the block, or its first line, is nothing
// but a path in the dress of a title, an emphasis or a comment. The reader is to make such a file.
func (s *scanner) caption(before, block string) {
	before = strings.TrimRight(before, " \t\r\n")
	first, _, _ := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
	comment := strings.HasPrefix(first, "#") || strings.HasPrefix(first, "//") || strings.HasPrefix(first, "--") || strings.HasPrefix(first, "<!--")
	for i, row := range []string{before[strings.LastIndexByte(before, '\n')+1:], first} {
		name := strings.Trim(row, " \t\r#*_`:()/<>!-.")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "File:"), "Filename:"))
		name = strings.Trim(name, "*_` ")
		if (i == 0 || comment) && len(row) <= maxDestination && extension.MatchString(name) && !strings.ContainsAny(name, " \t`") {
			s.created[path.Clean(name)] = true
		}
	}
}

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

// comment is one of Markdown's on one line: what an author or a tool notes for itself.
var comment = regexp.MustCompile(`<!--.*?-->`)

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
		case strings.HasPrefix(trimmed, "#"):
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

type word struct {
	text   string
	output bool // it follows a redirection
	starts bool // a command
	nested bool // in brackets
}

// splitWords cuts a command line at blanks, quotes, brackets and operators. Redirections and where a command starts are
// understood, everything else of the shell's grammar is not needed to see a path.
func splitWords(line string) []word {
	var words []word
	start, depth, output, starts := -1, 0, false, true
	flush := func(end int) {
		if start >= 0 && strings.Trim(line[start:end], "&") == "" {
			start, starts = -1, true
		}
		if start >= 0 {
			words = append(words, word{line[start:end], output, starts, depth > 0})
			start, output, starts = -1, false, false
		}
	}
	angle := 0 // inside <placeholder>
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '<' && i+1 < len(line) && isLetter(line[i+1]) && strings.IndexByte(line[i:min(len(line), i+40)], '>') > 0:
			angle++
			if start < 0 {
				start = i
			}
		case c == '>' && angle > 0:
			angle--
		case c == '>':
			flush(i)
			output = true
		case strings.IndexByte(" \t\n\"'()|;,=<", c) >= 0 && angle == 0:
			flush(i)
			switch c {
			case '|', ';', '\n':
				output, starts = false, true
			case '(':
				depth, starts = depth+1, true
			case ')':
				depth = max(depth-1, 0)
			}
		case start < 0:
			start = i
		}
	}
	flush(len(line))
	return words
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
