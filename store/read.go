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
	return func(yield func(Skill, error) bool) {
		for after := ""; ; {
			page, err := s.skillPage(ctx, after)
			if err != nil {
				yield(Skill{}, fmt.Errorf("read skills: %w", err))
				return
			}
			if len(page) == 0 {
				return
			}
			for _, skill := range page {
				if !yield(skill, nil) {
					return
				}
			}
			after = page[len(page)-1].ID
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
	s.basis, s.digest, coalesce(s.copy_of, ''), s.live`

func scanSkill(rows *sql.Rows, r *skillRow) error {
	s := &r.skill
	return rows.Scan(&r.key, &s.ID, &s.RepoID, &s.Path, &s.SkillFile, &s.SkillSHA256, &s.Origin, &s.Commit, &s.License, &s.UpdatedAt, &s.Stars,
		&s.Basis, &s.Digest, &s.CopyOf, &s.Live)
}

func (s *Store) skillPage(ctx context.Context, after string) ([]Skill, error) {
	found, err := query(ctx, s.reader, scanSkill, `SELECT `+skillColumns+` FROM skills s WHERE s.live AND s.id > ? ORDER BY s.id LIMIT ?`, after, pageSize)
	if err != nil {
		return nil, err
	}
	page := make([]Skill, len(found))
	for i, r := range found {
		if err := s.fill(ctx, &r.skill, r.key); err != nil {
			return nil, fmt.Errorf("%s: %w", r.skill.ID, err)
		}
		page[i] = r.skill
	}
	return page, nil
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
	found, err := query(ctx, s.reader, scanSkill, `SELECT `+skillColumns+` FROM skills s WHERE s.id = `+findSkill, id)
	if err != nil {
		return Skill{}, false, fmt.Errorf("read skill %s: %w", id, err)
	}
	if len(found) == 0 {
		return Skill{}, false, nil
	}
	skill := found[0].skill
	if err := s.fill(ctx, &skill, found[0].key); err != nil {
		return Skill{}, false, fmt.Errorf("read skill %s: %w", id, err)
	}
	skill.Copies, err = query(ctx, s.reader, value[string], `SELECT id FROM skills WHERE copy_of = ? AND live ORDER BY id`, skill.ID)
	if err != nil {
		return Skill{}, false, fmt.Errorf("read copies of %s: %w", id, err)
	}
	return skill, true, nil
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
	found, err := query(ctx, s.reader, func(rows *sql.Rows, r *row) error {
		f := &r.finding
		return rows.Scan(&r.stage, &f.Rule, &f.Severity, &f.File, &f.Line, &f.Message)
	}, `SELECT stage, rule, severity, file, line, message FROM findings WHERE skill = ? ORDER BY stage, position`, key)
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

func (s *Store) files(ctx context.Context, skill int64) ([]data.File, error) {
	return query(ctx, s.reader, func(rows *sql.Rows, f *data.File) error {
		return rows.Scan(&f.Path, &f.Mode, &f.Size, &f.SHA256, &f.Note, &f.Kept)
	}, `SELECT path, mode, size, sha256, note, kept FROM files WHERE skill = ? ORDER BY path`, skill)
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
