package githubsearch

import (
	"encoding/json"
	"testing"
	"time"
)

func TestQueries(t *testing.T) {
	t.Parallel()
	all := begin("topic:x", time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC))
	if got := all[0].query(); got != "topic:x created:2008-01-01..2026-03-01" {
		t.Error(got)
	}
	low, high := begin("", time.Unix(0, 0))[0].halves()
	if got := low.query() + ", " + high.query(); got != "filename:SKILL.md size:0..618, filename:SKILL.md size:619..384000" {
		t.Error(got)
	}
}

// Whatever GitHub says, a walk ends or cuts on, and its cursor leads to where it stands.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 255, 4, 128})
	f.Add([]byte{255, 255, 255})
	f.Fuzz(func(t *testing.T, script []byte) {
		w := resume(nil, []span{{"a", false, 0, 400}, {"b", true, 10, 90}})
		for i := 0; len(w.Queue) > 0; i++ {
			if i > 100_000 {
				t.Fatal("no end")
			}
			at := byte(i)
			if len(script) > 0 {
				at = script[i%len(script)]
			}
			page := answer{Total: int(at) * 10, Incomplete: at%7 == 0}
			if at%3 > 0 {
				page.Items = make([]item, at%5)
			}
			w.take(page)
			if i%20 == 0 {
				cursor, err := json.Marshal(w)
				if err != nil {
					t.Fatal(err)
				}
				if again := resume(cursor, nil); len(again.Queue) != len(w.Queue) || again.Page != w.Page || again.Capped != w.Capped {
					t.Fatalf("%+v, was %+v", again, w)
				}
			}
		}
	})
}
