package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"skillcorpus/data"
)

// FetchedRepo is the result of crawling one repository.
type FetchedRepo struct {
	Asked   string // the key that was due: another one than Repo's after a rename
	Repo    data.Repo
	Changed bool // false: facts only, the stored skills stay but for licence and stars
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
		return s.putAlias(ctx, tx, f.Asked, f.Repo)
	}
	switch f.Attempt.Outcome {
	case data.OutcomeOK:
		key = data.RepoKey(f.Repo.ID)
		if err := s.putRepo(ctx, tx, f); err != nil {
			return err
		}
		put := putFacts
		if f.Changed {
			put = s.putContent
		}
		if err := put(ctx, tx, key, f); err != nil {
			return err
		}
	case data.OutcomeGone, data.OutcomeBlocked, data.OutcomeEmpty, data.OutcomeDenied:
		if err := s.removeSkills(ctx, tx, key, nil); err != nil {
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

// putFacts passes on to the stored skills what can change without a commit.
func putFacts(ctx context.Context, tx *sql.Tx, key string, f FetchedRepo) error {
	_, err := tx.ExecContext(ctx, `UPDATE skills SET license = ?1, stars = ?2 WHERE repo_key = ?3 AND live AND (license <> ?1 OR stars <> ?2)`,
		f.Repo.License, f.Repo.Stars, key)
	return err
}

func (s *Store) putContent(ctx context.Context, tx *sql.Tx, key string, f FetchedRepo) error {
	if err := putBlobs(ctx, tx, f.Blobs); err != nil {
		return err
	}
	if err := putBundles(ctx, tx, f.Skills); err != nil {
		return err
	}
	if !f.Partial {
		if err := s.removeSkills(ctx, tx, key, f.Skills); err != nil {
			return err
		}
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
	return nil
}

func (s *Store) putRepo(ctx context.Context, tx *sql.Tx, f FetchedRepo) error {
	repo, key := f.Repo, data.RepoKey(f.Repo.ID)
	if f.Asked != key {
		if err := s.mergeRepo(ctx, tx, f.Asked, key); err != nil {
			return err
		}
	}
	if err := putAliases(ctx, tx, repo); err != nil {
		return err
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
