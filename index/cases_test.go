package index_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/index"
)

// TestCases runs the queries of the small search cases.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"39-query-syntax", "40-exact-before-popular", "41-plurals", "42-cjk-queries"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			queries := caseQueries(t, folder)
			s := build(t, caseSkills(t, folder)...)
			for _, q := range queries {
				got := find(t, s, index.Request{Text: q.Q, Prefix: q.Prefix})
				names := make([]string, len(got))
				for i, id := range got {
					names[i] = path.Base(id)
				}
				if q.Prefix != "" {
					if slices.Sort(names); !slices.Equal(names, q.Set) {
						t.Errorf("prefix %q: %v, want %v", q.Prefix, names, q.Set)
					}
					continue
				}
				want := append(slices.Clone(q.First), q.Then...)
				if len(want) == 0 && len(names) > 0 || len(names) < len(want) || !slices.Equal(names[:len(want)], want) {
					t.Errorf("query %q: %v, want %v first", q.Q, names, want)
				}
			}
		})
	}
}

// TestLongQuery is case 39's last: ten thousand letters are no error and take no time.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	s := build(t, caseSkills(t, "39-query-syntax")...)
	for _, text := range []string{
		strings.Repeat("q", 10_000), strings.Repeat("ab cd ", 1_700), strings.Repeat("潮汐时间", 2_500), strings.Repeat("crab ", 2_000),
	} {
		start := time.Now()
		find(t, s, index.Request{Text: text})
		if took := time.Since(start); took > time.Second {
			t.Errorf("%d bytes took %v", len(text), took)
		}
	}
}

// TestEqualScores is case 44.
func TestEqualScores(t *testing.T) {
	t.Parallel()
	skills := caseSkills(t, "44-equal-scores")
	want := []string{"chart-a", "chart-b", "chart-c", "chart-d", "chart-e", "chart-f"}
	for range 2 {
		s := build(t, skills...)
		for range 200 {
			if got := find(t, s, index.Request{Text: "fold a chart"}); !slices.Equal(got, want) {
				t.Fatalf("got %v", got)
			}
		}
		for k := 1; k <= len(want); k++ {
			for offset := range len(want) {
				got := find(t, s, index.Request{Text: "fold a chart", K: k, Offset: offset})
				if diff := cmp.Diff(want[offset:min(offset+k, len(want))], got); diff != "" {
					t.Errorf("limit %d offset %d: %s", k, offset, diff)
				}
			}
		}
		slices.Reverse(skills)
	}
}
