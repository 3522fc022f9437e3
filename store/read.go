package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"

	"skillcorpus/data"
)

// Skills yields every live skill in id order, whole: files, document and verdict as far as they are known.
func (s *Store) Skills(ctx context.Context) iter.Seq2[Skill, error] {
	return pages(func(after string) ([]Skill, error) {
		page, err := s.skillPage(ctx, after)
		if err != nil {
			return nil, fmt.Errorf("read skills: %w", err)
		}
		return page, nil
	}, func(skill Skill) string { return skill.ID })
}

// pages hands on what read gives page by page, each from behind the key of the last one's end; a page of less than
// pageSize is the last.
func pages[T any](read func(after string) ([]T, error), key func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after := ""; ; {
			page, err := read(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			after = key(page[len(page)-1])
		}
	}
}

// pageSize is how many skills a reading pass holds at once.
const pageSize = 256

type skillRow struct {
	skill Skill
	key   int64
}

const skillColumns = `s.key, s.id, s.repo_id, s.path, s.skill_file, s.skill_sha256, s.origin, s.commit_sha, s.license, s.updated_at, s.stars,
	s.basis, s.digest, coalesce(s.copy_of, ''), s.live, s.installers`

func scanSkill(rows *sql.Rows, r *skillRow) error {
	s := &r.skill
	var installers string
	err := rows.Scan(&r.key, &s.ID, &s.RepoID, &s.Path, &s.SkillFile, &s.SkillSHA256, &s.Origin, &s.Commit, &s.License, &s.UpdatedAt, &s.Stars,
		&s.Basis, &s.Digest, &s.CopyOf, &s.Live, &installers)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(installers), &s.Installers)
}

func (s *Store) skillPage(ctx context.Context, after string) ([]Skill, error) {
	return s.readSkills(ctx, `SELECT `+skillColumns+` FROM skills s WHERE s.live AND s.id > ? ORDER BY s.id LIMIT ?`, after, pageSize)
}

