package skillsmp

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const (
	mostWords   = 800 // kept when they are more than fullWords
	fullWords   = 1200
	longestWord = 32 // bytes
	fading      = 0.97
)

// vocabulary is what the rows so far tell of the words to search for.
type vocabulary struct {
	Rows  int              `json:"rows"` // shown, however often
	Fresh share            `json:"fresh"`
	Of    map[string]*word `json:"of"`
}

// word counts the rows that have it.
type word struct {
	Rows  int   `json:"n"`
	Own   int   `json:"own,omitempty"` // shown because they were searched for by this very word
	Fresh share `json:"f"`
}

// share is how much of what was shown of late was new.
type share struct {
	New float64 `json:"n"`
	All float64 `json:"a"`
}

func (s *share) add(isNew bool) {
	s.All++
	if isNew {
		s.New++
	}
}

func (s *share) fade() { s.New, s.All = s.New*fading, s.All*fading }

// add counts a row's words. asked is the query that showed it.
func (v *vocabulary) add(words []string, asked string, isNew bool) {
	v.Rows++
	v.Fresh.add(isNew)
	for _, text := range words {
		known := v.Of[text]
		if known == nil {
			known = new(word)
			v.Of[text] = known
		}
		known.Rows++
		if text == asked {
			known.Own++
		} else {
			known.Fresh.add(isNew)
		}
	}
}

// turn ends a page: older ones count for less, and words that few rows have are forgotten.
func (v *vocabulary) turn() {
	v.Fresh.fade()
	for _, known := range v.Of {
		known.Fresh.fade()
	}
	if len(v.Of) <= fullWords {
		return
	}
	all := slices.SortedFunc(maps.Keys(v.Of), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.Of[b].Rows, v.Of[a].Rows), cmp.Compare(a, b))
	})
	for _, text := range all[mostWords:] {
		delete(v.Of, text)
	}
}

// rate is the share of all rows that have a word, judged by the rows that other queries showed.
func (v *vocabulary) rate(of *word) float64 {
	return (float64(of.Rows-of.Own) + 0.5) / (float64(v.Rows-of.Own) + 1)
}

// lift says how much likelier rows with a word are new than rows are on average.
func (v *vocabulary) lift(of *word) float64 {
	average := (v.Fresh.New + 1) / (v.Fresh.All + 2)
	own := (of.Fresh.New + 3*average) / (of.Fresh.All + 3)
	return min(max(own/average, 0.2), 2.5)
}

// wordsOf returns the different words of a row that may be searched for; with parts also the pairs of letters in them.
func wordsOf(text string, parts bool) []string {
	found := make(map[string]bool)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), notWord) {
		if len(word) <= longestWord {
			found[word] = true
		}
		for i := 0; parts && i+2 <= min(len(word), longestWord); i++ {
			if word[i] < 0x80 && word[i+1] < 0x80 {
				found[word[i:i+2]] = true
			}
		}
	}
	return slices.Collect(maps.Keys(found))
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
