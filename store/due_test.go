package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"skillcorpus/data"
)

func (c *corpus) dueRepos(version int, start time.Time, maxAge time.Duration) []string {
	c.t.Helper()
	var keys []string
	for after := ""; ; {
		page := must[[]DueRepo](c.t)(c.DueRepos(c.t.Context(), version, start, maxAge, after, 2))
		if len(page) == 0 {
			break
		}
		for _, repo := range page {
			keys = append(keys, data.RepoKey(repo.ID))
		}
		after = keys[len(keys)-1]
	}
	if count := must[int](c.t)(c.CountDueRepos(c.t.Context(), version, start, maxAge)); count != len(keys) {
		c.t.Errorf("%d repositories are due, counted %d", len(keys), count)
	}
	return keys
}

func (c *corpus) wantDue(version int, start time.Time, maxAge time.Duration, want ...string) {
	c.t.Helper()
	if got := c.dueRepos(version, start, maxAge); !slices.Equal(got, want) {
		c.t.Errorf("due: %q, want %q", got, want)
	}
}

func TestDueRepos(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	c := newCorpus(t)
	start := c.clock.Now()
	c.imports(skill{repo: "o/imported", text: "x"})
	local := data.Listing{ExternalID: "9", Host: data.HostDir, Repo: "folder"}
	c.list("list", data.Complete, row("1", "O/ok"), row("2", "o/gone"), row("3", "o/limited"), row("4", "o/down"), local)
	c.wantDue(1, start, day, "dir:folder", "o/down", "o/gone", "o/limited", "o/ok")
	if n := must[int](t)(c.CountNewRepos(t.Context())); n != 5 {
		t.Errorf("%d new repositories", n)
	}

	limited := failed("o/limited", data.OutcomeLimited)
	limited.Attempt.RetryAt = start.Add(time.Hour + 500*time.Millisecond)
	c.crawled(c.fetch("o/ok", "O/ok", "c1"), failed("o/gone", data.OutcomeGone), limited, failed("o/down", data.OutcomeUnavailable),
		c.fetch("dir:folder", "dir:folder", "c1"))
	c.wantDue(1, start, 0)
	c.wantDue(2, start, day, "dir:folder", "o/down", "o/gone", "o/limited", "o/ok") // the version rose

	c.clock.add(59 * time.Second)
	// A later run reads local folders again, which costs nothing, and what is older than the age that it allows.
	c.wantDue(1, c.clock.Now(), day, "dir:folder", "o/down")
	c.wantDue(1, c.clock.Now(), time.Minute, "dir:folder", "o/down")
	c.clock.add(time.Second)
	c.wantDue(1, c.clock.Now(), time.Minute, "dir:folder", "o/down", "o/ok")
	c.wantDue(1, start, time.Minute, "o/down") // in the run that fetched it, it is done

	c.clock.add(59 * time.Minute) // a whole hour: half a second too early for the host
	c.wantDue(1, start, day, "o/down")
	c.clock.add(time.Second)
	c.wantDue(1, start, day, "o/down", "o/limited")
	c.clock.add(7*day - time.Hour - 2*time.Second)
	c.wantDue(1, start, 30*day, "o/down", "o/limited")
	c.clock.add(time.Second)
	c.wantDue(1, start, 30*day, "o/down", "o/gone", "o/limited")

	// A repository that came with an import is asked for once a listing names it, at the right host.
	c.imports(skill{repo: "clawhub:owner/slug", text: "x"})
	c.list("more", data.Complete, row("1", "O/Imported"), data.Listing{ExternalID: "2", Host: "clawhub", Repo: "owner/slug"})
	c.wantDue(1, start, 30*day, "clawhub:owner/slug", "o/down", "o/gone", "o/imported", "o/limited")
	if repo, _, err := c.Repo(t.Context(), "clawhub:owner/slug"); err != nil || repo.Host != "clawhub" || repo.Name != "owner/slug" {
		t.Errorf("%+v %v", repo, err)
	}
}

