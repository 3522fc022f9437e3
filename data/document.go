package data

import (
	"bytes"
	"encoding/json"
	"strings"
)

// SectionKind says what a section of a SKILL.md is.
type SectionKind string

// The kinds of section. Every byte of a file lies in exactly one section.
const (
	SectionFrontmatter SectionKind = "frontmatter" // between the delimiters, without them
	SectionProse       SectionKind = "prose"
	SectionCode        SectionKind = "code"      // the content of a fence, of an indented block or of <pre>
	SectionDelimiter   SectionKind = "delimiter" // BOM, `---` lines, fence lines, or a whole binary file
)

// Document is a SKILL.md cut into sections.
type Document struct {
	Name        string      `json:"name"`        // the author's, or the folder's with a finding
	Description string      `json:"description"` // empty if there is none
	Frontmatter Frontmatter `json:"frontmatter"`
	Sections    []Section   `json:"sections"` // in order and without gaps
	Headings    []Heading   `json:"headings,omitempty"`
	Links       []Link      `json:"links,omitempty"`
	Blocks      []Block     `json:"blocks,omitempty"` // by line
	Findings    []Finding   `json:"findings,omitempty"`
	Fields      Fields      `json:"fields"`
	Binary      bool        `json:"binary,omitempty"` // by a known header or over 1 % NUL bytes: one delimiter section
}

// Fields are what a searcher needs beside name and description, wherever authors put it.
type Fields struct {
	Tags          []string `json:"tags,omitempty"`
	Triggers      []string `json:"triggers,omitempty"` // when to use the skill
	License       string   `json:"license,omitempty"`
	AllowedTools  []string `json:"allowed_tools,omitempty"`
	Compatibility string   `json:"compatibility,omitempty"`
	Version       string   `json:"version,omitempty"`
	Author        string   `json:"author,omitempty"`
	Unread        string   `json:"unread,omitempty"` // frontmatter text that belongs to no value: searched, not shown
}

// Section is one run of bytes of one kind.
type Section struct {
	Kind  SectionKind `json:"kind"`
	Start int         `json:"start"` // byte offset in the file as it lies there
	End   int         `json:"end"`   // exclusive
	Line  int         `json:"line"`  // of the first byte, from 1
	Info  string      `json:"info,omitempty"`
	Lang  string      `json:"lang,omitempty"` // first word of the info string, lower case, aliases resolved
	// Language is the name that GitHub's Linguist gives the language, `Shell` for `bash`; empty where it knows none.
	Language string `json:"language,omitempty"`
	Fenced   bool   `json:"fenced,omitempty"`
	Open     bool   `json:"open,omitempty"` // a fence that the end of the file closes
	// Text is what a reader sees: without container prefixes, with `\n` line ends, as UTF-8. It is nil where
	// it equals the file's bytes.
	Text *string `json:"text,omitempty"`
}

// Read returns the section's text, given the file that it was cut from.
func (s Section) Read(file []byte) string {
	if s.Text != nil {
		return *s.Text
	}
	return string(file[s.Start:s.End])
}

// Join returns the texts of all sections of one kind, joined by a blank line.
func (d Document) Join(kind SectionKind, file []byte) string {
	var parts []string
	for _, s := range d.Sections {
		if s.Kind == kind {
			parts = append(parts, s.Read(file))
		}
	}
	return strings.Join(parts, "\n\n")
}

// Heading is a Markdown heading of the prose.
type Heading struct {
	Level int    `json:"level"`
	Line  int    `json:"line"`
	Text  string `json:"text"`
}

// Parent returns the index of the heading that the i-th one belongs to: the nearest one above it of a lower
// level, -1 at the top.
func (d Document) Parent(i int) int {
	for p := i - 1; p >= 0; p-- {
		if d.Headings[p].Level < d.Headings[i].Level {
			return p
		}
	}
	return -1
}

// BlockKind says what a block of the prose is.
type BlockKind string

