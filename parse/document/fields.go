package document

import (
	"slices"
	"strings"
	"unicode"

	"skillcorpus/data"
)

// alias is one row of the table of spellings: the keys under which authors give a field, the best first.
// Keys are compared without case, `-`, `_` and blanks.
type alias struct {
	field string
	keys  []string
}

// aliases is that table. Keys are looked for at the top level, then under `metadata`. The counts are uses
// among 35,127 real skills: version 4,358 top-level and 3,582 below, author 2,505 and 3,071, tags 2,396 and
// 1,435, category 416 and 1,823, allowed-tools 1,888, triggers 378 and 342, tools 217, keywords 73 and 78,
// when_to_use 30, read_when 20, authors 16.
func aliases() []alias {
	return []alias{
		{"tags", []string{"tags", "keywords", "labels", "topics", "category", "categories"}},
		{"triggers", []string{"when_to_use", "triggers", "trigger", "trigger_phrases", "read_when", "use_when", "use-cases"}},
		{"license", []string{"license", "licence"}},
		{"allowed-tools", []string{"allowed-tools", "tools"}},
		{"compatibility", []string{"compatibility"}},
		{"version", []string{"version"}},
		{"author", []string{"author", "authors"}},
	}
}

// fields gathers what a searcher needs beside name and description.
func fields(f data.Frontmatter) data.Fields {
	if len(f.Fields) == 0 {
		return data.Fields{}
	}
	top := folded(f.Fields)
	below := folded(top["metadata"].Map)
	found := make(map[string][]string)
	for _, a := range aliases() {
		for _, key := range a.keys {
			found[a.field] = append(found[a.field], texts(top[fold(key)])...)
			found[a.field] = append(found[a.field], texts(below[fold(key)])...)
		}
	}
	return data.Fields{
		Tags:          split(found["tags"], isComma),
		Triggers:      compact(found["triggers"]),
		License:       first(found["license"]),
		AllowedTools:  tools(found["allowed-tools"]),
		Compatibility: first(found["compatibility"]),
		Version:       first(found["version"]),
		Author:        first(found["author"]),
	}
}

// folded returns the last value of each key, under a spelling that all spellings of it share.
func folded(fields []data.Field) map[string]data.Value {
	values := make(map[string]data.Value, len(fields))
	for _, f := range fields {
		values[fold(f.Key)] = f.Value
	}
	return values
}

func fold(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// texts returns the scalars of a value in order. Of a mapping it takes the values, since its keys are labels.
func texts(v data.Value) []string {
	switch v.Kind {
	case data.KindList:
		var all []string
		for _, item := range v.List {
			all = append(all, texts(item)...)
		}
		return all
	case data.KindMap:
		var all []string
		for _, f := range v.Map {
			all = append(all, texts(f.Value)...)
		}
		return all
	}
	if v.Null || v.Kind == "" || strings.TrimSpace(v.Scalar) == "" {
		return nil
	}
	return []string{strings.TrimSpace(v.Scalar)}
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// compact drops repeats and keeps the order.
func compact(values []string) []string {
	var kept []string
	for _, v := range values {
		if v != "" && !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func isComma(r rune) bool { return r == ',' }

func split(values []string, at func(rune) bool) []string {
	var parts []string
	for _, v := range values {
		for _, part := range strings.FieldsFunc(v, at) {
			parts = append(parts, strings.TrimSpace(strings.Trim(part, `[]"' `)))
		}
	}
	return compact(parts)
}

// tools cuts `Read, Bash(git add *) Write` at commas and blanks outside parentheses.
func tools(values []string) []string {
	var all []string
	for _, v := range values {
		depth := 0
		all = append(all, strings.FieldsFunc(v, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth = max(0, depth-1)
			case ',', ' ', '\n', '\t':
				return depth == 0
			}
			return false
		})...)
	}
	return compact(all)
}
