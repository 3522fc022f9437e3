package index

import "strings"

// How a long query is cut. A model reads so many tokens of it and no more, and one vector of many topics is close
// to none of them: on the 44 tasks of the benchmark, by descriptions, the whole text gave an MRR of .50 by meaning
// and .72 with words, the best of its pieces .57 and .75.
const (
	pieceWords = 80
	maxPieces  = 8 // of a longer query pieces are longer
)

// pieces returns a query that is short as it is, a long one in parts of about equal length.
func pieces(text string) []string {
	words := strings.Fields(text)
	count := min((len(words)+pieceWords-1)/pieceWords, maxPieces)
	if count <= 1 {
		return []string{text}
	}
	all := make([]string, count)
	for i := range all {
		all[i] = strings.Join(words[len(words)*i/count:len(words)*(i+1)/count], " ")
	}
	return all
}
