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

// CountNewRepos returns how many listed repositories were never tried.
func (s *Store) CountNewRepos(ctx context.Context) (count int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT count(*) FROM repos WHERE listed AND key NOT IN (SELECT item FROM due WHERE stage = 'crawl')`).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count new repositories: %w", err)
	}
	return count, nil
}

// DueRepo is a repository that a crawl has to fetch.
type DueRepo struct {
	data.Repo
	Outdated bool // read by an older version of the stage: its content is due even if its head did not move
}

const dueForCrawl = ` FROM repos r LEFT JOIN due d ON d.stage = 'crawl' AND d.item = r.key
	WHERE r.listed AND r.key > ?1 AND (d.item IS NULL OR d.version < ?2
		OR d.outcome = 'ok' AND (d.checked_at <= ?3 OR r.host = 'dir') AND d.checked_at < ?4
		OR d.outcome <> 'ok' AND d.retry_at <= ?5)`

func (s *Store) dueForCrawl(version int, start time.Time, maxAge time.Duration, after string) []any {
	now := s.now()
	return []any{after, version, now.Add(-maxAge).Unix(), start.Unix(), now.Unix()}
}

// DueRepos returns up to limit listed repositories, in key order, whose key is above after and that a crawl which
// started at start has to fetch: never tried, with an older stage version, whose retry time has come, fetched
// longer than maxAge ago, or local ones, which cost nothing to read.
func (s *Store) DueRepos(ctx context.Context, version int, start time.Time, maxAge time.Duration, after string, limit int) ([]DueRepo, error) {
	arguments := append(s.dueForCrawl(version, start, maxAge, after), limit)
	rows, err := s.reader.QueryContext(ctx, `SELECT coalesce(d.version < ?2, 0), `+repoColumns+dueForCrawl+` ORDER BY r.key LIMIT ?6`, arguments...)
	if err != nil {
		return nil, fmt.Errorf("read due repositories: %w", err)
	}
	return collect(rows, func(repo *DueRepo) error { return scanRepo(rows, &repo.Repo, &repo.Outdated) })
}

// CountDueRepos returns how many repositories DueRepos would give back in all.
func (s *Store) CountDueRepos(ctx context.Context, version int, start time.Time, maxAge time.Duration) (count int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT count(*)`+dueForCrawl, s.dueForCrawl(version, start, maxAge, "")...).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count due repositories: %w", err)
	}
	return count, nil
}

const repoColumns = `r.id, r.host, r.name, r.numeric_id, r.default_branch, r.commit_sha, r.size_kb, r.license, r.stars, r.archived, r.fork, r.updated_at, r.etag`

func scanRepo(row interface{ Scan(...any) error }, repo *data.Repo, before ...any) error {
	var updated string
	err := row.Scan(append(before, &repo.ID, &repo.Host, &repo.Name, &repo.NumericID, &repo.DefaultBranch, &repo.Commit, &repo.SizeKB,
		&repo.License, &repo.Stars, &repo.Archived, &repo.Fork, &updated, &repo.ETag)...)
	repo.UpdatedAt = data.ParseTime(updated)
	return err
}

// Repo returns the stored repository with this id, in any letter case or under a former name, and false if
// there is none. Its tree is not read.
func (s *Store) Repo(ctx context.Context, id string) (data.Repo, bool, error) {
	var repo data.Repo
	row := s.reader.QueryRowContext(ctx, `SELECT `+repoColumns+` FROM repos r
		WHERE r.key = coalesce((SELECT repo_key FROM aliases WHERE key = ?1), ?1)`, data.RepoKey(id))
	if err := scanRepo(row, &repo); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return data.Repo{}, false, nil
		}
		return data.Repo{}, false, fmt.Errorf("read repository %s: %w", id, err)
	}
	return repo, true, nil
}

