package githubsearch

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	version   = 1
	perPage   = 100
	window    = 1000    // results that a query shows
	mostBytes = 384_000 // files over 384 KB are not in code search
	mostTries = 3       // pages of a range asked for, while GitHub says that its results are not whole
	firstDay  = 13_879  // 2008-01-01, before the first repository, in days since 1970
	mostQueue = 100_000
)

// span is a part of a search: files of Low to High bytes, or repositories made from day Low to day High.
type span struct {
	Query string `json:"q"`
	Dates bool   `json:"dates,omitempty"`
	Low   int    `json:"low"`
	High  int    `json:"high"`
}

func begin(query string, now time.Time) []span {
	today := int(now.Unix() / 86_400)
	switch {
	case strings.Contains(query, "topic:"):
		return []span{{query, true, firstDay, today}}
	case query != "":
		return []span{{"filename:SKILL.md " + query, false, 0, mostBytes}}
	}
	all := []span{{"filename:SKILL.md", false, 0, mostBytes}}
	for _, topic := range topics() {
		all = append(all, span{"topic:" + topic, true, firstDay, today})
	}
	return all
}

func (s span) query() string {
	if !s.Dates {
		return fmt.Sprintf("%s size:%d..%d", s.Query, s.Low, s.High)
	}
	day := func(n int) string { return time.Unix(int64(n)*86_400, 0).UTC().Format(time.DateOnly) }
	return fmt.Sprintf("%s created:%s..%s", s.Query, day(s.Low), day(s.High))
}

// halves cuts a span in two: sizes in the middle of their orders of magnitude, since most files are small.
func (s span) halves() (low, high span) {
	low, high = s, s
	middle := s.Low + (s.High-s.Low)/2
	if !s.Dates {
		middle = int(math.Sqrt(float64(s.Low+1)*float64(s.High+1))) - 1
	}
	middle = min(max(middle, s.Low), s.High-1)
	low.High, high.Low = middle, middle+1
	return low, high
}

// walk is how far a search has come; as JSON it is the cursor.
type walk struct {
	Version int    `json:"version"`
	Queue   []span `json:"queue"` // the one that is being read first
	Page    int    `json:"page"`  // to be asked next
	Tries   int    `json:"tries,omitempty"`
	Total   int    `json:"total,omitempty"` // as the first page told
	Shifted bool   `json:"shifted,omitempty"`
	Round   int    `json:"round,omitempty"`
	Capped  bool   `json:"capped,omitempty"`
}

func resume(cursor json.RawMessage, first []span) *walk {
	w := new(walk)
	if json.Unmarshal(cursor, w) == nil && w.Version == version && w.Page > 0 && w.Page <= window/perPage &&
		!slices.ContainsFunc(w.Queue, func(s span) bool { return s.Low < 0 || s.High < s.Low }) {
		return w
	}
	return &walk{Version: version, Queue: slices.Clone(first), Page: 1}
}

// take moves on after a page. A page that is not whole is asked for again; a range whose total changed while it was
// read is read once more.
func (w *walk) take(page answer) {
	if page.Incomplete {
		if w.Tries++; w.Tries < mostTries {
			return
		}
		w.Capped = true
	}
	w.Tries = 0
	at := w.Queue[0]
	if w.Page == 1 {
		w.Total = page.Total
		if page.Total > window && at.Low < at.High && len(page.Items) > 0 && len(w.Queue) < mostQueue {
			low, high := at.halves()
			w.Queue = append([]span{low, high}, w.Queue[1:]...)
			return
		}
	}
	w.Shifted = w.Shifted || page.Total != w.Total
	w.Capped = w.Capped || w.Total > window
	if w.Page*perPage < min(w.Total, window) && len(page.Items) > 0 {
		w.Page++
		return
	}
	w.Page = 1
	short := len(page.Items) == 0 && w.Total > 0
	if (w.Shifted || short) && w.Round == 0 && w.Total <= window {
		w.Round, w.Shifted = 1, false
		return
	}
	w.Capped = w.Capped || w.Shifted || short
	w.Queue, w.Round, w.Shifted = w.Queue[1:], 0, false
}
