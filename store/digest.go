package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
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
		if err := digestSkill(sum, skill); err != nil {
			return "", fmt.Errorf("digest %s: %w", skill.ID, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digestSkill(sum hash.Hash, skill Skill) error {
	findings := skill.AllFindings()
	fmt.Fprintf(sum, "skill\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s\n", skill.ID, skill.SkillFile, skill.SkillSHA256, skill.Digest, skill.CopyOf, skill.Basis)
	for _, f := range skill.Files {
		fmt.Fprintf(sum, "file\x00%s\x00%s\x00%d\x00%s\x00%s\n", f.Path, f.Mode, f.Size, f.SHA256, f.Note)
	}
	if skill.Document != nil {
		skill.Document.Findings = nil
	}
	return json.NewEncoder(sum).Encode([]any{skill.Document, skill.Verdict, findings})
}

// SearchDigest returns the SHA-256, in hex, over everything of the live skills that an index is built from,
// listings included, and how many parsed live skills there are.
func (s *Store) SearchDigest(ctx context.Context) (digest string, skills int, err error) {
	sum := sha256.New()
	// The document's digest alone would not do: its sections hold no text where that equals the file's bytes.
	lines, err := query(ctx, s.reader, value[string], `SELECT json_array(s.id, s.skill_sha256, s.document_digest, s.copy_of, s.stars, s.license,
			v.tier, v.runnable_complete, v.license)
		FROM skills s LEFT JOIN verdicts v ON v.skill = s.key WHERE s.live AND s.document_digest <> '' ORDER BY s.id`)
	if err != nil {
		return "", 0, fmt.Errorf("digest for search: %w", err)
	}
	listings, err := s.Listings(ctx)
	if err != nil {
		return "", 0, err
	}
	encoder := json.NewEncoder(sum)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			return "", 0, fmt.Errorf("digest for search: %w", err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(listings)) {
		if err := encoder.Encode([]any{key, listings[key]}); err != nil {
			return "", 0, fmt.Errorf("digest for search: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), len(lines), nil
}
