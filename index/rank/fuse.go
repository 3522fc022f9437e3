package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Scores are those of one list, by the number of the skill. A skill that the list says nothing of has Unscored.
type Scores []float32

// Unscored returns the score of what a list does not hold. It is below all others.
func Unscored() float32 { return float32(math.Inf(-1)) }

// NewScores returns a list that says nothing of any of n skills.
func NewScores(n int) Scores { return slices.Repeat(Scores{Unscored()}, n) }

func scored(x float32) bool { return x > Unscored() }

// Fusion is a way to make one list of several that rate the same skills.
type Fusion string

// The fusions. With all but FusionMax a skill loses by each list that does not hold it.
const (
	FusionRRF     Fusion = "rrf"      // sum of 1/(60 + rank)
	FusionMax     Fusion = "max"      // the best score
	FusionMean    Fusion = "mean"     // the mean score, -1 where there is none
	FusionSumNorm Fusion = "sum_norm" // sum of the scores, each list's scaled to 0 to 1
)

// rrfOffset damps the first ranks of FusionRRF; 60 is what its authors and everyone since take.
const rrfOffset = 60

// Fuse makes one list of several of one length. Its order depends on nothing but their scores.
func Fuse(fusion Fusion, lists []Scores) (Scores, error) {
	var add func(list Scores) func(number int, x float32) float32
	switch fusion {
	case FusionRRF:
		add = reciprocal
	case FusionMax, FusionMean:
		add = func(Scores) func(int, float32) float32 { return func(_ int, x float32) float32 { return x } }
	case FusionSumNorm:
		add = scaled
	default:
		return nil, fmt.Errorf("no fusion %q: want %s, %s, %s or %s", fusion, FusionRRF, FusionMax, FusionMean, FusionSumNorm)
	}
	if len(lists) == 0 {
		return nil, nil
	}
	fused := NewScores(len(lists[0]))
	held := make([]int, len(fused))
	for _, list := range lists {
		value := add(list)
		for number, x := range list {
			switch {
			case !scored(x):
			case held[number] == 0:
				fused[number] = value(number, x)
				held[number]++
			case fusion == FusionMax:
				fused[number] = max(fused[number], x)
			default:
				fused[number] += value(number, x)
				held[number]++
			}
		}
	}
	if fusion == FusionMean {
		for number, n := range held {
			if n > 0 {
				fused[number] = (fused[number] - float32(len(lists)-n)) / float32(len(lists))
			}
		}
	}
	return fused, nil
}

// reciprocal rates a skill by its rank in a list; equal scores have the rank of the first of them.
func reciprocal(list Scores) func(int, float32) float32 {
	order := list.sorted()
	ranks := make([]int, len(list))
	for i, number := range order {
		ranks[number] = i + 1
		if i > 0 && list[number] == list[order[i-1]] {
			ranks[number] = ranks[order[i-1]]
		}
	}
	return func(number int, _ float32) float32 { return 1 / float32(rrfOffset+ranks[number]) }
}

// scaled rates the worst of a list 0 and the best 1; in a list of equals all are 0.
func scaled(list Scores) func(int, float32) float32 {
	low, high := float32(math.Inf(1)), Unscored()
	for _, x := range list {
		if scored(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	return func(_ int, x float32) float32 {
		if high <= low {
			return 0
		}
		return (x - low) / (high - low)
	}
}

// sorted returns the numbers that have a score, best first, equal ones by number.
func (s Scores) sorted() []int {
	var numbers []int
	for number, x := range s {
		if scored(x) {
			numbers = append(numbers, number)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Or(cmp.Compare(s[b], s[a]), cmp.Compare(a, b)) })
	return numbers
}

// Top returns the numbers of the n best, best first, equal ones by number.
func (s Scores) Top(n int) []int {
	values := make(Scores, 0, len(s))
	for _, x := range s {
		if scored(x) {
			values = append(values, x)
		}
	}
	switch {
	case n <= 0:
		return nil
	case len(values) <= n:
		return s.sorted()
	}
	least := nth(values, n)
	kept := slices.Clone(s)
	for number, x := range kept {
		if x < least {
			kept[number] = Unscored()
		}
	}
	return kept.sorted()[:n]
}

// nth returns the n-th greatest of values, which it reorders.
func nth(values Scores, n int) float32 {
	low, high := 0, len(values)-1
	for low < high {
		pivot := values[(low+high)/2]
		i, j := low, high
		for i <= j {
			for values[i] > pivot {
				i++
			}
			for values[j] < pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n-1 <= j:
			high = j
		case n-1 >= i:
			low = i
		default:
			return values[n-1]
		}
	}
	return values[n-1]
}

// Place returns the rank, from 1, of a skill in the list, and false if it isn't there. Equal scores are ranked
// by number.
func (s Scores) Place(number int) (int, bool) {
	if number < 0 || number >= len(s) || !scored(s[number]) {
		return 0, false
	}
	place := 1
	for other, x := range s {
		if x > s[number] || x == s[number] && other < number {
			place++
		}
	}
	return place, true
}

// Keep takes the scores from all skills that do not pass.
func (s Scores) Keep(passing []bool) {
	for number := range s {
		if !passing[number] {
			s[number] = Unscored()
		}
	}
}

// Standardised returns the scores in standard deviations above the mean of the list; what lies below the mean
// counts as at it.
func (s Scores) Standardised() Scores {
	var n, sum, square float64
	for _, x := range s {
		if scored(x) {
			n, sum, square = n+1, sum+float64(x), square+float64(x)*float64(x)
		}
	}
	out := NewScores(len(s))
	mean := sum / n
	deviation := math.Sqrt(max(square/n-mean*mean, 0))
	for i, x := range s {
		if !scored(x) {
			continue
		}
		out[i] = 0
		if deviation > 0 {
			out[i] = float32(max(0, (float64(x)-mean)/deviation))
		}
	}
	return out
}

// Blend adds two lists, the first with the given weight from 0 to 1 and the second with the rest. What one of
// them does not hold it rates 0.
func Blend(a, b Scores, weight float32) Scores {
	out := NewScores(len(a))
	for i := range a {
		if scored(a[i]) || scored(b[i]) {
			out[i] = weight*max(a[i], 0) + (1-weight)*max(b[i], 0)
		}
	}
	return out
}
