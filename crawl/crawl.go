// Package crawl is the first stage: it asks the sources what they list, fetches every repository that is due
// once, has crawl/archive open it and crawl/discover find its skills, and commits them. Import is its other
// way in: skills that are already at hand in the corpus format.
//
// It never parses or judges a skill and runs nothing of what it fetches. The commands call it.
package crawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
	"skillcorpus/store"
)

// Version rises whenever the stage reads other content out of the same repository; every one is then due again.
const Version = 3

// Options say what is crawled and how.
type Options struct {
	Sources []source.Source
	GitHub  *github.Client
	Hosts   Hosts                                              // beside GitHub
	Locate  func(name string) (path string, archived, ok bool) // where a repository of host dir lies; nil: none
	Limits  archive.Limits
	// StrictSize takes the size that the host reports for that of the archive, and what is over the cap as lost, as the
	// paper does; else such a repository is fetched file by file.
	StrictSize bool
	Describe   Describe // what a SKILL.md says of itself; nil: which installers see a skill stays unknown
	Workers    int
	MaxAge     time.Duration // a repository fetched longer ago is asked again
	ListAge    time.Duration // a source listed to its end longer ago is asked again; 0: every one is
	Pace       float64       // requests a second and host, as the clients keep it, for the plan; 0 is the polite default
	Planned    func(Plan)    // told what is due, after the sources and before any repository is asked; nil: nobody
	PlanOnly   bool          // then nothing is fetched
	MaxWait    time.Duration // how long in all to wait when only snoozes remain
	Counter    *store.Counter
	Stop       <-chan struct{}
	Listed     func(SourceResult) // called when the enumeration of a source has ended; nil: nobody
	Waiting    func(Wait)         // called before a wait
	Now        func() time.Time
	After      func(time.Duration) <-chan time.Time // the timer of a wait; nil is time.After
	Log        *slog.Logger
}

// Wait is what a crawl waits for: a source that is under a limit, or repositories.
type Wait struct {
	Source string         // empty: repositories
	Repos  map[string]int // by host
	Until  time.Time
}

// SourceResult is how the enumeration of one source ended.
type SourceResult struct {
	Name         string            `json:"source"`
	Completeness data.Completeness `json:"completeness"`
	Rows         int               `json:"rows"`               // seen in this run
	Outcome      data.Outcome      `json:"outcome,omitempty"`  // of what interrupted it; empty where it was stopped on request
	Reason       string            `json:"reason,omitempty"`   // why it was interrupted or capped
	ListedAt     time.Time         `json:"listed_at,omitzero"` // of a source that was listed so short ago that it was not asked again
	RetryAt      time.Time         `json:"retry_at,omitzero"`  // when a source that was limited may be asked again
}

// Waits reports whether the enumeration goes on when the source is asked again later.
func (r SourceResult) Waits() bool {
	return r.Completeness == data.Interrupted && !r.Outcome.Permanent()
}

// Broken reports whether the enumeration was interrupted by something that no waiting mends, such as a wrong key.
func (r SourceResult) Broken() bool {
	return r.Completeness == data.Interrupted && r.Outcome.Permanent()
}

// Summary is what a crawl did.
type Summary struct {
	Sources   []SourceResult `json:"sources"`
	Tried     map[string]int `json:"tried"`             // repositories of this run, by host; a skill of a registry is one
	Waiting   int            `json:"waiting"`           // repositories that wait for another try
	WaitingAt map[string]int `json:"waiting_at"`        // the same by host
	RetryAt   time.Time      `json:"retry_at,omitzero"` // when the first of them is due
	Tokenless bool           `json:"-"`                 // GitHub's limit was met that there is without a token
	Refused   int            `json:"refused,omitempty"` // repositories that were not asked for, since GitHub accepts none of the tokens given
}

// Incomplete reports whether waiting helps: a later run has something to do that this one could not.
func (s Summary) Incomplete() bool {
	return s.Waiting > 0 || slices.ContainsFunc(s.Sources, SourceResult.Waits)
}

