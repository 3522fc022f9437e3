package rank

import (
	"cmp"
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

// Named is a skill that was found by one of the keys of a query.
type Named struct {
	Candidate
	IDKey    string // key of its id
	ShortKey string // key of its repository and name
	NameKey  string // key of its name
}

// Pins sets the pin of each skill that the query names. Of several with one name within a longer query only
// the best is pinned: the others have to earn their place.
func (m Mentions) Pins(named []Named) {
	best := map[string]int{}
	for i := range named {
		n := &named[i]
		if n.Pin = m.pin(*n); n.Pin == PinNone && slices.Contains(m.Names, n.NameKey) {
			if at, ok := best[n.NameKey]; !ok || better(n.Candidate, named[at].Candidate) {
				best[n.NameKey] = i
			}
		}
	}
	for _, at := range best {
		named[at].Pin = PinMention
	}
}

// pin returns the pin of a skill that the query names beyond doubt.
func (m Mentions) pin(n Named) Pin {
	switch {
	case m.Whole == n.IDKey, m.Whole == n.ShortKey:
		return PinID
	case m.Whole == n.NameKey:
		return PinName
	case slices.Contains(m.IDs, n.IDKey), slices.Contains(m.IDs, n.ShortKey):
		return PinMention
	}
	return PinNone
}

// better orders namesakes.
func better(a, b Candidate) bool {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Installs, a.Installs), cmp.Compare(a.ID, b.ID)) < 0
}
