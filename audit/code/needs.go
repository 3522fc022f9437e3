package code

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"skillcorpus/data"
)

// Needs is what a piece of code asks of the machine that runs it. The lists are in order of appearance and
// may repeat. Imports are told apart, since what they need depends on the bundle.
type Needs struct {
	Executables  []string
	Packages     []data.Dependency
	Environment  []string
	Hosts        []string
	Interpreters []data.Interpreter // of a bundled script
}

var (
	address = regexp.MustCompile(`(?i)\b(?:https?|wss?)://(?:[^\s/@"'<>]*@)?([a-z0-9][a-z0-9.-]*\.[a-z]+)(?:[:/?#\s"'` + "`" + `)>\]},;\\]|$)`)
	// Reads of the environment in the languages that skills use most.
	readsEnv   = regexp.MustCompile(`(?:os\.environ(?:\.get)?|os\.getenv|os\.Getenv|os\.LookupEnv|process\.env|ENV(?:\.fetch)?|System\.getenv|env::var|Deno\.env\.get|Sys\.getenv|import\.meta\.env)(?:[\[(]\s*["']|\.)([A-Z][A-Z0-9_]+)\b`)
	powershell = regexp.MustCompile(`\$env:([A-Z][A-Z0-9_]+)\b`)
	bareAngle  = regexp.MustCompile(`<([A-Za-z][\w .:/|-]{0,60})>`)
	// The values that an option or an argument can have, in a line of usage: `--sort hot|new|top`, `<id|url>`.
	alternatives = regexp.MustCompile(`(--[\w-]+[ =])[\w.-]+(?:\|[\w.-]+){2,}|<[\w-]+(?:\|[\w-]+)+>`)
	envName      = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)
)

func needs(text, lang string) (n Needs, loads []Import) {
	if strings.Contains(text, "://") {
		for _, m := range address.FindAllStringSubmatch(text, -1) {
			if host := strings.ToLower(m[1]); isHost(host) {
				n.Hosts = append(n.Hosts, host)
			}
		}
	}
	if lang == Shell || lang == "zsh" {
		return n, n.shell(text)
	}
	if strings.Contains(text, "env") || strings.Contains(text, "ENV") {
		for _, m := range readsEnv.FindAllStringSubmatch(text, -1) {
			n.variable(m[1])
		}
	}
	if lang == "powershell" {
		for _, m := range powershell.FindAllStringSubmatch(text, -1) {
			n.variable(m[1])
		}
	}
	return n, nil
}

// isHost leaves out names that stand for any host.
func isHost(host string) bool {
	if len(host) > 253 || strings.Contains(host, "..") {
		return false // 253 is the most that DNS allows
	}
	for _, any := range []string{"example.com", "example.org", "example.net"} {
		if host == any || strings.HasSuffix(host, "."+any) {
			return false
		}
	}
	for _, word := range []string{"your", "my-", "xxx", "placeholder"} {
		if strings.HasPrefix(host, word) || strings.Contains(host, "."+word) {
			return false
		}
	}
	return !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".test") && !strings.HasSuffix(host, ".example") && !strings.HasSuffix(host, ".invalid")
}

func (n *Needs) variable(name string) {
	if envName.MatchString(name) && !shellOwn(name) {
		n.Environment = append(n.Environment, name)
	}
}

// shell walks what bash's grammar makes of a text, and returns the files that it runs. Prompts are no part of the
// commands, and <placeholders> would be read as redirections.
func (n *Needs) shell(text string) []Import {
	if !parsable(text, Shell) {
		return nil
	}
	text = alternatives.ReplaceAllString(withoutPrompts(text), "${1}placeholder")
	file, err := parseCommands(text)
	if err != nil {
		if file, err = parseCommands(bareAngle.ReplaceAllString(text, "placeholder")); err != nil {
			return nil
		}
	}
	walk := shellWalk{needs: n, own: map[string]bool{}, typed: typedIn(file.Stmts)}
	syntax.Walk(file, walk.declare)
	syntax.Walk(file, walk.visit)
	return walk.imports
}

func parseCommands(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// withoutPrompts keeps only the commands of a session whose lines start with a prompt, each on its line.
func withoutPrompts(text string) string {
	if !strings.HasPrefix(text, "$ ") && !strings.Contains(text, "\n$ ") {
		return text
	}
	var commands []string
	for line := range strings.SplitSeq(text, "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			command = ""
		}
		commands = append(commands, command)
	}
	return strings.Join(commands, "\n")
}

type shellWalk struct {
	needs   *Needs
	imports []Import
	own     map[string]bool // functions and variables that the text itself defines
	typed   map[*syntax.Stmt]bool
}

func (w *shellWalk) declare(node syntax.Node) bool {
	switch node := node.(type) {
	case *syntax.FuncDecl:
		if node.Name != nil {
			w.own[node.Name.Value+"()"] = true
		}
	case *syntax.Assign:
		if node.Name != nil && (node.Value != nil || node.Array != nil) {
			w.own[node.Name.Value] = true
		}
	case *syntax.WordIter:
		if node.Name != nil {
			w.own[node.Name.Value] = true
		}
	case *syntax.CallExpr:
		if len(node.Args) > 1 && node.Args[0].Lit() == "read" {
			for _, arg := range node.Args[1:] {
				w.own[arg.Lit()] = true
			}
		}
	}
	return true
}

func (w *shellWalk) visit(node syntax.Node) bool {
	switch node := node.(type) {
	case *syntax.Stmt:
		return !w.typed[node]
	case *syntax.CallExpr:
		w.call(node.Args)
	case *syntax.ParamExp:
		if node.Param != nil && !w.own[node.Param.Value] {
			w.needs.variable(node.Param.Value)
		}
	}
	return true
}

// call notes the program that a simple command runs, and the packages that it installs.
func (w *shellWalk) call(args []*syntax.Word) {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = literal(arg)
	}
	for len(words) > 0 && wraps(words[0]) {
		w.program(words)
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") || words[0] == "") {
			words = words[1:]
		}
	}
	if len(words) == 0 || len(words) > 1 && operator.MatchString(words[1]) {
		return
	}
	w.program(words)
	w.runs(words, args[0].Pos())
	w.needs.Packages = append(w.needs.Packages, installs(words)...)
}

func (w *shellWalk) program(words []string) {
	if name := words[0]; !w.own[name+"()"] && isProgram(words) {
		w.needs.Executables = append(w.needs.Executables, name)
	}
}

// literal returns a word's text without quotes, and the empty string where it depends on a variable.
func literal(w *syntax.Word) string {
	var text strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return ""
				}
				text.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return text.String()
}

// wraps reports whether a program runs the command that follows it.
func wraps(name string) bool {
	switch name {
	case "sudo", "env", "time", "nohup", "xargs", "timeout", "nice", "exec", "command", "doas", "watch":
		return true
	}
	return false
}
