package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Pruned says what a prune took away, or would take.
type Pruned struct {
	Skills int `json:"skills"` // removed ones that are forgotten
	Blobs  int `json:"blobs"`  // contents that no skill has any more, or is under as its licence
	Bytes  int `json:"bytes"`  // of these, as they are stored
}

// Prune forgets the skills that were removed before a time, with everything that is known of them, and then every
// content that no skill is left to have, if it is not a dry run. Skills that live are never touched.
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (pruned Pruned, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		const removed = `NOT live AND removed_at <= ?1`
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM skills WHERE `+removed, before.Unix()).Scan(&pruned.Skills); err != nil {
			return err
		}
		const orphans = ` FROM blobs WHERE sha256 NOT IN (SELECT skill_sha256 FROM skills WHERE NOT (` + removed + `))
			AND sha256 NOT IN (SELECT f.sha256 FROM files f JOIN skills s ON s.key = f.skill WHERE f.kept AND NOT (` + removed + `))
			AND sha256 NOT IN (SELECT l.sha256 FROM license_files l JOIN skills s ON s.key = l.skill WHERE NOT (` + removed + `))`
		err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(length(zstd)), 0)`+orphans, before.Unix()).Scan(&pruned.Blobs, &pruned.Bytes)
		if err != nil || dry {
			return err
		}
		for _, statement := range []string{
			`DELETE` + orphans,
			`DELETE FROM skills WHERE ` + removed,
		} {
			if _, err := tx.ExecContext(ctx, statement, before.Unix()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Pruned{}, fmt.Errorf("prune: %w", err)
	}
	if dry || pruned.Blobs == 0 {
		return pruned, nil
	}
	if _, err := s.writer.ExecContext(ctx, `VACUUM`); err != nil {
		return pruned, fmt.Errorf("give the space back: %w", err)
	}
	return pruned, nil
}
