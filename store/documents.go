package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"skillcorpus/data"
)

// ParseItem is a skill whose SKILL.md is due for parsing.
type ParseItem struct {
	ID        string
	SkillFile string
	SHA256    string // of SKILL.md: Store.Content has the bytes
}

const dueForParse = `FROM skills s LEFT JOIN due d ON d.stage = 'parse' AND d.item = s.id
	WHERE s.live AND s.id > ?1 AND (d.item IS NULL OR d.input <> s.skill_sha256 OR d.version < ?2
		OR d.outcome = 'internal' AND d.retry_at <= ?3)`

// DueParse returns up to limit skills above after, in id order, that were never parsed, whose SKILL.md changed
// since, that an older version of the stage parsed, or whose retry time after a fault of ours has come.
func (s *Store) DueParse(ctx context.Context, version int, after string, limit int) ([]ParseItem, error) {
	items, err := query(ctx, s.reader, func(rows *sql.Rows, item *ParseItem) error {
		return rows.Scan(&item.ID, &item.SkillFile, &item.SHA256)
	}, `SELECT s.id, s.skill_file, s.skill_sha256 `+dueForParse+` ORDER BY s.id LIMIT ?4`, after, version, s.now().Unix(), limit)
	if err != nil {
		return nil, fmt.Errorf("read skills due for parse: %w", err)
	}
	return items, nil
}

// CountDueParse returns how many skills DueParse would give back in all.
func (s *Store) CountDueParse(ctx context.Context, version int) (count int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT count(*) `+dueForParse, "", version, s.now().Unix()).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count skills due for parse: %w", err)
	}
	return count, nil
}

// ParsedSkill is the result of parsing one skill. A nil Document stores the attempt alone.
type ParsedSkill struct {
	Document *data.Document
	packed   []byte
	digest   string
	Attempt  Attempt
}

// PackDocument encodes the result on the caller's goroutine, so that the writer only copies bytes.
func (s *Store) PackDocument(document *data.Document, attempt Attempt) (ParsedSkill, error) {
	bare := *document
	bare.Findings = nil // they have rows of their own
	text, err := json.Marshal(bare)
	if err != nil {
		return ParsedSkill{}, fmt.Errorf("encode document of %s: %w", attempt.Item, err)
	}
	return ParsedSkill{Document: document, packed: s.codec.pack(text), digest: data.SHA256Hex(text), Attempt: attempt}, nil
}

// CommitParsed stores documents, their findings and due rows.
func (s *Store) CommitParsed(ctx context.Context, parsed []ParsedSkill) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, p := range parsed {
			if err := s.putParsed(ctx, tx, p); err != nil {
				return fmt.Errorf("skill %s: %w", p.Attempt.Item, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store documents: %w", err)
	}
	return nil
}

func (s *Store) putParsed(ctx context.Context, tx *sql.Tx, p ParsedSkill) error {
	if p.Document != nil {
		var key int64
		err := tx.QueryRowContext(ctx, `UPDATE skills SET document_digest = ? WHERE id = ? RETURNING key`, p.digest, p.Attempt.Item).Scan(&key)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO documents (skill, name, description, body) VALUES (?, ?, ?, ?)
			ON CONFLICT (skill) DO UPDATE SET name = excluded.name, description = excluded.description, body = excluded.body`,
			key, p.Document.Name, p.Document.Description, p.packed)
		if err != nil {
			return err
		}
		if err := putFindings(ctx, tx, key, StageParse, p.Document.Findings); err != nil {
			return err
		}
	}
	return s.putAttempts(ctx, tx, StageParse, []Attempt{p.Attempt})
}

func (s *Store) unpackDocument(packed []byte) (*data.Document, error) {
	if packed == nil {
		return nil, nil
	}
	text, err := s.codec.unpack(packed)
	if err != nil {
		return nil, err
	}
	document := new(data.Document)
	return document, json.Unmarshal(text, document)
}
