package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skillcorpus/data"
)

// CommitImport stores imported skills with their blobs. What is stored already just so stays untouched, and so does
// a skill whose files' contents are known where the record has the same SKILL.md and a listing alone.
func (s *Store) CommitImport(ctx context.Context, bundles []data.Bundle, blobs []Blob) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := putBlobs(ctx, tx, blobs); err != nil {
			return err
		}
		var changed []data.Bundle
		for _, b := range bundles {
			known, err := isStored(ctx, tx, b)
			if err != nil {
				return fmt.Errorf("skill %s: %w", b.ID, err)
			}
			if known {
				continue
			}
			changed = append(changed, b)
			if err := putImportedRepo(ctx, tx, b); err != nil {
				return fmt.Errorf("repository %s: %w", b.RepoID, err)
			}
		}
		return putBundles(ctx, tx, changed)
	})
	if err != nil {
		return fmt.Errorf("store imported skills: %w", err)
	}
	return nil
}

// isStored reports whether the corpus has an imported skill as it is, or better: what a record does not tell (contents,
// licence files) is no change.
func isStored(ctx context.Context, tx *sql.Tx, b data.Bundle) (known bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM skills s WHERE id = ? AND live AND skill_sha256 = ? AND (basis = 'contents' AND ? = 'listing'
			OR copy_key = ? AND basis = ? AND skill_file = ? AND origin = ? AND commit_sha = ? AND license = ? AND updated_at = ? AND stars = ?
			AND ?12 IN ('', `+licensesAbove+`))`,
		b.ID, b.SkillSHA256, b.Basis, b.CopyKey(), b.Basis, b.SkillFile, b.Origin, b.Commit, b.License, b.UpdatedAt, b.Stars, licensesText(b)).Scan(&known)
	return known, err
}

// putImportedRepo names the repository of an imported skill, which no crawl asks for until a listing does.
func putImportedRepo(ctx context.Context, tx *sql.Tx, b data.Bundle) error {
	host, name := data.SplitRepoID(b.RepoID)
	_, err := tx.ExecContext(ctx, `INSERT INTO repos (key, id, host, name, license, stars)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE key = ?1) ON CONFLICT DO NOTHING`,
		data.RepoKey(b.RepoID), b.RepoID, host, name, b.License, b.Stars)
	return err
}

// putBundles writes skills, their files and their discovery findings, and links copies again.
func putBundles(ctx context.Context, tx *sql.Tx, bundles []data.Bundle) error {
	touched := map[string]bool{}
	for _, b := range bundles {
		if err := putBundle(ctx, tx, b, touched); err != nil {
			return fmt.Errorf("skill %s: %w", b.ID, err)
		}
	}
	return linkCopies(ctx, tx, touched)
}

func putBundle(ctx context.Context, tx *sql.Tx, b data.Bundle, touched map[string]bool) error {
	copyKey := b.CopyKey()
	touched[copyKey] = true
	var key int64
	var oldCopyKey, oldSHA256 string
	err := tx.QueryRowContext(ctx, `SELECT key, copy_key, skill_sha256 FROM skills WHERE id = ?`, b.ID).Scan(&key, &oldCopyKey, &oldSHA256)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	default:
		touched[oldCopyKey] = true
		if oldSHA256 != b.SkillSHA256 {
			if err := dropResults(ctx, tx, key, b.ID); err != nil {
				return err
			}
		}
	}
	installers, err := json.Marshal(b.Installers)
	if err != nil {
		return err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO skills (id, repo_key, repo_id, path, skill_file, skill_sha256, origin, commit_sha, license,
			updated_at, stars, basis, digest, copy_key, canonical_rank, installers, live)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
		ON CONFLICT (id) DO UPDATE SET repo_key = excluded.repo_key, repo_id = excluded.repo_id, path = excluded.path, skill_file = excluded.skill_file,
			skill_sha256 = excluded.skill_sha256, origin = excluded.origin, commit_sha = excluded.commit_sha, license = excluded.license,
			updated_at = excluded.updated_at, stars = excluded.stars, basis = excluded.basis, digest = excluded.digest, copy_key = excluded.copy_key,
			canonical_rank = excluded.canonical_rank, installers = excluded.installers, live = 1, removed_at = 0
		RETURNING key`,
		b.ID, data.RepoKey(b.RepoID), b.RepoID, b.Path, b.SkillFile, b.SkillSHA256, b.Origin, b.Commit, b.License,
		b.UpdatedAt, b.Stars, b.Basis, b.Digest, copyKey, b.CanonicalRank(), string(installers)).Scan(&key)
	if err != nil {
		return err
	}
	if err := putFiles(ctx, tx, key, b.Files); err != nil {
		return err
	}
	if err := putLicenses(ctx, tx, key, b.Licenses); err != nil {
		return err
	}
	return putFindings(ctx, tx, key, StageCrawl, b.Findings)
}

