package rank

import (
	"cmp"
	"slices"
)

// Pin says why a candidate comes before all that only score. Greater ones come first.
type Pin int

// The pins.
const (
	PinNone    Pin = iota
	PinMention     // its id, or its name, stands within the query
	PinName        // the whole query is its name
	PinID          // the whole query is its id
)

// Candidate is a skill on its way to being a hit.
type Candidate struct {
	ID       string
	Number   int     // in the lexical list, from 1: rises with the id
	Score    float64 // greater is better
	Pin      Pin
	Stars    int
	Installs int
	CopyOf   string // id of the canonical skill, where this is a copy

	// Order fills these: the places, from 1, before and after popularity was asked.
	ByScore, ByPopularity int
}

// NearTie is the share of the better score by which two scores may differ and still count as equal, so that
// popularity decides between them. One percent is far below what one more matching word is worth.
const NearTie = 0.01

// Order sorts candidates: pins first, then by score, then by id. With popular set, scores within NearTie of
// the best of their group count as equal and installs, then stars, decide before the id.
func Order(list []Candidate, popular bool) {
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Pin, a.Pin), cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	for i := range list {
		list[i].ByScore, list[i].ByPopularity = i+1, i+1
	}
	if !popular {
		return
	}
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].Pin == list[start].Pin && list[end].Score >= list[start].Score*(1-NearTie) {
			end++
		}
		slices.SortFunc(list[start:end], func(a, b Candidate) int {
			return cmp.Or(cmp.Compare(b.Installs, a.Installs), cmp.Compare(b.Stars, a.Stars),
				cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
		})
		for i := start; i < end; i++ {
			list[i].ByPopularity = i + 1
		}
		start = end
	}
}

// Collapse leaves one candidate of each group of copies, at the place of the group's first: the canonical
// skill if it is among them, otherwise that first one.
func Collapse(list []Candidate) []Candidate {
	place := make(map[string]int, len(list))
	kept := make([]Candidate, 0, len(list))
	for _, c := range list {
		group := cmp.Or(c.CopyOf, c.ID)
		at, seen := place[group]
		switch {
		case !seen:
			place[group] = len(kept)
			kept = append(kept, c)
		case c.CopyOf == "":
			kept[at] = c
		}
	}
	return kept
}
