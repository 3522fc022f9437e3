package store

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"time"

	"skillcorpus/data"
)

// Stage names a stage that keeps due rows.
type Stage string

// The stages with due rows. The index has none: its manifest says what it was built from.
const (
	StageCrawl Stage = "crawl"
	StageParse Stage = "parse"
	StageAudit Stage = "audit"
)

// Attempt is how one item's processing ended. It becomes the item's due row in the transaction that
// writes the item's output.
type Attempt struct {
	Item    string // repository key or skill id
	Input   string // digest of what was read, or what else the attempt hung on
	Version int    // the stage's Version constant
	Outcome data.Outcome
	Reason  string
	RetryAt time.Time // as the host asked; zero for the backoff of this package
}

// AttemptOf describes an attempt that ended with err, nil for success.
func AttemptOf(item, input string, version int, err error) Attempt {
	a := Attempt{Item: item, Input: input, Version: version, Outcome: data.OutcomeOf(err)}
	if err != nil {
		a.Reason = err.Error()
		if e, ok := asItemError(err); ok {
			a.Reason, a.RetryAt = e.Reason, e.RetryAt
			if e.Err != nil {
				a.Reason += ": " + e.Err.Error()
			}
		}
	}
	return a
}

// Waits before an item is tried again.
const (
	backoffFirst   = time.Minute        // doubled for each failure in a row, up to a quarter less by jitter (STYLE.md 6, rule 24)
	backoffMost    = 6 * time.Hour      // and no longer than this
	permanentWait  = 7 * 24 * time.Hour // gone and other final results are asked again weekly (DESIGN.md 2)
	limitedDefault = time.Minute        // least wait for a limit without a reset time (FACTS.md 4)
)

// retryAt returns when an item with this attempt is due again, apart from a new input or version.
func retryAt(a Attempt, failures int, now time.Time) time.Time {
	switch {
	case !a.RetryAt.IsZero():
		return a.RetryAt
	case a.Outcome == data.OutcomeLimited:
		return now.Add(limitedDefault)
	case a.Outcome.Permanent():
		return now.Add(permanentWait)
	case a.Outcome == data.OutcomeOK:
		return now
	}
	wait := backoffMost
	if failures < 10 {
		wait = min(backoffMost, backoffFirst<<max(failures-1, 0))
	}
	return now.Add(wait - time.Duration(jitter(a.Item)*float64(wait)/4))
}

// jitter spreads items over [0,1) by their key, so that a run is repeatable.
func jitter(item string) float64 {
	hash := fnv.New32a()
	hash.Write([]byte(item))
	return float64(hash.Sum32()) / (1 << 32)
}

func (s *Store) putAttempts(ctx context.Context, tx *sql.Tx, stage Stage, attempts []Attempt) error {
	now := s.now()
	for _, a := range attempts {
		var failures int
		err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT attempts FROM due WHERE stage = ? AND item = ?), 0)`, stage, a.Item).Scan(&failures)
		if err != nil {
			return err
		}
		switch a.Outcome {
		case data.OutcomeLimited: // no attempt
		case data.OutcomeUnavailable, data.OutcomeInternal:
			failures++
		default:
			failures = 0
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO due (stage, item, input, version, outcome, reason, attempts, checked_at, retry_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (stage, item) DO UPDATE SET input = excluded.input, version = excluded.version, outcome = excluded.outcome,
				reason = excluded.reason, attempts = excluded.attempts, checked_at = excluded.checked_at, retry_at = excluded.retry_at`,
			stage, a.Item, a.Input, a.Version, a.Outcome, a.Reason, failures, now.UnixMilli(), retryAt(a, failures, now).Add(time.Second-1).Unix()) // rounded up: never before the host's time
		if err != nil {
			return fmt.Errorf("store %s attempt of %s: %w", stage, a.Item, err)
		}
	}
	return nil
}

// Release makes the items of a stage that wait for a limit due now, if their last attempt had this input.
func (s *Store) Release(ctx context.Context, stage Stage, input string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE due SET retry_at = 0 WHERE stage = ? AND outcome = 'limited' AND input = ?`, stage, input)
		return err
	})
	if err != nil {
		return fmt.Errorf("release %s: %w", stage, err)
	}
	return nil
}

// NextRetry returns when the first waiting item of a stage is due again, and how many temporary and internal
// failures wait. The time is zero if none does.
func (s *Store) NextRetry(ctx context.Context, stage Stage) (at time.Time, waiting int, err error) {
	var unix sql.NullInt64
	err = s.reader.QueryRowContext(ctx, `SELECT min(retry_at), count(*) FROM due
		WHERE stage = ? AND outcome IN ('limited', 'unavailable', 'internal')`, stage).Scan(&unix, &waiting)
	if err != nil {
		return time.Time{}, 0, fmt.Errorf("read waits of %s: %w", stage, err)
	}
	if unix.Valid {
		at = time.Unix(unix.Int64, 0)
	}
	return at, waiting, nil
}
