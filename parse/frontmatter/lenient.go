package frontmatter

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

// topKey matches a line that begins a top-level entry: a key of letters, digits, blanks and `_.-/` at column
// 0, plain or quoted, a colon, then a blank or the line's end.
var topKey = regexp.MustCompile(`^["']?([\pL_][\pL\pN_./ -]{0,99}?)["']?\s*:(?:[ \t]+(.*)|\s*)$`)

// recoverYAML is the lenient reader, for a block that YAML refuses. It cuts the block into top-level entries:
// a line with a key at column 0 and all lines up to the next one. Each entry is read by YAML alone; where
// that is refused too, its value is taken as it stands:
//   - after `|` or `>` the following lines, without their common indent, as a block scalar;
//   - lines that begin with `- ` as a list of texts;
//   - anything else as text, its lines joined by one blank, without a pair of quotes around it.
//
// Lines before the first key are skipped. One finding names the line and YAML's complaint.
func (r *reader) recoverYAML(body []byte, cause error) ([]data.Field, error) {
	entries := cutEntries(body)
	at, message := complaint(cause)
	if len(entries) == 0 {
		if looksLikeText(body) {
			return nil, errNotMapping
		}
		return nil, cause
	}
	var fields []data.Field
	for _, e := range entries {
		field, whole, err := r.readEntry(e)
		if err != nil {
			return nil, err
		}
		if !whole && at == 0 {
			at = e.line
		}
		fields = append(fields, field)
	}
	r.recovered = true
	r.report(rule.Recovered, r.fileLine(at), "not valid YAML: %s; the keys were read one by one", message)
	return fields, nil
}

// entry is a top-level key with its lines.
type entry struct {
	line  int // of the key in the body, from 1
	key   string
	first string // what stands behind the colon
	rest  []string
	raw   []string
}

func cutEntries(body []byte) []entry {
	var entries []entry
	for i, line := range strings.Split(string(body), "\n") {
		line = strings.TrimRight(line, "\r")
		if m := topKey.FindStringSubmatch(line); m != nil {
			entries = append(entries, entry{line: i + 1, key: strings.TrimSpace(m[1]), first: strings.TrimSpace(m[2])})
		} else if len(entries) > 0 {
			last := &entries[len(entries)-1]
			last.rest = append(last.rest, line)
		}
		if len(entries) > 0 {
			last := &entries[len(entries)-1]
			last.raw = append(last.raw, line)
		}
	}
	return entries
}

// readEntry reads one entry, and reports whether YAML alone could.
func (r *reader) readEntry(e entry) (data.Field, bool, error) {
	if r.nodes--; r.nodes < 0 {
		return data.Field{}, false, fmt.Errorf("%w: more than %d values", errBudget, MaxNodes)
	}
	sub := reader{line: r.fileLine(e.line), nodes: r.nodes}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(e.raw, "\n")), &doc); err == nil && len(doc.Content) == 1 &&
		doc.Content[0].Kind == yaml.MappingNode && len(doc.Content[0].Content) == 2 {
		m, err := sub.mapping(doc.Content[0], 0)
		if err != nil {
			return data.Field{}, false, err
		}
		sub.findCuts(doc.Content[0])
		r.nodes = sub.nodes
		r.unread = append(r.unread, sub.unread...)
		r.findings = append(r.findings, sub.findings...)
		return m.Map[0], true, nil
	}
	return data.Field{Key: e.key, Line: sub.line, Value: e.asItStands()}, false, nil
}

func (e entry) asItStands() data.Value {
	switch {
	case e.first != "" && strings.Trim(e.first, "|>+-0123456789") == "" && strings.ContainsAny(e.first[:1], "|>"):
		return data.Scalar(e.block())
	case e.first == "" && isList(e.rest):
		list := data.Value{Kind: data.KindList}
		for _, line := range e.rest {
			if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
				list.List = append(list.List, data.Scalar(unquote(item)))
			}
		}
		return list
	}
	words := []string{e.first}
	for _, line := range e.rest {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			words = append(words, line)
		}
	}
	return data.Scalar(unquote(strings.Join(words, " ")))
}

// block returns the lines of a block scalar: as they are after `|`, joined by blanks after `>`.
func (e entry) block() string {
	indent := -1
	for _, line := range e.rest {
		if width := len(line) - len(strings.TrimLeft(line, " \t")); strings.TrimSpace(line) != "" && (indent < 0 || width < indent) {
			indent = width
		}
	}
	lines := make([]string, len(e.rest))
	for i, line := range e.rest {
		lines[i] = line[min(max(indent, 0), len(line)):]
	}
	glue := "\n"
	if strings.HasPrefix(e.first, ">") {
		glue = " "
	}
	return strings.TrimRight(strings.Join(lines, glue), " \n") + "\n"
}

func isList(lines []string) bool {
	found := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "- "):
			found = true
		case line != "" && !strings.HasPrefix(line, "#"):
			return false
		}
	}
	return found
}

// unquote removes one pair of quotes around a text that is no valid YAML string, and the escapes of such
// quotes inside.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	if len(text) < 2 || text[len(text)-1] != text[0] {
		return text
	}
	switch inner := text[1 : len(text)-1]; text[0] {
	case '"':
		return strings.ReplaceAll(inner, `\"`, `"`)
	case '\'':
		return strings.ReplaceAll(inner, "''", "'")
	}
	return text
}

// looksLikeText reports whether a block that YAML refuses holds no key at all: prose between two rules.
func looksLikeText(body []byte) bool { return !bytes.Contains(body, []byte(":")) }
