package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"skillcorpus/index/lexical"
	"skillcorpus/index/rank"
	"skillcorpus/index/vector"
	"skillcorpus/index/words"
)

// Searcher answers queries over one index folder. It is safe for concurrent use and keeps working on the
// files it opened when the folder is replaced.
type Searcher struct {
	dir      string
	manifest Manifest
	words    *lexical.Index
}

// Open opens an index folder. It checks the manifest, the files' sizes and heads, not all their bytes (see
// Verify), and returns ErrNoIndex, ErrDamaged or ErrNewer where the folder can't be searched.
func Open(ctx context.Context, dir string) (*Searcher, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	list, ok := m.List(KindLexical)
	if !ok {
		return nil, damaged(dir, "its manifest names no lexical list")
	}
	if err := checkFiles(dir, []List{list}); err != nil {
		return nil, err
	}
	x, err := lexical.Open(ctx, filepath.Join(dir, list.File))
	if err != nil {
		return nil, asDamaged(dir, err)
	}
	if x.Count() != list.Count {
		return nil, errors.Join(damaged(dir, fmt.Sprintf("%s holds %d skills, the manifest says %d", list.File, x.Count(), list.Count)),
			x.Close())
	}
	return &Searcher{dir: dir, manifest: m, words: x}, nil
}

// Manifest returns the manifest of the open index.
func (s *Searcher) Manifest() Manifest { return s.manifest }

// Close closes the index.
func (s *Searcher) Close() error { return s.words.Close() }

// asDamaged gives an error about a broken file the name that callers know.
func asDamaged(dir string, err error) error {
	if errors.Is(err, lexical.ErrDamaged) || errors.Is(err, vector.ErrDamaged) {
		return damaged(dir, err.Error())
	}
	return fmt.Errorf("search index: %w", err)
}

// Search answers a request. No text is an error: one without letters or digits, or whose words no skill
// holds, has no hits and a hint.
func (s *Searcher) Search(ctx context.Context, q Request) (Result, error) {
	start := time.Now()
	if q.K == 0 {
		q.K = DefaultK
	}
	if q.K < 0 || q.K > MaxK || q.Offset < 0 {
		return Result{}, fmt.Errorf("search: want up to %d hits and no negative offset, not %d from %d", MaxK, q.K, q.Offset)
	}
	found, err := s.find(ctx, q)
	if err != nil {
		return Result{}, asDamaged(s.dir, err)
	}
	hits, err := s.hits(ctx, q, found)
	if err != nil {
		return Result{}, asDamaged(s.dir, err)
	}
	result := Result{Hits: hits, Took: time.Since(start)}
	if len(hits) == 0 {
		result.Hint = hint(q, found)
	}
	return result, nil
}

// findings are the candidates of a request in their final order, and how they came there.
type findings struct {
	terms      []lexical.Term
	candidates []rank.Candidate
	lexical    map[string]int // rank by words alone, from 1
}

// find runs the stages up to the final order.
func (s *Searcher) find(ctx context.Context, q Request) (findings, error) {
	if q.Prefix != "" {
		return s.list(ctx, q)
	}
	if !words.Searchable(q.Text) {
		return findings{}, nil
	}
	terms, err := s.words.Terms(ctx, q.Text)
	if err != nil {
		return findings{}, err
	}
	matches, err := s.words.Search(ctx, lexical.Query{
		Terms: terms, Filter: filter(q.Filters), Limit: depth, Weights: lexical.DefaultWeights(),
	})
	if err != nil {
		return findings{}, err
	}
	f := findings{terms: terms, candidates: matches, lexical: make(map[string]int, len(matches))}
	for i, m := range matches {
		f.lexical[m.ID] = i + 1
	}
	if err := s.pin(ctx, q, &f); err != nil {
		return findings{}, err
	}
	rank.Order(f.candidates, !q.KeepCopies)
	if !q.KeepCopies {
		f.candidates = rank.Collapse(f.candidates)
	}
	return f, nil
}

// pin marks the candidates that the query names, and adds those that its words did not find.
func (s *Searcher) pin(ctx context.Context, q Request, f *findings) error {
	mentions := rank.Mentioned(q.Text)
	named, err := s.words.Named(ctx, mentions.Keys(), filter(q.Filters))
	if err != nil {
		return err
	}
	for i, n := range named {
		if place := f.lexical[n.ID]; place > 0 {
			named[i].Score = f.candidates[place-1].Score
		}
	}
	mentions.Pins(named)
	for _, n := range named {
		if place := f.lexical[n.ID]; place > 0 {
			f.candidates[place-1].Pin = n.Pin
		} else if n.Pin > rank.PinNone {
			f.candidates = append(f.candidates, n.Candidate)
		}
	}
	return nil
}

// list finds all skills with a prefix, by name.
func (s *Searcher) list(ctx context.Context, q Request) (findings, error) {
	ids, err := s.words.Prefix(ctx, q.Prefix, filter(q.Filters))
	if err != nil {
		return findings{}, err
	}
	f := findings{candidates: make([]rank.Candidate, len(ids))}
	for i, id := range ids {
		f.candidates[i] = rank.Candidate{ID: id}
	}
	return f, nil
}

// filter returns the filters as the lexical list takes them.
func filter(f Filters) lexical.Filter {
	return lexical.Filter{
		Licenses: f.Licenses, Tiers: f.Tiers, Sources: f.Sources, Repo: f.Repo, MinStars: f.MinStars, Runnable: f.RunnableOnly,
	}
}

// hint says what to try after a search without hits.
func hint(q Request, f findings) string {
	switch {
	case q.Offset > 0 && len(f.candidates) > 0:
		return fmt.Sprintf("only %d skills were found; ask from a smaller offset", len(f.candidates))
	case q.Prefix != "":
		return "no skill's name begins so; search for words of it instead"
	case !words.Searchable(q.Text):
		return "the query holds no letter or digit; name a task, a tool or a skill"
	case len(f.terms) == 0:
		return "no skill holds any of these words; try others, or fewer filters"
	}
	return "no skill with these words passes the filters; drop one"
}
