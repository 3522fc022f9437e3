package document

import (
	"slices"
	"strings"
	"unicode"

	"skillcorpus/data"
)

// Alias is one row of the table of spellings: the keys under which authors give a field, the best first.
// Keys are compared without case, `-`, `_` and blanks.
type Alias struct {
	Field string
	Keys  []string
}

// Aliases is that table. Keys are looked for at the top level, then under `metadata`, then in the block that a
// vendor's agent reads (Vendors). docs/parse.md has each key with its count in the reference corpus.
func Aliases() []Alias {
	return []Alias{
		{"tags", []string{"tags", "keywords", "labels", "topics", "category", "categories", "subcategory"}},
		{"triggers", []string{
			"when_to_use", "triggers", "trigger", "trigger_phrases", "trigger_patterns", "trigger_keywords", "read_when", "use_when", "use-cases",
		}},
		{"license", []string{"license", "licence"}},
		{"allowed-tools", []string{"allowed-tools", "tools"}},
		{"compatibility", []string{"compatibility"}},
		{"version", []string{"version", "skill-version"}},
		{"author", []string{"author", "authors", "skill-author"}},
	}
}

// Vendors are the keys, at the top level or under `metadata`, whose mappings an agent reads for itself.
func Vendors() []string {
	return []string{"openclaw", "clawdbot", "moltbot", "clawdis", "clawdhub", "hermes", "otto"}
}

// fields gathers what a searcher needs beside name and description.
func fields(f data.Frontmatter) data.Fields {
	if len(f.Fields) == 0 {
		return data.Fields{}
	}
	places := levels(f)
	found := make(map[string][]string)
	for _, a := range Aliases() {
		for _, key := range a.Keys {
			for _, place := range places {
				found[a.Field] = append(found[a.Field], texts(place[fold(key)])...)
			}
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

// levels returns the mappings in which keys are looked for, the best first: top level, metadata, vendors' blocks.
func levels(f data.Frontmatter) []map[string]data.Value {
	top := folded(f.Fields)
	places := []map[string]data.Value{top, folded(top["metadata"].Map)}
	for _, vendor := range Vendors() {
		for _, place := range places[:2] {
			if block := place[vendor].Map; len(block) > 0 {
				places = append(places, folded(block))
			}
		}
	}
	return places
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
