package code

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v4"
	"mvdan.cc/sh/v3/syntax"

	"skillcorpus/audit/code/javascript"
	"skillcorpus/audit/code/python"
)

// fault is a parser's refusal.
type fault struct {
	message string
	line    int  // in the text, from 1; 0 if the parser does not say
	gaveUp  bool // it would take too long; nothing is known
}

// parserOf returns the parser of a language, and nil where there is none. whole tells that a text is a file, rather than
// a block that may be a part of one.
func parserOf(lang string) func(text string, whole bool) *fault {
	alone := func(parse func(string) *fault) func(string, bool) *fault {
		return func(text string, _ bool) *fault { return parse(text) }
	}
	switch lang {
	case Shell:
		return alone(parseShell)
	case "json":
		return alone(parseJSON)
	case "jsonc":
		return alone(func(text string) *fault { return parseJSON(plainJSON(text)) })
	case "yaml":
		return func(text string, whole bool) *fault { return parseYAML(text, whole) }
	case "json5":
		return func(text string, whole bool) *fault { return parseJSON5(text, whole) }
	case "toml":
		return apart(parseTOML)
	case "go":
		return apart(parseGo)
	case "python":
		return parsePython
	case "javascript", "typescript":
		return func(text string, whole bool) *fault { return parseJavaScript(text, lang, whole) }
	}
	return nil
}

// apart returns a parser that, of a block which it refuses, takes the parts as texts of their own: a comment after an
// empty line begins another, as where a good and a bad way or two files stand in one block.
func apart(parse func(string) *fault) func(string, bool) *fault {
	return func(text string, whole bool) *fault {
		bad := parse(text)
		if bad == nil || whole {
			return bad
		}
		parts := newPart.Split(text, -1)
		if len(parts) < 2 {
			return bad
		}
		for _, part := range parts {
			if parse(part) != nil {
				return bad
			}
		}
		return nil
	}
}

var newPart = regexp.MustCompile(`\n[ \t]*\n(?:#|//).*`)

func parsePython(text string, whole bool) *fault {
	check := python.Check
	if !whole {
		text, check = python.Snippet(text), python.Fragment
	}
	found := check(text)
	if found.Whole {
		return nil
	}
	return &fault{message: found.Message, line: found.Line, gaveUp: found.GaveUp}
}

func parseJavaScript(text, lang string, whole bool) *fault {
	check := javascript.Snippet
	if whole {
		check = javascript.Check
	}
	if found := check(text, lang); found.Line > 0 {
		return &fault{message: found.Message, line: found.Line}
	}
	return nil
}

func parseShell(text string) *fault {
	variant := syntax.LangBash
	if strings.Contains(text, "@test ") {
		variant = syntax.LangBats
	}
	_, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[syntax.ParseError](err); ok {
		return &fault{message: at.Text, line: int(at.Pos.Line())}
	}
	return &fault{message: err.Error()}
}

// parseJSON takes one value or several in a row, and the members of an object without its braces, since
// that is how settings are shown.
func parseJSON(text string) *fault {
	bad := jsonFault(text)
	if bad == nil {
		return nil
	}
	if trimmed := strings.TrimRight(strings.TrimSpace(text), ","); strings.HasPrefix(trimmed, `"`) && jsonFault("{"+trimmed+"}") == nil {
		return nil
	}
	if strings.Contains(text, "//") || strings.Contains(text, "/*") {
		if jsonFault(plainJSON(text)) == nil {
			return nil
		}
	}
	return bad
}

func jsonFault(text string) *fault {
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			continue
		}
		offset := len(text)
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = min(len(text), int(at.Offset))
		}
		return &fault{message: err.Error(), line: 1 + strings.Count(text[:offset], "\n")}
	}
}

// plainJSON blanks out comments and trailing commas, so that lines stay where they are.
func plainJSON(text string) string {
	out := []byte(text)
	comma := -1 // the last comma that nothing but blanks follow so far
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return string(out)
}

// blankComment overwrites the comment at i and returns the index of its last byte.
func blankComment(out []byte, i int) int {
	block := out[i+1] == '*'
	for ; i < len(out); i++ {
		if block && out[i] == '*' && i+1 < len(out) && out[i+1] == '/' {
			out[i], out[i+1] = ' ', ' '
			return i + 1
		}
		if out[i] == '\n' {
			if !block {
				return i
			}
			continue
		}
		out[i] = ' '
	}
	return i
}

// parseJSON5 takes JSON, and what a script takes as a value.
func parseJSON5(text string, whole bool) *fault {
	bad := parseJSON(plainJSON(text))
	if bad == nil || parseJavaScript("(\n"+text+"\n)", "javascript", whole) == nil {
		return nil
	}
	return bad
}

// parseYAML takes the frontmatter of a Markdown file whose text follows for what it is.
func parseYAML(text string, whole bool) *fault {
	bad := yamlFault(text)
	if head, ok := strings.CutPrefix(text, "---\n"); ok && bad != nil && !whole {
		if head, _, ok = strings.Cut(head, "\n---\n"); ok && yamlFault(head) == nil {
			return nil
		}
	}
	return bad
}

func yamlFault(text string) *fault {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &fault{message: strings.TrimPrefix(err.Error(), "yaml: "), line: yamlLine(err)}
		}
	}
}

func yamlLine(err error) int {
	if at, ok := errors.AsType[*yaml.LoadError](err); ok {
		return at.Mark.Line
	}
	return 0
}

func parseTOML(text string) *fault {
	var value map[string]any
	_, err := toml.Decode(text, &value)
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[toml.ParseError](err); ok {
		return &fault{message: at.Message, line: at.Position.Line}
	}
	return &fault{message: err.Error()}
}

// parseGo takes a file, declarations without a package clause, or statements, and tells the fault of the reading that
// comes furthest.
func parseGo(text string) (bad *fault) {
	for _, reading := range []string{text, "package p; " + text, "package p; func _() {" + text + "\n}"} {
		found := goFault(reading)
		if found == nil {
			return nil
		}
		if bad == nil || found.line > bad.line {
			bad = found
		}
	}
	return bad
}

func goFault(text string) *fault {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return &fault{message: list[0].Msg, line: list[0].Pos.Line}
	}
	return &fault{message: err.Error()}
}