func TestDueParse(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	ids := func(version int) string {
		t.Helper()
		var ids []string
		for after := ""; ; {
			page := must[[]ParseItem](t)(c.DueParse(t.Context(), version, after, 1))
			if len(page) == 0 {
				break
			}
			after = page[0].ID
			ids = append(ids, strings.TrimPrefix(after, "o/r/"))
		}
		if count := must[int](t)(c.CountDueParse(t.Context(), version)); count != len(ids) {
			t.Errorf("%d skills are due, counted %d", len(ids), count)
		}
		return strings.Join(ids, " ")
	}
	want := func(version int, want string) {
		t.Helper()
		if got := ids(version); got != want {
			t.Errorf("version %d: due %q, want %q", version, got, want)
		}
	}
	a, b := skill{path: "a", text: "a"}, skill{path: "b", text: "b"}
	c.crawled(c.fetch("o/r", "o/r", "c1", a, b))
	want(1, "a b")
	c.parse(1)
	want(1, "")
	want(2, "a b")
	c.parse(2)
	want(1, "") // an older program leaves newer results alone

	// Another text is due; the old one's results are gone with it, for they say nothing about the new one.
	c.audit(1)
	a.text = "a, longer"
	c.crawled(c.fetch("o/r", "o/r", "c2", a, b))
	want(2, "a")
	found, _, err := c.Skill(t.Context(), "o/r/a")
	if err != nil || found.Document != nil || found.Verdict != nil || len(found.AllFindings()) != 0 {
		t.Errorf("results of another text: %+v %v", found, err)
	}
	if _, skills, err := c.SearchDigest(t.Context()); err != nil || skills != 1 {
		t.Errorf("%d skills to search, %v", skills, err)
	}
	// Also when the first text comes back before anyone parsed the second.
	a.text = "a"
	c.crawled(c.fetch("o/r", "o/r", "c3", a, b))
	want(2, "a")
	c.parse(2)

	// A fault of ours is tried again when its time has come, and keeps the last good document.
	item := must[[]ParseItem](t)(c.DueParse(t.Context(), 3, "", 1))[0]
	check(t, c.CommitParsed(t.Context(), []ParsedSkill{{Attempt: AttemptOf(item.ID, item.SHA256, 3, errors.New("panic: oh"))}}))
	want(3, "b")
	at, waiting, err := c.NextRetry(t.Context(), StageParse)
	if err != nil || waiting != 1 || !at.After(c.clock.Now()) {
		t.Errorf("%d wait until %v, %v", waiting, at, err)
	}
	if found, _, err := c.Skill(t.Context(), "o/r/a"); err != nil || found.Document == nil {
		t.Errorf("the last good document is lost: %v", err)
	}
	c.clock.add(time.Minute + time.Second)
	want(3, "a b")
	// Nobody waits for a skill that was removed.
	c.crawled(c.fetch("o/r", "o/r", "c4", b))
	want(3, "b")
	if _, waiting, err := c.NextRetry(t.Context(), StageParse); err != nil || waiting != 0 {
		t.Errorf("%d wait, %v", waiting, err)
	}
	// One that is malformed is a result.
	check(t, c.CommitParsed(t.Context(), []ParsedSkill{{Attempt: AttemptOf("o/r/b", data.SHA256Hex([]byte("b")), 3, &data.ItemError{Outcome: data.OutcomeMalformed})}}))
	c.clock.add(30 * 24 * time.Hour)
	want(3, "")
}

func TestDueAudit(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	due := func(version int) int {
		t.Helper()
		n := len(must[[]AuditItem](t)(c.DueAudit(t.Context(), version, "", 100)))
		if count := must[int](t)(c.CountDueAudit(t.Context(), version)); count != n {
			t.Errorf("%d skills are due, counted %d", n, count)
		}
		return n
	}
	want := func(what string, want int) {
		t.Helper()
		if got := due(1); got != want {
			t.Errorf("%s: %d are due, want %d", what, got, want)
		}
		c.audit(1)
	}
	a := skill{path: "a", text: "a", files: map[string]string{"run.sh": "true"}}
	b := skill{path: "b", text: "b"}
	c.crawled(c.fetch("o/r", "o/r", "c1", a, b))
	want("not parsed yet", 0)
	c.parse(1)
	if got := must[[]AuditItem](t)(c.DueAudit(t.Context(), 1, "o/r/a", 1)); len(got) != 1 || got[0].ID != "o/r/b" {
		t.Errorf("after o/r/a: %v", got)
	}
	want("parsed", 2)
	want("audited", 0)
	if due(2) != 2 {
		t.Error("the version rose")
	}
	a.files["run.sh"] = "false"
	c.crawled(c.fetch("o/r", "o/r", "c2", a, b))
	want("a bundled file changed", 1)
	tree := c.fetch("o/r", "o/r", "c3", a, b)
	tree.Repo.Tree = append(tree.Repo.Tree, data.TreeEntry{Path: "new.md"})
	c.crawled(tree)
	want("the tree changed", 2)
	facts := c.fetch("o/r", "o/r", "c3")
	facts.Changed, facts.Repo.License, facts.Repo.Stars = false, "MIT", 5
	c.crawled(facts)
	want("the licence changed", 2)
	content := []byte("b")
	other := documentOf(content)
	other.Name = "another"
	check(t, c.CommitParsed(t.Context(), []ParsedSkill{must[ParsedSkill](t)(c.PackDocument(other, AttemptOf("o/r/b", data.SHA256Hex(content), 2, nil)))}))
	want("the document changed", 1)
	item := must[[]AuditItem](t)(c.DueAudit(t.Context(), 2, "", 1))[0]
	check(t, c.CommitAudited(t.Context(), []AuditedSkill{{Attempt: AttemptOf(item.ID, item.Input, 1, errors.New("oh"))}}))
	if due(1) != 0 {
		t.Error("a fault of ours is due at once")
	}
	c.clock.add(time.Minute + time.Second)
	want("a fault of ours, later", 1)
}

func TestAttemptOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, outcome := range data.Outcomes() {
		if outcome == data.OutcomeOK {
			continue
		}
		cause := errors.New("cause")
		got := AttemptOf("item", "input", 7, fmt.Errorf("around: %w", &data.ItemError{Outcome: outcome, Reason: "why", RetryAt: at, Err: cause}))
		want := Attempt{Item: "item", Input: "input", Version: 7, Outcome: outcome, Reason: "why: cause", RetryAt: at}
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got, want := AttemptOf("item", "input", 7, nil), (Attempt{Item: "item", Input: "input", Version: 7, Outcome: data.OutcomeOK}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := AttemptOf("item", "", 7, errors.New("oh")); got.Outcome != data.OutcomeInternal || got.Reason != "oh" {
		t.Errorf("%+v", got)
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	wait := func(a Attempt, failures int) time.Duration { return retryAt(a, failures, now).Sub(now) }
	down := Attempt{Item: "o/r", Outcome: data.OutcomeUnavailable}
	for failures := range 70 {
		most := min(time.Minute<<max(min(failures, 20)-1, 0), 6*time.Hour)
		if got := wait(down, failures); got > most || got < most*3/4 {
			t.Errorf("after %d failures: %v, want at most %v", failures, got, most)
		}
	}
	if wait(down, 1) == wait(Attempt{Item: "o/s", Outcome: data.OutcomeUnavailable}, 1) {
		t.Error("two items wait equally long")
	}
	for _, outcome := range data.Outcomes() {
		a := Attempt{Item: "o/r", Outcome: outcome}
		got := wait(a, 1)
		switch {
		case outcome == data.OutcomeOK && got != 0,
			outcome == data.OutcomeLimited && got != time.Minute,
			outcome.Permanent() && got != 7*24*time.Hour:
			t.Errorf("%s: %v", outcome, got)
		}
		a.RetryAt = now.Add(12345 * time.Second)
		if got := wait(a, 1); got != 12345*time.Second {
			t.Errorf("%s, told to wait: %v", outcome, got)
		}
	}
}

// Failures in a row are counted; a rate limit is none, and a success ends the row.
func TestAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.list("list", data.Complete, row("1", "o/r"))
	for i, step := range []struct {
		outcome data.Outcome
		want    int
	}{
		{data.OutcomeLimited, 0},
		{data.OutcomeUnavailable, 1},
		{data.OutcomeLimited, 1},
		{data.OutcomeInternal, 2},
		{data.OutcomeUnavailable, 3},
		{data.OutcomeGone, 0},
		{data.OutcomeUnavailable, 1},
		{data.OutcomeOK, 0},
		{data.OutcomeUnavailable, 1},
	} {
		if step.outcome == data.OutcomeOK {
			c.crawled(c.fetch("o/r", "o/r", "c1"))
		} else {
			c.crawled(failed("o/r", step.outcome))
		}
		if got := c.number(`SELECT attempts FROM due`); got != step.want {
			t.Errorf("step %d, %s: %d attempts, want %d", i, step.outcome, got, step.want)
		}
	}
	failures := must[[]Failure](t)(c.Failures(t.Context()))
	if len(failures) != 1 || failures[0].Item != "o/r" || failures[0].Outcome != data.OutcomeUnavailable || failures[0].Reason != "because" || failures[0].Attempts != 1 {
		t.Errorf("%+v", failures)
	}
	outcomes := must[map[data.Outcome]int](t)(c.Outcomes(t.Context(), StageCrawl))
	if len(outcomes) != 1 || outcomes[data.OutcomeUnavailable] != 1 {
		t.Errorf("%v", outcomes)
	}
}

func TestNextRetry(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	want := func(at time.Time, waiting int) {
		t.Helper()
		gotAt, got, err := c.NextRetry(t.Context(), StageCrawl)
		if err != nil || got != waiting || !gotAt.Equal(at) {
			t.Errorf("%d wait until %v, want %d until %v: %v", got, gotAt, waiting, at, err)
		}
	}
	want(time.Time{}, 0)
	c.list("list", data.Complete, row("1", "o/a"), row("2", "o/b"), row("3", "o/c"))
	soon, late := failed("o/a", data.OutcomeLimited), failed("o/b", data.OutcomeUnavailable)
	soon.Attempt.RetryAt, late.Attempt.RetryAt = c.clock.Now().Add(time.Hour), c.clock.Now().Add(2*time.Hour)
	c.crawled(soon, late, failed("o/c", data.OutcomeGone))
	want(soon.Attempt.RetryAt, 2)
	c.crawled(c.fetch("o/a", "o/a", "c1"))
	want(late.Attempt.RetryAt, 1)
}
