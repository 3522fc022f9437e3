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
		OR d.outcome = 'ok' AND (d.checked_at > ?6 OR (d.checked_at <= ?3 OR r.host = 'dir') AND d.checked_at < ?4)
		OR d.outcome <> 'ok' AND (d.retry_at <= ?5 OR d.checked_at > ?6))`

// clockSlack is how far two clocks of one corpus may lie apart.
const clockSlack = time.Minute

func (s *Store) dueForCrawl(version int, start time.Time, maxAge time.Duration, after string) []any {
	now := s.now()
	// What was checked in a time to come was so by a clock that has been set back since: its times say nothing.
	return []any{after, version, now.Add(-maxAge).UnixMilli(), start.UnixMilli(), now.Unix(), now.Add(clockSlack).UnixMilli()}
}

// DueRepos returns up to limit listed repositories, in key order, whose key is above after and that a crawl which
// started at start has to fetch: never tried, with an older stage version, whose retry time has come, fetched
// longer than maxAge ago, or local ones, which cost nothing to read.
func (s *Store) DueRepos(ctx context.Context, version int, start time.Time, maxAge time.Duration, after string, limit int) ([]DueRepo, error) {
	arguments := append(s.dueForCrawl(version, start, maxAge, after), limit)
	due, err := query(ctx, s.reader, func(rows *sql.Rows, repo *DueRepo) error { return scanRepo(rows, &repo.Repo, &repo.Outdated) },
		`SELECT coalesce(d.version < ?2, 0), `+repoColumns+dueForCrawl+` ORDER BY r.key LIMIT ?7`, arguments...)
	if err != nil {
		return nil, fmt.Errorf("read due repositories: %w", err)
	}
	return due, nil
}

// CountDueRepos returns how many repositories DueRepos would give back in all.
func (s *Store) CountDueRepos(ctx context.Context, version int, start time.Time, maxAge time.Duration) (count int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT count(*)`+dueForCrawl, s.dueForCrawl(version, start, maxAge, "")...).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count due repositories: %w", err)
	}
	return count, nil
}

// HostCount is how many repositories of one host a corpus knows.
type HostCount struct {
	Repos   int `json:"repos"`
	Read    int `json:"read"`    // of these: read at their last attempt
	Waiting int `json:"waiting"` // of these: wait for another try
}

// Hosts counts the repositories of every host.
func (s *Store) Hosts(ctx context.Context) (map[string]HostCount, error) {
	type row struct {
		host string
		HostCount
	}
	rows, err := query(ctx, s.reader, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.host, &r.Repos, &r.Read, &r.Waiting) },
		`SELECT r.host, count(*), coalesce(sum(d.outcome = 'ok'), 0), coalesce(sum(d.outcome IN ('limited', 'unavailable', 'internal')), 0)
			FROM repos r LEFT JOIN due d ON d.stage = 'crawl' AND d.item = r.key GROUP BY r.host`)
	if err != nil {
		return nil, fmt.Errorf("count repositories by host: %w", err)
	}
	hosts := make(map[string]HostCount, len(rows))
	for _, r := range rows {
		hosts[r.host] = r.HostCount
	}
	return hosts, nil
}

const repoColumns = `r.id, r.host, r.name, r.numeric_id, r.default_branch, r.commit_sha, r.size_kb, r.license, r.stars, r.archived, r.fork, r.updated_at, r.etag`

func scanRepo(rows *sql.Rows, repo *data.Repo, before ...any) error {
	var updated string
	err := rows.Scan(append(before, &repo.ID, &repo.Host, &repo.Name, &repo.NumericID, &repo.DefaultBranch, &repo.Commit, &repo.SizeKB,
		&repo.License, &repo.Stars, &repo.Archived, &repo.Fork, &updated, &repo.ETag)...)
	repo.UpdatedAt = data.ParseTime(updated)
	return err
}

// canonicalKey is the SQL for the key of the repository that the key ?1 leads to today.
const canonicalKey = `coalesce((SELECT repo_key FROM aliases WHERE key = ?1), ?1)`

// Repo returns the stored repository with this id, in any letter case or under a former name, with its aliases
// but without its tree; false means that there is none.
func (s *Store) Repo(ctx context.Context, id string) (data.Repo, bool, error) {
	found, err := query(ctx, s.reader, func(rows *sql.Rows, repo *data.Repo) error { return scanRepo(rows, repo) },
		`SELECT `+repoColumns+` FROM repos r WHERE r.key = `+canonicalKey, data.RepoKey(id))
	if err != nil {
		return data.Repo{}, false, fmt.Errorf("read repository %s: %w", id, err)
	}
	if len(found) == 0 {
		return data.Repo{}, false, nil
	}
	repo := found[0]
	repo.Aliases, err = query(ctx, s.reader, value[string], `SELECT id FROM aliases WHERE repo_key = ? ORDER BY id`, data.RepoKey(repo.ID))
	if err != nil {
		return data.Repo{}, false, fmt.Errorf("read aliases of %s: %w", id, err)
	}
	return repo, true, nil
}

// Tree returns the whole tree of a repository, by any of its names, as its last fetch saw it; nil where none is known.
func (s *Store) Tree(ctx context.Context, repoID string) ([]data.TreeEntry, error) {
	var packed []byte
	err := s.reader.QueryRowContext(ctx, `SELECT tree FROM repos WHERE key = `+canonicalKey, data.RepoKey(repoID)).Scan(&packed)
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
