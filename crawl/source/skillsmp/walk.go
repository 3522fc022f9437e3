package skillsmp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

const (
	version    = 2
	letters    = "abcdefghijklmnopqrstuvwxyz0123456789"
	mostWalk   = 3 // times that a partition is read in the hope of a consistent walk
	mostPage   = 1000
	mostMisses = 8 // categories in a row that show nothing, after which none is believed in
)

// wide asks for every letter and digit: a search that finds any of a query's words anywhere shows every row.
var wide = strings.Join(strings.Split(letters, ""), " ") //nolint:gochecknoglobals // never changed

// walk is how far an enumeration has come; as JSON it is the cursor.
//
// It begins as one that may be complete: the wide query, by category where that is capped; or, if the search does not
// answer it, each letter. Every partition is then read whole, and again where pages shifted. As soon as something is
// capped that cannot be split, the walk goes by what each request promises (plan.go) and ends when that is too little.
type walk struct {
	Version int          `json:"version"`
	Quota   quota        `json:"quota"`
	Over    bool         `json:"over,omitempty"`
	Capped  bool         `json:"capped,omitempty"` // it cannot be complete any more
	Parts   bool         `json:"parts,omitempty"`  // the search finds words inside others
	Wide    bool         `json:"wide,omitempty"`   // and any of several, so that the wide query shows all
	Cells   []*cell      `json:"cells"`
	Open    []*partition `json:"open,omitempty"`   // being read, or to be read
	Sample  keys         `json:"sample"`           // rows that some category has to show, if the categories show all
	Misses  int          `json:"misses,omitempty"` // categories that showed nothing; -1 once one showed something
	Words   vocabulary   `json:"words"`
	Tongues []tongue     `json:"tongues,omitempty"`
	Limit   int          `json:"limit"`  // rows of a page
	Window  int          `json:"window"` // rows that a query sees
	Seen    keys         `json:"seen"`

	categories []string
	owner      map[uint64]*partition // which partition alone has shown a row in this process
}

// tongue counts the rows in one language.
type tongue struct {
	Code string `json:"code"`
	Rows int    `json:"rows"`
}

// query is one search.
type query struct {
	Text     string `json:"q"`
	Category string `json:"c,omitempty"`
	Language string `json:"l,omitempty"`
	Recent   bool   `json:"r,omitempty"` // the latest first, else the most starred
}

// partition is the rows that one query shows, being read.
type partition struct {
	query
	Page    int     `json:"page"`            // to be asked next
	Back    bool    `json:"back,omitempty"`  // from the last page to the first
	Rate    float64 `json:"rate"`            // rows that are new, expected of a full page
	Asked   int     `json:"asked,omitempty"` // pages
	Total   int     `json:"total,omitempty"` // as its first page told
	Round   int     `json:"round,omitempty"` // earlier walks
	Shifted bool    `json:"shifted,omitempty"`
	IDs     keys    `json:"ids"` // rows of this walk, while the enumeration may be complete

	shown  []data.Listing // rows that this walk was the first to show; a restart forgets them, and the next enumeration unlists
	doubts []data.Listing // those of earlier walks
}

// entry is one row of an answer.
type entry struct {
	data.Listing
	language string
}

func resume(cursor json.RawMessage, categories []string) *walk {
	w := new(walk)
	if json.Unmarshal(cursor, w) != nil || !w.sound() {
		w = begin(quota{})
	}
	w.categories, w.owner = categories, make(map[uint64]*partition)
	return w
}

func begin(left quota) *walk {
	return &walk{
		Version: version, Quota: left, Limit: 50, Window: 1000, Words: vocabulary{Of: map[string]*word{}},
		Cells: []*cell{{Unseen: 1}}, Open: []*partition{{query: query{Text: wide}, Page: 1, Rate: 50}},
	}
}

// sound reports whether a cursor is one that a walk wrote.
func (w *walk) sound() bool {
	return w.Version == version && w.Limit > 0 && w.Window > 0 && len(w.Cells) > 0 && w.Words.Of != nil &&
		!slices.Contains(w.Cells, nil) && !slices.Contains(slices.Collect(maps.Values(w.Words.Of)), nil) && !slices.ContainsFunc(w.Open, func(p *partition) bool { return p == nil || p.Page < 1 })
}

