package store

import (
	"context"
	"database/sql"
	"fmt"

	"skillcorpus/data"
)

// Fates says what became of what the marketplaces advertise, in rows of listings: the paper's Table 6. Advertised is
// the sum of processed and pending; processed that of downloaded, too large, dead and refused.
type Fates struct {
	Advertised int `json:"advertised"` // rows of all sources; one that names a repository alone counts as one
	Pending    int `json:"pending"`    // their repositories were not tried yet, or wait for another try
	Processed  int `json:"processed"`
	TooLarge   int `json:"too_large"`  // excluded by size
	Dead       int `json:"dead"`       // gone, blocked or empty
	Refused    int `json:"refused"`    // malformed, denied or without the right to see it
	Downloaded int `json:"downloaded"` // their repositories were read
	Repos      int `json:"repos"`      // that were read
	Skills     int `json:"skills"`     // live skills in these, listed or not
	// SkillsTooLarge are skills that are too large by themselves, in repositories that were read.
	SkillsTooLarge int `json:"skills_too_large"`
}

// Fates counts what became of every listing.
func (s *Store) Fates(ctx context.Context) (Fates, error) {
	var f Fates
	type row struct {
		outcome string
		count   int
	}
	rows, err := query(ctx, s.reader, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.outcome, &r.count) },
		`SELECT coalesce(d.outcome, ''), count(*) FROM listings l
			LEFT JOIN aliases a ON a.key = l.repo_key
			LEFT JOIN due d ON d.stage = 'crawl' AND d.item = coalesce(a.repo_key, l.repo_key)
			GROUP BY 1`)
	if err != nil {
		return Fates{}, fmt.Errorf("count listings: %w", err)
	}
	for _, r := range rows {
		f.Advertised += r.count
		switch outcome := data.Outcome(r.outcome); outcome {
		case data.OutcomeOK:
			f.Downloaded += r.count
		case data.OutcomeTooLarge:
			f.TooLarge += r.count
		case data.OutcomeGone, data.OutcomeBlocked, data.OutcomeEmpty:
			f.Dead += r.count
		case data.OutcomeMalformed, data.OutcomeDenied, data.OutcomeForbidden:
			f.Refused += r.count
		default:
			f.Pending += r.count
		}
	}
	f.Processed = f.Advertised - f.Pending
	err = s.reader.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM due WHERE stage = 'crawl' AND outcome = 'ok'),
		(SELECT count(*) FROM skills s JOIN due d ON d.stage = 'crawl' AND d.item = s.repo_key AND d.outcome = 'ok' WHERE s.live),
		(SELECT count(*) FROM repo_findings WHERE rule = 'archive.too-large' AND (lower(file) = 'skill.md' OR lower(file) LIKE '%/skill.md'))`).Scan(
		&f.Repos, &f.Skills, &f.SkillsTooLarge)
	if err != nil {
		return Fates{}, fmt.Errorf("count skills of crawled repositories: %w", err)
	}
	return f, nil
}
