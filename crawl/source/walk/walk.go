// Package walk owns what sources share that read a marketplace page by page: which rows came, whether they came from
// one consistent walk, and how long a host asked to be left alone.
//
// It asks nobody. The sources keep a Walk in their cursor.
package walk

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"skillcorpus/data"
)

const (
	mostRounds  = 3        // times that a source is read in the hope of a consistent walk
	mostKept    = 64 << 20 // bytes of the rows that are kept to take them back
	longestWait = 24 * time.Hour
)

// Inconsistent is why an enumeration by walks is capped: the rest of a sentence after the source's name.
const Inconsistent = "gave no consistent walk in three: rows shifted while its pages were read, so that some may be missing"

// Walk is how far a reading has come. Its zero value is the beginning; as JSON it is part of a cursor.
//
// A walk is consistent if no row came twice and nothing else shifted, or if it gave exactly the rows of the walk
// before it. Else the source is read again, three times at most.
type Walk struct {
	Round   int       `json:"round,omitempty"` // earlier walks
	Rows    set       `json:"rows,omitzero"`
	Repeats int       `json:"repeats,omitempty"` // rows that came again
	Shifted bool      `json:"shifted,omitempty"`
	Before  *tally    `json:"before,omitempty"` // what the last walk gave
	Until   time.Time `json:"until,omitzero"`   // not to be asked before

	shown   map[string]data.Listing // rows of this walk; a restart forgets them, and the next enumeration unlists
	earlier map[string]data.Listing // of earlier ones
	kept    int
}

// tally tells two walks apart, whatever the order of their rows.
type tally struct {
	Rows    int    `json:"rows"`
	Repeats int    `json:"repeats"`
	Sum     uint64 `json:"sum"`
}

// Take counts the rows of a page and returns those that this walk has not had yet.
func (w *Walk) Take(rows []data.Listing) []data.Listing {
	fresh := rows[:0:0]
	for _, row := range rows {
		if !w.Rows.add(row.ExternalID) {
			w.Repeats++
			continue
		}
		fresh = append(fresh, row)
		w.keep(row)
	}
	return fresh
}

// Has reports whether this walk has had the row of that id.
func (w *Walk) Has(id string) bool { return w.Rows.has(id) }

func (w *Walk) keep(row data.Listing) {
	w.kept += len(row.ExternalID) + len(row.Name) + len(row.Description) + len(row.URL)
	if w.kept > mostKept {
		w.shown, w.earlier = nil, nil
		return
	}
	if w.shown == nil {
		w.shown = make(map[string]data.Listing)
	}
	w.shown[row.ExternalID] = row
}

// Finish ends a walk. again means that it was not consistent and another one, which has begun, may be; else the
// enumeration is over, end says how, and gone are the rows that earlier walks showed and this one did not.
func (w *Walk) Finish() (again bool, end data.Completeness, gone []data.Listing) {
	now := w.tally()
	consistent := !w.Shifted && (w.Repeats == 0 || w.Before != nil && *w.Before == now)
	if !consistent && w.Round+1 < mostRounds {
		earlier := w.earlier
		if earlier == nil {
			earlier = w.shown
		} else {
			maps.Copy(earlier, w.shown)
		}
		*w = Walk{Round: w.Round + 1, Before: &now, earlier: earlier, kept: w.kept}
		return true, "", nil
	}
	if !consistent {
		return false, data.Capped, nil
	}
	for id, row := range w.earlier {
		if !w.Rows.has(id) {
			row.Unlisted = true
			gone = append(gone, row)
		}
	}
	slices.SortFunc(gone, func(a, b data.Listing) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	return false, data.Complete, gone
}

func (w *Walk) tally() tally {
	t := tally{Rows: len(w.Rows.known), Repeats: w.Repeats}
	for key := range w.Rows.known {
		t.Sum += key
	}
	return t
}

// Limited returns the limit that a host told earlier, or nil when it may be asked. A limit that seems to last longer
// than a day comes from a clock that jumped.
func (w *Walk) Limited(name string, now time.Time) error {
	if !now.Before(w.Until) || w.Until.Sub(now) > longestWait {
		return nil
	}
	return &data.ItemError{Outcome: data.OutcomeLimited, Reason: name + ": asked to be left alone", RetryAt: w.Until}
}

// Note keeps the limit that an error tells, and reports whether it did: the cursor is then to be stored.
func (w *Walk) Note(err error) bool {
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeLimited || item.RetryAt.IsZero() {
		return false
	}
	w.Until = item.RetryAt
	return true
}

// set holds 64-bit hashes of ids; as JSON, one string of 8 bytes each.
type set struct{ known map[uint64]struct{} }

func (s *set) add(id string) bool {
	key := hash(id)
	if _, ok := s.known[key]; ok {
		return false
	}
	if s.known == nil {
		s.known = make(map[uint64]struct{})
	}
	s.known[key] = struct{}{}
	return true
}

func (s *set) has(id string) bool {
	_, ok := s.known[hash(id)]
	return ok
}

func hash(id string) uint64 {
	sum := fnv.New64a()
	sum.Write([]byte(id))
	return sum.Sum64()
}

// MarshalJSON writes the hashes in their order, so that equal sets are equal text.
func (s set) MarshalJSON() ([]byte, error) {
	keys := slices.Sorted(maps.Keys(s.known))
	bytes := make([]byte, 0, 8*len(keys))
	for _, key := range keys {
		bytes = binary.LittleEndian.AppendUint64(bytes, key)
	}
	return json.Marshal(bytes)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *set) UnmarshalJSON(text []byte) error {
	var bytes []byte
	if err := json.Unmarshal(text, &bytes); err != nil {
		return err
	}
	s.known = make(map[uint64]struct{}, len(bytes)/8)
	for chunk := range slices.Chunk(bytes[:len(bytes)/8*8], 8) {
		s.known[binary.LittleEndian.Uint64(chunk)] = struct{}{}
	}
	return nil
}
