package store

import (
	"context"
	"database/sql"
	"fmt"
)

// SignedText is the text of a SKILL.md with what stands for it in the search for near-copies.
type SignedText struct {
	SHA256    string
	Signature []byte // empty for a text too short to have one
	Paired    bool   // its pairs are stored
}

// SimilarPair links two texts that are near-copies of each other. A is the lesser digest.
type SimilarPair struct {
	A, B    string
	Jaccard float64
}

// Unsigned returns up to limit digests of the texts of live skills, above after in byte order, that have no
// signature of this version.
func (s *Store) Unsigned(ctx context.Context, version int, after string, limit int) ([]string, error) {
	digests, err := query(ctx, s.reader, value[string], `SELECT DISTINCT s.skill_sha256 FROM skills s
		LEFT JOIN signatures g ON g.sha256 = s.skill_sha256 AND g.version = ?1
		WHERE s.live AND g.sha256 IS NULL AND s.skill_sha256 > ?2 ORDER BY s.skill_sha256 LIMIT ?3`, version, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read texts without signature: %w", err)
	}
	return digests, nil
}

// CommitSignatures stores signatures. What was paired before is due again.
func (s *Store) CommitSignatures(ctx context.Context, version int, texts []SignedText) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, t := range texts {
			if _, err := tx.ExecContext(ctx, `DELETE FROM similar WHERE a = ?1 OR b = ?1`, t.SHA256); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO signatures (sha256, version, signature) VALUES (?, ?, ?)
				ON CONFLICT (sha256) DO UPDATE SET version = excluded.version, signature = excluded.signature, paired = 0`,
				t.SHA256, version, t.Signature)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store signatures: %w", err)
	}
	return nil
}

// Signatures returns the signatures of this version of all live texts, by digest.
func (s *Store) Signatures(ctx context.Context, version int) ([]SignedText, error) {
	texts, err := query(ctx, s.reader, func(rows *sql.Rows, t *SignedText) error {
		return rows.Scan(&t.SHA256, &t.Signature, &t.Paired)
	}, `SELECT sha256, signature, paired FROM signatures
		WHERE version = ? AND sha256 IN (SELECT skill_sha256 FROM skills WHERE live) ORDER BY sha256`, version)
	if err != nil {
		return nil, fmt.Errorf("read signatures: %w", err)
	}
	return texts, nil
}

// CommitSimilar stores the pairs of texts, and that these texts are paired now.
func (s *Store) CommitSimilar(ctx context.Context, texts []string, pairs []SimilarPair) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, p := range pairs {
			_, err := tx.ExecContext(ctx, `INSERT INTO similar (a, b, jaccard) VALUES (?, ?, ?)
				ON CONFLICT (a, b) DO UPDATE SET jaccard = excluded.jaccard`, min(p.A, p.B), max(p.A, p.B), p.Jaccard)
			if err != nil {
				return err
			}
		}
		for _, text := range texts {
			if _, err := tx.ExecContext(ctx, `UPDATE signatures SET paired = 1 WHERE sha256 = ?`, text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store similar texts: %w", err)
	}
	return nil
}

// ForgetSimilar removes signatures and pairs of texts that no live skill has any more.
func (s *Store) ForgetSimilar(ctx context.Context) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		const gone = `NOT IN (SELECT skill_sha256 FROM skills WHERE live)`
		for _, statement := range []string{`DELETE FROM similar WHERE a ` + gone + ` OR b ` + gone, `DELETE FROM signatures WHERE sha256 ` + gone} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forget similar texts: %w", err)
	}
	return nil
}

// Neighbour is a live skill whose text is a near-copy of another's.
type Neighbour struct {
	ID      string
	Jaccard float64
}

// Similar returns the near-copies of a skill, the most similar first; equal texts are none.
func (s *Store) Similar(ctx context.Context, id string) ([]Neighbour, error) {
	found, err := query(ctx, s.reader, func(rows *sql.Rows, n *Neighbour) error { return rows.Scan(&n.ID, &n.Jaccard) },
		`SELECT o.id, p.jaccard FROM skills s JOIN (SELECT a, b, jaccard FROM similar UNION ALL SELECT b, a, jaccard FROM similar) p ON p.a = s.skill_sha256
			JOIN skills o ON o.skill_sha256 = p.b AND o.live AND o.copy_of IS NULL
		WHERE s.id = ? ORDER BY p.jaccard DESC, o.id`, id)
	if err != nil {
		return nil, fmt.Errorf("read near-copies of %s: %w", id, err)
	}
	return found, nil
}

// Namesakes returns the ids of the live skills that share a skill's name and have another text, those of the most stars
// first. Copies are left out.
func (s *Store) Namesakes(ctx context.Context, id string) ([]string, error) {
	ids, err := query(ctx, s.reader, value[string],
		`SELECT o.id FROM skills s JOIN documents d ON d.skill = s.key JOIN documents e ON e.name = d.name JOIN skills o ON o.key = e.skill
		WHERE s.id = ? AND d.name <> '' AND o.live AND o.copy_of IS NULL AND o.skill_sha256 <> s.skill_sha256 ORDER BY o.stars DESC, o.id`, id)
	if err != nil {
		return nil, fmt.Errorf("read namesakes of %s: %w", id, err)
	}
	return ids, nil
}
