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

// topKey matches a line that begins a top-level entry: a key of up to four words of letters, digits and
// `_./-` at column 0, plain or quoted, a colon, then a blank or the line's end. A full-width colon needs no blank.
var topKey = regexp.MustCompile(`^["']?([\pL_][\pL\pN_./-]{0,99}(?: [\pL\pN_/-][\pL\pN_./-]{0,99}){0,3})["']?\s*(?::(?:[ \t]+(.*)|\s*)|：\s*(.*))$`)

// recoverYAML is the lenient reader, for a block that YAML refuses. It cuts the block into top-level entries:
// a line with a key at column 0 and all lines up to the next one. Each entry is read by YAML alone; where
// that is refused too, its value is taken as it stands:
//   - after `|` or `>` the following lines, without their common indent, as a block scalar;
//   - lines of items and keys by their indent, as lists and mappings (see outline);
//   - anything else as text, its lines joined by one blank (see leaf).
//
// What belongs to no value is kept as unread text: lines before the first key, and what stands at column 0
// after a comment, or after a blank line behind any value but a description. Git's conflict marks are comments. One
// finding names the line and YAML's complaint.
func (r *reader) recoverYAML(body []byte, cause error) ([]data.Field, error) {
	before, entries := cutEntries(body)
	at, message := complaint(cause)
	if len(entries) == 0 {
		if looksLikeText(body) {
			return nil, errNotMapping
		}
		return nil, cause
	}
	r.leave(before...)
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

// leave keeps lines that belong to no value.
func (r *reader) leave(lines ...string) {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" && !isConflict(line) {
			r.unread = append(r.unread, line)
		}
	}
}

// row is one line of a body, with its number from 1.
type row struct {
	line int
	text string
}

func (l row) indent() int  { return len(l.text) - len(strings.TrimLeft(l.text, " \t")) }
func (l row) bare() string { return strings.TrimSpace(l.text) }

// entry is a top-level key with its lines.
type entry struct {
	row
	key   string
	first string // what stands behind the colon
	rest  []row
}

// cutEntries returns the lines before the first key, and the entries.
func cutEntries(body []byte) (before []string, entries []entry) {
	for i, text := range strings.Split(string(body), "\n") {
		line := row{i + 1, strings.TrimRight(text, "\r")}
		if key, first, ok := cutKey(topKey, line.text); ok {
			entries = append(entries, entry{row: line, key: key, first: first})
			continue
		}
		if len(entries) == 0 {
			before = append(before, line.text)
			continue
		}
		last := &entries[len(entries)-1]
		if key, first, ok := cutKey(topKey, line.bare()); ok && last.endsBefore(line) {
			line.text = line.bare()
			entries = append(entries, entry{row: line, key: key, first: first})
			continue
		}
		last.rest = append(last.rest, line)
	}
	return before, entries
}

func cutKey(pattern *regexp.Regexp, line string) (key, first string, ok bool) {
	m := pattern.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.TrimSpace(m[2] + m[3]), true
}

// endsBefore says that a line is indented less than the block scalar above it, so that it is none of its.
func (e entry) endsBefore(line row) bool {
	return e.isBlock() && len(e.rest) > 0 && line.bare() != "" && line.indent() < e.rest[0].indent()
}

func (e entry) isBlock() bool { return isBlockMark(e.first) }

func isBlockMark(text string) bool {
	return text != "" && strings.ContainsAny(text[:1], "|>") && strings.Trim(text, "|>+-0123456789") == ""
}

func (e entry) raw() string {
	var out strings.Builder
	out.WriteString(e.text + "\n")
	for _, line := range e.rest {
		out.WriteString(line.text + "\n")
	}
	return out.String()
}

// readEntry reads one entry, and reports whether YAML alone could.
func (r *reader) readEntry(e entry) (data.Field, bool, error) {
	if r.nodes--; r.nodes < 0 {
		return data.Field{}, false, fmt.Errorf("%w: more than %d values", errBudget, MaxNodes)
	}
	sub := reader{line: r.fileLine(e.line), lines: 1 + len(e.rest), nodes: r.nodes}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(e.raw()), &doc); err == nil && len(doc.Content) == 1 &&
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
	value, err := r.asItStands(e)
	return data.Field{Key: e.key, Line: sub.line, Value: value}, false, err
}

func (r *reader) asItStands(e entry) (data.Value, error) {
	if e.isBlock() {
		return data.Scalar(e.block()), nil
	}
	lines := r.own(e)
	if e.first == "" && !e.isDescription() && len(lines) > 0 && startsOutline(lines[0]) {
		return r.outline(lines)
	}
	words := []string{e.first}
	for _, line := range lines {
		words = append(words, line.bare())
	}
	return r.leaf(strings.TrimSpace(strings.Join(words, " ")))
}

func (e entry) isDescription() bool { return strings.EqualFold(e.key, "description") }

// own returns the lines of an entry that are its value, and leaves the others.
func (r *reader) own(e entry) []row {
	var lines []row
	blank, comment := false, false
	for i, line := range e.rest {
		text, outside := line.bare(), line.indent() == 0
		_, item := cutItem(text)
		switch {
		case text == "":
			blank = true
		case strings.HasPrefix(text, "#") || isConflict(text):
			comment = comment || outside
		case outside && (comment || blank && !e.isDescription() && (!item || e.first != "")):
			for _, other := range e.rest[i:] {
				r.leave(other.text)
			}
			return lines
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// isConflict matches the marks that Git leaves around lines it could not merge.
func isConflict(line string) bool {
	return strings.HasPrefix(line, "<<<<<<< ") || line == "=======" || strings.HasPrefix(line, ">>>>>>> ")
}

// block returns the lines of a block scalar: as they are after `|`, joined by blanks after `>`.
func (e entry) block() string {
	indent := -1
	for _, line := range e.rest {
		if width := line.indent(); line.bare() != "" && (indent < 0 || width < indent) {
			indent = width
		}
	}
	lines := make([]string, len(e.rest))
	for i, line := range e.rest {
		lines[i] = line.text[min(max(indent, 0), len(line.text)):]
	}
	glue := "\n"
	if strings.HasPrefix(e.first, ">") {
		glue = " "
	}
	return strings.TrimRight(strings.Join(lines, glue), " \n") + "\n"
}

// looksLikeText reports whether a block that YAML refuses holds no key at all: prose between two rules.
func looksLikeText(body []byte) bool { return !bytes.Contains(body, []byte(":")) }
