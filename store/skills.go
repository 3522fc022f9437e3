package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"skillcorpus/data"
)

// origins of a skill's rows: only crawled skills are removed when their repository no longer has them.
const (
	viaCrawl  = "crawl"
	viaImport = "import"
)

// CommitImport stores imported skills with their blobs.
func (s *Store) CommitImport(ctx context.Context, bundles []data.Bundle, blobs []Blob) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := putBlobs(ctx, tx, blobs); err != nil {
			return err
		}
		for _, b := range bundles {
			_, err := tx.ExecContext(ctx, `INSERT INTO repos (key, id, host, name, license, stars) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				data.RepoKey(b.RepoID), b.RepoID, data.HostGitHub, b.RepoID, b.License, b.Stars)
			if err != nil {
				return err
			}
		}
		return putBundles(ctx, tx, viaImport, bundles)
	})
	if err != nil {
		return fmt.Errorf("store imported skills: %w", err)
	}
	return nil
}

// putBundles writes skills, their files and their discovery findings, and links copies again.
func putBundles(ctx context.Context, tx *sql.Tx, via string, bundles []data.Bundle) error {
	touched := map[string]bool{}
	for _, b := range bundles {
		if err := putBundle(ctx, tx, via, b, touched); err != nil {
			return fmt.Errorf("skill %s: %w", b.ID, err)
		}
	}
	return linkCopies(ctx, tx, touched)
}

func putBundle(ctx context.Context, tx *sql.Tx, via string, b data.Bundle, touched map[string]bool) error {
	var oldKey string
	if err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT copy_key FROM skills WHERE id = ?), '')`, b.ID).Scan(&oldKey); err != nil {
		return err
	}
	copyKey := b.CopyKey()
	touched[oldKey], touched[copyKey] = true, true
	var key int64
	err := tx.QueryRowContext(ctx, `INSERT INTO skills (id, repo_key, repo_id, path, skill_file, skill_sha256, origin, commit_sha, license,
			updated_at, stars, basis, digest, copy_key, canonical_rank, live, via)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
		ON CONFLICT (id) DO UPDATE SET repo_key = excluded.repo_key, repo_id = excluded.repo_id, path = excluded.path, skill_file = excluded.skill_file,
			skill_sha256 = excluded.skill_sha256, origin = excluded.origin, commit_sha = excluded.commit_sha, license = excluded.license,
			updated_at = excluded.updated_at, stars = excluded.stars, basis = excluded.basis, digest = excluded.digest, copy_key = excluded.copy_key,
			canonical_rank = excluded.canonical_rank, live = 1, via = excluded.via
		RETURNING key`,
		b.ID, data.RepoKey(b.RepoID), b.RepoID, b.Path, b.SkillFile, b.SkillSHA256, b.Origin, b.Commit, b.License,
		b.UpdatedAt, b.Stars, b.Basis, b.Digest, copyKey, b.CanonicalRank(), via).Scan(&key)
	if err != nil {
		return err
	}
	if err := putFiles(ctx, tx, key, b.Files); err != nil {
		return err
	}
	return putFindings(ctx, tx, key, StageCrawl, b.Findings)
}

func putFiles(ctx context.Context, tx *sql.Tx, skill int64, files []data.File) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM files WHERE skill = ?`, skill); err != nil {
		return err
	}
	for _, f := range files {
		_, err := tx.ExecContext(ctx, `INSERT INTO files (skill, path, mode, size, sha256, note, kept) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			skill, f.Path, f.Mode, f.Size, f.SHA256, f.Note, f.Kept)
		if err != nil {
			return fmt.Errorf("file %q: %w", f.Path, err)
		}
	}
	return nil
}

func putFindings(ctx context.Context, tx *sql.Tx, skill int64, stage Stage, findings []data.Finding) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM findings WHERE skill = ? AND stage = ?`, skill, stage); err != nil {
		return err
	}
	for i, f := range findings {
		_, err := tx.ExecContext(ctx, `INSERT INTO findings (skill, stage, position, rule, severity, file, line, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			skill, stage, i, f.Rule, f.Severity, f.File, f.Line, f.Message)
		if err != nil {
			return fmt.Errorf("finding %s: %w", f.Rule, err)
		}
	}
	return nil
}

// linkCopies chooses the canonical skill of every touched copy key again: the live one of least rank.
func linkCopies(ctx context.Context, tx *sql.Tx, keys map[string]bool) error {
	for key := range keys {
		_, err := tx.ExecContext(ctx, `UPDATE skills SET copy_of = nullif(
				(SELECT c.id FROM skills c WHERE c.copy_key = ?1 AND c.live ORDER BY c.canonical_rank LIMIT 1), id)
			WHERE copy_key = ?1`, key)
		if err != nil {
			return fmt.Errorf("link copies: %w", err)
		}
	}
	return nil
}

// Skill is a stored skill with what the stages concluded of it so far.
type Skill struct {
	data.Bundle
	CopyOf   string
	Copies   []string // ids of the skills that are copies of this one
	Live     bool
	Document *data.Document // nil before parse
	Verdict  *data.Verdict  // nil before audit
	Audit    []data.Finding // of the audit; the bundle and the document have those of their stages
}

// AllFindings returns what crawl, parse and audit found, in this order.
func (s Skill) AllFindings() []data.Finding {
	all := slices.Clone(s.Findings)
	if s.Document != nil {
		all = append(all, s.Document.Findings...)
	}
	return append(all, s.Audit...)
}

const skillColumns = `s.key, s.id, s.repo_id, s.path, s.skill_file, s.skill_sha256, s.origin, s.commit_sha, s.license, s.updated_at, s.stars,
	s.basis, s.digest, coalesce(s.copy_of, ''), s.live`

func scanSkill(skill *Skill, key *int64) []any {
	return []any{
		key, &skill.ID, &skill.RepoID, &skill.Path, &skill.SkillFile, &skill.SkillSHA256, &skill.Origin, &skill.Commit,
		&skill.License, &skill.UpdatedAt, &skill.Stars, &skill.Basis, &skill.Digest, &skill.CopyOf, &skill.Live,
	}
}

func (s *Store) files(ctx context.Context, skill int64) ([]data.File, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT path, mode, size, sha256, note, kept FROM files WHERE skill = ? ORDER BY path`, skill)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(f *data.File) error {
		return rows.Scan(&f.Path, &f.Mode, &f.Size, &f.SHA256, &f.Note, &f.Kept)
	})
}
