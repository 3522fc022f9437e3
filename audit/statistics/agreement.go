package statistics

import "slices"

// Agreement is how far two judges give the same items the same labels.
type Agreement struct {
	N        int       `json:"n"`
	Labels   []string  `json:"labels"`   // sorted
	Table    [][]int   `json:"table"`    // [label of the first judge][label of the second]
	Observed float64   `json:"observed"` // share of equal labels
	Kappa    *float64  `json:"kappa"`    // Cohen's; nil where chance alone would agree on everything, and without items
	CI       *Interval `json:"ci"`       // percentile bootstrap over items; nil without kappa
}

// Agree compares the labels of two judges on the same items, which both lists hold in the same order.
func Agree(first, second []string, seed uint64) Agreement {
	labels := slices.Concat(first, second)
	slices.Sort(labels)
	labels = slices.Compact(labels)
	a, b := positions(first, labels), positions(second, labels)
	agreement := Agreement{N: len(a), Labels: labels, Table: make([][]int, len(labels))}
	for i := range agreement.Table {
		agreement.Table[i] = make([]int, len(labels))
	}
	equal := 0
	for i := range a {
		agreement.Table[a[i]][b[i]]++
		if a[i] == b[i] {
			equal++
		}
	}
	if agreement.N == 0 {
		return agreement
	}
	agreement.Observed = float64(equal) / float64(agreement.N)
	all := make([]int, agreement.N)
	for i := range all {
		all[i] = i
	}
	counts := make([]int, 2*len(labels)) // reused by every draw
	kappa := func(drawn []int) (float64, bool) { return kappaOf(a, b, drawn, counts) }
	value, ok := kappa(all)
	if !ok {
		return agreement
	}
	agreement.Kappa = &value
	if ci, ok := Bootstrap(agreement.N, seed, kappa); ok {
		agreement.CI = &ci
	}
	return agreement
}

func positions(given, labels []string) []int {
	at := make([]int, len(given))
	for i, label := range given {
		at[i], _ = slices.BinarySearch(labels, label)
	}
	return at
}

// kappaOf returns (po - pe) / (1 - pe) over the drawn items, false where pe is 1. counts is room for two counts a label.
func kappaOf(a, b, drawn, counts []int) (float64, bool) {
	clear(counts)
	labels, equal := len(counts)/2, 0
	for _, i := range drawn {
		counts[a[i]]++
		counts[labels+b[i]]++
		if a[i] == b[i] {
			equal++
		}
	}
	byChance, n := 0, len(drawn)
	for i := range labels {
		byChance += counts[i] * counts[labels+i]
	}
	if byChance == n*n {
		return 0, false
	}
	expected := float64(byChance) / float64(n) / float64(n)
	return (float64(equal)/float64(n) - expected) / (1 - expected), true
}
