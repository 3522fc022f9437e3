// Package crawl is the first stage: it asks the sources what they list, fetches every repository that is due
// once, has crawl/archive open it and crawl/discover find its skills, and commits them. Import is its other
// way in: skills that are already at hand in the corpus format.
//
// It never parses or judges a skill and runs nothing of what it fetches. The commands call it.
package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
	"skillcorpus/store"
)

// Version rises whenever the stage reads other content out of the same repository; every one is then due again.
const Version = 1

// Options say what is crawled and how.
type Options struct {
	Sources []source.Source
	GitHub  *github.Client
	Locate  func(name string) (path string, archived, ok bool) // where a repository of host dir lies; nil: none
	Limits  archive.Limits
	Workers int
	MaxAge  time.Duration // a repository fetched longer ago is asked again
	MaxWait time.Duration // how long in all to wait when only snoozes remain
	Counter *store.Counter
	Stop    <-chan struct{}
	Waiting func(until time.Time, items int) // called before a wait
	Now     func() time.Time
	Log     *slog.Logger
}

// SourceResult is how the enumeration of one source ended.
type SourceResult struct {
	Name         string            `json:"source"`
	Completeness data.Completeness `json:"completeness"`
	Rows         int               `json:"rows"`             // seen in this run
	Reason       string            `json:"reason,omitempty"` // why it was interrupted
}

// Summary is what a crawl did.
type Summary struct {
	Sources []SourceResult `json:"sources"`
	Waiting int            `json:"waiting"`           // repositories that wait for another try
	RetryAt time.Time      `json:"retry_at,omitzero"` // when the first of them is due
}

// Incomplete reports whether another run has something to do that this one could not.
func (s Summary) Incomplete() bool {
	for _, result := range s.Sources {
		if result.Completeness == data.Interrupted {
			return true
		}
	}
	return s.Waiting > 0
}

// Run enumerates the sources, then fetches every repository that is due. It returns the first failure of our
// own machine; what happened to single sources and repositories is stored and summed up.
func Run(ctx context.Context, corpus *store.Store, options Options) (Summary, error) {
	c := &crawler{Options: options, corpus: corpus, start: options.Now()}
	var err error
	if c.spool, err = emptySpool(corpus.Dir()); err != nil {
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
	}
	if err := c.fetchAll(ctx); err != nil {
		return summary, err
	}
	summary.RetryAt, summary.Waiting, err = corpus.NextRetry(ctx, store.StageCrawl)
	return summary, err
}

// crawler is the state of one run.
type crawler struct {
	Options
	corpus *store.Store
	start  time.Time
	spool  string // folder of archives in transfer

	mu      sync.Mutex      // guards claimed
	claimed map[string]bool // canonical keys that this pass has taken on: each repository is fetched once
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

func (c *crawler) enumerate(ctx context.Context, src source.Source) (SourceResult, error) {
	result := SourceResult{Name: src.Name(), Completeness: data.Interrupted}
	cursor, err := c.corpus.BeginWalk(ctx, src.Name())
	if err != nil {
		return result, err
	}
	completeness, err := src.Enumerate(ctx, cursor, func(rows []data.Listing, next json.RawMessage) error {
		result.Rows += len(rows)
		if err := c.corpus.CommitListings(ctx, src.Name(), rows, next); err != nil {
			return err
		}
		if c.stopped() {
			return errStopped
		}
		return nil
	})
	if item, ok := errors.AsType[*data.ItemError](err); ok {
		result.Reason, err = item.Error(), nil
	} else if errors.Is(err, errStopped) {
		result.Reason, err = errStopped.Error(), nil
	}
	if err != nil {
		return result, fmt.Errorf("enumerate %s: %w", src.Name(), err)
	}
	result.Completeness = completeness
	return result, c.corpus.EndWalk(ctx, src.Name(), completeness)
}

var errStopped = errors.New("stopped on request")

// fetchAll fetches what is due, and again when waits end, until nothing is due or the waiting budget is spent.
func (c *crawler) fetchAll(ctx context.Context) error {
	for budget := c.MaxWait; ; {
		if err := c.fetchDue(ctx); err != nil || c.stopped() {
			return err
		}
		until, waiting, err := c.corpus.NextRetry(ctx, store.StageCrawl)
		if err != nil || waiting == 0 {
			return err
		}
		wait := max(until.Sub(c.Now()), time.Second)
		if budget -= wait; budget < 0 {
			return nil
		}
		c.Waiting(until, waiting)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-c.Stop:
			timer.Stop()
			return nil
		case <-timer.C:
		}
	}
}

func (c *crawler) fetchDue(ctx context.Context) error {
	total, err := c.corpus.CountDueRepos(ctx, Version, c.start, c.MaxAge)
	if err != nil {
		return err
	}
	c.claimed = map[string]bool{}
	c.Counter.Total.Store(c.Counter.Done.Load() + int64(total))
	return store.Loop[store.DueRepo, store.FetchedRepo]{
		Workers: c.Workers,
		Batch:   1, // a finished repository is stored at once, so that a kill loses none
		Counter: c.Counter,
		Stop:    c.Stop,
		Due:     c.due,
		Key:     func(repo store.DueRepo) string { return data.RepoKey(repo.ID) },
		Work:    c.fetch,
		Failed: func(repo store.DueRepo, err error) store.FetchedRepo {
			c.Log.Debug("fetched", "stage", store.StageCrawl, "key", repo.ID, "class", data.OutcomeOf(err), "err", err)
			key := data.RepoKey(repo.ID)
			return store.FetchedRepo{Asked: key, Attempt: store.AttemptOf(key, "", Version, err)}
		},
		Commit: c.corpus.CommitRepos,
	}.Run(ctx)
}

// due gives the next page of due repositories, without local ones that this run's sources do not know.
func (c *crawler) due(ctx context.Context, after string) ([]store.DueRepo, error) {
	for {
		page, err := c.corpus.DueRepos(ctx, Version, c.start, c.MaxAge, after, 64)
		if err != nil || len(page) == 0 {
			return nil, err
		}
		after = data.RepoKey(page[len(page)-1].ID)
		known := page[:0]
		for _, repo := range page {
			if _, _, ok := c.locate(repo.Repo); ok || repo.Host != data.HostDir {
				known = append(known, repo)
			}
		}
		if len(known) > 0 {
			return known, nil
		}
	}
}

func (c *crawler) locate(repo data.Repo) (path string, archived, ok bool) {
	if repo.Host != data.HostDir || c.Locate == nil {
		return "", false, false
	}
	return c.Locate(repo.Name)
}
