package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"skillcorpus/index/embed"
	"skillcorpus/index/lexical"
	"skillcorpus/index/vector"
)

// Bounds of one call of an embedder: what a kill may lose.
const (
	chunkTokens = 8192
	chunkTexts  = 256
)

// Vectors say which sections of an index are embedded, with what, and where vectors are kept between builds.
type Vectors struct {
	// Embedder is the model; without one the vectors of the former index are kept as far as their texts are.
	Embedder embed.Embedder
	Cache    string    // folder of the caches; none: no vectors
	Sections []Section // none: all
	DType    vector.DType
	Tokens   func(done, total int) // called as texts are embedded with the tokens so far and to do in all, if set
}

// DefaultDType is the number type of vectors where none is asked for.
const DefaultDType = vector.Int8

// embedding is the work on the vectors of one index.
type embedding struct {
	Vectors
	id         string // of the embedder
	dimensions int
	cache      *vector.Cache
	rows       map[Section][]row
	due        []dueText
	waiting    map[vector.Key]bool // the keys of due
	refused    map[vector.Key]bool
}

// row is a skill's place in a section.
type row struct {
	skill uint32 // its number in the lexical list
	key   vector.Key
}

// dueText is a text that is to be embedded.
type dueText struct {
	key    vector.Key
	text   string
	tokens int
}

// openEmbedding opens the cache of the embedder, or of the one that made the former index's vectors. It returns
// nil where there is neither.
func openEmbedding(v Vectors, former Manifest) (*embedding, error) {
	e := &embedding{Vectors: v, rows: map[Section][]row{}, waiting: map[vector.Key]bool{}, refused: map[vector.Key]bool{}}
	lists := former.Vectors()
	switch {
	case v.Cache == "":
		return nil, nil
	case v.Embedder != nil:
		e.id, e.dimensions = v.Embedder.ID(), v.Embedder.Dimensions()
	case len(lists) > 0:
		e.id, e.dimensions = lists[0].Embedder, lists[0].Dimensions
	default:
		return nil, nil
	}
	if len(e.Sections) == 0 {
		e.Sections = Sections()
	}
	e.DType = cmp.Or(e.DType, DefaultDType)
	var err error
	e.cache, err = vector.OpenCache(v.Cache, e.id, e.dimensions)
	return e, err
}

// note takes the texts of the next skill.
func (e *embedding) note(number uint32, skill lexical.Skill) {
	for _, section := range e.Sections {
		text := section.text(skill)
		if text == "" {
			continue
		}
		key := vector.KeyOf(text)
		e.rows[section] = append(e.rows[section], row{skill: number, key: key})
		if e.Embedder == nil || e.waiting[key] || e.cache.Has(key) {
			continue
		}
		text = beginning(text, e.Embedder.MaxTokens())
		e.waiting[key] = true
		e.due = append(e.due, dueText{key: key, text: text, tokens: e.Embedder.Count(text)})
	}
}

// embed makes the due vectors and puts them into the cache, call by call.
func (e *embedding) embed(ctx context.Context) error {
	total, done := 0, 0
	for _, d := range e.due {
		total += d.tokens
	}
	report := func() {
		if e.Tokens != nil {
			e.Tokens(done, total)
		}
	}
	report()
	for _, chunk := range chunks(e.due) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.embedChunk(ctx, chunk); err != nil {
			return fmt.Errorf("embed with %s: %w", e.id, err)
		}
		for _, d := range chunk {
			done += d.tokens
		}
		report()
	}
	e.due = nil
	return nil
}

func (e *embedding) embedChunk(ctx context.Context, chunk []dueText) error {
	texts := make([]string, len(chunk))
	for i, d := range chunk {
		texts[i] = d.text
	}
	vectors, err := e.Embedder.Embed(ctx, embed.Passage, texts)
	if _, ok := errors.AsType[*embed.TextError](err); err != nil && !ok {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("%d vectors came for %d texts", len(vectors), len(texts))
	}
	var keys []vector.Key
	var sound [][]float32
	for i, v := range vectors {
		if _, err := vector.Unit(v, e.dimensions); err != nil {
			e.refused[chunk[i].key] = true
			continue
		}
		keys, sound = append(keys, chunk[i].key), append(sound, v)
	}
	return e.cache.Add(keys, sound)
}

// chunks cuts the due texts into calls of texts that are alike in length, and mixes the calls so that the rate
// so far tells the time that is left.
func chunks(due []dueText) [][]dueText {
	slices.SortFunc(due, func(a, b dueText) int {
		return cmp.Or(cmp.Compare(a.tokens, b.tokens), slices.Compare(a.key[:], b.key[:]))
	})
	var all [][]dueText
	for start, end, tokens := 0, 0, 0; end < len(due); {
		tokens += due[end].tokens
		end++
		if tokens >= chunkTokens || end-start == chunkTexts || end == len(due) {
			all = append(all, due[start:end])
			start, tokens = end, 0
		}
	}
	// Steps of the golden section visit long and short ones in turn, each once: the step has no factor in
	// common with the number of calls.
	step := max(1, len(all)*618/1000)
	for gcd(step, len(all)) > 1 {
		step++
	}
	mixed := make([][]dueText, len(all))
	for i := range all {
		mixed[i] = all[i*step%len(all)]
	}
	return mixed
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
