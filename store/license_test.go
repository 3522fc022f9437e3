package store

import (
	"slices"
	"testing"
	"time"

	"skillcorpus/data"
)

// under is a fetched repository whose skills lie under a licence file.
func (c *corpus) under(name, text string, fetched FetchedRepo) FetchedRepo {
	c.t.Helper()
	for i := range fetched.Skills {
		fetched.Skills[i].Licenses = []data.LicenseFile{{Path: "COPYING"}, {Path: name, SHA256: data.SHA256Hex([]byte(text))}}
	}
	fetched.Blobs = append(fetched.Blobs, c.Pack([]byte(text)))
	return fetched
}

func (c *corpus) wantFaults(want ...string) {
	c.t.Helper()
	if got := must[[]string](c.t)(c.Verify(c.t.Context())); !slices.Equal(got, want) {
		c.t.Errorf("faults %q, want %q", got, want)
	}
}

// The licence files above a skill stay as long as it does.
func TestLicenseFiles(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.list("market", data.Complete, row("1", "o/a"), row("2", "o/b"))
	a := c.under("LICENSE", "terms", c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"}, skill{path: "y", text: "# y"}))
	b := c.under("LICENSE.md", "terms", c.fetch("o/b", "o/b", "c1", skill{path: "x", text: "# b"}))
	c.crawled(a, b)
	stored, _, err := c.Skill(t.Context(), "o/a/x")
	check(t, err)
	if !slices.Equal(stored.Licenses, a.Skills[0].Licenses) {
		t.Errorf("%v, want %v", stored.Licenses, a.Skills[0].Licenses)
	}
	c.wantFaults()
	prune := func(skills, blobs int) {
		t.Helper()
		c.clock.add(time.Hour)
		if got := must[Pruned](t)(c.Prune(t.Context(), c.clock.Now(), false)); got.Skills != skills || got.Blobs != blobs {
			t.Errorf("%+v, want %d skills, %d contents", got, skills, blobs)
		}
	}
	prune(0, 0)
	c.crawled(failed("o/a", data.OutcomeGone))
	prune(2, 2) // their SKILL.md; the text is that of o/b too
	c.wantFaults()
	c.crawled(failed("o/b", data.OutcomeGone))
	prune(1, 2)
	c.crawled(a)
	c.wantFaults()
	c.exec(`DELETE FROM blobs WHERE sha256 = ?`, data.SHA256Hex([]byte("terms")))
	c.wantFaults("skill o/a/x: the content of LICENSE of its repository is not there", "skill o/a/y: the content of LICENSE of its repository is not there")
}

// Another licence file makes the audit due again, and so does one that comes with an import.
func TestLicenseFilesAreAudited(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.list("market", data.Complete, row("1", "o/a"))
	plain := c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"})
	c.crawled(plain)
	c.parse(1)
	for i, step := range []struct {
		change FetchedRepo
		due    int
	}{
		{plain, 1},
		{plain, 0},
		{c.under("LICENSE", "terms", c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"})), 1},
		{c.under("LICENSE", "terms", c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"})), 0},
		{c.under("LICENSE", "other terms", c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"})), 1},
		{c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"}), 1},
	} {
		c.crawled(step.change)
		if due := c.audit(1); due != step.due {
			t.Errorf("step %d: %d due, want %d", i, due, step.due)
		}
	}
	imported := c.under("LICENSE", "terms", c.fetch("o/a", "o/a", "c1", skill{path: "x", text: "# a"}))
	check(t, c.CommitImport(t.Context(), imported.Skills, imported.Blobs))
	if due := c.audit(1); due != 1 {
		t.Errorf("after an import with a licence %d due, want 1", due)
	}
	imported.Skills[0].Licenses = nil
	check(t, c.CommitImport(t.Context(), imported.Skills, imported.Blobs))
	if due := c.audit(1); due != 0 {
		t.Errorf("after an import that does not tell %d due, want 0", due)
	}
}
