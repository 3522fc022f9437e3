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

// Counts are how many of each thing a corpus holds.
type Counts struct {
	Repos        int `json:"repos"`
	Skills       int `json:"skills"` // live
	Copies       int `json:"copies"` // of the live skills: linked to a canonical one
	Removed      int `json:"removed"`
	Files        int `json:"files"` // bundled files of live skills
	Documents    int `json:"documents"`
	Recovered    int `json:"recovered"` // frontmatter that only the lenient reader could read
	Verdicts     int `json:"verdicts"`
	Runnable     int `json:"runnable_complete"`
	Findings     int `json:"findings"`      // on live skills
	RepoFindings int `json:"repo_findings"` // on repositories as a whole
	Submodules   int `json:"submodules"`
	Blobs        int `json:"blobs"`
	BlobBytes    int `json:"blob_bytes"`   // unpacked
	StoreBytes   int `json:"stored_bytes"` // packed
}

// Counts counts what the corpus holds.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	err := s.reader.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM repos), (SELECT count(*) FROM skills WHERE live), (SELECT count(*) FROM skills WHERE live AND copy_of IS NOT NULL),
		(SELECT count(*) FROM skills WHERE NOT live), (SELECT count(*) FROM files f JOIN skills s ON s.key = f.skill WHERE s.live),
		(SELECT count(*) FROM documents d JOIN skills s ON s.key = d.skill WHERE s.live),
		(SELECT count(DISTINCT f.skill) FROM findings f JOIN skills s ON s.key = f.skill WHERE s.live AND f.rule = 'frontmatter.recovered'),
		(SELECT count(*) FROM verdicts v JOIN skills s ON s.key = v.skill WHERE s.live),
		(SELECT coalesce(sum(runnable_complete), 0) FROM verdicts v JOIN skills s ON s.key = v.skill WHERE s.live),
		(SELECT count(*) FROM findings f JOIN skills s ON s.key = f.skill WHERE s.live),
		(SELECT count(*) FROM repo_findings), (SELECT count(*) FROM submodules),
		(SELECT count(*) FROM blobs), (SELECT coalesce(sum(size), 0) FROM blobs), (SELECT coalesce(sum(length(zstd)), 0) FROM blobs)`).Scan(
		&c.Repos, &c.Skills, &c.Copies, &c.Removed, &c.Files, &c.Documents, &c.Recovered, &c.Verdicts, &c.Runnable, &c.Findings, &c.RepoFindings, &c.Submodules,
		&c.Blobs, &c.BlobBytes, &c.StoreBytes)
	if err != nil {
		return Counts{}, fmt.Errorf("count corpus: %w", damaged(err))
	}
	return c, nil
}

// Outcomes returns how many items of a stage ended in each outcome.
func (s *Store) Outcomes(ctx context.Context, stage Stage) (map[data.Outcome]int, error) {
	type row struct {
		outcome data.Outcome
		count   int
	}
	rows, err := query(ctx, s.reader, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.outcome, &r.count) },
		`SELECT outcome, count(*) FROM due WHERE stage = ? GROUP BY outcome`, stage)
	if err != nil {
		return nil, fmt.Errorf("count outcomes of %s: %w", stage, err)
	}
	counts := make(map[data.Outcome]int, len(rows))
	for _, r := range rows {
		counts[r.outcome] = r.count
	}
	return counts, nil
}

// Failure is an item that did not end ok.
type Failure struct {
	Stage    Stage        `json:"stage"`
	Item     string       `json:"item"`
	Outcome  data.Outcome `json:"outcome"`
	Reason   string       `json:"reason"`
	Attempts int          `json:"attempts"`
	RetryAt  time.Time    `json:"retry_at"`
}

// Failures lists every item whose last attempt did not end ok, by stage and item.
func (s *Store) Failures(ctx context.Context) ([]Failure, error) {
	failures, err := query(ctx, s.reader, func(rows *sql.Rows, f *Failure) error {
		var retry int64
		err := rows.Scan(&f.Stage, &f.Item, &f.Outcome, &f.Reason, &f.Attempts, &retry)
		f.RetryAt = time.Unix(retry, 0).UTC()
		return err
	}, `SELECT stage, item, outcome, reason, attempts, retry_at FROM due WHERE outcome <> 'ok' ORDER BY stage, item`)
	if err != nil {
		return nil, fmt.Errorf("read failures: %w", err)
	}
	return failures, nil
}

// Wait is what stands behind items that wait for another try.
type Wait struct {
	Stage   Stage        `json:"stage"`
	Outcome data.Outcome `json:"outcome"` // limited, unavailable or internal
	Reason  string       `json:"reason"`  // of the limits: the host's; of the others one of theirs
	Items   int          `json:"items"`
	Until   time.Time    `json:"until"` // when the first of them is due
}

// Waits tells why items wait and until when: limits by what the host said, the most items first.
func (s *Store) Waits(ctx context.Context) ([]Wait, error) {
	waits, err := query(ctx, s.reader, func(rows *sql.Rows, w *Wait) error {
		var until int64
		err := rows.Scan(&w.Stage, &w.Outcome, &w.Reason, &w.Items, &until)
		w.Until = time.Unix(until, 0).UTC()
		return err
	}, `SELECT stage, outcome, min(reason), count(*), min(retry_at) FROM due WHERE outcome IN ('limited', 'unavailable', 'internal')
		GROUP BY stage, outcome, CASE outcome WHEN 'limited' THEN reason END ORDER BY 4 DESC, 1, 2, 3 LIMIT 20`)
	if err != nil {
		return nil, fmt.Errorf("read waits: %w", err)
	}
	return waits, nil
}

// Run is one entry of the run history.
type Run struct {
	Command   string          `json:"command"`
	StartedAt time.Time       `json:"started_at"`
	EndedAt   time.Time       `json:"ended_at"`
	ExitCode  int             `json:"exit_code"`
	Summary   json.RawMessage `json:"summary"`
}

// AddRun appends to the run history.
func (s *Store) AddRun(ctx context.Context, run Run) error {
	_, err := s.writer.ExecContext(ctx, `INSERT INTO runs (command, started_at, ended_at, exit_code, summary) VALUES (?, ?, ?, ?, ?)`,
		run.Command, run.StartedAt.UnixMilli(), run.EndedAt.UnixMilli(), run.ExitCode, string(run.Summary))
	if err != nil {
		return fmt.Errorf("store run: %w", err)
	}
	return nil
}

// LastRun returns the newest entry of the run history, and false if there is none.
func (s *Store) LastRun(ctx context.Context) (Run, bool, error) {
	var run Run
	var started, ended int64
	var summary string
	err := s.reader.QueryRowContext(ctx, `SELECT command, started_at, ended_at, exit_code, summary FROM runs ORDER BY run DESC LIMIT 1`).Scan(
		&run.Command, &started, &ended, &run.ExitCode, &summary)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, false, nil
	}
	if err != nil {
		return Run{}, false, fmt.Errorf("read last run: %w", err)
	}
	run.StartedAt, run.EndedAt, run.Summary = time.UnixMilli(started).UTC(), time.UnixMilli(ended).UTC(), json.RawMessage(summary)
	return run, true, nil
}

// RepoFinding is what an archive showed that belongs to no skill.
type RepoFinding struct {
	Repo string `json:"repo"`
	data.Finding
}

// RepoFindings lists what the archives of repositories showed that belongs to no skill, by repository.
func (s *Store) RepoFindings(ctx context.Context) ([]RepoFinding, error) {
	found, err := query(ctx, s.reader, func(rows *sql.Rows, f *RepoFinding) error {
		return rows.Scan(&f.Repo, &f.Rule, &f.Severity, &f.File, &f.Line, &f.Message)
	}, `SELECT coalesce(r.id, f.repo_key), f.rule, f.severity, f.file, f.line, f.message FROM repo_findings f LEFT JOIN repos r ON r.key = f.repo_key
		ORDER BY f.repo_key, f.position`)
	if err != nil {
		return nil, fmt.Errorf("read findings of repositories: %w", err)
	}
	return found, nil
}
