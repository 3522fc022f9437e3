// Package statistics owns the arithmetic of the audit's figures: shares with their intervals, samples, the comparison of
// two groups, and the agreement of two judges.
//
// It knows nothing of skills, reads no clock and draws no randomness but from the seed that it is given: the same
// input gives the same figures on every machine. Package report and the tests of the rules call it.
package statistics

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Interval is a confidence interval of 95 %: its two ends.
type Interval [2]float64

// z95 is the standard normal quantile at 0.975.
const z95 = 1.959963984540054

// Share is a number of hits among N, with the Wilson interval of their proportion. In an empty group the proportion is
// 0 and the interval everything, [0, 1].
type Share struct {
	Count int      `json:"count"`
	N     int      `json:"n"`
	Share float64  `json:"share"` // Count / N
	CI    Interval `json:"ci"`
}

// ShareOf returns count of n as a share with its interval.
func ShareOf(count, n int) Share {
	s := Share{Count: count, N: n, CI: Interval{0, 1}}
	if n == 0 {
		return s
	}
	p, size := float64(count)/float64(n), float64(n)
	centre := (p + z95*z95/(2*size)) / (1 + z95*z95/size)
	half := z95 / (1 + z95*z95/size) * math.Sqrt(p*(1-p)/size+z95*z95/(4*size*size))
	s.Share, s.CI = p, Interval{max(0, centre-half), min(1, centre+half)}
	return s
}

// Difference is how two groups of numbers differ: the two-sided Mann-Whitney U test (exact for small groups, else by
// the normal approximation with corrections for ties and continuity) and Cliff's delta, from -1, where every number of
// the first is below every one of the second, to 1. Groups with no two different numbers, and empty ones, have U of
// half the pairs, P 1 and delta 0.
type Difference struct {
	U     float64 `json:"u"` // pairs in which the first is greater, ties counted half
	P     float64 `json:"p"`
	Delta float64 `json:"delta"`
}

// Differ compares two groups. Neither is changed.
func Differ(first, second []float64) Difference {
	pairs := float64(len(first)) * float64(len(second))
	result, err := stats.MannWhitneyUTest(first, second, stats.LocationDiffers)
	if err != nil { // ErrSampleSize or ErrSamplesEqual
		return Difference{U: pairs / 2, P: 1}
	}
	p := result.P
	if result.U > pairs/2 {
		// The far tail loses its digits on the upper side: the mirrored test has them.
		if mirrored, err := stats.MannWhitneyUTest(second, first, stats.LocationDiffers); err == nil {
			p = mirrored.P
		}
	}
	return Difference{U: result.U, P: min(1, p), Delta: 2*result.U/pairs - 1}
}

// Holm returns the p values of several tests corrected by Holm's step-down method, in the order given.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, worst := make([]float64, len(p)), 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = worst
	}
	return corrected
}

// Quantile returns the q-quantile, 0 to 1, of numbers that are sorted, interpolated between neighbours as NumPy does by
// default; 0 without numbers.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low == len(sorted)-1 {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
