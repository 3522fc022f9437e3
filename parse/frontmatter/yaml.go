package frontmatter

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

var (
	errBudget     = errors.New("over the budget")
	errNotMapping = errors.New("not a mapping")
)

// fail turns the reason why a block gave no fields into its one finding.
func (r *reader) fail(err error, format string) {
	switch {
	case errors.Is(err, errBudget):
		r.fields, r.hostile = nil, true
		r.report(rule.Budget, r.line, "frontmatter not read: %v", err)
	case errors.Is(err, errNotMapping):
		r.report(rule.NotMapping, r.line, "the frontmatter is no mapping of keys to values: %v", err)
	default:
		r.report(rule.Unreadable, r.line, "the frontmatter is not valid %s: %v", strings.ToUpper(format), err)
	}
}

// readYAML reads a block by nodes, so that keys given twice and the author's text survive.
func (r *reader) readYAML(body []byte) ([]data.Field, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(body, &doc); err != nil {
		if strings.Contains(err.Error(), "exceeded max depth") {
			return nil, fmt.Errorf("%w: %w", errBudget, err)
		}
		return r.recoverYAML(body, err)
	}
	if len(doc.Content) == 0 {
		if len(strings.TrimSpace(string(body))) > 0 {
			r.leave(strings.Split(string(body), "\n")...)
			return nil, fmt.Errorf("%w: only comments", errNotMapping)
		}
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		r.leave(strings.Split(string(body), "\n")...)
		return nil, fmt.Errorf("%w but %s", errNotMapping, kindName(root))
	}
	value, err := r.value(root, 0)
	if err != nil {
		return nil, err
	}
	r.findCuts(root)
	return value.Map, nil
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	default:
		return "plain text"
	}
}

// value converts a node under the node and depth budget. Aliases are followed, and each use counts.
func (r *reader) value(n *yaml.Node, depth int) (data.Value, error) {
	if r.nodes--; r.nodes < 0 {
		return data.Value{}, fmt.Errorf("%w: more than %d values", errBudget, MaxNodes)
	}
	if depth > MaxDepth {
		return data.Value{}, fmt.Errorf("%w: nested deeper than %d", errBudget, MaxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := data.Value{Kind: data.KindList}
		for _, item := range n.Content {
			v, err := r.value(item, depth+1)
			if err != nil {
				return data.Value{}, err
			}
			list.List = append(list.List, v)
		}
		return list, nil
	case yaml.MappingNode:
		return r.mapping(n, depth)
	default:
		return data.Value{Kind: data.KindScalar, Scalar: n.Value, Null: n.Tag == "!!null"}, nil
	}
}

func (r *reader) mapping(n *yaml.Node, depth int) (data.Value, error) {
	m := data.Value{Kind: data.KindMap}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		v, err := r.value(n.Content[i+1], depth+1)
		if err != nil {
			return data.Value{}, err
		}
		name := key.Value
		if key.Kind != yaml.ScalarNode {
			name = "?"
			r.report(rule.WrongType, r.fileLine(n.Content[i].Line), "a key is %s, not text", kindName(key))
		}
		m.Map = append(m.Map, data.Field{Key: name, Line: r.fileLine(n.Content[i].Line), Value: v})
	}
	return m, nil
}

// fileLine turns a line of the body, from 1, into one of the file. To YAML a carriage return alone ends a line too, to the
// file it doesn't.
func (r *reader) fileLine(line int) int { return r.line + min(max(line, 1), r.lines) - 1 }

// findCuts reports unquoted top-level texts that YAML ends at ` #`, and keeps what it drops. A comment
// after a short value such as a version is meant as one, so only sentences count: values with a blank.
func (r *reader) findCuts(root *yaml.Node) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			continue
		}
		comment := value.LineComment
		if comment == "" && value.Tag == "!!null" {
			comment = key.LineComment
		}
		if comment == "" || !isSentence(key.Value, value.Value) {
			continue
		}
		r.unread = append(r.unread, comment)
		r.report(rule.CutByComment, r.fileLine(key.Line),
			"%q ends at ` #`: YAML reads the rest as a comment; quote the value to keep %q", key.Value, clip(comment))
	}
}

func isSentence(key, value string) bool {
	return strings.EqualFold(key, "description") || strings.Contains(value, " ")
}

// clip shortens text that is quoted in a message.
func clip(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

var complaintLine = regexp.MustCompile(`(?s)^(?:[a-z ]+error: )?line (\d+)(?:, column \d+)?: (.*)`)

// complaint splits the YAML library's message into the line of the body, 0 if it names none, and the rest.
func complaint(err error) (int, string) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	m := complaintLine.FindStringSubmatch(text)
	if m == nil {
		return 0, text
	}
	line, _ := strconv.Atoi(m[1]) // digits only; one too large gives the largest
	return line, m[2]
}