// FetchedRepo is the result of crawling one repository.
type FetchedRepo struct {
	Asked   string // the key that was due: another one than Repo's after a rename
	Repo    data.Repo
	Changed bool // false: facts only, the stored skills stay as they are
	// AliasOnly says that the repository was fetched under another name in the same run: only that name is stored.
	AliasOnly bool
	// Partial says that the archive was not read to its end: skills that are not in Skills may be there still.
	Partial    bool
	Skills     []data.Bundle
	Blobs      []Blob
	Findings   []data.Finding // of the repository, beside those of its skills
	Submodules []Submodule
	Attempt    Attempt
}

// CommitRepos stores fetched repositories with everything in them. After a success the skills that are no
// longer there are marked as removed; gone and blocked repositories lose all of theirs from view; every other
// outcome leaves the last good rows as they are.
func (s *Store) CommitRepos(ctx context.Context, fetched []FetchedRepo) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, f := range fetched {
			if err := s.putFetched(ctx, tx, f); err != nil {
				return fmt.Errorf("repository %s: %w", f.Asked, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store crawl results: %w", err)
	}
	return nil
}

func (s *Store) putFetched(ctx context.Context, tx *sql.Tx, f FetchedRepo) error {
	key := f.Asked
	if f.AliasOnly {
		return putAlias(ctx, tx, f.Asked, f.Repo)
	}
	switch f.Attempt.Outcome {
	case data.OutcomeOK:
		key = data.RepoKey(f.Repo.ID)
		if err := s.putRepo(ctx, tx, f); err != nil {
			return err
		}
		if f.Changed {
			if err := putContent(ctx, tx, key, f); err != nil {
				return err
			}
		}
	case data.OutcomeGone, data.OutcomeBlocked, data.OutcomeEmpty, data.OutcomeDenied:
		if err := removeSkills(ctx, tx, key); err != nil {
			return err
		}
		// Should it come back, even at the same commit, its content must be read again.
		if _, err := tx.ExecContext(ctx, `UPDATE repos SET commit_sha = '', etag = '' WHERE key = ?`, key); err != nil {
			return err
		}
	}
	f.Attempt.Item = key
	return s.putAttempts(ctx, tx, StageCrawl, []Attempt{f.Attempt})
}

// Submodule is a repository inside another one's tree.
type Submodule struct{ Path, URL string }

func putContent(ctx context.Context, tx *sql.Tx, key string, f FetchedRepo) error {
	if !f.Partial {
		if err := removeSkills(ctx, tx, key); err != nil {
			return err
		}
	}
	if err := putBlobs(ctx, tx, f.Blobs); err != nil {
		return err
	}
	for _, table := range []string{"repo_findings", "submodules"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE repo_key = ?`, key); err != nil {
			return err
		}
	}
	for i, finding := range f.Findings {
		_, err := tx.ExecContext(ctx, `INSERT INTO repo_findings (repo_key, position, rule, severity, file, line, message) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			key, i, finding.Rule, finding.Severity, finding.File, finding.Line, finding.Message)
		if err != nil {
			return fmt.Errorf("finding %s: %w", finding.Rule, err)
		}
	}
	for _, sub := range f.Submodules {
		if _, err := tx.ExecContext(ctx, `INSERT INTO submodules (repo_key, path, url) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, key, sub.Path, sub.URL); err != nil {
			return fmt.Errorf("submodule %q: %w", sub.Path, err)
		}
	}
	return putBundles(ctx, tx, viaCrawl, f.Skills)
}

func (s *Store) putRepo(ctx context.Context, tx *sql.Tx, f FetchedRepo) error {
	repo, key := f.Repo, data.RepoKey(f.Repo.ID)
	if f.Asked != key {
		if err := mergeRepo(ctx, tx, f.Asked, key); err != nil {
			return err
		}
	}
	for _, alias := range repo.Aliases {
		if alias == repo.ID {
			continue
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO aliases (key, id, repo_key) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET repo_key = excluded.repo_key`, data.RepoKey(alias), alias, key); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO repos (key, id, host, name, numeric_id, default_branch, commit_sha, size_kb, license, stars, archived,
			fork, updated_at, etag, listed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
		ON CONFLICT (key) DO UPDATE SET id = excluded.id, host = excluded.host, name = excluded.name, numeric_id = excluded.numeric_id,
			default_branch = excluded.default_branch, commit_sha = excluded.commit_sha, size_kb = excluded.size_kb, license = excluded.license,
			stars = excluded.stars, archived = excluded.archived, fork = excluded.fork, updated_at = excluded.updated_at, etag = excluded.etag, listed = 1`,
		key, repo.ID, repo.Host, repo.Name, repo.NumericID, repo.DefaultBranch, repo.Commit, repo.SizeKB, repo.License, repo.Stars, repo.Archived,
		repo.Fork, timeText(repo.UpdatedAt), repo.ETag)
	if err != nil || !f.Changed {
		return err
	}
	tree, err := json.Marshal(repo.Tree)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE repos SET tree = ?, tree_digest = ? WHERE key = ?`, s.codec.pack(tree), data.SHA256Hex(tree), key)
	return err
}

// putAlias stores that asked is another name of repo, which may not be stored itself yet.
func putAlias(ctx context.Context, tx *sql.Tx, asked string, repo data.Repo) error {
	key := data.RepoKey(repo.ID)
	if asked == key {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO repos (key, id, host, name, listed) VALUES (?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`, key, repo.ID, repo.Host, repo.Name)
	if err != nil {
		return err
	}
	return mergeRepo(ctx, tx, asked, key)
}

// mergeRepo turns the repository at key from into an alias of the one at key to.
func mergeRepo(ctx context.Context, tx *sql.Tx, from, to string) error {
	if err := removeSkills(ctx, tx, from); err != nil {
		return err
	}
	steps := []struct {
		statement string
		arguments []any
	}{
		{`INSERT INTO aliases (key, id, repo_key) SELECT key, id, ? FROM repos WHERE key = ?
			ON CONFLICT (key) DO UPDATE SET repo_key = excluded.repo_key`, []any{to, from}},
		{`UPDATE aliases SET repo_key = ? WHERE repo_key = ?`, []any{to, from}},
		{`DELETE FROM due WHERE stage = 'crawl' AND item = ?`, []any{from}},
		{`DELETE FROM repos WHERE key = ?`, []any{from}},
	}
	for _, step := range steps {
		if _, err := tx.ExecContext(ctx, step.statement, step.arguments...); err != nil {
			return fmt.Errorf("merge into %s: %w", to, err)
		}
	}
	return nil
}

// removeSkills marks the crawled skills of a repository as removed. Their rows and contents stay.
func removeSkills(ctx context.Context, tx *sql.Tx, repoKey string) error {
	rows, err := tx.QueryContext(ctx, `UPDATE skills SET live = 0, copy_of = NULL WHERE repo_key = ? AND via = 'crawl' AND live RETURNING copy_key`, repoKey)
	if err != nil {
		return err
	}
	keys, err := collect(rows, func(key *string) error { return rows.Scan(key) })
	if err != nil {
		return err
	}
	touched := make(map[string]bool, len(keys))
	for _, key := range keys {
		touched[key] = true
	}
	return linkCopies(ctx, tx, touched)
}

// Tree returns the whole tree of a repository as its last fetch saw it; nil where none is known.
func (s *Store) Tree(ctx context.Context, repoID string) ([]data.TreeEntry, error) {
	var packed []byte
	err := s.reader.QueryRowContext(ctx, `SELECT tree FROM repos WHERE key = ?`, data.RepoKey(repoID)).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) || err == nil && packed == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read tree of %s: %w", repoID, err)
	}
	text, err := s.codec.unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("unpack tree of %s: %w", repoID, err)
	}
	var tree []data.TreeEntry
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("decode tree of %s: %w", repoID, err)
	}
	return tree, nil
}
