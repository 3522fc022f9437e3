package skillsmp

import (
	"encoding/json"
	"fmt"
	"testing"

	"skillcorpus/data"
)

// Whatever a server says, a walk ends, and its cursor leads to where it stands.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 255, 4, 128})
	f.Add([]byte("every page is another"))
	f.Fuzz(func(t *testing.T, script []byte) {
		w := resume(nil)
		at := func(i int) int {
			if len(script) == 0 {
				return 0
			}
			return int(script[i%len(script)])
		}
		for i := 0; len(w.Queue) > 0; i++ {
			if i > 400_000 {
				t.Fatal("no end")
			}
			var rows []data.Listing
			for j := range at(i) % 4 {
				rows = append(rows, data.Listing{ExternalID: fmt.Sprint(at(i+j) * at(i+1)), Repo: "o/r"})
			}
			p := pagination{
				Page: w.Page - at(i)%3, Limit: at(i+2) % 60, Total: at(i+3) * 10, TotalPages: at(i+4) % 30,
				HasNext: at(i+5)%3 > 0, Capped: at(i+6)%5 == 0, MaxResults: at(i+7) * 8,
			}
			w.take(rows, p, 1)
			if len(w.Queue) > 0 && w.Page < 1 {
				t.Fatalf("page %d", w.Page)
			}
			if i%50 == 0 {
				cursor, err := json.Marshal(w)
				if err != nil {
					t.Fatal(err)
				}
				again := resume(cursor)
				if len(again.seen) != len(w.seen) || len(again.ids) != len(w.ids) || len(again.Queue) != len(w.Queue) || again.Page != w.Page {
					t.Fatalf("resumed at %+v, was at %+v", again, w)
				}
			}
		}
	})
}
