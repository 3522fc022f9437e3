package similar_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"skillcorpus/audit/similar"
)

// words returns a text of so many words, drawn by lot.
func words(seed uint64, count int) []string {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("w%d", random.IntN(5000))
	}
	return all
}

// changed returns a copy of a text in which every n-th word is another.
func changed(text []string, every int) []string {
	text = slices.Clone(text)
	for i := every / 2; i < len(text); i += every {
		text[i] = "changed" + fmt.Sprint(i)
	}
	return text
}

func cut(text []string) similar.Shingles { return similar.Cut(strings.Join(text, " ")) }

func TestNearCopiesAreCandidates(t *testing.T) {
	t.Parallel()
	index := similar.NewIndex()
	for i := range uint64(200) {
		index.Add(fmt.Sprintf("other%d", i), similar.Sign(cut(words(i+100, 400))))
	}
	text := words(1, 400)
	for name, every := range map[string]int{"a few words": 100, "some words": 60, "a fifth": 5} {
		copied := changed(text, every)
		jaccard := similar.Jaccard(cut(text), cut(copied))
		own := similar.NewIndex()
		own.Add("copy", similar.Sign(cut(copied)))
		own.Add("self", similar.Sign(cut(text)))
		got := own.Candidates("self", similar.Sign(cut(text)))
		if want := jaccard >= similar.Threshold; want != slices.Contains(got, "copy") {
			t.Errorf("%s: Jaccard %.2f, candidates %v", name, jaccard, got)
		}
	}
	if got := index.Candidates("", similar.Sign(cut(text))); len(got) != 0 {
		t.Errorf("strangers meet: %v", got)
	}
}

func TestJaccard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"one two three four five six", "One, two; THREE four (five) six!", 1},
		{"one two three four five six", "one two three four five seven", 1.0 / 3},
		{"one two three four five", "six seven eight nine ten", 0},
		{"one two", "one two", 0},
		{"", "", 0},
		{"潮汐表港口水位", "潮汐表港口水位", 1},
		{"潮汐表港口水位", "潮汐表港口水高", 0.5},
	} {
		if got := similar.Jaccard(similar.Cut(tt.a), similar.Cut(tt.b)); got != tt.want {
			t.Errorf("%q, %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestSignatureIsStoredWhole(t *testing.T) {
	t.Parallel()
	s := similar.Sign(cut(words(3, 50)))
	if !slices.Equal(similar.Read(s.Bytes()), s) || similar.Estimate(s, s) != 1 {
		t.Error("not the same after storing")
	}
	if similar.Sign(similar.Cut("too short")) != nil || similar.Read(nil) != nil || similar.Estimate(nil, s) != 0 {
		t.Error("a short text has a signature")
	}
}

func TestEstimateIsNearJaccard(t *testing.T) {
	t.Parallel()
	text := words(9, 2000)
	for _, every := range []int{20, 50, 200} {
		other := changed(text, every)
		a, b := cut(text), cut(other)
		if got, want := similar.Estimate(similar.Sign(a), similar.Sign(b)), similar.Jaccard(a, b); got < want-0.15 || got > want+0.15 {
			t.Errorf("every %d: %.2f for %.2f", every, got, want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("a b c d e f 潮 İ \xff")
	f.Fuzz(func(t *testing.T, text string) {
		set := similar.Cut(text)
		if !slices.IsSorted(set) {
			t.Error("not sorted")
		}
		if s := similar.Sign(set); s != nil && similar.Estimate(s, similar.Sign(similar.Cut(text))) != 1 {
			t.Error("not repeatable")
		}
	})
}
