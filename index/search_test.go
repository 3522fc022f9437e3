package index_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
	"skillcorpus/index"
	"skillcorpus/index/lexical"
)

// harbour is a small corpus with a pair of copies.
func harbour() []lexical.Skill {
	return []lexical.Skill{
		{ID: "a/tides/.claude/tide", Name: "tide", Description: "Read tide tables.", Repo: "a/tides", CopyOf: "a/tides/tide", License: "MIT", Installs: 9},
		{ID: "a/tides/tide", Name: "tide", Description: "Read tide tables.", Repo: "a/tides", License: "MIT", Tier: data.TierFunctional, Runnable: true, Sources: []string{"list", "dir"}},
		{ID: "b/boats/knots", Name: "knots", Description: "Tie knots at any tide.", Repo: "b/boats", License: "Apache-2.0", Tier: data.TierPartial, Stars: 50, Sources: []string{"skills.sh"}, Tags: []string{"rope"}, Triggers: []string{"when a line slips"}},
		{ID: "c/net", Name: "net", Repo: "c/net", License: "mit", Prose: "Mend a net before the tide.", Code: "mendNet --fast", Stars: 7},
		{ID: "d/notes", Name: "notes", Repo: "d/notes", Description: "Write the weekly note for the", Unread: "#harbour-ops channel"},
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	s := build(t, harbour()...)
	for name, c := range map[string]struct {
		filters index.Filters
		want    []string
	}{
		"none":     {index.Filters{}, []string{"a/tides/tide", "b/boats/knots", "c/net"}},
		"license":  {index.Filters{Licenses: []string{"mit"}}, []string{"a/tides/tide", "c/net"}},
		"tier":     {index.Filters{Tiers: []data.Tier{data.TierPartial, data.TierReferenceOnly}}, []string{"b/boats/knots"}},
		"source":   {index.Filters{Sources: []string{"dir", "skills.sh"}}, []string{"a/tides/tide", "b/boats/knots"}},
		"stars":    {index.Filters{MinStars: 7}, []string{"b/boats/knots", "c/net"}},
		"runnable": {index.Filters{RunnableOnly: true}, []string{"a/tides/tide"}},
		"repo":     {index.Filters{Repo: "B/Boats"}, []string{"b/boats/knots"}},
		"both":     {index.Filters{MinStars: 1, Licenses: []string{"MIT"}}, []string{"c/net"}},
		"nothing":  {index.Filters{Licenses: []string{"' OR 1=1 --"}}, []string{}},
	} {
		got := find(t, s, index.Request{Text: "the tide", Filters: c.filters})
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	s := build(t, harbour()...)
	result, err := s.Search(t.Context(), index.Request{Text: "tide tables", K: 1})
	if err != nil {
		t.Fatal(err)
	}
	if h := result.Hits[0]; h.ID != "a/tides/tide" || !slices.Equal(h.Copies, []string{"a/tides/.claude/tide"}) {
		t.Errorf("got %s with copies %v", h.ID, h.Copies)
	}
	got := find(t, s, index.Request{Text: "tide tables", K: 2, KeepCopies: true})
	if diff := cmp.Diff([]string{"a/tides/.claude/tide", "a/tides/tide"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFieldIsFound(t *testing.T) {
	t.Parallel()
	s := build(t, harbour()...)
	for query, want := range map[string]string{
		"rope": "b/boats/knots", "slip": "b/boats/knots", "mend": "c/net", "mendnet": "c/net", "fast": "c/net",
		"harbour-ops channel": "d/notes", "NOTE": "d/notes",
	} {
		if got := find(t, s, index.Request{Text: query}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %v, want %s first", query, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	s := build(t, harbour()...)
	result, err := s.Search(t.Context(), index.Request{ID: "q1", Text: "knots", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	h := result.Hits[0]
	if h.QueryID != "q1" || h.Rank != 1 || h.Confidence != 1 || !strings.Contains(h.Why, "its name") {
		t.Errorf("hit %+v", h)
	}
	want := []index.Stage{
		{Name: "lexical", Rank: 1, Score: h.Score, Matched: map[lexical.Field][]string{
			lexical.FieldExact: {"knots"}, lexical.FieldName: {"knots"}, lexical.FieldDescription: {"knots"},
		}},
		{Name: "pin", Rank: 1, Note: "the query is its name"},
	}
	if diff := cmp.Diff(want, h.Stages); diff != "" {
		t.Error(diff)
	}
}

func TestConfidenceIsAShare(t *testing.T) {
	t.Parallel()
	s := build(t, harbour()...)
	result, err := s.Search(t.Context(), index.Request{Text: "tide rope tables and a net for the line"})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range result.Hits {
		if h.Confidence < 0 || h.Confidence > 1 {
			t.Errorf("%s has confidence %f", h.ID, h.Confidence)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	s := build(t, harbour()...)
	for _, c := range []struct {
		q    index.Request
		want string
	}{
		{index.Request{Text: "..."}, "no letter or digit"},
		{index.Request{Text: "zeppelin"}, "no skill holds"},
		{index.Request{Text: "tide", Filters: index.Filters{MinStars: 1000}}, "filters"},
		{index.Request{Text: "tide", Offset: 100}, "offset"},
		{index.Request{Prefix: "zz"}, "begins"},
	} {
		result, err := s.Search(t.Context(), c.q)
		if err != nil || len(result.Hits) > 0 || !strings.Contains(result.Hint, c.want) {
			t.Errorf("%+v: %d hits, hint %q, error %v", c.q, len(result.Hits), result.Hint, err)
		}
	}
	if _, err := s.Search(t.Context(), index.Request{Text: "tide", K: index.MaxK + 1}); err == nil {
		t.Error("too many hits asked for, and no error")
	}
	if _, err := index.Open(t.Context(), t.TempDir()); !errors.Is(err, index.ErrNoIndex) {
		t.Errorf("empty folder: %v", err)
	}
}
