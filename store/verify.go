package store

import (
	"context"
	"fmt"

	"skillcorpus/data"
)

// Verify reads the whole corpus and returns every fault in it, one line each: damaged pages, broken references,
// blobs whose bytes do not have their name, skills without their SKILL.md, and sections that do not cover it.
func (s *Store) Verify(ctx context.Context) (faults []string, err error) {
	if faults, err = s.verifyDatabase(ctx); err != nil {
		return nil, err
	}
	blobs, err := s.verifyBlobs(ctx)
	if err != nil {
		return nil, err
	}
	faults = append(faults, blobs...)
	for skill, err := range s.Skills(ctx) {
		if err != nil {
			return nil, err
		}
		content, kept, err := s.Content(ctx, skill.SkillSHA256)
		switch {
		case err != nil:
			faults = append(faults, fmt.Sprintf("skill %s: %v", skill.ID, err))
		case !kept:
			faults = append(faults, fmt.Sprintf("skill %s: the content of its SKILL.md is not there", skill.ID))
		case skill.Document != nil:
			if fault := checkPartition(skill.Document.Sections, len(content)); fault != "" {
				faults = append(faults, fmt.Sprintf("skill %s: %s", skill.ID, fault))
			}
		}
	}
	return faults, nil
}

func (s *Store) verifyDatabase(ctx context.Context) ([]string, error) {
	rows, err := s.reader.QueryContext(ctx, `PRAGMA integrity_check(20)`)
	if err != nil {
		return nil, fmt.Errorf("check database: %w", err)
	}
	lines, err := collect(rows, func(line *string) error { return rows.Scan(line) })
	if err != nil {
		return nil, fmt.Errorf("check database: %w", err)
	}
	if len(lines) == 1 && lines[0] == "ok" {
		return nil, nil
	}
	return lines, nil
}

func (s *Store) verifyBlobs(ctx context.Context) (faults []string, err error) {
	type blob struct {
		name   string
		size   int
		packed []byte
	}
	for after := ""; ; {
		rows, err := s.reader.QueryContext(ctx, `SELECT sha256, size, zstd FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?`, after, pageSize)
		if err != nil {
			return nil, fmt.Errorf("check blobs: %w", err)
		}
		page, err := collect(rows, func(b *blob) error { return rows.Scan(&b.name, &b.size, &b.packed) })
		if err != nil {
			return nil, fmt.Errorf("check blobs: %w", err)
		}
		if len(page) == 0 {
			return faults, nil
		}
		for _, b := range page {
			content, err := s.codec.unpack(b.packed)
			if err != nil || len(content) != b.size || data.SHA256Hex(content) != b.name {
				faults = append(faults, fmt.Sprintf("blob %s: the stored bytes are not those of that digest", b.name))
			}
		}
		after = page[len(page)-1].name
	}
}

// checkPartition returns what is wrong with sections that should cover size bytes without gap or overlap.
func checkPartition(sections []data.Section, size int) string {
	end := 0
	for _, section := range sections {
		if section.Start != end || section.End < section.Start {
			return fmt.Sprintf("section at byte %d should start at byte %d", section.Start, end)
		}
		end = section.End
	}
	if end != size {
		return fmt.Sprintf("sections end at byte %d of %d", end, size)
	}
	return ""
}
