// Package report owns what an audit looks like to people and to other programs: the figures of a corpus beside those of
// the SkillFlow paper, the comparison of two groups of skills, one HTML page and its Markdown, SARIF and annotations.
//
// It judges nothing, reads no corpus and no clock: the same skills give the same bytes. The audit stage fills it, and
// the commands write what it returns.
package report

import (
	"cmp"
	"slices"

	"skillcorpus/data"
)

// Skill is an audited skill as reports know it.
type Skill struct {
	ID       string
	Repo     string
	Name     string
	CopyOf   string // id of the canonical copy; empty for that one
	Stars    int
	Place    string // its SKILL.md as a path that the reader can open; empty in a corpus
	Verdict  data.Verdict
	Findings []data.Finding
}

// Count returns how many findings are of a severity.
func (s Skill) Count(severity data.Severity) (count int) {
	for _, f := range s.Findings {
		if f.Severity == severity {
			count++
		}
	}
	return count
}

// Bounds of a report's lists, so that its page stays small whatever the corpus is.
const (
	MaxWorst    = 25   // skills and repositories with the most errors
	maxShown    = 5    // findings of one of the worst skills
	MaxListed   = 1000 // skills of the table that filters
	maxLicences = 25
	maxNeeds    = 15 // things that skills need, of each kind
)

// bounded is a list of the first entries by an order, of as many as were added.
type bounded[T any] struct {
	most  int
	order func(a, b T) int
	items []T
}

func (b *bounded[T]) add(item T) {
	if len(b.items) == b.most && b.order(item, b.items[b.most-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(b.items, item, b.order)
	b.items = slices.Insert(b.items, at, item)
	b.items = b.items[:min(len(b.items), b.most)]
}

// worseFirst orders skills by errors, warnings, stars, then id.
func worseFirst(a, b Skill) int {
	return cmp.Or(
		cmp.Compare(b.Count(data.SeverityError), a.Count(data.SeverityError)),
		cmp.Compare(b.Count(data.SeverityWarning), a.Count(data.SeverityWarning)),
		cmp.Compare(b.Stars, a.Stars), cmp.Compare(a.ID, b.ID),
	)
}
