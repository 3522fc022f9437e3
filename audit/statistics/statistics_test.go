package statistics_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skillcorpus/audit/statistics"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

// The expected figures of this file are those of SciPy 1.17.1, statsmodels 0.15.0 and scikit-learn 1.9.1.

func TestShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		count, n  int
		low, high float64
	}{
		{97, 300, 0.2729253960837475, 0.37820845374892526}, // the paper's headline
		{0, 10, 0, 0.27753279986288926},
		{10, 10, 0.7224672001371106, 1},
		{1, 3, 0.06149194472039626, 0.7923403991979523},
		{27456, 35129, 0.777225148480936, 0.7858662263851621},
		{0, 0, 0, 1},
	} {
		if s := statistics.ShareOf(c.count, c.n); !near(s.CI[0], c.low) || !near(s.CI[1], c.high) {
			t.Errorf("%d of %d: %+v, want %g to %g", c.count, c.n, s, c.low, c.high)
		}
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	got := statistics.Holm([]float64{.01, .04, .03, .005, .5})
	if diff := cmp.Diff([]float64{.04, .09, .09, .025, .5}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	if got := statistics.Holm([]float64{.9, .9}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v: more than 1", got)
	}
}

func series(n, step, modulo, plus int) []float64 {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i*step%modulo/4 + plus)
	}
	return numbers
}

func TestDiffer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b        []float64
		u, p, delta float64
	}{
		"exact":          {[]float64{1.1, 2.2, 3.3, 4.4, 5.5}, []float64{2.5, 3.6, 6.1, 7.2}, 5, 0.2857142857142857, -0.5},
		"exact, ties":    {[]float64{1, 2, 2, 3, 5}, []float64{2, 4, 4, 6, 7, 8}, 5, 0.07792207792207792, -2. / 3},
		"normal, ties":   {series(120, 37, 101, 0), series(90, 53, 89, 3), 4739, 0.12928058936001574, -0.12240740740740741},
		"all equal":      {[]float64{3, 3}, []float64{3, 3, 3}, 3, 1, 0},
		"all equal, big": {make([]float64, 60), make([]float64, 70), 2100, 1, 0},
		"empty":          {nil, []float64{1}, 0, 1, 0},
	} {
		d, back := statistics.Differ(c.a, c.b), statistics.Differ(c.b, c.a)
		if !near(d.U, c.u) || !near(d.P, c.p) || !near(d.Delta, c.delta) {
			t.Errorf("%s: %+v, want %g %g %g", name, d, c.u, c.p, c.delta)
		}
		if back.P != d.P || !near(back.Delta, -d.Delta) {
			t.Errorf("%s: %+v the other way round", name, back)
		}
	}
}

// TestAgree has a confusion table and kappa by hand of scikit-learn; its bootstrap of other draws gave 0.599 to 0.790.
func TestAgree(t *testing.T) {
	t.Parallel()
	first := strings.Split(strings.Repeat("aaabbbcccabcabc", 10), "")
	second := strings.Split(strings.Repeat("aabbbbcacabcacc", 10), "")
	a := statistics.Agree(first, second, 42)
	if a.Kappa == nil || !near(*a.Kappa, 0.7) || !near(a.Observed, 0.8) || a.N != 150 {
		t.Fatalf("%+v", a)
	}
	if math.Abs(a.CI[0]-0.599) > 0.01 || math.Abs(a.CI[1]-0.790) > 0.01 {
		t.Errorf("interval %v", *a.CI)
	}
	if diff := cmp.Diff([][]int{{40, 10, 0}, {0, 40, 10}, {10, 0, 40}}, a.Table); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a, statistics.Agree(first, second, 42)); diff != "" {
		t.Errorf("not repeatable: %s", diff)
	}
	for _, same := range []statistics.Agreement{statistics.Agree([]string{"x", "x"}, []string{"x", "x"}, 1), statistics.Agree(nil, nil, 1)} {
		if same.Kappa != nil || same.CI != nil || math.IsNaN(same.Observed) {
			t.Errorf("chance explains it all, yet kappa is given: %+v", same)
		}
	}
	// Agreement that is worse than chance, and a single item that differs: pe is 0.
	if a := statistics.Agree([]string{"x", "y"}, []string{"y", "x"}, 1); a.Kappa == nil || *a.Kappa != -1 {
		t.Errorf("%+v", a)
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	stratum := func(i int) string { return fmt.Sprint(i%100 < 13) }
	drawn := statistics.Sample(35129, 300, stratum, 42)
	scripts := 0
	for i, at := range drawn {
		if i > 0 && drawn[i-1] >= at {
			t.Fatalf("%d after %d", at, drawn[i-1])
		}
		if stratum(at) == "true" {
			scripts++
		}
	}
	if len(drawn) != 300 || scripts != 39 {
		t.Errorf("%d drawn, %d with scripts", len(drawn), scripts)
	}
	if diff := cmp.Diff(drawn, statistics.Sample(35129, 300, stratum, 42)); diff != "" {
		t.Error("not repeatable")
	}
	if cmp.Equal(drawn, statistics.Sample(35129, 300, stratum, 43)) {
		t.Error("the seed does not count")
	}
	if all := statistics.Sample(5, 9, stratum, 1); len(all) != 5 || all[4] != 4 {
		t.Errorf("%v, want everything", all)
	}
	if none := statistics.Sample(0, 9, stratum, 1); len(none) != 0 {
		t.Errorf("%v of nothing", none)
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	for q, want := range map[float64]float64{0: 1, .025: 1.075, .25: 1.75, .5: 3, .975: 7.7, 1: 8} {
		if got := statistics.Quantile([]float64{1, 2, 4, 8}, q); !near(got, want) {
			t.Errorf("%g: %g, want %g", q, got, want)
		}
	}
	if statistics.Quantile(nil, .5) != 0 {
		t.Error("no numbers")
	}
}

// TestBootstrap draws the mean of ten numbers, whose interval is known well enough.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	ci, ok := statistics.Bootstrap(10, 7, func(drawn []int) (float64, bool) {
		sum := 0
		for _, i := range drawn {
			sum += i
		}
		return float64(sum) / 10, true
	})
	if !ok || math.Abs(ci[0]-2.7) > 0.15 || math.Abs(ci[1]-6.3) > 0.15 {
		t.Errorf("%v", ci)
	}
	if _, ok := statistics.Bootstrap(3, 7, func([]int) (float64, bool) { return 0, false }); ok {
		t.Error("an interval of nothing")
	}
}
