package rank

import (
	"slices"
	"strings"
	"unicode"

	"skillcorpus/index/words"
)

// maxMentions bounds how many spans of a query are looked up as ids or names.
const maxMentions = 256

// Mentions are the spans of a query that may be the id or the name of a skill, as keys of words.Key.
type Mentions struct {
	Whole string   // the whole query
	IDs   []string // spans with a slash or colon
	Names []string // hyphenated spans, and single words that the query calls a skill
}

// Mentioned finds what a query may mention by id or name. An ordinary word counts as a name only where the
// query says so, as in "use the build skill".
func Mentioned(query string) Mentions {
	m := Mentions{Whole: words.Key(strings.Trim(query, " \t\r\n\"'`"))}
	spans := strings.FieldsFunc(query, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{}<>,;|*“”", r)
	})
	for i, span := range spans {
		if len(m.IDs)+len(m.Names) >= maxMentions {
			break
		}
		span = strings.TrimRight(strings.Trim(span, ".!?"), ":")
		key := words.Key(span)
		switch {
		case key == "":
		case strings.ContainsAny(span, "/:"):
			m.IDs = append(m.IDs, key)
		case strings.Contains(strings.Trim(key, "-"), "-"), calledSkill(spans, i):
			m.Names = append(m.Names, key)
		}
	}
	return m
}

// calledSkill reports whether the i-th span stands as in "use the build skill" or "the skill build".
func calledSkill(spans []string, i int) bool {
	at := func(i int) string {
		if i < 0 || i >= len(spans) {
			return ""
		}
		return strings.ToLower(strings.Trim(spans[i], ".!?:"))
	}
	if at(i+1) == "skill" {
		return slices.Contains([]string{"the", "use", "using", "with", "run", "load", "invoke", "apply", "my"}, at(i-1))
	}
	return at(i-1) == "skill" && slices.Contains([]string{"the", "use", "using", "with", "run", "load", "invoke", "apply"}, at(i-2))
}

// Keys returns all keys to look up.
func (m Mentions) Keys() []string {
	keys := append([]string{m.Whole}, m.IDs...)
	keys = append(keys, m.Names...)
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return key == "" })
}

// Pin returns how a skill is pinned, given the keys of its id, of its repository with its name, and of its
// name alone.
func (m Mentions) Pin(id, short, name string) Pin {
	switch {
	case m.Whole == "":
		return PinNone
	case m.Whole == id, m.Whole == short:
		return PinID
	case m.Whole == name:
		return PinName
	case slices.Contains(m.IDs, id), slices.Contains(m.IDs, short), slices.Contains(m.Names, name):
		return PinMention
	}
	return PinNone
}