// The kinds of block that are told. A list inside another list is no block of its own.
const (
	BlockList    BlockKind = "list"
	BlockTable   BlockKind = "table"
	BlockHTML    BlockKind = "html"
	BlockComment BlockKind = "comment"
)

// Block is a list, table, raw HTML block or HTML comment of the prose.
type Block struct {
	Kind    BlockKind `json:"kind"`
	Line    int       `json:"line"`
	End     int       `json:"end"`               // last line
	Items   int       `json:"items,omitempty"`   // of a list, or rows of a table below its head
	Columns int       `json:"columns,omitempty"` // of a table
	Tasks   int       `json:"tasks,omitempty"`   // items with a box to tick
	Ordered bool      `json:"ordered,omitempty"`
}

// Link is a link or image of the prose: in Markdown, as a bare URL, or in raw HTML.
type Link struct {
	Line   int    `json:"line"`
	Target string `json:"target"` // destination as written, without title
	Text   string `json:"text,omitempty"`
	Image  bool   `json:"image,omitempty"`
}

// Frontmatter is the metadata block at the head of a SKILL.md.
type Frontmatter struct {
	Format    string  `json:"format,omitempty"` // yaml, toml or json; empty if there is no block
	Recovered bool    `json:"recovered,omitempty"`
	Fields    []Field `json:"fields,omitempty"`
}

// Field is one key of a mapping with its value and its line in the file.
type Field struct {
	Key   string `json:"key"`
	Line  int    `json:"line"`
	Value Value  `json:"value"`
}

// Value is a scalar, a list or a mapping. Scalars keep the author's text: 1.10 stays 1.10 and yes stays yes.
type Value struct {
	Scalar string  `json:"scalar,omitempty"`
	Null   bool    `json:"null,omitempty"` // an explicit or missing null; Scalar holds what was written
	List   []Value `json:"list,omitempty"`
	Map    []Field `json:"map,omitempty"`
	Kind   Kind    `json:"kind"`
}

// Kind tells the three shapes of a Value apart.
type Kind string

// The shapes of a value.
const (
	KindScalar Kind = "scalar"
	KindList   Kind = "list"
	KindMap    Kind = "map"
)

// Scalar returns a scalar value.
func Scalar(text string) Value { return Value{Kind: KindScalar, Scalar: text} }

// Get returns the value of a top-level key. Where a key was given twice the last one counts.
func (f Frontmatter) Get(key string) (Value, bool) { return lookup(f.Fields, key) }

// Get returns the value of a key of a mapping, and false for any other shape.
func (v Value) Get(key string) (Value, bool) { return lookup(v.Map, key) }

func lookup(fields []Field, key string) (Value, bool) {
	for i := len(fields) - 1; i >= 0; i-- {
		if fields[i].Key == key {
			return fields[i].Value, true
		}
	}
	return Value{}, false
}

// Plain returns the frontmatter as the JSON object that `parse --json` shows: keys in the author's order,
// scalars as text, a repeated key once with its last value.
func (f Frontmatter) Plain() json.Marshaler { return plainMap(f.Fields) }

type plainMap []Field

// MarshalJSON writes the fields as one object in the author's order.
func (m plainMap) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	written := make(map[string]bool, len(m))
	for _, f := range m {
		if written[f.Key] {
			continue
		}
		written[f.Key] = true
		value, _ := lookup(m, f.Key)
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		if err := writeJSON(&out, f.Key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := writeJSON(&out, value.plain()); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (v Value) plain() any {
	switch {
	case v.Kind == KindMap:
		return plainMap(v.Map)
	case v.Kind == KindList:
		list := make([]any, len(v.List))
		for i, item := range v.List {
			list[i] = item.plain()
		}
		return list
	case v.Null:
		return nil
	default:
		return v.Scalar
	}
}

func writeJSON(out *bytes.Buffer, value any) error {
	text, err := json.Marshal(value)
	out.Write(text)
	return err
}
