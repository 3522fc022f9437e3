package store

import (
	"errors"
	"slices"
	"testing"

	"skillcorpus/data"
)

// A denial covers what lies at or below it, in any letter case, and nothing that only begins alike.
func TestDeny(t *testing.T) {
	t.Parallel()
	for denied, want := range map[string][]string{
		"own":           {"owner/kit/a", "owner/kit/a/b", "owner/kit/ab", "owner/kits/a"},
		"OWNER":         nil,
		"owner/Kit":     {"owner/kits/a"},
		"owner/kit/a":   {"owner/kit/ab", "owner/kits/a"},
		"owner/kit/A/b": {"owner/kit/a", "owner/kit/ab", "owner/kits/a"},
	} {
		t.Run(denied, func(t *testing.T) {
			t.Parallel()
			c := newCorpus(t)
			c.list("market", data.Complete, row("1", "owner/kit"), row("2", "owner/kits"))
			skills := func(paths ...string) (all []skill) {
				for _, path := range paths {
					all = append(all, skill{path: path, text: "# " + path})
				}
				return all
			}
			c.crawled(c.fetch("owner/kit", "owner/kit", "c1", skills("a", "a/b", "ab")...), c.fetch("owner/kits", "owner/kits", "c1", skill{path: "a", text: "# another"}))
			all := c.ids()
			hidden := must[int](t)(c.Deny(t.Context(), data.Denial{ID: denied, Reason: "asked"}))
			if got := c.ids(); !slices.Equal(got, want) || hidden != len(all)-len(want) {
				t.Errorf("%d hidden, left %q, want %q", hidden, got, want)
			}
			denials := must[data.Denials](t)(c.Denials(t.Context()))
			if len(denials) != 1 || denials[0].Reason != "asked" || denials[0].Added.IsZero() {
				t.Errorf("list %+v", denials)
			}
			check(t, c.Lift(t.Context(), denied))
			if err := c.Lift(t.Context(), denied); !errors.Is(err, ErrNotDenied) {
				t.Errorf("lifted twice: %v", err)
			}
		})
	}
}