// Run enumerates the sources, then fetches every repository that is due. It returns the first failure of our
// own machine; what happened to single sources and repositories is stored and summed up.
func Run(ctx context.Context, corpus *store.Store, options Options) (Summary, error) {
	c := &crawler{Options: options, corpus: corpus, start: options.Now(), patience: options.MaxWait, heavy: make(chan struct{}, 1)}
	c.seen, c.tried = map[string]bool{}, map[string]int{}
	if c.After == nil {
		c.After = time.After
	}
	var err error
	if c.spool, err = emptySpool(corpus.Dir()); err != nil {
		return Summary{}, err
	}
	if c.denied, err = readDenied(ctx, corpus); err != nil {
		return Summary{}, err
	}
	var summary Summary
	for _, src := range options.Sources {
		if c.stopped() {
			break
		}
		result, err := c.enumerate(ctx, src)
		if err != nil {
			return summary, err
		}
		summary.Sources = append(summary.Sources, result)
		if c.Listed != nil {
			c.Listed(result)
		}
	}
	if err := c.release(ctx); err != nil {
		return summary, err
	}
	if err := c.plan(ctx); err != nil {
		return summary, err
	}
	if !c.PlanOnly {
		if err := errors.Join(c.fetchAll(ctx), c.clean()); err != nil {
			return summary, err
		}
	}
	summary.Refused, summary.Tokenless, summary.Tried = int(c.refused.Load()), c.tokenless.Load(), c.tried
	if summary.WaitingAt, err = c.waiting(ctx); err != nil {
		return summary, err
	}
	summary.RetryAt, summary.Waiting, err = corpus.NextRetry(ctx, store.StageCrawl)
	return summary, err
}

// waiting counts by host the repositories that wait for another try.
func (c *crawler) waiting(ctx context.Context) (map[string]int, error) {
	hosts, err := c.corpus.Hosts(ctx)
	counts := map[string]int{}
	for host, count := range hosts {
		if count.Waiting > 0 {
			counts[host] = count.Waiting
		}
	}
	return counts, err
}

// crawler is the state of one run.
type crawler struct {
	Options
	corpus *store.Store
	denied denied
	start  time.Time
	spool  string // folder of archives in transfer

	patience time.Duration // what is left of MaxWait

	missing map[string]string // of local repositories that are no longer there: the source that had them; nil until asked for

	overCap sync.Map // repository and commit whose archive has turned out too large: another try need not begin with it

	refused   atomic.Int64 // repositories that no token was good for
	tokenless atomic.Bool  // a limit was met that there is without a token

	heavy chan struct{} // holds one while a heavy repository is at work

	mu      sync.Mutex                              // guards what follows
	borne   string                                  // key of that heavy repository
	told    told                                    // facts that were asked for together and not used yet
	seen    map[string]bool                         // keys that this run has tried
	tried   map[string]int                          // how many these are, by host
	claimed map[string]bool                         // canonical keys that this pass has taken on: each repository is fetched once
	limits  struct{ api, archives *data.ItemError } // the last limit that each of GitHub's hosts told
}

func (c *crawler) stopped() bool {
	select {
	case <-c.Stop:
		return true
	default:
		return false
	}
}

// emptySpool returns the folder for archives in transfer, without what a killed run left there.
func emptySpool(dir string) (string, error) {
	spool := filepath.Join(dir, "work", "spool")
	if err := os.RemoveAll(spool); err != nil {
		return "", fmt.Errorf("empty spool: %w", err)
	}
	if err := os.MkdirAll(spool, 0o755); err != nil {
		return "", fmt.Errorf("make spool: %w", err)
	}
	return spool, nil
}

