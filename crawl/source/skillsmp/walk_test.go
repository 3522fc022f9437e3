package skillsmp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data"
)

// Whatever a server says, a walk ends, and its cursor leads to where it stands.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 255, 4, 128})
	f.Add([]byte("every page is another"))
	f.Add([]byte{7, 9, 200, 11, 31, 1, 0, 250, 3, 3, 60, 59})
	f.Fuzz(func(t *testing.T, script []byte) {
		w := resume(nil, []string{"one", "two", "three"})
		at := func(i int) int {
			if len(script) == 0 {
				return 0
			}
			return int(script[i%len(script)])
		}
		for i := 0; ; i++ {
			p := w.choose()
			if p == nil {
				return
			}
			if i > 100_000 {
				t.Fatalf("no end: %d open, capped %v, %+v, cells %d, tried %d", len(w.Open), w.Capped, p, len(w.Cells), len(w.Cells[0].Tried))
			}
			if p.Page < 1 {
				t.Fatalf("page %d", p.Page)
			}
			var rows []entry
			for j := range at(i) % 4 {
				id := fmt.Sprint(at(i+j) * at(i+1) * (i%7 + 1))
				rows = append(rows, entry{data.Listing{ExternalID: id, Name: "row " + id, Repo: "o/r"}, "en"})
			}
			w.take(p, rows, pagination{
				Page: p.Page - at(i)%3, Limit: at(i+2) % 60, Total: at(i+3) * 10, TotalPages: at(i+4) % 30,
				HasNext: at(i+5)%3 > 0, Capped: at(i+6)%5 == 0, MaxResults: at(i+7) * 8,
			})
			if i%50 == 0 {
				cursor, err := json.Marshal(w)
				if err != nil {
					t.Fatal(err)
				}
				again := resume(cursor, w.categories)
				if again.Seen.len() != w.Seen.len() || len(again.Open) != len(w.Open) || len(again.Cells) != len(w.Cells) {
					t.Fatalf("resumed at %+v, was at %+v", again, w)
				}
				if a, b := again.choose(), w.choose(); (a == nil) != (b == nil) || a != nil && (a.query != b.query || a.Page != b.Page) {
					t.Fatalf("resumed with %+v, goes on with %+v", a, b)
				}
			}
		}
	})
}

// No cursor that somebody else wrote is more than a beginning.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "null", `{"version":2}`, `{"version":2,"limit":1,"window":1,"cells":[null],"words":{"of":{}}}`, `{"version":2,"limit":1,"window":1,"cells":[{}],"words":{"of":{"a":null}},"open":[{"page":1}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, cursor []byte) {
		w := resume(cursor, nil)
		for range 20 {
			p := w.choose()
			if p == nil {
				return
			}
			w.take(p, nil, pagination{Page: p.Page, Limit: 50})
		}
	})
}

func TestWordsOf(t *testing.T) {
	t.Parallel()
	got := strings.Join(slices.Sorted(slices.Values(wordsOf("Use-when X1 用 "+strings.Repeat("z", 40), true))), " ")
	if got != "en he se us use wh when x1 zz 用" {
		t.Errorf("%q", got)
	}
}
