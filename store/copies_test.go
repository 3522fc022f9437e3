package store

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// cases/12: byte-equal copies are linked to one original, namesakes are not, whatever the order.
func TestCase12Copies(t *testing.T) {
	t.Parallel()
	skills := []skill{
		{repo: "o/r", path: "skills/knot-guide", text: "knots"},
		{repo: "o/r", path: ".claude/skills/knot-guide", text: "knots"},
		{repo: "o/r", path: ".cursor/skills/knot-guide", text: "knots"},
		{repo: "o/r", path: "plugins/pack/skills/knot-guide", text: "knots"},
		{repo: "o/r", path: "divers/tide", text: "Tides for divers."},
		{repo: "o/r", path: "painters/tide", text: "Tides for painters."},
	}
	original := "o/r/skills/knot-guide"
	want := []string{
		"o/r/.claude/skills/knot-guide = " + original, "o/r/.cursor/skills/knot-guide = " + original,
		"o/r/divers/tide", "o/r/painters/tide", "o/r/plugins/pack/skills/knot-guide = " + original, original,
	}
	random := rand.New(rand.NewPCG(12, 12))
	digest := ""
	for range 20 {
		random.Shuffle(len(skills), func(i, j int) { skills[i], skills[j] = skills[j], skills[i] })
		c := openCorpus(t, InMemory, newClock())
		for batch := range slices.Chunk(skills, 1+random.IntN(len(skills))) {
			c.imports(batch...)
		}
		c.wantIDs(want...)
		counts := must[Counts](t)(c.Counts(t.Context()))
		if counts.Skills != 6 || counts.Copies != 3 {
			t.Errorf("%d skills, %d of them copies", counts.Skills, counts.Copies)
		}
		found, _, err := c.Skill(t.Context(), original)
		if err != nil || len(found.Copies) != 3 {
			t.Errorf("copies %v, %v", found.Copies, err)
		}
		got := must[string](t)(c.Digest(t.Context()))
		if digest == "" {
			digest = got
		}
		if got != digest {
			t.Errorf("digest %s, want %s", got, digest)
		}
	}
}

// Another original is chosen when the first goes or changes, and it gets its place back.
func TestOriginalChanges(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.crawled(c.fetch("o/a", "o/a", "c1", skill{path: "s", text: "same"}), c.fetch("o/b", "o/b", "c1", skill{path: "s", text: "same"}),
		c.fetch("o/c", "o/c", "c1", skill{path: "s", text: "same"}))
	all := []string{"o/a/s", "o/b/s = o/a/s", "o/c/s = o/a/s"}
	c.wantIDs(all...)
	c.crawled(c.fetch("o/a", "o/a", "c2"))
	c.wantIDs("o/b/s", "o/c/s = o/b/s")
	if gone, _, err := c.Skill(t.Context(), "o/a/s"); err != nil || gone.CopyOf != "" || gone.Live {
		t.Errorf("a removed skill is a copy of %q, %v", gone.CopyOf, err)
	}
	// Nor does it become a copy when those that remain change.
	c.crawled(c.fetch("o/d", "o/d", "c1", skill{path: "s", text: "same"}))
	if gone, _, err := c.Skill(t.Context(), "o/a/s"); err != nil || gone.CopyOf != "" {
		t.Errorf("a removed skill is a copy of %q, %v", gone.CopyOf, err)
	}
	c.crawled(failed("o/d", "gone"), c.fetch("o/a", "o/a", "c3", skill{path: "s", text: "same"}))
	c.wantIDs(all...)
	c.crawled(c.fetch("o/a", "o/a", "c4", skill{path: "s", text: "another"}))
	c.wantIDs("o/a/s", "o/b/s", "o/c/s = o/b/s")
	c.crawled(failed("o/b", "gone"))
	c.wantIDs("o/a/s", "o/c/s")
	if faults := must[[]string](t)(c.Verify(t.Context())); len(faults) > 0 {
		t.Error(faults)
	}
}
