package lexical

import (
	"bytes"
	"math/bits"
	"strings"

	"skillcorpus/index/words"
)

// exactMark begins the words of FieldExact. It is no part of any word of a text.
const exactMark = '='

// maxRepeats is how often a word of prose or code is written at most. Further repeats hardly change BM25 and
// would make the index grow with every line of a listing.
const maxRepeats = 4

// row is a skill with its fields as FTS5 takes them.
type row struct {
	skill  Skill
	fields [8]string
}

// analyser turns skills into rows. It is not safe for concurrent use.
type analyser struct {
	counts map[string]int
	order  []string
	stems  map[string]string
}

func newAnalyser() *analyser {
	return &analyser{counts: map[string]int{}, stems: map[string]string{}}
}

// row analyses one skill.
func (a *analyser) row(s Skill) row {
	name, triggers, tags := s.Name, strings.Join(s.Triggers, "\n"), strings.Join(s.Tags, "\n")
	description, headings := s.Description+"\n"+s.Unread, strings.Join(s.Headings, "\n")
	exact := strings.Join([]string{name, triggers, tags, description, headings}, "\n")
	return row{skill: s, fields: [8]string{
		a.exact(exact), a.short(name), a.short(triggers), a.short(tags), a.short(description), a.short(headings),
		a.long(s.Prose), a.long(s.Code),
	}}
}

// exact returns the marked distinct words.
func (a *analyser) exact(text string) string {
	a.count(text)
	var out bytes.Buffer
	for _, word := range a.order {
		out.WriteByte(exactMark)
		out.WriteString(word)
		out.WriteByte(' ')
	}
	return out.String()
}

// short returns the stemmed words in their order, each as often as it stands there.
func (a *analyser) short(text string) string {
	var out bytes.Buffer
	words.Document(text, func(word []byte) {
		out.WriteString(a.stem(string(word)))
		out.WriteByte(' ')
	})
	return out.String()
}

// long returns the distinct stemmed words, those that are repeated more than once: twice for two or three
// times, and so on, as BM25 would damp them anyway.
func (a *analyser) long(text string) string {
	a.count(text)
	var out bytes.Buffer
	for _, word := range a.order {
		stem := a.stem(word)
		for range min(bits.Len(uint(a.counts[word])), maxRepeats) {
			out.WriteString(stem)
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// count fills counts and order with the words of a text.
func (a *analyser) count(text string) {
	clear(a.counts)
	a.order = a.order[:0]
	words.Document(text, func(word []byte) {
		n := a.counts[string(word)]
		if n == 0 {
			key := string(word)
			a.order = append(a.order, key)
			a.counts[key] = 1
			return
		}
		a.counts[string(word)] = n + 1
	})
}

// maxStems bounds the cache of stems; most words of a corpus are seen once.
const maxStems = 1 << 16

func (a *analyser) stem(word string) string {
	stem, ok := a.stems[word]
	if !ok {
		stem = words.Stem(word)
		if len(a.stems) < maxStems {
			a.stems[word] = stem
		}
	}
	return stem
}
