package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"skillcorpus/data"
)

// WalkEnd is how an enumeration ended.
type WalkEnd struct {
	Completeness data.Completeness
	Outcome      data.Outcome // of what interrupted it; empty where it was stopped on request or killed, or is under way
	Reason       string       // why it was interrupted or capped, in one line
	RetryAt      time.Time    // when the host may be asked again, as it said; else zero
}

// SourceState is where the enumeration of one source stands.
type SourceState struct {
	Name string
	WalkEnd
	Cursor    json.RawMessage // of the current walk, or the last one of a finished walk; nil before any
	Walk      int
	UpdatedAt time.Time
	Rows      int // listings of the source
	Unlisted  int // of these: not seen by the last complete walk
}

// BeginWalk returns the cursor from which an enumeration goes on: the stored one if the last walk was interrupted,
// for a new walk what renew makes of the last one (nil: nothing). Only listings seen by the walk count as listed once
// it is complete.
func (s *Store) BeginWalk(ctx context.Context, source string, renew func(last json.RawMessage) json.RawMessage) (cursor json.RawMessage, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		var state, text string
		err := tx.QueryRowContext(ctx, `SELECT completeness, cursor FROM sources WHERE name = ?`, source).Scan(&state, &text)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if data.Completeness(state) == data.Interrupted && text != "" {
			cursor = json.RawMessage(text)
			_, err = tx.ExecContext(ctx, `UPDATE sources SET outcome = '', reason = '', retry_at = 0 WHERE name = ?`, source)
			return err
		}
		if renew != nil && text != "" {
			cursor = renew(json.RawMessage(text))
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO sources (name, completeness, cursor, updated_at) VALUES (?, 'interrupted', ?, ?)
			ON CONFLICT (name) DO UPDATE SET completeness = 'interrupted', cursor = excluded.cursor, walk = walk + 1,
				updated_at = excluded.updated_at, outcome = '', reason = '', retry_at = 0`,
			source, string(cursor), s.now().Unix())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin walk of %s: %w", source, err)
	}
	return cursor, nil
}

// CommitListings stores a page of rows together with the cursor behind it, and makes every repository that
// they name due.
func (s *Store) CommitListings(ctx context.Context, source string, rows []data.Listing, cursor json.RawMessage) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		var walk int
		if err := tx.QueryRowContext(ctx, `SELECT walk FROM sources WHERE name = ?`, source).Scan(&walk); err != nil {
			return err
		}
		for _, row := range rows {
			if err := putListing(ctx, tx, source, walk, row); err != nil {
				return fmt.Errorf("row %s: %w", row.ExternalID, err)
			}
		}
		_, err := tx.ExecContext(ctx, `UPDATE sources SET cursor = ?, updated_at = ? WHERE name = ?`, string(cursor), s.now().Unix(), source)
		return err
	})
	if err != nil {
		return fmt.Errorf("store listings of %s: %w", source, err)
	}
	return nil
}

func putListing(ctx context.Context, tx *sql.Tx, source string, walk int, row data.Listing) error {
	tags, err := json.Marshal(append([]string{}, row.Tags...))
	if err != nil {
		return err
	}
	var path any
	if row.PathKnown {
		path = data.CleanDir(row.Path)
	}
	if row.Unlisted {
		walk--
	}
	key := data.RepoKey(row.RepoID())
	_, err = tx.ExecContext(ctx, `INSERT INTO listings
		(source, external_id, name, description, author, tags, stars, installs, url, updated_at, repo_key, ref, path, walk)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (source, external_id) DO UPDATE SET name = excluded.name, description = excluded.description,
			author = excluded.author, tags = excluded.tags, stars = excluded.stars, installs = excluded.installs, url = excluded.url,
			updated_at = excluded.updated_at, repo_key = excluded.repo_key, ref = excluded.ref, path = excluded.path, walk = excluded.walk`,
		source, row.ExternalID, row.Name, row.Description, row.Author, string(tags), row.Stars, row.Installs, row.URL,
		timeText(row.UpdatedAt), key, row.Ref, path, walk)
	if err != nil {
		return err
	}
	var alias bool
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM aliases WHERE key = ?`, key).Scan(&alias); err != nil || alias || row.Unlisted {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO repos (key, id, host, name, listed) VALUES (?, ?, ?, ?, 1)
		ON CONFLICT (key) DO UPDATE SET listed = 1`, key, row.RepoID(), row.Host, row.Repo)
	return err
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// EndWalk stores how an enumeration ended. Its cursor stays, for the one who begins the next walk to renew.
func (s *Store) EndWalk(ctx context.Context, source string, end WalkEnd) error {
	var retry int64
	if !end.RetryAt.IsZero() {
		retry = end.RetryAt.Unix()
	}
	_, err := s.writer.ExecContext(ctx, `UPDATE sources SET completeness = ?, outcome = ?, reason = ?, retry_at = ?, updated_at = ? WHERE name = ?`,
		end.Completeness, end.Outcome, end.Reason, retry, s.now().Unix(), source)
	if err != nil {
		return fmt.Errorf("end walk of %s: %w", source, err)
	}
	return nil
}

// Sources returns the state of every source, by name.
func (s *Store) Sources(ctx context.Context) ([]SourceState, error) {
	states, err := query(ctx, s.reader, func(rows *sql.Rows, state *SourceState) error {
		var cursor string
		var updated, retry int64
		err := rows.Scan(&state.Name, &state.Completeness, &state.Outcome, &state.Reason, &retry, &cursor, &state.Walk, &updated, &state.Rows, &state.Unlisted)
		if retry > 0 {
			state.RetryAt = time.Unix(retry, 0).UTC()
		}
		if cursor != "" {
			state.Cursor = json.RawMessage(cursor)
		}
		state.UpdatedAt = time.Unix(updated, 0).UTC()
		return err
	}, `SELECT s.name, s.completeness, s.outcome, s.reason, s.retry_at, s.cursor, s.walk, s.updated_at, (SELECT count(*) FROM listings l WHERE l.source = s.name),
		(SELECT count(*) FROM listings l WHERE l.source = s.name AND l.walk < s.walk AND s.completeness = 'complete')
		FROM sources s ORDER BY s.name`)
	if err != nil {
		return nil, fmt.Errorf("read sources: %w", err)
	}
	return states, nil
}
