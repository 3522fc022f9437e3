package index

import (
	"cmp"
	"context"
	"slices"

	"skillcorpus/index/lexical"
	"skillcorpus/index/rank"
	"skillcorpus/index/words"
)

// How the lists become one, measured on the 44 tasks of the benchmark, where the standard error of an MRR is .06.
const (
	// DefaultFusion makes one list of the sections. With all four and the words, the best section gave an MRR
	// of .74 (recall@10 .62), sum_norm .75 (.63), mean .74 (.63) and rrf .66 (.61). The best section is the only
	// one that does not punish a skill for having no code.
	DefaultFusion = rank.FusionMax
	// lexicalShare is the weight of the words in a hybrid search: .3, .4 and .5 gave .74, .75 and .72.
	lexicalShare = 0.4
)

// findings are the candidates of a request in their final order, and how they came there.
type findings struct {
	mode       Mode
	degraded   []Degradation
	terms      []lexical.Term
	candidates []rank.Candidate
	words      lexicalScores
	sections   []sectionScores
	vector     rank.Scores // of all sections together
	fused      rank.Scores // of words and vectors together
}

// lexicalScores is what the lexical list gave, by the number of the skill.
type lexicalScores map[int]placed

type placed struct {
	place int // from 1
	score float64
}

// find runs the stages up to the final order.
func (s *Searcher) find(ctx context.Context, q Request) (findings, error) {
	if q.Prefix != "" {
		return s.list(ctx, q)
	}
	f := findings{mode: ModeLexical}
	if !words.Searchable(q.Text) {
		return f, nil
	}
	if err := s.findByMeaning(ctx, q, &f); err != nil {
		return findings{}, err
	}
	if f.mode != ModeVector {
		if err := s.findByWords(ctx, q, &f); err != nil {
			return findings{}, err
		}
	}
	if f.mode != ModeLexical {
		if err := s.fuse(ctx, q, &f); err != nil {
			return findings{}, err
		}
	}
	if err := s.pin(ctx, q, &f); err != nil {
		return findings{}, err
	}
	f.candidates = slices.DeleteFunc(f.candidates, func(c rank.Candidate) bool { return s.hidden(c.ID) })
	rank.Order(f.candidates, !q.KeepCopies)
	if !q.KeepCopies {
		f.candidates = rank.Collapse(f.candidates)
	}
	return f, nil
}

// findByMeaning asks the vectors, and settles the mode by what came of it.
func (s *Searcher) findByMeaning(ctx context.Context, q Request, f *findings) (err error) {
	if s.dense == nil || q.Mode == ModeLexical {
		return nil
	}
	if f.sections, f.degraded, err = s.dense.search(ctx, q.Text); err != nil || len(f.sections) == 0 {
		return err
	}
	lists := make([]rank.Scores, len(f.sections))
	for i, section := range f.sections {
		lists[i] = section.scores
	}
	f.mode = cmp.Or(q.Mode, ModeHybrid)
	f.vector, err = rank.Fuse(cmp.Or(q.Fusion, DefaultFusion), lists)
	return err
}

// findByWords asks the lexical list.
func (s *Searcher) findByWords(ctx context.Context, q Request, f *findings) (err error) {
	if f.terms, err = s.words.Terms(ctx, q.Text); err != nil {
		return err
	}
	f.candidates, err = s.words.Search(ctx, lexical.Query{
		Terms: f.terms, Filter: filter(q.Filters), Limit: depth, Weights: lexical.DefaultWeights(),
	})
	f.words = make(lexicalScores, len(f.candidates))
	for i, c := range f.candidates {
		f.words[c.Number] = placed{place: i + 1, score: c.Score}
	}
	return err
}

// fuse makes the candidates of the best of the vectors, together with the words in a hybrid search. Standard
// scores are taken before the filters, so that these leave the order of what passes as it was.
func (s *Searcher) fuse(ctx context.Context, q Request, f *findings) error {
	passing, err := s.words.Passing(ctx, filter(q.Filters))
	if err != nil {
		return err
	}
	f.fused = f.vector
	if f.mode == ModeHybrid {
		byWords := rank.NewScores(len(f.vector))
		for number, w := range f.words {
			byWords[number] = float32(w.score)
		}
		f.fused = rank.Blend(byWords.Standardised(), f.vector.Standardised(), lexicalShare)
	}
	if passing != nil {
		f.fused.Keep(passing)
		f.vector.Keep(passing)
		for _, section := range f.sections {
			section.scores.Keep(passing)
		}
	}
	f.candidates, err = s.words.Candidates(ctx, f.fused.Top(depth))
	for i, c := range f.candidates {
		f.candidates[i].Score = float64(f.fused[c.Number])
	}
	return err
}

// pin marks the candidates that the query names, and adds those that its words did not find.
func (s *Searcher) pin(ctx context.Context, q Request, f *findings) error {
	mentions := rank.Mentioned(q.Text)
	named, err := s.words.Named(ctx, mentions.Keys(), filter(q.Filters))
	if err != nil {
		return err
	}
	if len(named) == 0 {
		return nil
	}
	at := make(map[int]int, len(f.candidates))
	for i, c := range f.candidates {
		at[c.Number] = i
	}
	for i, n := range named {
		if place, ok := at[n.Number]; ok {
			named[i].Score = f.candidates[place].Score
		}
	}
	mentions.Pins(named)
	for _, n := range named {
		if place, ok := at[n.Number]; ok {
			f.candidates[place].Pin = n.Pin
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
	ids = slices.DeleteFunc(ids, s.hidden)
	f := findings{mode: ModeLexical, candidates: make([]rank.Candidate, len(ids))}
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
