package document

import (
	"slices"
	"strings"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

// identify sets name and description from the frontmatter, and reports where it lacks them. line is that of
// the frontmatter's first line in the file.
func identify(doc *data.Document, line int) {
	if len(doc.Frontmatter.Fields) == 0 && slices.ContainsFunc(doc.Findings, saysWhyEmpty) {
		return
	}
	if name := textOf(doc, "name"); name != "" {
		doc.Name = name
	} else {
		doc.Findings = append(doc.Findings, rule.Finding(rule.MissingName, keyLine(doc, "name", line),
			"no name; the folder's is taken: %s", doc.Name))
	}
	if doc.Description = textOf(doc, "description"); doc.Description == "" {
		doc.Findings = append(doc.Findings, rule.Finding(rule.MissingDescription, keyLine(doc, "description", line),
			"no description"))
	}
}

func saysWhyEmpty(f data.Finding) bool { return f.Rule == rule.NotMapping || f.Rule == rule.Unreadable }

// keyAt returns the last field of a key, first in its exact spelling, then in any letter case.
func keyAt(doc *data.Document, key string) (data.Field, bool) {
	other := -1
	fields := doc.Frontmatter.Fields
	for i := len(fields) - 1; i >= 0; i-- {
		if fields[i].Key == key {
			return fields[i], true
		}
		if other < 0 && strings.EqualFold(fields[i].Key, key) {
			other = i
		}
	}
	if other < 0 {
		return data.Field{}, false
	}
	return fields[other], true
}

func keyLine(doc *data.Document, key string, otherwise int) int {
	if f, ok := keyAt(doc, key); ok {
		return f.Line
	}
	return otherwise
}

// textOf returns the text of a key, and reports another letter case and a value that is not text. Of a list
// or mapping the description is the texts in it; a name must be text.
func textOf(doc *data.Document, key string) string {
	field, ok := keyAt(doc, key)
	if !ok {
		return ""
	}
	if field.Key != key {
		doc.Findings = append(doc.Findings, rule.Finding(rule.KeyCase, field.Line, "key %q should be %q", field.Key, key))
	}
	if field.Value.Kind != data.KindScalar {
		doc.Findings = append(doc.Findings, rule.Finding(rule.WrongType, field.Line, "%s is a %s, not text", key, field.Value.Kind))
		if key == "name" {
			return ""
		}
	}
	return strings.Join(texts(field.Value), " ")
}
