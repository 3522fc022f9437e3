package statistics

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Resamples is how many samples the bootstrap draws (PAPER.md, Evaluation).
const Resamples = 10_000

func source(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // figures have to be repeatable, not secret
}

// Sample draws size items of n without replacement, each stratum in proportion to its share; what does not divide goes
// to the strata with the largest remainders, the first of them where these are equal. It returns positions in rising
// order: all of them if size is n or more. The same strata in the same order and the same seed give the same sample.
func Sample(n, size int, stratum func(i int) string, seed uint64) []int {
	members := map[string][]int{}
	var names []string
	for i := range n {
		name := stratum(i)
		if members[name] == nil {
			names = append(names, name)
		}
		members[name] = append(members[name], i)
	}
	slices.Sort(names)
	random, drawn := source(seed), []int{}
	for i, quota := range quotas(names, members, n, min(size, n)) {
		all := members[names[i]]
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		drawn = append(drawn, all[:quota]...)
	}
	slices.Sort(drawn)
	return drawn
}

func quotas(names []string, members map[string][]int, n, size int) []int {
	quota, byRemainder, left := make([]int, len(names)), make([]int, len(names)), size
	for i, name := range names {
		quota[i] = len(members[name]) * size / n
		left -= quota[i]
		byRemainder[i] = i
	}
	slices.SortStableFunc(byRemainder, func(a, b int) int {
		return cmp.Compare(len(members[names[b]])*size%n, len(members[names[a]])*size%n)
	})
	for _, i := range byRemainder[:left] {
		quota[i]++
	}
	return quota
}

// Bootstrap returns the percentile interval of a statistic over n items: Resamples times it draws n positions with
// replacement and asks for their statistic. Draws for which that is not defined are left out; false means that no draw
// had one.
func Bootstrap(n int, seed uint64, statistic func(drawn []int) (float64, bool)) (Interval, bool) {
	random, drawn := source(seed), make([]int, n)
	var values []float64
	for range Resamples {
		for i := range drawn {
			drawn[i] = random.IntN(n)
		}
		if value, ok := statistic(drawn); ok {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return Interval{}, false
	}
	slices.Sort(values)
	return Interval{Quantile(values, 0.025), Quantile(values, 0.975)}, true
}
