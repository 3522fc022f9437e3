package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"skillcorpus/data"
)

// ErrNotDenied says that an id is not on the takedown list.
var ErrNotDenied = errors.New("not on the takedown list")

// belowDenied is the SQL for a column that is at or below the key ?1.
func belowDenied(column string) string {
	return `(` + column + ` = ?1 OR substr(` + column + `, 1, length(?1) + 1) = ?1 || '/')`
}

// Deny puts an id on the takedown list, or changes its reason, and takes what it covers out of view in the same
// transaction. It returns how many skills that were. Their contents stay until Prune.
func (s *Store) Deny(ctx context.Context, denial data.Denial) (hidden int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO denied (key, id, reason, added_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET reason = excluded.reason`,
			data.RepoKey(denial.ID), denial.ID, denial.Reason, timeText(s.now()))
		if err != nil {
			return err
		}
		denials, err := readDenials(ctx, tx)
		if err != nil {
			return err
		}
		for _, d := range denials { // under all names that the id has
			if d.Reason == denial.Reason {
				count, err := s.hide(ctx, tx, d)
				if err != nil {
					return err
				}
				hidden += count
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("deny %s: %w", denial.ID, err)
	}
	return hidden, nil
}

func (s *Store) hide(ctx context.Context, tx *sql.Tx, denial data.Denial) (int, error) {
	key := data.RepoKey(denial.ID)
	all, err := query(ctx, tx, scanRemoved, `UPDATE skills SET live = 0, copy_of = NULL, removed_at = ?2
		WHERE live AND `+belowDenied("lower(id)")+` RETURNING id, copy_key`, key, s.now().Unix())
	if err != nil {
		return 0, err
	}
	if err := afterRemoval(ctx, tx, all); err != nil {
		return 0, err
	}
	repos, err := query(ctx, tx, value[string], `SELECT key FROM repos WHERE `+belowDenied("key"), key)
	if err != nil {
		return 0, err
	}
	attempts := make([]Attempt, len(repos))
	for i, repo := range repos {
		attempts[i] = Attempt{Item: repo, Outcome: data.OutcomeDenied, Reason: denial.Reason}
	}
	return len(all), s.putAttempts(ctx, tx, StageCrawl, attempts)
}

// LongerID returns the id of a skill that begins with id and a blank and that line begins with, where nothing is at or
// below id itself; false if there is none.
func (s *Store) LongerID(ctx context.Context, id, line string) (longer string, found bool, err error) {
	ids, err := query(ctx, s.reader, value[string], `SELECT id FROM skills
		WHERE substr(lower(id), 1, length(?1) + 1) = ?1 || ' ' AND instr(?2, lower(id)) = 1
			AND NOT EXISTS (SELECT 1 FROM skills WHERE `+belowDenied("lower(id)")+`) ORDER BY length(id) DESC LIMIT 1`, data.RepoKey(id), data.RepoKey(line))
	if err != nil {
		return "", false, fmt.Errorf("look for %s: %w", id, err)
	}
	if len(ids) == 0 {
		return "", false, nil
	}
	return ids[0], true, nil
}

// Lift takes an id off the takedown list and makes due what it kept away. The error's chain can hold ErrNotDenied.
func (s *Store) Lift(ctx context.Context, id string) error {
	key := data.RepoKey(id)
	err := s.write(ctx, func(tx *sql.Tx) error {
		denials, err := readDenials(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `DELETE FROM denied WHERE key = ?`, key)
		if err != nil {
			return err
		}
		if rows, err := result.RowsAffected(); err != nil || rows == 0 {
			return errors.Join(err, ErrNotDenied)
		}
		for _, d := range denials {
			if d.Added.IsZero() || data.RepoKey(d.ID) == key {
				if err := makeDue(ctx, tx, data.RepoKey(d.ID)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("lift %s: %w", id, err)
	}
	return nil
}

// makeDue lets the next crawl read the repositories at or below a key, or the one that it lies in.
func makeDue(ctx context.Context, tx *sql.Tx, key string) error {
	const related = ` FROM repos WHERE key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || '/' OR substr(?1, 1, length(key) + 1) = key || '/'`
	for _, statement := range []string{
		`DELETE FROM due WHERE stage = 'crawl' AND item IN (SELECT key` + related + `)`,
		`UPDATE repos SET commit_sha = '', etag = '' WHERE key IN (SELECT key` + related + `)`,
	} {
		if _, err := tx.ExecContext(ctx, statement, key); err != nil {
			return err
		}
	}
	return nil
}

// Denials returns the takedown list in order. A repository that is on it under a former name is there under its
// present one as well, without a time.
func (s *Store) Denials(ctx context.Context) (data.Denials, error) {
	denials, err := readDenials(ctx, s.reader)
	if err != nil {
		return nil, fmt.Errorf("read takedown list: %w", err)
	}
	return denials, nil
}

func readDenials(ctx context.Context, from queryer) (data.Denials, error) {
	listed, err := query(ctx, from, func(rows *sql.Rows, d *data.Denial) error {
		var added string
		err := rows.Scan(&d.ID, &d.Reason, &added)
		d.Added = data.ParseTime(added)
		return err
	}, `SELECT id, reason, added_at FROM denied ORDER BY key`)
	if err != nil {
		return nil, err
	}
	denials := data.Denials(listed)
	type alias struct{ key, repo string }
	for _, d := range listed {
		moved, err := query(ctx, from, func(rows *sql.Rows, a *alias) error { return rows.Scan(&a.key, &a.repo) },
			`SELECT key, repo_key FROM aliases WHERE key = ?1 OR substr(?1, 1, length(key) + 1) = key || '/'`, data.RepoKey(d.ID))
		if err != nil {
			return nil, err
		}
		for _, a := range moved {
			if id := a.repo + strings.TrimPrefix(data.RepoKey(d.ID), a.key); !denials.Has(id) {
				denials = append(denials, data.Denial{ID: id, Reason: d.Reason, Added: time.Time{}})
			}
		}
	}
	return denials, nil
}

// DeniedNumbers returns the hosts' own ids of denied repositories, by which they are known under names to come.
func (s *Store) DeniedNumbers(ctx context.Context, denials data.Denials) (map[int64]data.Denial, error) {
	numbers := map[int64]data.Denial{}
	for _, d := range denials {
		found, err := query(ctx, s.reader, value[int64], `SELECT numeric_id FROM repos WHERE numeric_id > 0 AND host = 'github.com' AND `+belowDenied("key"), data.RepoKey(d.ID))
		if err != nil {
			return nil, fmt.Errorf("read denied repositories: %w", err)
		}
		for _, number := range found {
			numbers[number] = d
		}
	}
	return numbers, nil
}
