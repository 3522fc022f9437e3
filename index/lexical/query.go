package lexical

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"skillcorpus/index/words"
)

// Bounds on what of a query is used.
const (
	// MaxTerms is how many words of a query are searched, the rarest of the corpus first: of a whole task
	// description the common words only cost time. On 44 such tasks over 35,247 skills 16, 24, 32, 48 and 64
	// words gave an MRR of .62, .66, .68, .65 and .65.
	MaxTerms = 32
	maxWords = 4096 // distinct words that are looked up at all
)

// Term is one word of a query as it is searched.
type Term struct {
	Word  string  // as folded from the query
	Stem  string  // as found in the index
	Count int     // skills that hold it
	IDF   float64 // what one occurrence is worth to BM25
}

// Terms returns the words of a text that a search uses: no stop words unless nothing else is left, none that
// no skill holds, and the rarest MaxTerms of the rest, in the order of the text.
func (x *Index) Terms(ctx context.Context, text string) ([]Term, error) {
	found := words.Query(text)
	if len(found) > maxWords {
		found = found[:maxWords]
	}
	kept := slices.DeleteFunc(slices.Clone(found), words.Stop)
	if len(kept) == 0 {
		kept = found
	}
	var terms []Term
	seen := map[string]bool{}
	for _, word := range kept {
		stem := words.Stem(word)
		if seen[stem] {
			continue
		}
		seen[stem] = true
		count, err := x.frequency(ctx, stem)
		if err != nil {
			return nil, err
		}
		if count > 0 {
			terms = append(terms, Term{Word: word, Stem: stem, Count: count, IDF: idf(x.count, count)})
		}
	}
	return rarest(terms), nil
}

// rarest keeps the MaxTerms terms that the fewest skills hold, in their order.
func rarest(terms []Term) []Term {
	if len(terms) <= MaxTerms {
		return terms
	}
	byCount := slices.Clone(terms)
	slices.SortStableFunc(byCount, func(a, b Term) int { return cmp.Compare(a.Count, b.Count) })
	kept := map[string]bool{}
	for _, t := range byCount[:MaxTerms] {
		kept[t.Stem] = true
	}
	return slices.DeleteFunc(slices.Clone(terms), func(t Term) bool { return !kept[t.Stem] })
}

// idf is FTS5's own, see bm25() in its documentation.
func idf(total, count int) float64 {
	return max(math.Log((float64(total-count)+0.5)/(float64(count)+0.5)), 1e-6)
}

// match returns the terms as an FTS5 expression: quoted words joined by OR.
func match(terms []Term) string {
	quoted := make([]string, 0, 2*len(terms))
	for _, t := range terms {
		quoted = append(quoted, quote(t.Stem), quote(string(exactMark)+t.Word))
	}
	return strings.Join(quoted, " OR ")
}

func quote(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// weigh returns the call of bm25() for the weights.
func weigh(weights Weights) string {
	var call strings.Builder
	call.WriteString("bm25(words")
	for _, field := range Fields() {
		call.WriteString(", ")
		call.WriteString(strconv.FormatFloat(weights[field], 'g', -1, 64))
	}
	call.WriteString(")")
	return call.String()
}

// GreatestScore returns the score that no skill can exceed for the terms: each of them without end in a text,
// as its stem and as itself. A word itself is rarer than its stem, so in short texts the bound is touched.
func GreatestScore(terms []Term) float64 {
	const saturation = 2.2 // k1 + 1 of FTS5's bm25()
	var sum float64
	for _, t := range terms {
		sum += 2 * saturation * t.IDF
	}
	return sum
}
