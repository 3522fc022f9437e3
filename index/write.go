package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"skillcorpus/index/lexical"
)

// lexicalName is the file of the lexical list.
const lexicalName = "lexical.db"

// batch is how many skills are analysed together: enough for all cores, few enough to hold their texts.
const batch = 256

// Options say what an index is called and what it was made of.
type Options struct {
	Name         string          // of the index; the folder's name if empty
	CorpusDigest string          // kept in the manifest, so that a later run can tell whether to build at all
	Progress     func(added int) // called after every batch with the number so far, if set
}

// Write builds an index folder from skills, whose ids must rise in byte order. The folder appears, or
// replaces the former one, only when it is whole; after an error or a cancelled context everything is as it
// was. No skills at all give an index without hits.
func Write(ctx context.Context, dir string, o Options, skills iter.Seq2[lexical.Skill, error]) (Manifest, error) {
	m := Manifest{Schema: Schema, Name: o.Name, Version: Version, Corpus: o.CorpusDigest}
	if m.Name == "" {
		m.Name = filepath.Base(filepath.Clean(dir))
	}
	err := writeFolder(dir, func(temp string) error {
		count, err := writeLexical(ctx, filepath.Join(temp, lexicalName), o.Progress, skills)
		if err != nil {
			return err
		}
		list, err := describe(temp, KindLexical, lexicalName, count)
		if err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		m.Skills, m.Lists = count, []List{list}
		if err := ctx.Err(); err != nil {
			return err
		}
		return writeManifest(temp, m)
	})
	if err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// writeLexical builds the lexical list and returns how many skills it holds.
func writeLexical(ctx context.Context, path string, progress func(int), skills iter.Seq2[lexical.Skill, error]) (int, error) {
	b, err := lexical.Create(ctx, path)
	if err != nil {
		return 0, err
	}
	if err := addAll(ctx, b, progress, skills); err != nil {
		return 0, errors.Join(err, b.Discard())
	}
	return b.Count(), b.Close(ctx)
}

func addAll(ctx context.Context, b *lexical.Builder, progress func(int), skills iter.Seq2[lexical.Skill, error]) error {
	pending := make([]lexical.Skill, 0, batch)
	flush := func() error {
		if err := b.Add(ctx, pending); err != nil {
			return err
		}
		pending = pending[:0]
		if progress != nil {
			progress(b.Count())
		}
		return nil
	}
	for s, err := range skills {
		if err != nil {
			return err
		}
		if pending = append(pending, s); len(pending) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