// licensesAbove is the SQL for the licence files above a skill s in one text, which licensesText has of a bundle.
const licensesAbove = `(SELECT coalesce(group_concat(' ' || path || ' ' || sha256, ''), '')
	FROM (SELECT path, sha256 FROM license_files WHERE skill = s.key ORDER BY path))`

func licensesText(b data.Bundle) string {
	var text strings.Builder
	for _, f := range b.Licenses {
		text.WriteString(" " + f.Path + " " + f.SHA256)
	}
	return text.String()
}

func putLicenses(ctx context.Context, tx *sql.Tx, skill int64, files []data.LicenseFile) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM license_files WHERE skill = ?`, skill); err != nil {
		return err
	}
	for _, f := range files {
		if _, err := tx.ExecContext(ctx, `INSERT INTO license_files (skill, path, sha256) VALUES (?, ?, ?)`, skill, f.Path, f.SHA256); err != nil {
			return fmt.Errorf("licence file %q: %w", f.Path, err)
		}
	}
	return nil
}

// dropResults forgets what parse and audit said of a SKILL.md that is another one now: its sections would be cut
// out of the wrong bytes.
func dropResults(ctx context.Context, tx *sql.Tx, key int64, id string) error {
	for _, statement := range []string{
		`UPDATE skills SET document_digest = '' WHERE key = ?`,
		`DELETE FROM documents WHERE skill = ?`,
		`DELETE FROM verdicts WHERE skill = ?`,
		`DELETE FROM findings WHERE skill = ? AND stage <> 'crawl'`,
	} {
		if _, err := tx.ExecContext(ctx, statement, key); err != nil {
			return fmt.Errorf("drop results: %w", err)
		}
	}
	return dropDue(ctx, tx, id)
}

// dropDue makes a skill as good as new for parse and audit.
func dropDue(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM due WHERE stage IN ('parse', 'audit') AND item = ?`, id)
	return err
}

// removeSkills marks the live skills of a repository as removed, but for those with an id in keep. Their rows and
// contents stay; their due rows go, since nobody waits for them any more.
func (s *Store) removeSkills(ctx context.Context, tx *sql.Tx, repoKey string, keep []data.Bundle) error {
	ids := make([]string, len(keep))
	for i, b := range keep {
		ids[i] = b.ID
	}
	kept, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	all, err := query(ctx, tx, scanRemoved,
		`UPDATE skills SET live = 0, copy_of = NULL, removed_at = ?
			WHERE repo_key = ? AND live AND id NOT IN (SELECT value FROM json_each(?)) RETURNING id, copy_key`, s.now().Unix(), repoKey, string(kept))
	if err != nil {
		return fmt.Errorf("remove skills: %w", err)
	}
	return afterRemoval(ctx, tx, all)
}

// removed is a skill that was just marked as such.
type removed struct{ id, copyKey string }

func scanRemoved(rows *sql.Rows, r *removed) error { return rows.Scan(&r.id, &r.copyKey) }

func afterRemoval(ctx context.Context, tx *sql.Tx, all []removed) error {
	touched := make(map[string]bool, len(all))
	for _, r := range all {
		touched[r.copyKey] = true
		if err := dropDue(ctx, tx, r.id); err != nil {
			return fmt.Errorf("remove skill %s: %w", r.id, err)
		}
	}
	return linkCopies(ctx, tx, touched)
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
		_, err := tx.ExecContext(ctx, `INSERT INTO findings (skill, stage, position, rule, severity, file, line, message, confidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			skill, stage, i, f.Rule, f.Severity, f.File, f.Line, f.Message, f.Confidence)
		if err != nil {
			return fmt.Errorf("finding %s: %w", f.Rule, err)
		}
	}
	return nil
}

// linkCopies chooses the canonical skill of every one of these copy keys again: the live one of least rank.
func linkCopies(ctx context.Context, tx *sql.Tx, keys map[string]bool) error {
	for key := range keys {
		_, err := tx.ExecContext(ctx, `UPDATE skills SET copy_of = nullif(
				(SELECT c.id FROM skills c WHERE c.copy_key = ?1 AND c.live ORDER BY c.canonical_rank LIMIT 1), id)
			WHERE copy_key = ?1 AND live`, key)
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

// AllFindings returns what crawl, parse and audit found, in this order, each fault once.
func (s Skill) AllFindings() []data.Finding {
	earlier := s.Findings
	if s.Document != nil {
		earlier = slices.Concat(earlier, s.Document.Findings)
	}
	return append(data.Once(earlier, s.Audit), s.Audit...)
}
