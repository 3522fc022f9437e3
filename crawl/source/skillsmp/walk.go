package skillsmp

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

const (
	version  = 1
	alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	mostWalk = 3 // times that a partition is read in the hope of a consistent walk
	mostPage = 1000
)

// walk is how far an enumeration has come; as JSON it is the cursor.
//
// A partition is read from its first page on. It is whole when its last page was reached, the total stayed
// the same and as many different rows came as the total says; else it is read again. Once any partition was
// capped, no enumeration can be complete any more and requests are better spent on rows that are new: the
// others are then read from their last page backwards, because rows come by stars and those that earlier
// windows cut off lie at the end, and only until a page brings nothing new.
type walk struct {
	Version int      `json:"version"`
	Queue   []string `json:"queue"` // queries still to be read, the present one first
	Page    int      `json:"page"`  // to be asked next
	Back    bool     `json:"back,omitempty"`
	Round   int      `json:"round,omitempty"`   // earlier walks of the present query
	IDs     []string `json:"ids,omitempty"`     // rows of the present walk
	Total   int      `json:"total,omitempty"`   // as its first page told
	Shifted bool     `json:"shifted,omitempty"` // the total changed since
	Capped  bool     `json:"capped,omitempty"`  // some query was not seen whole
	Seen    []byte   `json:"seen,omitempty"`    // 8 bytes of hash for each row of the enumeration
	Quota   quota    `json:"quota"`

	seen   map[uint64]bool
	ids    map[string]bool
	shown  []data.Listing // rows of the present walk; a restart forgets them, and the next enumeration unlists
	doubts []data.Listing // rows of earlier walks of the present query
}

func resume(cursor json.RawMessage) *walk {
	w := new(walk)
	if json.Unmarshal(cursor, w) != nil || w.Version != version || w.Page < 1 {
		w = &walk{Version: version, Queue: strings.Split(alphabet, ""), Page: 1}
	}
	w.seen = make(map[uint64]bool, len(w.Seen)/8)
	for chunk := range slices.Chunk(w.Seen[:len(w.Seen)/8*8], 8) {
		w.seen[binary.LittleEndian.Uint64(chunk)] = true
	}
	w.ids = make(map[string]bool, len(w.IDs))
	for _, id := range w.IDs {
		w.ids[id] = true
	}
	return w
}

func (w *walk) emit(rows []data.Listing, emit source.Emit) error {
	cursor, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return emit(rows, cursor)
}

// take adds a page to the walk, moves on to the next one, and returns the rows to store.
func (w *walk) take(rows []data.Listing, p pagination, depth int) []data.Listing {
	asked, first := w.Page, len(w.IDs) == 0
	inWalk, inAll, out := w.add(rows)
	if first {
		w.Total = p.Total
	}
	w.Shifted = w.Shifted || p.Total != w.Total && p.exact()
	if first && p.capped() {
		w.Capped = true
		w.deepen(depth)
	}
	switch {
	case first && w.Capped && !w.Back:
		w.Back = true
		w.Page = min(p.lastPage(), mostPage)
	case w.Back:
		w.Page = 1
		if inAll > 0 {
			w.Page = min(asked, p.Page) - 1
		}
	case p.HasNext && inWalk > 0 && p.Page == asked && asked < mostPage:
		w.Page++
		return out
	default:
		return append(out, w.finish(p)...)
	}
	if w.Page <= 1 {
		w.next()
	}
	return out
}

// add counts what is new in the walk and in the enumeration, and returns the rows that are to be stored.
func (w *walk) add(rows []data.Listing) (inWalk, inAll int, out []data.Listing) {
	for _, row := range rows {
		if w.ids[row.ExternalID] {
			continue
		}
		inWalk++
		w.ids[row.ExternalID] = true
		w.IDs = append(w.IDs, row.ExternalID)
		w.shown = append(w.shown, row)
		if key := hash(row.ExternalID); !w.seen[key] {
			inAll++
			w.seen[key] = true
			w.Seen = binary.LittleEndian.AppendUint64(w.Seen, key)
			if row.Repo != "" {
				out = append(out, row)
			}
		}
	}
	return inWalk, inAll, out
}

func hash(id string) uint64 {
	sum := fnv.New64a()
	sum.Write([]byte(id))
	return sum.Sum64()
}

// deepen queues the queries that cut the present one into smaller parts.
func (w *walk) deepen(depth int) {
	if len(w.Queue[0]) >= depth {
		return
	}
	for _, letter := range alphabet {
		w.Queue = append(w.Queue, w.Queue[0]+string(letter))
	}
}

// finish judges a walk that came to its end, and returns the rows that a consistent one no longer shows.
func (w *walk) finish(p pagination) []data.Listing {
	consistent := !w.Shifted && !p.HasNext && (!p.exact() || len(w.IDs) == p.Total)
	if !consistent && w.Round+1 < mostWalk {
		w.doubts = append(w.doubts, w.shown...)
		w.again(w.Round + 1)
		return nil
	}
	var gone []data.Listing
	if consistent {
		for _, row := range w.doubts {
			key := hash(row.ExternalID)
			if w.ids[row.ExternalID] || !w.seen[key] || row.Repo == "" {
				continue
			}
			row.Unlisted = true
			gone = append(gone, row)
			w.forget(key)
		}
	}
	w.Capped = w.Capped || !consistent
	w.next()
	return gone
}

// forget makes a row new again, should another query show it.
func (w *walk) forget(key uint64) {
	delete(w.seen, key)
	w.Seen = w.Seen[:0]
	for left := range w.seen {
		w.Seen = binary.LittleEndian.AppendUint64(w.Seen, left)
	}
}

func (w *walk) next() {
	w.Queue = w.Queue[1:]
	w.doubts = nil
	w.again(0)
}

func (w *walk) again(round int) {
	w.Page, w.Round, w.Back = 1, round, false
	w.IDs, w.ids, w.shown = nil, make(map[string]bool), nil
	w.Total, w.Shifted = 0, false
}

// quota is what the server said of the day's requests.
type quota struct {
	Tier string `json:"tier,omitempty"`
	Day  string `json:"day,omitempty"`
	Left int    `json:"left"` // -1 is unknown
}

func day(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// spent reports whether asking is in vain until the day ends.
func (q quota) spent(tier string, now time.Time) bool {
	return q.Tier == tier && q.Day == day(now) && q.Left == 0
}
