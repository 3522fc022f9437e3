package store

import (
	"context"
	"database/sql"
	"fmt"

	"skillcorpus/data"
)

// putAliases stores the other names of a repository. Its own is none, even if it had another one in between.
func putAliases(ctx context.Context, tx *sql.Tx, repo data.Repo) error {
	for _, alias := range repo.Aliases {
		_, err := tx.ExecContext(ctx, `INSERT INTO aliases (key, id, repo_key) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET repo_key = excluded.repo_key`, data.RepoKey(alias), alias, data.RepoKey(repo.ID))
		if err != nil {
			return fmt.Errorf("alias %s: %w", alias, err)
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM aliases WHERE key = ? AND id = ?`, data.RepoKey(repo.ID), repo.ID)
	return err
}

// putAlias stores that asked is another name of repo, which may not be stored itself yet.
func (s *Store) putAlias(ctx context.Context, tx *sql.Tx, asked string, repo data.Repo) error {
	key := data.RepoKey(repo.ID)
	if asked == key {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO repos (key, id, host, name, listed) VALUES (?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`, key, repo.ID, repo.Host, repo.Name)
	if err != nil {
		return err
	}
	return s.mergeRepo(ctx, tx, asked, key)
}

// mergeRepo turns the repository at key from into an alias of the one at key to.
func (s *Store) mergeRepo(ctx context.Context, tx *sql.Tx, from, to string) error {
	if err := s.removeSkills(ctx, tx, from, nil); err != nil {
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
		{`DELETE FROM repo_findings WHERE repo_key = ?`, []any{from}},
		{`DELETE FROM submodules WHERE repo_key = ?`, []any{from}},
		{`DELETE FROM repos WHERE key = ?`, []any{from}},
	}
	for _, step := range steps {
		if _, err := tx.ExecContext(ctx, step.statement, step.arguments...); err != nil {
			return fmt.Errorf("merge into %s: %w", to, err)
		}
	}
	return nil
}
