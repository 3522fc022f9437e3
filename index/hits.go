package index

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skillcorpus/index/lexical"
	"skillcorpus/index/rank"
	"skillcorpus/index/words"
)

// hits returns the page of a request as hits.
func (s *Searcher) hits(ctx context.Context, q Request, f findings) ([]Hit, error) {
	from := min(q.Offset, len(f.candidates))
	page := f.candidates[from:min(from+q.K, len(f.candidates))]
	ids := make([]string, len(page))
	for i, c := range page {
		ids[i] = c.ID
	}
	skills, err := s.words.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(page))
	for i, c := range page {
		skill := skills[c.ID]
		hits[i] = Hit{
			QueryID: q.ID, Rank: from + i + 1, ID: c.ID, Name: skill.Name, Description: skill.Description,
			Score: c.Score, Confidence: f.confidence(c), Why: f.why(q, c, skill), CopyOf: skill.CopyOf,
			Repo: skill.Repo, License: skill.License, Tier: skill.Tier, RunnableComplete: skill.Runnable,
			Stars: skill.Stars, Installs: skill.Installs,
		}
		if !q.KeepCopies {
			if hits[i].Copies, err = s.places(ctx, skill); err != nil {
				return nil, err
			}
		}
		if q.Explain {
			if hits[i].Stages, err = s.stages(ctx, c, f); err != nil {
				return nil, err
			}
		}
	}
	return hits, nil
}

// places returns the ids of all other records with the same bytes.
func (s *Searcher) places(ctx context.Context, skill lexical.Skill) ([]string, error) {
	canonical := skill.ID
	if skill.CopyOf != "" {
		canonical = skill.CopyOf
	}
	ids, err := s.words.Copies(ctx, canonical)
	ids = slices.DeleteFunc(ids, s.hidden)
	if err != nil || skill.CopyOf == "" {
		return ids, err
	}
	ids = slices.DeleteFunc(append(ids, canonical), func(id string) bool { return id == skill.ID || s.hidden(id) })
	slices.Sort(ids)
	return ids, nil
}

// confidence maps a candidate into 0 to 1, as Hit.Confidence says.
func (f findings) confidence(c rank.Candidate) float64 {
	if c.Pin > rank.PinNone {
		return 1
	}
	var share float64
	if greatest := lexical.GreatestScore(f.terms); greatest > 0 {
		share = f.words[c.Number].score / greatest
	}
	if _, cosine := f.closest(c); cosine > share {
		share = cosine
	}
	return min(share, 1)
}

// closest returns the section of a candidate that comes closest to the query, and its cosine; none and 0 where
// no vector was asked.
func (f findings) closest(c rank.Candidate) (Section, float64) {
	var section Section
	best := rank.Unscored()
	for _, list := range f.sections {
		if x := list.scores[c.Number]; x > best {
			section, best = list.section, x
		}
	}
	if section == "" {
		return "", 0
	}
	return section, float64(best)
}

// why says in a few words what made a skill a hit.
func (f findings) why(q Request, c rank.Candidate, skill lexical.Skill) string {
	if q.Prefix != "" {
		return fmt.Sprintf("begins with %q", q.Prefix)
	}
	var reasons []string
	if c.Pin > rank.PinNone {
		reasons = append(reasons, pinNote(c.Pin))
	}
	reasons = append(reasons, shared(skill, f.terms)...)
	if len(reasons) == 0 && f.words[c.Number].place > 0 {
		reasons = append(reasons, "words in its text")
	}
	if section, cosine := f.closest(c); section != "" {
		meaning := fmt.Sprintf("close in meaning: %s %.2f", section, cosine)
		if len(reasons) == 0 && f.mode == ModeHybrid {
			meaning += ", no word in common"
		}
		reasons = append(reasons, meaning)
	}
	return strings.Join(reasons, "; ")
}

// shared returns, part by part, which words of a query stand in the parts of a skill that are shown.
func shared(skill lexical.Skill, terms []lexical.Term) []string {
	var reasons []string
	left := slices.Clone(terms)
	for _, part := range []struct{ field, text string }{
		{"name", skill.Name},
		{"triggers", strings.Join(skill.Triggers, "\n")},
		{"tags", strings.Join(skill.Tags, "\n")},
		{"description", skill.Description},
	} {
		stems := map[string]bool{}
		words.Document(part.text, func(word []byte) { stems[words.Stem(string(word))] = true })
		var held []string
		left = slices.DeleteFunc(left, func(t lexical.Term) bool {
			if stems[t.Stem] {
				held = append(held, t.Word)
			}
			return stems[t.Stem]
		})
		if len(held) > 0 {
			reasons = append(reasons, part.field+": "+strings.Join(held, ", "))
		}
	}
	return reasons
}

// pinNote says what a pin means.
func pinNote(pin rank.Pin) string {
	switch pin {
	case rank.PinID:
		return "the query is its id"
	case rank.PinName:
		return "the query is its name"
	}
	return "the query names it"
}

// stages returns what every list and step made of a candidate.
func (s *Searcher) stages(ctx context.Context, c rank.Candidate, f findings) ([]Stage, error) {
	var stages []Stage
	if found, ok := f.words[c.Number]; ok {
		matched, err := s.words.Matched(ctx, c.ID, f.terms)
		if err != nil {
			return nil, err
		}
		stages = append(stages, Stage{Name: string(ModeLexical), Rank: found.place, Score: found.score, Matched: matched})
	}
	add := func(name string, scores rank.Scores) {
		if place, ok := scores.Place(c.Number); ok {
			stages = append(stages, Stage{Name: name, Rank: place, Score: float64(scores[c.Number])})
		}
	}
	for _, list := range f.sections {
		add(string(list.section), list.scores)
	}
	if len(f.sections) > 1 {
		add(string(ModeVector), f.vector)
	}
	if f.mode == ModeHybrid {
		add("fused", f.fused)
	}
	if c.Pin > rank.PinNone {
		stages = append(stages, Stage{Name: "pin", Rank: c.ByScore, Note: pinNote(c.Pin)})
	}
	if c.ByPopularity != c.ByScore {
		stages = append(stages, Stage{Name: "popularity", Rank: c.ByPopularity, Note: "near-equal scores, by installs and stars"})
	}
	return stages, nil
}
