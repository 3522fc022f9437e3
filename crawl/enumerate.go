package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"skillcorpus/crawl/source"
	"skillcorpus/data"
	"skillcorpus/store"
)

var errStopped = errors.New("stopped on request")

// enumerate asks one source what it lists, from where the last enumeration of it stopped.
func (c *crawler) enumerate(ctx context.Context, src source.Source) (SourceResult, error) {
	result := SourceResult{Name: src.Name(), Completeness: data.Interrupted}
	if known, fresh, err := c.listed(ctx, src); err != nil || fresh {
		result.Completeness, result.Reason, result.ListedAt = known.Completeness, known.Reason, known.UpdatedAt
		return result, err
	}
	var renew func(json.RawMessage) json.RawMessage
	if renewer, ok := src.(source.Renewer); ok {
		renew = renewer.Renew
	}
	for {
		completeness, err := c.walk(ctx, src, renew, &result)
		item, isItem := errors.AsType[*data.ItemError](err)
		switch {
		case isItem:
			if item.Outcome == data.OutcomeLimited && !item.RetryAt.IsZero() {
				if goOn, err := c.pause(ctx, Wait{Source: src.Name(), Until: item.RetryAt}); err != nil {
					return result, err
				} else if goOn {
					continue
				}
			}
			result.Outcome, result.Reason, result.RetryAt = item.Outcome, reasonOf(item), item.RetryAt
		case errors.Is(err, errStopped):
			result.Reason = errStopped.Error()
		case err != nil:
			return result, fmt.Errorf("enumerate %s: %w", src.Name(), err)
		case completeness == data.Capped:
			if capped, ok := src.(source.Capper); ok {
				result.Reason = capped.Cap()
			}
		}
		result.Completeness = completeness
		return result, c.corpus.EndWalk(ctx, src.Name(), store.WalkEnd{
			Completeness: completeness, Outcome: result.Outcome, Reason: result.Reason, RetryAt: result.RetryAt,
		})
	}
}

func reasonOf(item *data.ItemError) string {
	if item.Err == nil {
		return item.Reason
	}
	return item.Reason + ": " + item.Err.Error()
}

// walk reads a source from its cursor on, as far as it comes.
func (c *crawler) walk(ctx context.Context, src source.Source, renew func(json.RawMessage) json.RawMessage, result *SourceResult) (data.Completeness, error) {
	cursor, err := c.corpus.BeginWalk(ctx, src.Name(), renew)
	if err != nil {
		return data.Interrupted, err
	}
	return src.Enumerate(ctx, cursor, func(rows []data.Listing, next json.RawMessage) error {
		result.Rows += len(rows)
		if err := c.corpus.CommitListings(ctx, src.Name(), rows, next); err != nil {
			return err
		}
		if c.stopped() {
			return errStopped
		}
		return nil
	})
}

// listed returns how the last enumeration of a source ended, and whether that was so short ago that asking again would
// only cost the marketplace.
func (c *crawler) listed(ctx context.Context, src source.Source) (known store.SourceState, fresh bool, err error) {
	if _, local := src.(source.Local); local || c.ListAge == 0 {
		return store.SourceState{}, false, nil
	}
	states, err := c.corpus.Sources(ctx)
	for _, state := range states {
		if age := c.start.Sub(state.UpdatedAt); state.Name == src.Name() && state.Completeness != data.Interrupted && age >= 0 && age < c.ListAge {
			return state, true, err
		}
	}
	return store.SourceState{}, false, err
}
