package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"skillcorpus/index/embed"
	"skillcorpus/index/rank"
	"skillcorpus/index/vector"
)

// DefaultBudget is how long the embedding of a query may take before a search goes on without it.
const DefaultBudget = 800 * time.Millisecond

// Dense is what a Searcher needs to search by meaning.
type Dense struct {
	Embedder embed.Embedder // of queries; the caller closes it after the Searcher
	Missing  error          // why there is no embedder and what mends it, where there is none
	Budget   time.Duration  // for the embedding of one query; 0 is DefaultBudget
}

// dense is the part of a Searcher that searches by meaning. It is safe for concurrent use.
type dense struct {
	Dense
	skills   int
	lists    []denseList
	problems []Degradation
	slots    chan struct{} // one for each query that may be embedded at once
	running  sync.WaitGroup
}

// denseList is one open section.
type denseList struct {
	section Section
	matrix  *vector.Matrix
}

// Use lets the searcher search by meaning, as far as the index has sound vectors of the embedder: what it has
// not, each search tells in Degraded. It reads the vectors once to check them. Without Use a search goes by
// words. It must come before the first Search, once.
func (s *Searcher) Use(d Dense) {
	if d.Budget == 0 {
		d.Budget = DefaultBudget
	}
	s.dense = &dense{Dense: d, skills: s.manifest.Skills, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	s.dense.open(s.dir, s.manifest.Vectors())
}

// open opens the lists that fit the embedder, and notes why others don't.
func (d *dense) open(dir string, lists []List) {
	switch {
	case d.Embedder == nil && d.Missing != nil:
		d.problem(ReasonNoModel, d.Missing.Error())
		return
	case d.Embedder == nil:
		d.problem(ReasonNoModel, "no model is at hand: run `skillcorpus model pull`")
		return
	case len(lists) == 0:
		d.problem(ReasonNoVectors, "the index has no vectors, or not enough yet: run `skillcorpus index`")
		return
	}
	matrices, failures := make([]*vector.Matrix, len(lists)), make([]error, len(lists))
	var opening sync.WaitGroup
	for i, l := range lists {
		opening.Go(func() {
			if d.fits(l) {
				matrices[i], failures[i] = openList(dir, l, d.skills)
			}
		})
	}
	opening.Wait()
	for i, l := range lists {
		switch {
		case !d.fits(l):
			d.problem(ReasonNoVectors, fmt.Sprintf("the vectors of %s are of the model %s (%d numbers), at hand is %s (%d numbers): "+
				"take that model, or run `skillcorpus index` to embed with this one", l.Section, l.Embedder, l.Dimensions, d.Embedder.ID(), d.Embedder.Dimensions()))
			continue
		case failures[i] != nil:
			d.problem(ReasonDamaged, failures[i].Error())
			continue
		case l.Missing > 0:
			d.problem(ReasonStale, fmt.Sprintf("%d skills have no vector of their present %s and are found by words alone: run `skillcorpus index`",
				l.Missing, l.Section))
		}
		d.lists = append(d.lists, denseList{section: l.Section, matrix: matrices[i]})
	}
}

// fits reports whether a list is of the embedder at hand.
func (d *dense) fits(l List) bool {
	return l.Embedder == d.Embedder.ID() && l.Dimensions == d.Embedder.Dimensions()
}

// openList opens a vector list whose bytes are those of the manifest.
func openList(dir string, l List, skills int) (*vector.Matrix, error) {
	if err := checkFiles(dir, []List{l}); err != nil {
		return nil, err
	}
	if err := checkSum(dir, l); err != nil {
		return nil, err
	}
	m, err := vector.Open(filepath.Join(dir, l.File), l.shape(), skills+1)
	if err != nil {
		return nil, asDamaged(dir, err)
	}
	return m, nil
}

func (d *dense) problem(reason Reason, text string) {
	d.problems = append(d.problems, Degradation{Reason: reason, Text: text})
}

// close waits for embeddings that ran over their budget, and closes the lists.
func (d *dense) close() error {
	d.running.Wait()
	var failed error
	for _, l := range d.lists {
		failed = errors.Join(failed, l.matrix.Close())
	}
	return failed
}

// sectionScores are the cosines of one section's vectors with the query.
type sectionScores struct {
	section Section
	scores  rank.Scores
}

// search returns the scores of every section, and what it had to do without. Only a cancelled context is an
// error.
func (d *dense) search(ctx context.Context, text string) ([]sectionScores, []Degradation, error) {
	degraded := slices.Clone(d.problems)
	if len(d.lists) == 0 {
		return nil, degraded, nil
	}
	queries, err := d.embed(ctx, text)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, append(degraded, Degradation{ReasonTimeout, fmt.Sprintf("the query was not embedded within %v: found by words alone", d.Budget)}), nil
	case err != nil:
		return nil, append(degraded, Degradation{ReasonUnavailable, fmt.Sprintf("the query was not embedded: %v: found by words alone", err)}), nil
	}
	var found []sectionScores
	for _, l := range d.lists {
		scores := rank.NewScores(d.skills + 1)
		if err := l.matrix.Scores(queries, scores); err != nil {
			degraded = append(degraded, Degradation{ReasonDamaged, fmt.Sprintf("%s: %v", l.section, err)})
			continue
		}
		found = append(found, sectionScores{l.section, scores})
	}
	return found, degraded, nil
}

// embed returns the vectors of a query's pieces within the budget. A call that takes longer goes on alone
// until it ends, since a model can't be stopped within a batch; it keeps its slot till then.
func (d *dense) embed(ctx context.Context, text string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Budget)
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
	type answer struct {
		vectors [][]float32
		err     error
	}
	answers := make(chan answer, 1)
	d.running.Go(func() {
		defer cancel()
		defer func() { <-d.slots }()
		vectors, err := d.embedPieces(ctx, pieces(text))
		answers <- answer{vectors, err}
	})
	select {
	case a := <-answers:
		return a.vectors, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answers: // it came before its context was freed, or just in time
		return a.vectors, a.err
	default:
		return nil, ctx.Err()
	}
}

// embedPieces returns the vectors of those pieces that have one; it is an error if none has.
func (d *dense) embedPieces(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := d.Embedder.Embed(ctx, embed.Query, texts)
	if _, ok := errors.AsType[*embed.TextError](err); err != nil && !ok {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%d vectors came for %d texts", len(vectors), len(texts))
	}
	var sound [][]float32
	for _, v := range vectors {
		unit, failure := vector.Unit(v, d.Embedder.Dimensions())
		if failure != nil {
			err = cmp.Or(err, failure)
			continue
		}
		sound = append(sound, unit)
	}
	if len(sound) == 0 {
		return nil, err
	}
	return sound, nil
}
