package index

import "strings"

// How a long query is cut. Models read 256 or 512 tokens of it, and one vector of many topics is close to none
// of them: on the 44 tasks of the benchmark, by descriptions alone, the whole text gave an MRR of .50, the best of
// the whole and its pieces .55.
const (
	wholeWords = 90 // up to so many words a query stays whole
	pieceWords = 60
	maxPieces  = 8 // of a longer query pieces are longer
)

// pieces returns a query and, if it is long, its parts in their order.
func pieces(text string) []string {
	words := strings.Fields(text)
	all := []string{text}
	if len(words) <= wholeWords {
		return all
	}
	size := max(pieceWords, (len(words)+maxPieces-1)/maxPieces)
	for from := 0; from < len(words); from += size {
		all = append(all, strings.Join(words[from:min(from+size, len(words))], " "))
	}
	return all
}
