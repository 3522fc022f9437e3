package rank_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/index/rank"
)

func ids(list []rank.Candidate) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.ID
	}
	return out
}

func TestOrder(t *testing.T) {
	t.Parallel()
	list := []rank.Candidate{
		{ID: "a", Score: 10},
		{ID: "b", Score: 9.95, Installs: 5},
		{ID: "c", Score: 9.95, Installs: 5, Stars: 3},
		{ID: "far", Score: 9.8, Installs: 1_000_000},
		{ID: "named", Score: 1, Pin: rank.PinName},
		{ID: "id", Pin: rank.PinID},
		{ID: "mentioned", Score: 2, Pin: rank.PinMention},
	}
	random := rand.New(rand.NewPCG(3, 4))
	for popular, want := range map[bool][]string{
		true:  {"id", "named", "mentioned", "c", "b", "a", "far"},
		false: {"id", "named", "mentioned", "a", "b", "c", "far"},
	} {
		for range 50 {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			rank.Order(list, popular)
			if diff := cmp.Diff(want, ids(list)); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

func TestCollapse(t *testing.T) {
	t.Parallel()
	got := rank.Collapse([]rank.Candidate{
		{ID: "m/1", CopyOf: "s/1"}, {ID: "x"}, {ID: "s/1"}, {ID: "m/2", CopyOf: "s/2"}, {ID: "n/2", CopyOf: "s/2"},
	})
	if diff := cmp.Diff([]string{"s/1", "x", "m/2"}, ids(got)); diff != "" {
		t.Error(diff)
	}
}

func TestPins(t *testing.T) {
	t.Parallel()
	all := func() []rank.Named {
		return []rank.Named{
			{Candidate: rank.Candidate{ID: "O/kit/skills/clone-lint", Score: 1}, IDKey: "o/kit/skills/clone-lint", ShortKey: "o/kit/clone-lint", NameKey: "clone-lint"},
			{Candidate: rank.Candidate{ID: "p/kit/clone-lint", Score: 2}, IDKey: "p/kit/clone-lint", ShortKey: "p/kit/clone-lint", NameKey: "clone-lint"},
			{Candidate: rank.Candidate{ID: "o/kit/build"}, IDKey: "o/kit/build", ShortKey: "o/kit/build", NameKey: "build"},
		}
	}
	for query, want := range map[string][]rank.Pin{
		"Clone Lint":                   {rank.PinName, rank.PinName, 0},
		"o/kit/clone_lint":             {rank.PinID, 0, 0},
		"O/KIT/skills/clone-lint":      {rank.PinID, 0, 0},
		"please run clone-lint on it":  {0, rank.PinMention, 0},
		"run `o/kit/clone-lint`, then": {rank.PinMention, 0, 0},
		"clone lint of the code":       {0, 0, 0},
		"build":                        {0, 0, rank.PinName},
		"build the app":                {0, 0, 0},
		"Use the build skill.":         {0, 0, rank.PinMention},
		"use the skill build now":      {0, 0, rank.PinMention},
		"build a skill":                {0, 0, 0},
		"…":                            {0, 0, 0},
	} {
		named := all()
		rank.Mentioned(query).Pins(named)
		for i, n := range named {
			if n.Pin != want[i] {
				t.Errorf("%q pins %s as %d, want %d", query, n.ID, n.Pin, want[i])
			}
		}
	}
}
