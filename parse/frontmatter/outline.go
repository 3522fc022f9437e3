package frontmatter

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"skillcorpus/data"
)

// innerKey matches a key below the top level: one word, so that a sentence with a colon is none.
var innerKey = regexp.MustCompile(`^["']?([\pL_][\pL\pN_./-]{0,99})["']?\s*:(?:[ \t]+(.*)|\s*)()$`)

// branch is one key or item of an outline. It holds text, items or keys, or nothing yet.
type branch struct {
	row
	key    string
	text   []string
	list   []*branch
	fields []*branch
}

func (b *branch) isEmpty() bool { return len(b.text)+len(b.list)+len(b.fields) == 0 }

func startsOutline(line row) bool {
	_, item := cutItem(line.bare())
	_, _, key := cutKey(innerKey, line.bare())
	return item || key
}

// cutItem returns what follows an item's mark: a dash, or a star or plus as in Markdown.
func cutItem(text string) (string, bool) {
	if len(text) > 1 && strings.ContainsAny(text[:1], "-*+") && (text[1] == ' ' || text[1] == '\t') {
		return strings.TrimSpace(text[2:]), true
	}
	return "", false
}

// outline reads items and keys by their indent, where YAML refuses it. A key belongs to the innermost key
// above it that is indented less and has no text or items; an item to the innermost list whose items stand at
// its own indent, else to the innermost key that has nothing yet, else to the innermost list; any other line
// goes on with the text above it. What finds no place is left unread.
func (r *reader) outline(lines []row) (data.Value, error) {
	root := &branch{row: row{line: lines[0].line}}
	o := outliner{stack: []*branch{root}, indents: []int{-1}}
	for _, line := range lines {
		if r.nodes--; r.nodes < 0 {
			return data.Value{}, fmt.Errorf("%w: more than %d values", errBudget, MaxNodes)
		}
		if o.lost = !o.add(line, line.indent(), line.bare()); o.lost {
			r.leave(line.text)
		}
	}
	return r.grow(root)
}

// outliner holds the way from the root to the branch that was added last.
type outliner struct {
	stack   []*branch
	indents []int
	lost    bool // the line before found no place, so nothing goes on with it
}

func (o *outliner) top() *branch { return o.stack[len(o.stack)-1] }

func (o *outliner) cut(length int) { o.stack, o.indents = o.stack[:length], o.indents[:length] }

func (o *outliner) push(b *branch, indent int) bool {
	if len(o.stack) >= MaxDepth {
		return false
	}
	o.stack, o.indents = append(o.stack, b), append(o.indents, indent)
	return true
}

func (o *outliner) add(line row, indent int, text string) bool {
	if item, ok := cutItem(text); ok {
		return o.addItem(line, indent, item)
	}
	if key, value, ok := cutKey(innerKey, text); ok {
		return o.addKey(line, indent, key, value)
	}
	top := o.top()
	if o.lost || len(top.list)+len(top.fields) > 0 {
		return false
	}
	top.text = append(top.text, text)
	return true
}

func (o *outliner) addItem(line row, indent int, text string) bool {
	owner := -1
	for i, b := range o.stack {
		if len(b.list) > 0 && b.list[0].indent() == line.indent() {
			owner = i
		}
	}
	for i := len(o.stack) - 1; owner < 0 && i >= 0; i-- {
		if o.stack[i].isEmpty() {
			owner = i
		}
	}
	for i := len(o.stack) - 1; owner < 0 && i >= 0; i-- {
		if len(o.stack[i].list) > 0 {
			owner = i
		}
	}
	if owner < 0 {
		return false
	}
	o.cut(owner + 1)
	item := &branch{row: line}
	if !o.push(item, indent) {
		return false
	}
	list := o.stack[owner]
	list.list = append(list.list, item)
	if text != "" {
		item.text = append(item.text, text)
	}
	return true
}

// splitItem makes an item that reads like a key one, since another key follows below it.
func (o *outliner) splitItem(indent int) {
	top, at := o.top(), o.indents[len(o.indents)-1]
	if top.key != "" || len(top.text) != 1 || indent <= at {
		return
	}
	if key, value, ok := cutKey(innerKey, top.text[0]); ok {
		top.text = nil
		o.addKey(top.row, at+1, key, value)
	}
}

