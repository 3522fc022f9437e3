package data

import (
	"strings"
	"time"
)

// Denial is an entry of the takedown list. It denies everything at or below its id: an owner's repositories, a
// repository's skills, a skill.
type Denial struct {
	ID     string    `json:"id"` // as given: owner, owner/repo or a skill's id; with a host prefix where ids have one
	Reason string    `json:"reason"`
	Added  time.Time `json:"added"`
}

// Covers reports whether the denial is about what has this id, in any letter case.
func (d Denial) Covers(id string) bool {
	key, id := RepoKey(d.ID), RepoKey(id)
	rest, ok := strings.CutPrefix(id, key)
	return ok && (rest == "" || rest[0] == '/')
}

// Denials is a takedown list.
type Denials []Denial

// Of returns the first denial that covers one of these ids, and false if none does.
func (d Denials) Of(ids ...string) (Denial, bool) {
	for _, denial := range d {
		for _, id := range ids {
			if denial.Covers(id) {
				return denial, true
			}
		}
	}
	return Denial{}, false
}

// Has reports whether a denial covers this id.
func (d Denials) Has(id string) bool {
	_, denied := d.Of(id)
	return denied
}
