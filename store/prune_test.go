package store

import (
	"testing"
	"time"

	"skillcorpus/data"
)

// Only what was removed long enough ago goes, and only contents that nobody else has.
func TestPrune(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.list("market", data.Complete, row("1", "o/a"), row("2", "o/b"))
	shared := map[string]string{"shared.md": "both have it"}
	c.crawled(
		c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a", files: shared}, skill{path: "y", text: "# y"}),
		c.fetch("o/b", "o/b", "c1", skill{path: "x", text: "# b", files: shared}),
	)
	c.parse(1)
	start := c.clock.Now()
	c.clock.add(time.Hour)
	c.crawled(failed("o/a", data.OutcomeGone))
	want := func(before time.Time, dry bool, skills, blobs int) {
		t.Helper()
		got := must[Pruned](t)(c.Prune(t.Context(), before, dry))
		if got.Skills != skills || got.Blobs != blobs || (blobs > 0) != (got.Bytes > 0) {
			t.Errorf("%+v, want %d skills, %d contents", got, skills, blobs)
		}
	}
	want(start, false, 0, 0)
	now := c.clock.Now()
	want(now, true, 2, 2)
	want(now, false, 2, 2)
	want(now, false, 0, 0)
	c.wantIDs("o/b/x")
	if faults := must[[]string](t)(c.Verify(t.Context())); len(faults) != 0 {
		t.Errorf("%q", faults)
	}
	// Should the repository come back, it is read again.
	c.crawled(c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a", files: shared}))
	c.wantIDs("o/a/x", "o/b/x")
}
