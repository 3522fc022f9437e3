package store

import (
	"context"
	"database/sql"
	"errors"
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

func (s *Store) skillPage(ctx context.Context, after string) ([]Skill, error) {
	type row struct {
		skill Skill
		key   int64
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT `+skillColumns+` FROM skills s WHERE s.live AND s.id > ? ORDER BY s.id LIMIT ?`, after, pageSize)
	if err != nil {
		return nil, err
	}
	found, err := collect(rows, func(r *row) error { return rows.Scan(scanSkill(&r.skill, &r.key)...) })
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

// Skill returns one skill, live or removed, with its copies. The id is taken in any letter case and under a repository's former name; false means that there is none.
func (s *Store) Skill(ctx context.Context, id string) (Skill, bool, error) {
	var skill Skill
	var key int64
	row := s.reader.QueryRowContext(ctx, `SELECT `+skillColumns+` FROM skills s WHERE s.id = coalesce(
		(SELECT id FROM skills WHERE id = ?1),
		(SELECT s.id FROM skills s JOIN aliases a ON a.repo_key = s.repo_key
			WHERE lower(?1) = a.key || CASE s.path WHEN '' THEN '' ELSE '/' || lower(s.path) END ORDER BY s.live DESC, s.id LIMIT 1),
		(SELECT id FROM skills WHERE lower(id) = lower(?1) ORDER BY id LIMIT 1))`, id)
	if err := row.Scan(scanSkill(&skill, &key)...); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return Skill{}, false, nil
		}
		return Skill{}, false, fmt.Errorf("read skill %s: %w", id, err)
	}
	if err := s.fill(ctx, &skill, key); err != nil {
		return Skill{}, false, fmt.Errorf("read skill %s: %w", id, err)
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT id FROM skills WHERE copy_of = ? AND live ORDER BY id`, skill.ID)
	if err != nil {
		return Skill{}, false, fmt.Errorf("read copies of %s: %w", id, err)
	}
	skill.Copies, err = collect(rows, func(id *string) error { return rows.Scan(id) })
	return skill, true, err
}

// Listings returns the listings of every repository, by the key of the repository that they lead to today.
func (s *Store) Listings(ctx context.Context) (map[string][]data.Listing, error) {
	type row struct {
		key     string
		listing data.Listing
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT coalesce((SELECT repo_key FROM aliases WHERE key = l.repo_key), l.repo_key),
		source, external_id, name, stars, installs, path FROM listings l ORDER BY source, external_id`)
	if err != nil {
		return nil, fmt.Errorf("read listings: %w", err)
	}
	all, err := collect(rows, func(r *row) error {
		var path sql.NullString
		err := rows.Scan(&r.key, &r.listing.Source, &r.listing.ExternalID, &r.listing.Name, &r.listing.Stars, &r.listing.Installs, &path)
		r.listing.Path, r.listing.PathKnown = path.String, path.Valid
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read listings: %w", err)
	}
	byRepo := map[string][]data.Listing{}
	for _, r := range all {
		byRepo[r.key] = append(byRepo[r.key], r.listing)
	}
	return byRepo, nil
}
