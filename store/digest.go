package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
)

// Digest returns the corpus digest of DESIGN.md 2: SHA-256 in hex over the ids, file digests, sections, findings
// and verdicts of all live skills, in id order. Times, attempts and ETags are no part of it, so a run that was
// killed and resumed ends with the digest of one that was not.
func (s *Store) Digest(ctx context.Context) (string, error) {
	sum := sha256.New()
	for skill, err := range s.Skills(ctx) {
		if err != nil {
			return "", err
		}
		if err := s.digestSkill(ctx, sum, skill); err != nil {
			return "", fmt.Errorf("digest %s: %w", skill.ID, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (s *Store) digestSkill(ctx context.Context, sum hash.Hash, skill Skill) error {
	var key int64
	if err := s.reader.QueryRowContext(ctx, `SELECT key FROM skills WHERE id = ?`, skill.ID).Scan(&key); err != nil {
		return err
	}
	findings, err := s.findings(ctx, key)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "skill\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s\n", skill.ID, skill.SkillFile, skill.SkillSHA256, skill.Digest, skill.CopyOf, skill.Basis)
	for _, f := range skill.Files {
		fmt.Fprintf(sum, "file\x00%s\x00%s\x00%d\x00%s\x00%s\n", f.Path, f.Mode, f.Size, f.SHA256, f.Note)
	}
	if skill.Document != nil {
		skill.Document.Findings = nil
	}
	return json.NewEncoder(sum).Encode([]any{skill.Document, skill.Verdict, findings})
}
