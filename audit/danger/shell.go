package danger

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is one simple command of a shell, wrappers such as sudo taken off.
type command struct {
	name     string
	args     []string
	line     int // from 0
	sudo     bool
	fed      bool         // by a pipe
	writes   []string     // targets of > and >>
	reads    []string     // sources of <
	nested   [][]*command // pipelines in $(…), `…` and <(…) among the words
	document string       // the here-document or here-string that feeds it
}

func (c *command) has(flags ...string) bool {
	for _, a := range c.args {
		for _, f := range flags {
			if a == f || strings.HasPrefix(a, f+"=") {
				return true
			}
		}
	}
	return false
}

// short reports whether a bundle of one-letter flags, such as -rf, holds a letter.
func (c *command) short(letter string) bool {
	for _, a := range c.args {
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, letter) {
			return true
		}
	}
	return false
}

// operands are the words that are no flags.
func (c *command) operands() []string {
	var words []string
	for _, a := range c.args {
		if !strings.HasPrefix(a, "-") || a == "-" {
			words = append(words, a)
		}
	}
	return words
}

func (c *command) text() string {
	return clip(strings.Join(append([]string{c.name}, c.args...), " "))
}

var (
	prompt      = regexp.MustCompile(`(?m)^(\s*)(?:\$|%|#!?>|>>>)[ \t]`)
	placeholder = regexp.MustCompile(`<[A-Za-z_][^<>|&;\n]{0,60}>|\{\{[^{}\n]*\}\}`)
)

// pipelines parses shell text. Where the whole is no shell, each line that is counts alone.
func pipelines(text string) [][]*command {
	text = prompt.ReplaceAllString(text, "$1")
	text = placeholder.ReplaceAllStringFunc(text, func(p string) string { return strings.Repeat("X", len(p)) })
	if found, ok := parse(text, 0); ok {
		return found
	}
	var all [][]*command
	rows := strings.Split(text, "\n")
	for i := 0; i < len(rows); i++ {
		first, row := i, rows[i]
		for strings.HasSuffix(row, "\\") && i+1 < len(rows) {
			i++
			row += "\n" + rows[i]
		}
		if triggered(row) {
			found, _ := parse(row, first)
			all = append(all, found...)
		}
	}
	return all
}

func parse(text string, first int) ([][]*command, bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}
	r := reader{first: first}
	for _, s := range file.Stmts {
		r.statement(s)
	}
	return r.found, true
}

// reader turns a syntax tree into pipelines.
type reader struct {
	first int
	found [][]*command
}

func (r *reader) statement(s *syntax.Stmt) {
	if line := r.pipe(s); line != nil {
		r.found = append(r.found, line)
		return
	}
	r.inside(s)
}

// inside looks for pipelines in the parts of a statement that is none.
func (r *reader) inside(s *syntax.Stmt) {
	syntax.Walk(s, func(n syntax.Node) bool {
		child, ok := n.(*syntax.Stmt)
		if !ok || child == s {
			return true
		}
		r.statement(child)
		return false
	})
}

// pipe returns the commands of a statement that is a command or a pipe of commands, nil for any other.
func (r *reader) pipe(s *syntax.Stmt) []*command {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if call := r.call(s, c); call != nil {
			return []*command{call}
		}
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return nil
		}
		left, right := r.pipe(c.X), r.pipe(c.Y)
		if left == nil {
			r.inside(c.X)
		}
		if right == nil {
			r.inside(c.Y)
		}
		for _, c := range right {
			c.fed = true
		}
		return append(left, right...)
	}
	return nil
}

func (r *reader) call(s *syntax.Stmt, c *syntax.CallExpr) *command {
	cmd := &command{line: r.first + int(s.Pos().Line()) - 1}
	var words []string
	for _, a := range c.Assigns {
		if a.Value != nil {
			r.word(a.Value, cmd)
		}
	}
	for _, w := range c.Args {
		words = append(words, r.word(w, cmd))
	}
	for _, redirect := range s.Redirs {
		target := ""
		if redirect.Word != nil {
			target = r.word(redirect.Word, cmd)
		}
		switch redirect.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			cmd.writes = append(cmd.writes, target)
		case syntax.RdrIn:
			cmd.reads = append(cmd.reads, target)
		case syntax.WordHdoc:
			cmd.document = target
		case syntax.Hdoc, syntax.DashHdoc:
			if redirect.Hdoc != nil {
				cmd.document = r.word(redirect.Hdoc, cmd)
			}
		}
	}
	cmd.unwrap(words)
	return cmd
}

// unwrap takes off what runs another command.
func (c *command) unwrap(words []string) {
	for len(words) > 0 {
		name := path.Base(words[0])
		if name != "sudo" && name != "env" && name != "nohup" && name != "time" && name != "exec" && name != "command" && name != "doas" {
			break
		}
		c.sudo = c.sudo || name == "sudo" || name == "doas"
		rest := words[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || name == "env" && strings.Contains(rest[0], "=")) {
			if (rest[0] == "-u" || rest[0] == "-g") && len(rest) > 1 {
				rest = rest[1:]
			}
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		words = rest
	}
	if len(words) > 0 {
		c.name, c.args = path.Base(words[0]), words[1:]
	}
}

// word returns the text of a word, and notes the commands inside it.
func (r *reader) word(w *syntax.Word, cmd *command) string {
	var text strings.Builder
	r.parts(w.Parts, &text, cmd)
	return text.String()
}

func (r *reader) parts(parts []syntax.WordPart, text *strings.Builder, cmd *command) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text.WriteString(p.Value)
		case *syntax.SglQuoted:
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			r.parts(p.Parts, text, cmd)
		case *syntax.ParamExp:
			if p.Param != nil {
				text.WriteString("$" + p.Param.Value)
			}
		case *syntax.CmdSubst:
			text.WriteString("$(…)")
			cmd.nested = append(cmd.nested, r.nest(p.Stmts)...)
		case *syntax.ProcSubst:
			text.WriteString("<(…)")
			cmd.nested = append(cmd.nested, r.nest(p.Stmts)...)
		}
	}
}

// nest reads the statements of a substitution. They are pipelines of their own as well.
func (r *reader) nest(statements []*syntax.Stmt) [][]*command {
	inner := reader{first: r.first}
	for _, s := range statements {
		inner.statement(s)
	}
	r.found = append(r.found, inner.found...)
	return inner.found
}

// span is inline code of the prose.
type span struct {
	line int
	text string
}

var inline = regexp.MustCompile("`+[^`\n]+`+")

// spans returns the inline code of a prose that may hold a command worth parsing.
func spans(text string) []span {
	if !triggered(text) {
		return nil
	}
	var found []span
	for i, row := range strings.Split(text, "\n") {
		if !triggered(row) || !strings.Contains(row, "`") {
			continue
		}
		for _, code := range inline.FindAllString(row, 20) {
			if code = strings.Trim(code, "`"); triggered(code) && strings.Contains(code, " ") {
				found = append(found, span{i, code})
			}
		}
	}
	return found
}

// dockerRuns keeps the commands of RUN lines and blanks the rest.
func dockerRuns(text string) string {
	rows := strings.Split(text, "\n")
	inside := false
	for i, row := range rows {
		trimmed := strings.TrimSpace(row)
		starts := len(trimmed) > 4 && strings.EqualFold(trimmed[:4], "RUN ")
		switch {
		case starts:
			rows[i] = trimmed[4:]
		case !inside:
			rows[i] = ""
		}
		inside = (starts || inside) && strings.HasSuffix(trimmed, "\\")
	}
	return strings.Join(rows, "\n")
}
