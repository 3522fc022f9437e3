package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"

	"skillcorpus/data"
)

// Verify reads the whole corpus and returns every fault in it, one line each: damaged pages, broken references,
// contents, documents and trees whose bytes do not have their digest, files that are not there, and sections that
// do not cover their SKILL.md. What cannot be read is a fault and hides no other; the only error is ctx's.
func (s *Store) Verify(ctx context.Context) (faults []string, err error) {
	checks := []struct {
		of  string
		run func(context.Context) ([]string, error)
	}{
		{"database", s.verifyPages},
		{"references", s.verifyReferences},
		{"blobs", s.verifyBlobs},
		{"trees", s.verifyTrees},
		{"skills", s.verifySkills},
		{"files", s.verifyFiles},
	}
	for _, check := range checks {
		found, err := check.run(ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("verify corpus: %w", ctx.Err())
		}
		faults = append(faults, found...)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: cannot be read further: %v", check.of, err))
		}
	}
	return faults, nil
}

func (s *Store) verifyPages(ctx context.Context) ([]string, error) {
	lines, err := query(ctx, s.reader, value[string], `PRAGMA integrity_check(20)`)
	if len(lines) == 1 && lines[0] == "ok" {
		lines = nil
	}
	return lines, err
}

func (s *Store) verifyReferences(ctx context.Context) ([]string, error) {
	faults, err := query(ctx, s.reader, value[string],
		`SELECT 'table ' || "table" || ': a row leads to no row of table ' || parent FROM pragma_foreign_key_check`)
	if err != nil {
		return faults, err
	}
	copies, err := query(ctx, s.reader, value[string], `SELECT 'skill ' || s.id || ': a copy of ' || s.copy_of || ', which is no live original'
		FROM skills s LEFT JOIN skills c ON c.id = s.copy_of AND c.live AND c.copy_of IS NULL
		WHERE s.copy_of IS NOT NULL AND c.id IS NULL ORDER BY s.id`)
	return append(faults, copies...), err
}

// eachPage hands on the rows of a statement page by page, in the order of their first column, which is text: the
// statement takes what is above ?1, at most ?2 rows.
func eachPage[T any](ctx context.Context, from queryer, scan func(*sql.Rows, *T) error, key func(T) string, statement string) iter.Seq2[T, error] {
	return pages(func(after string) ([]T, error) { return query(ctx, from, scan, statement, after, pageSize) }, key)
}

// packed is a compressed content with the digest that its bytes should have.
type packed struct {
	name   string
	digest string
	size   int
	zstd   []byte
}

func (p packed) key() string { return p.name }

func (s *Store) verifyBlobs(ctx context.Context) (faults []string, err error) {
	scan := func(rows *sql.Rows, p *packed) error { return rows.Scan(&p.name, &p.size, &p.zstd) }
	for blob, err := range eachPage(ctx, s.reader, scan, packed.key, `SELECT sha256, size, zstd FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?`) {
		if err != nil {
			return faults, err
		}
		content, err := s.codec.unpack(blob.zstd)
		if err != nil || len(content) != blob.size || data.SHA256Hex(content) != blob.name {
			faults = append(faults, fmt.Sprintf("blob %s: the stored bytes are not those of that digest", blob.name))
		}
	}
	return faults, nil
}

func (s *Store) verifyTrees(ctx context.Context) (faults []string, err error) {
	scan := func(rows *sql.Rows, p *packed) error { return rows.Scan(&p.name, &p.digest, &p.zstd) }
	for tree, err := range eachPage(ctx, s.reader, scan, packed.key,
		`SELECT key, tree_digest, tree FROM repos WHERE tree IS NOT NULL AND key > ? ORDER BY key LIMIT ?`) {
		if err != nil {
			return faults, err
		}
		if text, err := s.codec.unpack(tree.zstd); err != nil || data.SHA256Hex(text) != tree.digest {
			faults = append(faults, fmt.Sprintf("repository %s: its tree is not the one of its digest", tree.name))
		}
	}
	return faults, nil
}

func (s *Store) verifySkills(ctx context.Context) (faults []string, err error) {
	type row struct {
		document packed
		size     sql.NullInt64 // of SKILL.md, if it is there
		verdict  sql.NullString
	}
	scan := func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.document.name, &r.document.digest, &r.document.zstd, &r.size, &r.verdict)
	}
	for r, err := range eachPage(ctx, s.reader, scan, func(r row) string { return r.document.name },
		`SELECT s.id, s.document_digest, d.body, b.size, v.body FROM skills s LEFT JOIN documents d ON d.skill = s.key
			LEFT JOIN blobs b ON b.sha256 = s.skill_sha256 LEFT JOIN verdicts v ON v.skill = s.key WHERE s.id > ? ORDER BY s.id LIMIT ?`) {
		if err != nil {
			return faults, err
		}
		if !r.size.Valid {
			faults = append(faults, fmt.Sprintf("skill %s: the content of its SKILL.md is not there", r.document.name))
		} else if fault := s.checkDocument(r.document, int(r.size.Int64)); fault != "" {
			faults = append(faults, fmt.Sprintf("skill %s: %s", r.document.name, fault))
		}
		if r.verdict.Valid && json.Unmarshal([]byte(r.verdict.String), new(data.Verdict)) != nil {
			faults = append(faults, fmt.Sprintf("skill %s: its verdict cannot be read", r.document.name))
		}
	}
	return faults, nil
}

// checkDocument returns what is wrong with the stored document of a SKILL.md of size bytes.
func (s *Store) checkDocument(stored packed, size int) string {
	if stored.digest == "" && stored.zstd == nil {
		return "" // not parsed yet
	}
	text, err := s.codec.unpack(stored.zstd)
	if err != nil || data.SHA256Hex(text) != stored.digest {
		return "its document is not the one of its digest"
	}
	var document data.Document
	if err := json.Unmarshal(text, &document); err != nil {
		return fmt.Sprintf("its document cannot be read: %v", err)
	}
	return checkPartition(document.Sections, size)
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

func (s *Store) verifyFiles(ctx context.Context) ([]string, error) {
	return query(ctx, s.reader, value[string], `SELECT 'skill ' || s.id || ': the content of ' || f.path || ' is not there'
		FROM files f JOIN skills s ON s.key = f.skill LEFT JOIN blobs b ON b.sha256 = f.sha256
		WHERE f.kept AND b.sha256 IS NULL
		UNION ALL SELECT 'skill ' || s.id || ': the content of ' || l.path || ' of its repository is not there'
		FROM license_files l JOIN skills s ON s.key = l.skill LEFT JOIN blobs b ON b.sha256 = l.sha256
		WHERE l.sha256 <> '' AND b.sha256 IS NULL ORDER BY 1`)
}
