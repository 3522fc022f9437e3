package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"skillcorpus/data"
)

// AuditItem is a parsed skill that is due for an audit.
type AuditItem struct {
	Bundle   data.Bundle
	Document data.Document // with its findings
	SkillMD  []byte
	Input    string // digest for the due row
}

// auditInput changes whenever something that the audit reads does.
const auditInput = `s.copy_key || ' ' || s.document_digest || ' ' || s.license || ' ' || coalesce((SELECT tree_digest FROM repos WHERE key = s.repo_key), '')`

const dueForAudit = `FROM skills s LEFT JOIN due d ON d.stage = 'audit' AND d.item = s.id
	WHERE s.live AND s.document_digest <> '' AND s.id > ?1 AND (d.item IS NULL OR d.input <> ` + auditInput + ` OR d.version < ?2
		OR d.outcome = 'internal' AND d.retry_at <= ?3)`

// DueAudit returns up to limit parsed skills above after, in id order, that were never audited, of which
// something changed since, or that an older version of the stage audited.
func (s *Store) DueAudit(ctx context.Context, version int, after string, limit int) ([]AuditItem, error) {
	type row struct {
		skill Skill
		key   int64
		input string
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT `+skillColumns+`, `+auditInput+` `+dueForAudit+` ORDER BY s.id LIMIT ?4`,
		after, version, s.now().Unix(), limit)
	if err != nil {
		return nil, fmt.Errorf("read skills due for audit: %w", err)
	}
	found, err := collect(rows, func(r *row) error { return rows.Scan(append(scanSkill(&r.skill, &r.key), &r.input)...) })
	if err != nil {
		return nil, fmt.Errorf("read skills due for audit: %w", err)
	}
	items := make([]AuditItem, len(found))
	for i, r := range found {
		if err := s.fill(ctx, &r.skill, r.key); err != nil {
			return nil, fmt.Errorf("read %s for audit: %w", r.skill.ID, err)
		}
		items[i] = AuditItem{Bundle: r.skill.Bundle, Document: *r.skill.Document, Input: r.input}
		if items[i].SkillMD, _, err = s.Content(ctx, r.skill.SkillSHA256); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// fill reads what belongs to a skill beside its own row.
func (s *Store) fill(ctx context.Context, skill *Skill, key int64) error {
	var err error
	if skill.Files, err = s.files(ctx, key); err != nil {
		return err
	}
	var packed []byte
	var verdict sql.NullString
	err = s.reader.QueryRowContext(ctx, `SELECT (SELECT body FROM documents WHERE skill = ?1), (SELECT body FROM verdicts WHERE skill = ?1)`, key).Scan(&packed, &verdict)
	if err != nil {
		return err
	}
	if skill.Document, err = s.unpackDocument(packed); err != nil {
		return err
	}
	if verdict.Valid {
		skill.Verdict = new(data.Verdict)
		if err := json.Unmarshal([]byte(verdict.String), skill.Verdict); err != nil {
			return err
		}
	}
	return s.fillFindings(ctx, skill, key)
}

func (s *Store) fillFindings(ctx context.Context, skill *Skill, key int64) error {
	type row struct {
		stage   Stage
		finding data.Finding
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT stage, rule, severity, file, line, message FROM findings WHERE skill = ? ORDER BY stage, position`, key)
	if err != nil {
		return err
	}
	found, err := collect(rows, func(r *row) error {
		f := &r.finding
		return rows.Scan(&r.stage, &f.Rule, &f.Severity, &f.File, &f.Line, &f.Message)
	})
	for _, r := range found {
		switch {
		case r.stage == StageCrawl:
			skill.Findings = append(skill.Findings, r.finding)
		case r.stage == StageAudit:
			skill.Audit = append(skill.Audit, r.finding)
		case skill.Document != nil:
			skill.Document.Findings = append(skill.Document.Findings, r.finding)
		}
	}
	return err
}

// CountDueAudit returns how many skills DueAudit would give back in all.
func (s *Store) CountDueAudit(ctx context.Context, version int) (count int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT count(*) `+dueForAudit, "", version, s.now().Unix()).Scan(&count)
	return count, err
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
