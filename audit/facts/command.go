package facts

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"skillcorpus/audit/code"
	"skillcorpus/audit/proxy"
	"skillcorpus/data"
)

// Inline is what is said outside of a shell's fences and could have stood in one: command lines, whole enough to be run,
// in inline code or as an argument of an agent's tool.
type Inline struct {
	Commands int
	Runes    int // characters of those in inline code
	Line     int // of the first
}

var (
	programName = regexp.MustCompile(`^(?:\./)?[a-z][a-z0-9._/-]*$`)
	optionWord  = regexp.MustCompile(`^--?[A-Za-z][\w-]*(?:=.*)?$`)
)

// inlineCommand reports whether an inline span is a command line: a program and an option, at least three words in all.
// Two words, such as `git status`, name a command more often than they tell to run it.
func inlineCommand(span string) bool {
	words := strings.Fields(span)
	if len(words) < 3 || !programName.MatchString(words[0]) {
		return false
	}
	for _, word := range words[1:] {
		if optionWord.MatchString(word) {
			return true
		}
	}
	return false
}

func (i *Inline) read(text string, line int) {
	at := 0
	for span := range proxy.Spans(text) {
		if !inlineCommand(span.Text) {
			continue
		}
		line += strings.Count(text[at:span.Start], "\n")
		at = span.Start
		if i.Commands == 0 {
			i.Line = line
		}
		i.Commands++
		i.Runes += utf8.RuneCountInString(span.Text)
	}
}

// toolCommand is a call of an agent's tool that is told a command line.
var toolCommand = regexp.MustCompile(`(?m)\b(?:command|cmd)\s*[=:]\s*["'][a-z][\w./-]*\s+[^"'\n]`)

// calls counts the commands in a block that names no language.
func (i *Inline) calls(s data.Section, text string) {
	if s.Lang != "" || !strings.Contains(text, "command") && !strings.Contains(text, "cmd") {
		return
	}
	for _, m := range toolCommand.FindAllStringIndex(text, -1) {
		if i.Commands == 0 {
			i.Line = s.Line + strings.Count(text[:m[0]], "\n")
		}
		i.Commands++
	}
}

// Fault is a place where the text itself keeps its code from running.
type Fault struct {
	Line  int
	Words string
}

var (
	fenceInside = regexp.MustCompile("\\S[ \\t]+```[a-z]+[ \\t]+\\S")
	searchPath  = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?PATH=["']?(/[^\s:"']*)["']?[ \t]*$`)
)

// flattened finds a text whose fences lost their line breaks: fence marks, a language and code follow each other on one
// line.
func flattened(text string, line int) []Fault {
	if !strings.Contains(text, "```") {
		return nil
	}
	for row := range strings.SplitSeq(text, "\n") {
		if m := fenceInside.FindString(row); m != "" {
			return []Fault{{line, "a fence stands in the middle of a line, so its code has lost its line breaks"}}
		}
		line++
	}
	return nil
}

// searchPaths finds shell code that puts one path into PATH where it means another variable: after that no program is
// found.
func searchPaths(s data.Section, text string) []Fault {
	if code.Language(s.Lang) != code.Shell || !strings.Contains(text, "PATH=") {
		return nil
	}
	m := searchPath.FindStringSubmatchIndex(text)
	if m == nil || strings.HasSuffix(text[m[2]:m[3]], "bin") {
		return nil
	}
	return []Fault{{s.Line + strings.Count(text[:m[2]], "\n"), "PATH is overwritten with " + text[m[2]:m[3]] + ", so no program is found after it"}}
}