func (o *outliner) addKey(line row, indent int, key, value string) bool {
	if len(o.stack) > 1 {
		o.splitItem(indent)
	}
	keep := len(o.stack)
	for keep > 0 && (o.indents[keep-1] >= indent || len(o.stack[keep-1].text)+len(o.stack[keep-1].list) > 0) {
		keep--
	}
	if keep == 0 {
		return false
	}
	o.cut(keep)
	child := &branch{row: line, key: key}
	if value != "" && !isBlockMark(value) {
		child.text = append(child.text, value)
	}
	parent := o.top()
	if !o.push(child, indent) {
		return false
	}
	parent.fields = append(parent.fields, child)
	return true
}

// grow turns a branch into a value.
func (r *reader) grow(b *branch) (data.Value, error) {
	switch {
	case len(b.fields) > 0:
		m := data.Value{Kind: data.KindMap}
		for _, f := range b.fields {
			v, err := r.grow(f)
			if err != nil {
				return data.Value{}, err
			}
			m.Map = append(m.Map, data.Field{Key: f.key, Line: r.fileLine(f.line), Value: v})
		}
		return m, nil
	case len(b.list) > 0:
		list := data.Value{Kind: data.KindList}
		for _, item := range b.list {
			v, err := r.grow(item)
			if err != nil {
				return data.Value{}, err
			}
			list.List = append(list.List, v)
		}
		return list, nil
	}
	return r.leaf(strings.Join(b.text, " "))
}

// leaf reads a text that stands for a value. Only a text that opens with a bracket or quote can be other than
// it stands: by YAML alone, as JSON (whose surrogate escapes YAML refuses), as a list cut at its commas, or
// without its quotes.
func (r *reader) leaf(text string) (data.Value, error) {
	if text == "" {
		return data.Value{Kind: data.KindScalar, Null: true}, nil
	}
	if !strings.ContainsAny(text[:1], "[{\"'") {
		return data.Scalar(text), nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err == nil && len(doc.Content) == 1 && doc.Content[0].LineComment == "" {
		return r.value(doc.Content[0], 1)
	}
	if json.Valid([]byte(text)) {
		d := jsonDecoder{reader: r, body: []byte(text), Decoder: json.NewDecoder(strings.NewReader(text))}
		d.UseNumber()
		return d.value(1)
	}
	if items, ok := cutList(text); ok {
		list := data.Value{Kind: data.KindList}
		for _, item := range items {
			if r.nodes--; r.nodes < 0 {
				return data.Value{}, fmt.Errorf("%w: more than %d values", errBudget, MaxNodes)
			}
			list.List = append(list.List, data.Scalar(unquote(item)))
		}
		return list, nil
	}
	return data.Scalar(unquote(text)), nil
}

// cutList cuts `[a, b[c], d]` at the commas outside inner brackets. `[a] [b]` is no list.
func cutList(text string) ([]string, bool) {
	if text[0] != '[' || text[len(text)-1] != ']' {
		return nil, false
	}
	var items []string
	depth, from := 0, 1
	for i, c := range []byte(text) {
		switch c {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		}
		if depth < 1 && i < len(text)-1 {
			return nil, false
		}
		if c == ',' && depth == 1 || i == len(text)-1 {
			if item := strings.TrimSpace(text[from:i]); item != "" {
				items = append(items, item)
			}
			from = i + 1
		}
	}
	return items, depth == 0
}

// unquote removes one pair of quotes around a text that is no valid YAML string, and the escapes of such
// quotes inside, also where a comma follows as in JSON. `"a" or "b"` has no such pair: the quote after a word closes the first.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, `",`) {
		text = text[:len(text)-1]
	}
	if len(text) < 2 || text[len(text)-1] != text[0] {
		return text
	}
	inner := text[1 : len(text)-1]
	switch text[0] {
	case '"':
		if i := strings.IndexByte(inner, '"'); i > 0 && inner[i-1] != ' ' && inner[i-1] != '\\' && i+1 < len(inner) && inner[i+1] == ' ' {
			return text
		}
		return strings.ReplaceAll(inner, `\"`, `"`)
	case '\'':
		return strings.ReplaceAll(inner, "''", "'")
	}
	return text
}
