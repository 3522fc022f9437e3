package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"skillcorpus/data"
)

// Audited is what a report knows of one live skill that was audited: no document and no files.
type Audited struct {
	ID       string
	RepoID   string
	Name     string
	CopyOf   string
	Stars    int
	Bytes    int64 // of SKILL.md
	Verdict  data.Verdict
	Findings []data.Finding // of every stage, each fault once
}

// Audited yields every live skill that has a verdict, in id order.
func (s *Store) Audited(ctx context.Context) iter.Seq2[Audited, error] {
	return pages(func(after string) ([]Audited, error) {
		page, err := s.auditedPage(ctx, after)
		if err != nil {
			return nil, fmt.Errorf("read verdicts: %w", err)
		}
		return page, nil
	}, func(a Audited) string { return a.ID })
}

func (s *Store) auditedPage(ctx context.Context, after string) ([]Audited, error) {
	byKey := map[int64]int{}
	var page []Audited
	err := each(ctx, s.reader, func(rows *sql.Rows) error {
		var key int64
		var body string
		var a Audited
		if err := rows.Scan(&key, &a.ID, &a.RepoID, &a.Name, &a.CopyOf, &a.Stars, &a.Bytes, &body); err != nil {
			return err
		}
		byKey[key] = len(page)
		page = append(page, a)
		return json.Unmarshal([]byte(body), &page[len(page)-1].Verdict)
	}, `SELECT s.key, s.id, s.repo_id, coalesce(d.name, ''), coalesce(s.copy_of, ''), s.stars, coalesce(b.size, 0), v.body
		FROM skills s JOIN verdicts v ON v.skill = s.key LEFT JOIN documents d ON d.skill = s.key LEFT JOIN blobs b ON b.sha256 = s.skill_sha256
		WHERE s.live AND s.id > ? ORDER BY s.id LIMIT ?`, after, pageSize)
	if err != nil || len(page) == 0 {
		return nil, err
	}
	byStage := make([]map[Stage][]data.Finding, len(page))
	err = each(ctx, s.reader, func(rows *sql.Rows) error {
		var key int64
		var stage Stage
		var f data.Finding
		if err := rows.Scan(&key, &stage, &f.Rule, &f.Severity, &f.File, &f.Line, &f.Message, &f.Confidence); err != nil {
			return err
		}
		if at, ok := byKey[key]; ok {
			if byStage[at] == nil {
				byStage[at] = map[Stage][]data.Finding{}
			}
			byStage[at][stage] = append(byStage[at][stage], f)
		}
		return nil
	}, `SELECT f.skill, f.stage, f.rule, f.severity, f.file, f.line, f.message, f.confidence FROM skills s JOIN findings f ON f.skill = s.key
		WHERE s.id BETWEEN ? AND ? ORDER BY f.skill, f.stage, f.position`, page[0].ID, page[len(page)-1].ID)
	for at, found := range byStage {
		page[at].Findings = slices.Concat(data.Once(slices.Concat(found[StageCrawl], found[StageParse]), found[StageAudit]), found[StageAudit])
	}
	return page, err
}