// readSkills reads the skills that a statement selects in id order, whole.
func (s *Store) readSkills(ctx context.Context, statement string, arguments ...any) ([]Skill, error) {
	found, err := query(ctx, s.reader, scanSkill, statement, arguments...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	skills, byKey := make([]Skill, len(found)), make(map[int64]*Skill, len(found))
	for i, r := range found {
		skills[i] = r.skill
		byKey[r.key] = &skills[i]
	}
	// One query a table for all of them, not one a skill; skills in between that are not asked for are passed over.
	first, last := skills[0].ID, skills[len(skills)-1].ID
	for _, fill := range []func(context.Context, map[int64]*Skill, string, string) error{s.fillFiles, s.fillLicenses, s.fillDocuments, s.fillFindings} {
		if err := fill(ctx, byKey, first, last); err != nil {
			return nil, err
		}
	}
	return skills, nil
}

func (s *Store) fillFiles(ctx context.Context, skills map[int64]*Skill, first, last string) error {
	return each(ctx, s.reader, func(rows *sql.Rows) error {
		var key int64
		var f data.File
		if err := rows.Scan(&key, &f.Path, &f.Mode, &f.Size, &f.SHA256, &f.Note, &f.Kept); err != nil {
			return err
		}
		if skill := skills[key]; skill != nil {
			skill.Files = append(skill.Files, f)
		}
		return nil
	}, `SELECT f.skill, f.path, f.mode, f.size, f.sha256, f.note, f.kept FROM skills s JOIN files f ON f.skill = s.key
		WHERE s.id BETWEEN ? AND ? ORDER BY f.skill, f.path`, first, last)
}

func (s *Store) fillLicenses(ctx context.Context, skills map[int64]*Skill, first, last string) error {
	return each(ctx, s.reader, func(rows *sql.Rows) error {
		var key int64
		var f data.LicenseFile
		if err := rows.Scan(&key, &f.Path, &f.SHA256); err != nil {
			return err
		}
		if skill := skills[key]; skill != nil {
			skill.Licenses = append(skill.Licenses, f)
		}
		return nil
	}, `SELECT l.skill, l.path, l.sha256 FROM skills s JOIN license_files l ON l.skill = s.key
		WHERE s.id BETWEEN ? AND ? ORDER BY l.skill, l.path`, first, last)
}

// fillDocuments adds documents and verdicts.
func (s *Store) fillDocuments(ctx context.Context, skills map[int64]*Skill, first, last string) error {
	return each(ctx, s.reader, func(rows *sql.Rows) error {
		var key int64
		var packed []byte
		var verdict sql.NullString
		if err := rows.Scan(&key, &packed, &verdict); err != nil {
			return err
		}
		skill := skills[key]
		if skill == nil {
			return nil
		}
		var err error
		if skill.Document, err = s.unpackDocument(packed); err != nil {
			return fmt.Errorf("document of %s: %w", skill.ID, err)
		}
		if verdict.Valid {
			skill.Verdict = new(data.Verdict)
			if err := json.Unmarshal([]byte(verdict.String), skill.Verdict); err != nil {
				return fmt.Errorf("verdict of %s: %w", skill.ID, err)
			}
		}
		return nil
	}, `SELECT s.key, d.body, v.body FROM skills s LEFT JOIN documents d ON d.skill = s.key LEFT JOIN verdicts v ON v.skill = s.key
		WHERE s.id BETWEEN ? AND ?`, first, last)
}

// fillFindings comes after fillDocuments: a document's findings lie in it.
func (s *Store) fillFindings(ctx context.Context, skills map[int64]*Skill, first, last string) error {
	return each(ctx, s.reader, func(rows *sql.Rows) error {
		var key int64
		var stage Stage
		var f data.Finding
		if err := rows.Scan(&key, &stage, &f.Rule, &f.Severity, &f.File, &f.Line, &f.Message, &f.Confidence); err != nil {
			return err
		}
		switch skill := skills[key]; {
		case skill == nil:
		case stage == StageCrawl:
			skill.Findings = append(skill.Findings, f)
		case stage == StageAudit:
			skill.Audit = append(skill.Audit, f)
		case skill.Document != nil:
			skill.Document.Findings = append(skill.Document.Findings, f)
		}
		return nil
	}, `SELECT f.skill, f.stage, f.rule, f.severity, f.file, f.line, f.message, f.confidence FROM skills s JOIN findings f ON f.skill = s.key
		WHERE s.id BETWEEN ? AND ? ORDER BY f.skill, f.stage, f.position`, first, last)
}

// findSkill looks for a live skill first, under its id, its repository's former names, then in any letter case; a
// removed one is better than none.
const findSkill = `coalesce(
	(SELECT id FROM skills WHERE id = ?1 AND live),
	(SELECT s.id FROM skills s JOIN aliases a ON a.repo_key = s.repo_key
		WHERE s.live AND lower(?1) = a.key || CASE s.path WHEN '' THEN '' ELSE '/' || lower(s.path) END ORDER BY s.id LIMIT 1),
	(SELECT id FROM skills WHERE lower(id) = lower(?1) AND live ORDER BY id LIMIT 1),
	(SELECT id FROM skills WHERE id = ?1),
	(SELECT id FROM skills WHERE lower(id) = lower(?1) ORDER BY id LIMIT 1))`

// Skill returns one skill, live or removed, with its copies. The id is taken in any letter case and under a
// repository's former name; false means that there is none.
func (s *Store) Skill(ctx context.Context, id string) (Skill, bool, error) {
	found, err := s.readSkills(ctx, `SELECT `+skillColumns+` FROM skills s WHERE s.id = `+findSkill, id)
	if err != nil {
		return Skill{}, false, fmt.Errorf("read skill %s: %w", id, err)
	}
	if len(found) == 0 {
		return Skill{}, false, nil
	}
	skill := found[0]
	skill.Copies, err = query(ctx, s.reader, value[string], `SELECT id FROM skills WHERE copy_of = ? AND live ORDER BY id`, skill.ID)
	if err != nil {
		return Skill{}, false, fmt.Errorf("read copies of %s: %w", id, err)
	}
	return skill, true, nil
}

// Listings returns the listings of every repository, by the key of the repository that they lead to today.
func (s *Store) Listings(ctx context.Context) (map[string][]data.Listing, error) {
	type row struct {
		key     string
		listing data.Listing
	}
	all, err := query(ctx, s.reader, func(rows *sql.Rows, r *row) error {
		var path sql.NullString
		err := rows.Scan(&r.key, &r.listing.Source, &r.listing.ExternalID, &r.listing.Name, &r.listing.Stars, &r.listing.Installs, &path)
		r.listing.Path, r.listing.PathKnown = path.String, path.Valid
		return err
	}, `SELECT coalesce((SELECT repo_key FROM aliases WHERE key = l.repo_key), l.repo_key),
		source, external_id, name, stars, installs, path FROM listings l ORDER BY source, external_id`)
	if err != nil {
		return nil, fmt.Errorf("read listings: %w", err)
	}
	byRepo := map[string][]data.Listing{}
	for _, r := range all {
		byRepo[r.key] = append(byRepo[r.key], r.listing)
	}
	return byRepo, nil
}
