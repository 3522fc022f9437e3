package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"skillcorpus/data"
)

func asItemError(err error) (*data.ItemError, bool) { return errors.AsType[*data.ItemError](err) }

// Counter tells whoever draws progress how far a run is. All fields may be read at any time.
type Counter struct {
	Total  atomic.Int64 // items known to be due; 0 while unknown
	Done   atomic.Int64
	Failed atomic.Int64 // of Done: temporary and internal outcomes
	Bytes  atomic.Int64 // transferred or processed
	Skills atomic.Int64 // found by a crawl
}

// Loop is the one shape in which a stage runs: pages of due items, identical workers, commits in batches.
type Loop[Item, Result any] struct {
	Workers int
	Batch   int // results committed in one transaction
	Counter *Counter
	Stop    <-chan struct{} // closed: take no more items, finish what is in flight

	Due    func(ctx context.Context, after string) ([]Item, error) // items whose key is above after, in key order; none ends the run
	Key    func(Item) string
	Work   func(ctx context.Context, item Item) (Result, error) // an error is about the item
	Failed func(item Item, err error) Result                    // the result that stores err
	Commit func(ctx context.Context, results []Result) error
}

// commitEvery bounds how long a finished result may wait for its batch to fill.
const commitEvery = 500 * time.Millisecond

// Run processes everything that is due. It returns the first failure of our own machine, or the context's
// error; errors about items are stored. Nothing is committed once ctx is cancelled.
func (l Loop[Item, Result]) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	items, results := make(chan Item), make(chan Result, l.Batch)
	group.Go(func() error { defer close(items); return l.produce(ctx, items) })
	group.Go(func() error {
		defer close(results)
		workers, ctx := errgroup.WithContext(ctx)
		for range max(l.Workers, 1) {
			workers.Go(func() error { return l.consume(ctx, items, results) })
		}
		return workers.Wait()
	})
	group.Go(func() error { return l.collect(ctx, results) })
	return group.Wait()
}

func (l Loop[Item, Result]) produce(ctx context.Context, items chan<- Item) error {
	for after := ""; ; {
		page, err := l.Due(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, item := range page {
			select {
			case <-l.Stop:
				return nil
			default:
			}
			select {
			case items <- item:
			case <-l.Stop:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		after = l.Key(page[len(page)-1])
	}
}

func (l Loop[Item, Result]) consume(ctx context.Context, items <-chan Item, results chan<- Result) error {
	for item := range items {
		result, err := l.work(ctx, item)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if outcome := data.OutcomeOf(err); outcome.Temporary() || outcome == data.OutcomeInternal {
				l.Counter.Failed.Add(1)
			}
			result = l.Failed(item, err)
		}
		l.Counter.Done.Add(1)
		select {
		case results <- result:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// work is the one place that turns a panic into an internal error about the item.
func (l Loop[Item, Result]) work(ctx context.Context, item Item) (result Result, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return l.Work(ctx, item)
}

func (l Loop[Item, Result]) collect(ctx context.Context, results <-chan Result) error {
	var batch []Result
	commit := func() error {
		if len(batch) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := l.Commit(ctx, batch)
		batch = nil
		return err
	}
	ticker := time.NewTicker(commitEvery)
	defer ticker.Stop()
	for {
		select {
		case result, ok := <-results:
			if !ok {
				return commit()
			}
			if batch = append(batch, result); len(batch) < l.Batch {
				continue
			}
		case <-ticker.C:
		}
		if err := commit(); err != nil {
			return err
		}
	}
}
