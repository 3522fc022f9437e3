// Package frontmatter owns the metadata block at the head of a SKILL.md: where it lies, and what its keys
// and values are, in YAML, TOML or JSON, with the author's text and the file's line numbers. It never says
// what a key means and never fails: troubles are findings. parse/document calls it.
package frontmatter

import (
	"bytes"
	"fmt"
	"strings"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

// Limits on a block. A block beyond one of them is not read at all.
const (
	MaxBytes = 256 << 10 // far over the largest that is known from an honest author, 100 KB
	MaxNodes = 10_000    // after aliases are followed
	MaxDepth = 64
)

// Reading is what a block says.
type Reading struct {
	data.Frontmatter
	// Unread is text that belongs to no value: what YAML drops as a comment because an unquoted value holds ` #`,
	// what the lenient reader finds no key for, and a whole block that holds no keys.
	Unread   string
	Findings []data.Finding
	// Hostile says that the block is beyond a limit and was not read.
	Hostile bool
}

// Read reads the body of a block, given the file's line number of its first line. Where the format's own
// parser refuses the body, the keys are recovered one by one (see recoverYAML) and Recovered is set.
func Read(body []byte, format string, line int) Reading {
	r := reader{line: line, nodes: MaxNodes}
	if len(body) > MaxBytes {
		r.fail(fmt.Errorf("%w: %d bytes of at most %d", errBudget, len(body), MaxBytes), format)
		return r.reading(format)
	}
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	r.lines = bytes.Count(body, []byte{'\n'}) + 1
	var err error
	switch format {
	case TOML:
		r.fields, err = r.readTOML(body)
	case JSON:
		r.fields, err = r.readJSON(body)
	default:
		r.fields, err = r.readYAML(body)
	}
	if err != nil {
		r.fail(err, format)
	}
	r.reportDuplicates(r.fields, "")
	return r.reading(format)
}

// reader is one reading under way.
type reader struct {
	line      int // of the body's first line, in the file
	lines     int // of the body
	nodes     int // that may still be read
	fields    []data.Field
	recovered bool
	hostile   bool
	unread    []string
	findings  []data.Finding
}

func (r *reader) reading(format string) Reading {
	return Reading{
		Frontmatter: data.Frontmatter{Format: format, Recovered: r.recovered, Fields: r.fields},
		Unread:      strings.Join(r.unread, "\n"),
		Findings:    r.findings,
		Hostile:     r.hostile,
	}
}

func (r *reader) report(id string, line int, format string, args ...any) {
	r.findings = append(r.findings, rule.Finding(id, line, format, args...))
}

// reportDuplicates warns of keys that are given twice in one mapping, at any depth.
func (r *reader) reportDuplicates(fields []data.Field, parent string) {
	first := make(map[string]int, len(fields))
	for _, f := range fields {
		if line, twice := first[f.Key]; twice {
			r.report(rule.DuplicateKey, f.Line, "key %q is given on lines %d and %d; the last one counts",
				parent+f.Key, line, f.Line)
		}
		first[f.Key] = f.Line
		r.reportDuplicatesIn(f.Value, parent+f.Key+".")
	}
}

func (r *reader) reportDuplicatesIn(v data.Value, parent string) {
	r.reportDuplicates(v.Map, parent)
	for _, item := range v.List {
		r.reportDuplicatesIn(item, parent)
	}
}
