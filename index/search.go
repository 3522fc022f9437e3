package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"skillcorpus/index/lexical"
	"skillcorpus/index/vector"
	"skillcorpus/index/words"
)

// Searcher answers queries over one index folder. It is safe for concurrent use and keeps working on the
// files it opened when the folder is replaced.
type Searcher struct {
	dir      string
	manifest Manifest
	words    *lexical.Index
	dense    *dense // nil without Use
	hidden   func(id string) bool
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
	return &Searcher{dir: dir, manifest: m, words: x, hidden: func(string) bool { return false }}, nil
}

// Hide leaves skills out of every answer, as hits and as places of others, whatever the index holds. Call it before
// the first search.
func (s *Searcher) Hide(hidden func(id string) bool) { s.hidden = hidden }

// Manifest returns the manifest of the open index.
func (s *Searcher) Manifest() Manifest { return s.manifest }

// Close closes the index, when embeddings of queries that are still under way have ended. No Search may be under
// way or follow.
func (s *Searcher) Close() error {
	if s.dense == nil {
		return s.words.Close()
	}
	return errors.Join(s.dense.close(), s.words.Close())
}

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
	if !slices.Contains([]Mode{"", ModeLexical, ModeVector, ModeHybrid}, q.Mode) {
		return Result{}, fmt.Errorf("search: no mode %q: want %s, %s or %s", q.Mode, ModeLexical, ModeVector, ModeHybrid)
	}
	found, err := s.find(ctx, q)
	if err != nil {
		return Result{}, asDamaged(s.dir, err)
	}
	hits, err := s.hits(ctx, q, found)
	if err != nil {
		return Result{}, asDamaged(s.dir, err)
	}
	result := Result{Hits: hits, Mode: found.mode, Degraded: found.degraded, Took: time.Since(start)}
	if len(hits) == 0 {
		result.Hint = hint(q, found)
	}
	return result, nil
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
