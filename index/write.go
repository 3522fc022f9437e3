package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"skillcorpus/index/lexical"
	"skillcorpus/index/vector"
)

// lexicalName is the file of the lexical list, vectorSuffix ends those of sections.
const (
	lexicalName  = "lexical.db"
	vectorSuffix = ".vec"
)

// batch is how many skills are analysed together: enough for all cores, few enough to hold their texts.
const batch = 256

// Options say what an index is called and what it was made of.
type Options struct {
	Name         string          // of the index; the folder's name if empty
	CorpusDigest string          // kept in the manifest, so that a later run can tell whether to build at all
	Progress     func(added int) // called after every batch with the number so far, if set
	Vectors      Vectors
}

// Write builds an index folder from skills, whose ids must rise in byte order. The folder appears, or
// replaces the former one, only when it is whole; after an error or a cancelled context everything is as it
// was. No skills at all give an index without hits.
//
// Where texts are to be embedded, which may take an hour, the folder appears twice: first with the vectors that
// were there already, so that it can be searched meanwhile, then with all. An error or a kill between the two
// leaves the first, and every vector that was made in the cache.
func Write(ctx context.Context, dir string, o Options, skills iter.Seq2[lexical.Skill, error]) (m Manifest, err error) {
	former, err := ReadManifest(dir)
	if err != nil && !errors.Is(err, ErrNoIndex) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) {
		return Manifest{}, err
	}
	e, err := openEmbedding(o.Vectors, former)
	if err != nil {
		return Manifest{}, err
	}
	if e != nil {
		defer func() { err = errors.Join(err, e.cache.Close()) }()
	}
	m = Manifest{Schema: Schema, Name: cmp.Or(o.Name, filepath.Base(filepath.Clean(dir))), Version: Version, Corpus: o.CorpusDigest}
	var words List
	err = writeFolder(dir, func(temp string) error {
		m.Skills, err = writeLexical(ctx, filepath.Join(temp, lexicalName), o.Progress, noting(skills, e))
		if err != nil {
			return err
		}
		if words, err = describe(temp, KindLexical, lexicalName, m.Skills); err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		return complete(ctx, temp, &m, words, e)
	})
	if err != nil || e == nil || len(e.due) == 0 {
		return m, err
	}
	if err := e.embed(ctx); err != nil {
		return m, err
	}
	err = writeFolder(dir, func(temp string) error {
		if err := link(filepath.Join(dir, lexicalName), filepath.Join(temp, lexicalName)); err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		return complete(ctx, temp, &m, words, e)
	})
	return m, err
}

// complete adds the vector lists and the manifest to a folder with its lexical list.
func complete(ctx context.Context, temp string, m *Manifest, words List, e *embedding) error {
	m.Lists = []List{words}
	if e != nil {
		for _, section := range e.Sections {
			list, ok, err := e.write(ctx, temp, section)
			if err != nil {
				return fmt.Errorf("write index: %w", err)
			}
			if ok {
				m.Lists = append(m.Lists, list)
			}
		}
	}
	slices.SortFunc(m.Lists, func(a, b List) int { return cmp.Compare(a.File, b.File) })
	if err := ctx.Err(); err != nil {
		return err
	}
	return writeManifest(temp, *m)
}

// mayMiss is the share of a section's vectors that may be missing, as one part in so many: with more of them a
// ranking would prefer skills for being embedded.
const mayMiss = 20

// write writes the file of a section out of the cache. It reports false where too many vectors are missing.
func (e *embedding) write(ctx context.Context, temp string, section Section) (List, bool, error) {
	rows := e.rows[section]
	list := List{Section: section, Embedder: e.id, Dimensions: e.dimensions, DType: e.DType}
	for _, r := range rows {
		switch {
		case e.refused[r.key]:
			list.Refused++
		case !e.cache.Has(r.key):
			list.Missing++
		}
	}
	if list.Missing*mayMiss > len(rows) {
		return List{}, false, nil
	}
	name := string(section) + vectorSuffix
	w, err := vector.Create(filepath.Join(temp, name), e.DType, e.dimensions)
	if err != nil {
		return List{}, false, err
	}
	if err := e.copy(ctx, w, rows); err != nil {
		return List{}, false, errors.Join(err, w.Discard())
	}
	if err := w.Close(); err != nil {
		return List{}, false, err
	}
	file, err := describe(temp, KindVector, name, w.Count())
	list.Kind, list.File, list.Bytes, list.SHA256, list.Count = file.Kind, file.File, file.Bytes, file.SHA256, file.Count
	return list, true, err
}

// copy adds the vectors of rows that are in the cache.
func (e *embedding) copy(ctx context.Context, w *vector.Writer, rows []row) error {
	v := make([]float32, e.dimensions)
	for i, r := range rows {
		if i%batch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ok, err := e.cache.Get(r.key, v)
		if err != nil {
			return err
		}
		if ok {
			if err := w.Add(r.skill, r.key, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// link gives a finished file a second name, or copies it where the disk can't.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, in.Close(), out.Close())
}

// noting passes the skills on and tells e of each.
func noting(skills iter.Seq2[lexical.Skill, error], e *embedding) iter.Seq2[lexical.Skill, error] {
	if e == nil {
		return skills
	}
	return func(yield func(lexical.Skill, error) bool) {
		number := uint32(0)
		for s, err := range skills {
			if err == nil {
				number++
				e.note(number, s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
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