// clean forgets the single files that repositories still to be tried again have left in the spool.
func (c *crawler) clean() error {
	left, err := filepath.Glob(filepath.Join(c.spool, "files-*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// fetchAll fetches what is due, and again when waits end, until nothing is due or the waiting budget is spent.
func (c *crawler) fetchAll(ctx context.Context) error {
	for {
		taken, err := c.fetchDue(ctx)
		if err != nil || c.stopped() {
			return err
		}
		until, waiting, err := c.corpus.NextRetry(ctx, store.StageCrawl)
		if err != nil || waiting == 0 {
			return err
		}
		wait := until.Sub(c.Now())
		if wait <= 0 && taken == 0 {
			return nil // what is due is not for this run to fetch, such as a folder that it was not given
		}
		repos, err := c.waiting(ctx)
		if err != nil {
			return err
		}
		if goOn, err := c.pause(ctx, Wait{Repos: repos, Until: until}); err != nil || !goOn {
			return err
		}
	}
}

// pause waits until a limit ends, and reports whether to go on then: not if what is left of MaxWait is too short.
func (c *crawler) pause(ctx context.Context, of Wait) (goOn bool, err error) {
	wait := max(of.Until.Sub(c.Now()), time.Second)
	if wait > c.patience {
		return false, nil
	}
	c.patience -= wait
	c.Waiting(of)
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-c.Stop:
		return false, nil
	case <-c.After(wait):
		return true, nil
	}
}

// ourFault is an error of our own machine. It is about no repository, so it is stored nowhere and stops the run.
type ourFault struct{ error }

// Unwrap returns the cause.
func (f ourFault) Unwrap() error { return f.error }

// fetchDue fetches what is due now and returns how many repositories it has tried.
func (c *crawler) fetchDue(ctx context.Context) (tried int64, err error) {
	total, err := c.corpus.CountDueRepos(ctx, Version, c.start, c.MaxAge)
	if err != nil {
		return 0, err
	}
	c.claimed, c.told = map[string]bool{}, told{}
	done := c.Counter.Done.Add(-c.Counter.Failed.Swap(0)) // what failed for a while is due again, and not done twice
	c.Counter.Total.Store(done + int64(total))
	defer func() { tried = c.Counter.Done.Load() - done }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err = store.Loop[store.DueRepo, store.FetchedRepo]{
		Workers: c.Workers,
		Batch:   1, // a finished repository is stored at once, so that a kill loses none
		Counter: c.Counter,
		Stop:    c.Stop,
		Due:     c.due,
		Key:     func(repo store.DueRepo) string { return data.RepoKey(repo.ID) },
		Work: func(ctx context.Context, repo store.DueRepo) (store.FetchedRepo, error) {
			fetched, err := c.fetch(ctx, repo)
			if fault, ok := errors.AsType[ourFault](err); ok {
				cancel(fault)
			}
			return fetched, err
		},
		Failed: c.failed,
		Commit: func(ctx context.Context, fetched []store.FetchedRepo) error {
			err := c.corpus.CommitRepos(ctx, fetched)
			for _, f := range fetched {
				c.unburden(f.Repo.ID)
				c.count(f.Asked)
			}
			return err
		},
	}.Run(ctx)
	if fault, ok := errors.AsType[ourFault](context.Cause(ctx)); ok {
		return 0, fault
	}
	return 0, err
}

// count takes a repository as one of those that this run has tried, however often it did.
func (c *crawler) count(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.seen[key] {
		host, _ := data.SplitRepoID(key)
		c.seen[key] = true
		c.tried[host]++
	}
}

// failed is the result that stores what is wrong with a repository.
func (c *crawler) failed(repo store.DueRepo, err error) store.FetchedRepo {
	c.Log.Debug("fetched", "stage", store.StageCrawl, "key", repo.ID, "class", data.OutcomeOf(err), "err", err)
	key := data.RepoKey(repo.ID)
	attempt := store.AttemptOf(key, "", Version, err)
	if attempt.Outcome == data.OutcomeForbidden && attempt.RetryAt.IsZero() {
		attempt.RetryAt = c.Now() // the next run may come with another token
	}
	c.judgeToken(&attempt, repo.Repo, err)
	return store.FetchedRepo{Asked: key, Attempt: attempt}
}

// due gives the next page of due repositories, without local ones that this run's sources do not know. Those whose host
// is under a limit are snoozed together.
func (c *crawler) due(ctx context.Context, after string) ([]store.DueRepo, error) {
	for {
		page, err := c.corpus.DueRepos(ctx, Version, c.start, c.MaxAge, after, github.FactsAtATime)
		if err != nil || len(page) == 0 {
			return nil, err
		}
		after = data.RepoKey(page[len(page)-1].ID)
		ready := page[:0]
		var snoozed []store.FetchedRepo
		for _, repo := range page {
			ours, err := c.within(ctx, repo.Repo)
			if err != nil {
				return nil, err
			}
			if limit := c.closed(known(repo)); ours && limit != nil {
				snoozed = append(snoozed, c.failed(repo, limit))
			} else if ours {
				ready = append(ready, repo)
			}
		}
		if len(snoozed) > 0 {
			if err := c.corpus.CommitRepos(ctx, snoozed); err != nil {
				return nil, err
			}
		}
		if len(ready) > 0 {
			return ready, c.askTogether(ctx, ready)
		}
	}
}
