package reference

import (
	"path"
	"regexp"
	"strings"
)

// use says what a command does with a file.
type use int

const (
	argument  use = iota // anything that the next three are not
	executed             // it is the program that an interpreter runs, or runs by itself
	input                // it is the data that a program of the skill works on
	elsewhere            // the program is none that looks into the skill's folder
)

// command adds the words of a command line that are not its outputs. at gives the place and the directory; the
// directory that the line leaves behind is returned.
func (s *scanner) command(words []word, at candidate) directory {
	after, first := at.dir, 0
	for i, w := range words {
		if w.starts {
			first = i
		}
		if to, moved := s.changes(at.dir, words, i); moved {
			at.dir = to
			if !w.nested {
				after = to
			}
			continue
		}
		if w.output || writes(words, first, i) {
			s.created[strings.TrimPrefix(path.Join(at.dir.path, w.text), "/")] = true
			continue
		}
		if words[first].text == "git" && i == first+1 && w.text == "clone" {
			s.clones(words[i+1:])
		}
		if strings.ContainsAny(w.text, "/.") {
			c := at
			c.text, c.use = w.text, useOf(words[first:i+1])
			s.add(c)
		}
	}
	return after
}

// useOf tells what a command does with its last word.
func useOf(words []word) use {
	const long = 64 // words: what stands further back tells nothing
	last := len(words) - 1
	if last > long {
		return argument
	}
	text := words[last].text
	if last == 0 && strings.Contains(text, "/") {
		return executed
	}
	if last == 0 {
		return argument
	}
	if remote.MatchString(words[0].text) {
		return elsewhere
	}
	if dataFlag.MatchString(words[last-1].text) && dataSuffix.MatchString(text) && !shipped.MatchString(path.Base(text)) {
		return input
	}
	known := false
	for _, w := range words[:last] {
		switch {
		case programSuffix.MatchString(w.text) && words[last-1].text[0] != '-' && !shipped.MatchString(path.Base(text)):
			return input
		case programSuffix.MatchString(w.text):
			return argument
		case w.text == "-m":
			return elsewhere
		}
		known = known || interprets(w.text) || handles.MatchString(w.text)
		if interprets(w.text) && words[last-1].text == w.text {
			return executed
		}
	}
	if known || !programSuffix.MatchString(text) || words[last-1].text[0] == '-' {
		return argument
	}
	return elsewhere
}

var (
	programSuffix = regexp.MustCompile(`\.(?:py|sh|bash|js|mjs|cjs|ts|tsx|rb|pl|php|ps1|R)$`)
	// Programs that work on another machine, in a container, or for an editor of the user's files.
	remote = regexp.MustCompile(`^(?:docker|docker-compose|podman|kubectl|oc|kamal|heroku|ssh|scp|rsync|fly|flyctl|railway|vagrant|vim|vi|nano|emacs)$`)
	// Programs that read or run any file, beside interpreters.
	handles = regexp.MustCompile(`^(?:uv|uvx|npx|pnpm|yarn|npm|poetry|pipx?3?|cat|cp|ln|mv|chmod|source|\.|grep|rg|less|head|tail|sed|awk|jq|sudo|env|time|timeout|nohup|xargs|exec|eval|open|bb|blender|pwsh|powershell|swift|dotnet|zsh|conda|mamba|ts-node|esno|jiti|test|ls|stat|diff|wc|find|install|dos2unix)$`)
	// Options whose value is the data to work on, and the names of such data that a skill brings along.
	dataFlag   = regexp.MustCompile(`^(?:-i|-f|--(?:[a-z]+[-_])*(?:in|input|inputs|data|dataset|file|files|reference|pack|source|from|csv|json)(?:[-_](?:file|path|data|json|csv))*)$`)
	dataSuffix = regexp.MustCompile(`(?i)\.(?:json|jsonl|csv|tsv|txt|xml|xlsx?|md|ya?ml|pdf|parquet|tex|html|log|fasta|vcf|gz)$`)
	shipped    = regexp.MustCompile(`(?i)sample|example|template|demo|default|schema`)
	// A file that an interpreter can run, in the directory itself.
	program = regexp.MustCompile(`^(?:\./)?[\w-]+\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|php|ps1|R)$`)
	// outputFlag is an option whose value is a file that the command makes.
	outputFlag = regexp.MustCompile(`^(?:-o|-O|--?(?:[a-z]+[-_])*(?:out|output|outfile|outdir|save|saveto|dest|destination|target)(?:[-_][a-z]+)*)$`)
)

// interprets reports whether the first argument of a command is a program.
func interprets(command string) bool {
	switch path.Base(command) {
	case "python", "python3", "node", "bash", "sh", "bun", "deno", "ruby", "tsx", "perl", "php", "Rscript":
		return true
	}
	return false
}

// writes reports whether the word at i is made by the command that starts at first.
func writes(words []word, first, i int) bool {
	if i == first {
		return false
	}
	switch words[first].text {
	case "touch", "tee", "mkdir":
		return true
	case "cp", "mv", "ln":
		return i-first > 1 && (i+1 == len(words) || words[i+1].starts)
	}
	return words[i-1].text == "tee" || outputFlag.MatchString(words[i-1].text)
}

// clones notes that the text has a repository fetched, and the folder that it ends up in: what lies there is none of the
// skill's, and what is run afterwards may well be that repository's.
func (s *scanner) clones(arguments []word) {
	url := ""
	for _, w := range arguments {
		if w.starts || w.output {
			break
		}
		if strings.Contains(w.text, "/") {
			url = w.text
		}
	}
	name := strings.TrimSuffix(path.Base(url), ".git")
	if url == "" || strings.Contains(strings.ToLower(url), "skill") {
		return
	}
	s.cloned[name] = true
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
