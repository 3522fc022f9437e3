package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"skillcorpus/data"
)

// AuditItem is a parsed skill that is due for an audit: Store.Skill and Store.Content have what it consists of.
type AuditItem struct {
	ID    string
	Input string // digest for the due row
}

// auditInput changes whenever something that the audit reads does.
const auditInput = `s.copy_key || ' ' || s.document_digest || ' ' || s.license || ' ' || coalesce((SELECT tree_digest FROM repos WHERE key = s.repo_key), '')
	|| ` + licensesAbove

const dueForAudit = `FROM skills s LEFT JOIN due d ON d.stage = 'audit' AND d.item = s.id
	WHERE s.live AND s.document_digest <> '' AND s.id > ?1 AND (d.item IS NULL OR d.input <> ` + auditInput + ` OR d.version < ?2
		OR d.outcome = 'internal' AND d.retry_at <= ?3)`

// DueAudit returns up to limit parsed skills above after, in id order, that were never audited, of which
// something changed since, that an older version of the stage audited, or whose retry time after a fault of ours
// has come.
func (s *Store) DueAudit(ctx context.Context, version int, after string, limit int) ([]AuditItem, error) {
	items, err := query(ctx, s.reader, func(rows *sql.Rows, item *AuditItem) error { return rows.Scan(&item.ID, &item.Input) },
		`SELECT s.id, `+auditInput+` `+dueForAudit+` ORDER BY s.id LIMIT ?4`, after, version, s.now().Unix(), limit)
	if err != nil {
		return nil, fmt.Errorf("read skills due for audit: %w", err)
	}
	return items, nil
}

// CountDueAudit returns how many skills DueAudit would give back in all.
func (s *Store) CountDueAudit(ctx context.Context, version int) (count int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT count(*) `+dueForAudit, "", version, s.now().Unix()).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count skills due for audit: %w", err)
	}
	return count, nil
}

// AuditedSkill is the result of auditing one skill. A nil Verdict stores the attempt alone.
type AuditedSkill struct {
	Verdict  *data.Verdict
	Findings []data.Finding
	Attempt  Attempt
}

// CommitAudited stores verdicts, findings and due rows.
func (s *Store) CommitAudited(ctx context.Context, audited []AuditedSkill) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, a := range audited {
			if err := s.putAudited(ctx, tx, a); err != nil {
				return fmt.Errorf("skill %s: %w", a.Attempt.Item, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store verdicts: %w", err)
	}
	return nil
}

func (s *Store) putAudited(ctx context.Context, tx *sql.Tx, a AuditedSkill) error {
	if a.Verdict != nil {
		body, err := json.Marshal(a.Verdict)
		if err != nil {
			return err
		}
		var key int64
		if err := tx.QueryRowContext(ctx, `SELECT key FROM skills WHERE id = ?`, a.Attempt.Item).Scan(&key); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO verdicts (skill, tier, runnable_complete, license, body) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (skill) DO UPDATE SET tier = excluded.tier, runnable_complete = excluded.runnable_complete,
				license = excluded.license, body = excluded.body`,
			key, a.Verdict.Tier, a.Verdict.RunnableComplete, a.Verdict.License, string(body))
		if err != nil {
			return err
		}
		if err := putFindings(ctx, tx, key, StageAudit, a.Findings); err != nil {
			return err
		}
	}
	return s.putAttempts(ctx, tx, StageAudit, []Attempt{a.Attempt})
}