func (w *walk) emit(rows []data.Listing, emit source.Emit) error {
	cursor, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return emit(rows, cursor)
}

// take adds a page of a partition to the walk and returns the rows to store.
func (w *walk) take(p *partition, rows []entry, told pagination) []data.Listing {
	first, asked := p.Asked == 0, p.Page
	p.Asked++
	w.measure(rows, told)
	inWalk, isNew, out := w.add(p, rows)
	if first {
		p.Total = told.Total
		w.learn(p, rows, isNew, told)
	}
	p.Shifted = p.Shifted || told.exact() && told.Total != p.Total
	if w.Capped {
		w.follow(p, isNew, len(rows), told)
		return out
	}
	if told.HasNext && inWalk > 0 && told.Page == asked && asked < mostPage {
		p.Page++
		return out
	}
	if slices.Contains(w.Open, p) {
		out = append(out, w.finish(p, told)...)
	}
	return out
}

func (w *walk) measure(rows []entry, told pagination) {
	if limit := max(told.Limit, len(rows)); limit > 0 {
		w.Limit = limit
	}
	if told.MaxResults > 0 {
		w.Window = told.MaxResults
	}
}

// add counts what is new in the partition's walk and in the enumeration, and returns the rows that are to be stored.
func (w *walk) add(p *partition, rows []entry) (inWalk, isNew int, out []data.Listing) {
	for _, row := range rows {
		key := keyOf(row.ExternalID)
		if !w.Capped && p.IDs.add(key) {
			inWalk++
		}
		if p.Category != "" {
			w.found(key)
		}
		fresh := w.Seen.add(key)
		w.Words.add(wordsOf(row.Name+"\n"+row.Description+"\n"+row.Author, w.Parts), p.Text, fresh)
		w.speaks(row.language)
		if !fresh {
			if w.owner[key] != p {
				delete(w.owner, key)
			}
			continue
		}
		isNew++
		if row.Repo == "" {
			continue
		}
		out = append(out, row.Listing)
		if !w.Capped {
			w.owner[key] = p
			p.shown = append(p.shown, row.Listing)
		}
	}
	w.Words.turn()
	return inWalk, isNew, out
}

func (w *walk) found(key uint64) {
	if w.Sample.has[key] {
		w.Sample.remove(key)
	}
}

func (w *walk) speaks(language string) {
	if language == "" {
		return
	}
	for i := range w.Tongues {
		if w.Tongues[i].Code == language {
			w.Tongues[i].Rows++
			return
		}
	}
	if len(w.Tongues) < 100 {
		w.Tongues = append(w.Tongues, tongue{language, 1})
	}
}

// finish judges a walk of a partition that came to its end, and returns the rows that a consistent one no longer shows.
func (w *walk) finish(p *partition, told pagination) []data.Listing {
	w.close(p)
	consistent := !p.Shifted && !told.HasNext && (!told.exact() || p.IDs.len() == told.Total)
	if consistent {
		return w.takeBack(p)
	}
	if p.Round+1 >= mostWalk {
		w.giveUp()
		return nil
	}
	w.Open = append(w.Open, &partition{
		query: p.query, Page: 1, Rate: p.Rate, Round: p.Round + 1, doubts: append(p.doubts, p.shown...),
	})
	again := w.Open[len(w.Open)-1]
	for key, owner := range w.owner {
		if owner == p {
			w.owner[key] = again
		}
	}
	return nil
}

// takeBack returns the rows that only earlier walks of a partition showed, and forgets them.
func (w *walk) takeBack(p *partition) []data.Listing {
	var gone []data.Listing
	var keys []uint64
	for _, row := range p.doubts {
		if key := keyOf(row.ExternalID); !p.IDs.has[key] && w.owner[key] == p {
			row.Unlisted = true
			gone, keys = append(gone, row), append(keys, key)
		}
	}
	if len(keys) > 0 {
		w.Seen.remove(keys...)
	}
	return gone
}

func (w *walk) close(p *partition) {
	w.Open = slices.DeleteFunc(w.Open, func(other *partition) bool { return other == p })
}

// end says how a walk ended that is over.
func (w *walk) end() data.Completeness {
	if w.Capped {
		return data.Capped
	}
	return data.Complete
}
