package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"skillcorpus/data"
)

// counting is a loop over the numbers below total that collects what it commits.
type counting struct {
	Loop[int, string]
	committed []string
	batches   []int
}

func key(n int) string { return fmt.Sprintf("%06d", n) }

func newCounting(total, workers, batch int) *counting {
	c := &counting{}
	c.Loop = Loop[int, string]{
		Workers: workers, Batch: batch, Counter: new(Counter),
		Due: func(_ context.Context, after string) (page []int, err error) {
			for n := range total {
				if key(n) > after && len(page) < 7 {
					page = append(page, n)
				}
			}
			return page, nil
		},
		Key:    key,
		Work:   func(_ context.Context, n int) (string, error) { return key(n), nil },
		Failed: func(n int, err error) string { return key(n) + " " + err.Error() },
		Commit: func(_ context.Context, results []string) error {
			c.committed, c.batches = append(c.committed, results...), append(c.batches, len(results))
			return nil
		},
	}
	return c
}

func TestLoopDoesEverythingOnce(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ total, workers, batch int }{{0, 3, 10}, {1, 3, 10}, {100, 1, 1}, {100, 8, 7}, {100, 0, 1000}, {49, 4, 0}} {
		c := newCounting(size.total, size.workers, size.batch)
		check(t, c.Run(t.Context()))
		slices.Sort(c.committed)
		if len(c.committed) != size.total || len(slices.Compact(c.committed)) != size.total {
			t.Errorf("%+v: %v", size, c.committed)
		}
		if got := c.Counter.Done.Load(); got != int64(size.total) {
			t.Errorf("%+v: %d done", size, got)
		}
		for _, n := range c.batches {
			if n > max(size.batch, 1) {
				t.Errorf("%+v: a batch of %d", size, n)
			}
		}
	}
}

func TestLoopStoresErrorsAndPanics(t *testing.T) {
	t.Parallel()
	c := newCounting(20, 3, 4)
	c.Work = func(_ context.Context, n int) (string, error) {
		switch n {
		case 3:
			panic("a bug")
		case 5:
			return "", &data.ItemError{Outcome: data.OutcomeGone, Reason: "not there"}
		case 6:
			return "", &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "down"}
		}
		return key(n), nil
	}
	var outcomes sync.Map
	c.Failed = func(n int, err error) string {
		outcomes.Store(n, AttemptOf(key(n), "", 1, err))
		return key(n)
	}
	check(t, c.Run(t.Context()))
	if len(c.committed) != 20 || c.Counter.Failed.Load() != 2 || c.Counter.Done.Load() != 20 {
		t.Errorf("%d committed, %d failed, %d done", len(c.committed), c.Counter.Failed.Load(), c.Counter.Done.Load())
	}
	for n, want := range map[int]data.Outcome{3: data.OutcomeInternal, 5: data.OutcomeGone, 6: data.OutcomeUnavailable} {
		got, _ := outcomes.Load(n)
		if attempt, ok := got.(Attempt); !ok || attempt.Outcome != want {
			t.Errorf("%d: %v, want %s", n, got, want)
		}
	}
	got, _ := outcomes.Load(3)
	if reason := got.(Attempt).Reason; !strings.Contains(reason, "panic: a bug") || !strings.Contains(reason, "loop_test.go") {
		t.Errorf("the panic lost its place: %s", reason)
	}
}

func TestLoopStopsOnOurFailures(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk full")
	c := newCounting(1000, 4, 2)
	c.Commit = func(context.Context, []string) error { return failure }
	if err := c.Run(t.Context()); !errors.Is(err, failure) {
		t.Errorf("commit: %v", err)
	}
	if done := c.Counter.Done.Load(); done > 100 {
		t.Errorf("%d more were done", done)
	}
	c = newCounting(1000, 4, 1000)
	due := c.Due
	c.Due = func(ctx context.Context, after string) ([]int, error) {
		if after > key(20) {
			return nil, failure
		}
		return due(ctx, after)
	}
	if err := c.Run(t.Context()); !errors.Is(err, failure) {
		t.Errorf("due: %v", err)
	}
}

// Cancelled at any step, nothing is committed any more.
func TestLoopCancelled(t *testing.T) {
	t.Parallel()
	for step := range 60 {
		c := newCounting(20, 3, 4)
		ctx, cancel := context.WithCancel(t.Context())
		var steps, late atomic.Int64
		tick := func() {
			if int(steps.Add(1)) == step {
				cancel()
			}
		}
		work, commit := c.Work, c.Commit
		c.Work = func(ctx context.Context, n int) (string, error) { tick(); defer tick(); return work(ctx, n) }
		c.Commit = func(ctx context.Context, results []string) error {
			if ctx.Err() != nil {
				late.Add(1)
			}
			defer tick()
			return commit(ctx, results)
		}
		if err := c.Run(ctx); int(steps.Load()) >= step && step > 0 && err == nil && len(c.committed) < 20 || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("step %d: %v, %d committed", step, err, len(c.committed))
		}
		if late.Load() > 0 {
			t.Errorf("step %d: a commit began after the end", step)
		}
		cancel()
	}
}

func TestLoopStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // which also fails if a goroutine is left behind
		c := newCounting(1000, 3, 100)
		stop := make(chan struct{})
		c.Stop = stop
		c.Work = func(ctx context.Context, n int) (string, error) {
			if n == 10 {
				close(stop)
			}
			select {
			case <-time.After(time.Second):
				return key(n), nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		check(t, c.Run(t.Context()))
		if n := len(c.committed); n < 11 || n > 13 || int64(n) != c.Counter.Done.Load() {
			t.Errorf("%d committed, %d done", n, c.Counter.Done.Load())
		}
	})
}

// A result waits for its batch no longer than commitEvery.
func TestLoopCommitsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCounting(4, 1, 100)
		c.Work = func(_ context.Context, n int) (string, error) {
			<-time.After(time.Duration(n) * time.Second)
			return key(n), nil
		}
		start := time.Now()
		commit := c.Commit
		var at []time.Duration
		c.Commit = func(ctx context.Context, results []string) error {
			at = append(at, time.Since(start).Truncate(commitEvery))
			return commit(ctx, results)
		}
		check(t, c.Run(t.Context()))
		if len(at) != 4 || at[0] > commitEvery || at[1] > time.Second+commitEvery || at[2] > 3*time.Second+commitEvery {
			t.Errorf("commits at %v", at)
		}
	})
}

// A run that is cancelled at any step and then repeated ends with the corpus of one that was not.
func TestResumeEndsEqual(t *testing.T) {
	t.Parallel()
	skills := numbered(12)
	build := func(t *testing.T, step int) (digest string, steps int) {
		c := newCorpus(t)
		c.imports(skills...)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var n atomic.Int64
		tick := func() {
			if int(n.Add(1)) == step {
				cancel()
			}
		}
		err := errors.Join(c.parseLoop(ctx, tick), c.auditLoop(ctx, tick))
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		check(t, errors.Join(c.parseLoop(t.Context(), func() {}), c.auditLoop(t.Context(), func() {})))
		return must[string](t)(c.Digest(t.Context())), int(n.Load())
	}
	want, steps := build(t, 0)
	for step := 1; step <= steps; step++ {
		t.Run(fmt.Sprint("step ", step), func(t *testing.T) {
			t.Parallel()
			if got, _ := build(t, step); got != want {
				t.Errorf("digest %s, want %s", got, want)
			}
		})
	}
}

func (c *corpus) parseLoop(ctx context.Context, tick func()) error {
	return Loop[ParseItem, ParsedSkill]{
		Workers: 3, Batch: 4, Counter: new(Counter),
		Due: func(ctx context.Context, after string) ([]ParseItem, error) {
			tick()
			return c.DueParse(ctx, 1, after, 5)
		},
		Key: func(item ParseItem) string { return item.ID },
		Work: func(ctx context.Context, item ParseItem) (ParsedSkill, error) {
			tick()
			content, _, err := c.Content(ctx, item.SHA256)
			if err != nil {
				return ParsedSkill{}, err
			}
			return c.PackDocument(documentOf(content), AttemptOf(item.ID, item.SHA256, 1, nil))
		},
		Failed: func(item ParseItem, err error) ParsedSkill {
			return ParsedSkill{Attempt: AttemptOf(item.ID, item.SHA256, 1, err)}
		},
		Commit: func(ctx context.Context, parsed []ParsedSkill) error {
			tick()
			defer tick()
			return c.CommitParsed(ctx, parsed)
		},
	}.Run(ctx)
}

func (c *corpus) auditLoop(ctx context.Context, tick func()) error {
	return Loop[AuditItem, AuditedSkill]{
		Workers: 3, Batch: 4, Counter: new(Counter),
		Due: func(ctx context.Context, after string) ([]AuditItem, error) {
			tick()
			return c.DueAudit(ctx, 1, after, 5)
		},
		Key: func(item AuditItem) string { return item.ID },
		Work: func(_ context.Context, item AuditItem) (AuditedSkill, error) {
			tick()
			verdict, findings := verdictOf()
			return AuditedSkill{Verdict: verdict, Findings: findings, Attempt: AttemptOf(item.ID, item.Input, 1, nil)}, nil
		},
		Failed: func(item AuditItem, err error) AuditedSkill {
			return AuditedSkill{Attempt: AttemptOf(item.ID, item.Input, 1, err)}
		},
		Commit: func(ctx context.Context, audited []AuditedSkill) error {
			tick()
			defer tick()
			return c.CommitAudited(ctx, audited)
		},
	}.Run(ctx)
}
