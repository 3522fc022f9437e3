package walk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"skillcorpus/data"
)

func rows(ids string) []data.Listing {
	var all []data.Listing
	for id := range strings.SplitSeq(ids, "") {
		all = append(all, data.Listing{ExternalID: id, Description: "of " + id})
	}
	return all
}

func ids(rows []data.Listing) string {
	var all []string
	for _, row := range rows {
		all = append(all, row.ExternalID)
	}
	return strings.Join(all, "")
}

// again is the walk as the next process finds it.
func again(t *testing.T, w Walk) Walk {
	t.Helper()
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	var next Walk
	if err := json.Unmarshal(text, &next); err != nil {
		t.Fatal(err)
	}
	return next
}

// Pages that shift while they are read: some rows come twice, others never (cases/27).
func TestWalk(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		walks []string // pages of each walk; * before a page: something shifted
		end   data.Completeness
		gone  string
	}{
		"consistent":             {[]string{"abcd efgh"}, data.Complete, ""},
		"nothing":                {[]string{""}, data.Complete, ""},
		"repeated, then not":     {[]string{"abcd defg", "zade fghi"}, data.Complete, "bc"},
		"always the same repeat": {[]string{"abcd dfg", "dfg abcd"}, data.Complete, ""},
		"never twice the same":   {[]string{"ab bc", "ab bd", "ab be"}, data.Capped, ""},
		"shifted":                {[]string{"ab *cd", "ab ce"}, data.Complete, "d"},
		"always shifted":         {[]string{"*ab", "*ab", "*ab"}, data.Capped, ""},
		"gone from the first":    {[]string{"ab b", "cd d", "e"}, data.Complete, "abcd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, restart := range []bool{false, true} {
				var w Walk
				for i, pages := range test.walks {
					for page := range strings.FieldsSeq(pages) {
						page, shifted := strings.CutPrefix(page, "*")
						w.Shifted = w.Shifted || shifted
						w.Take(rows(page))
						if restart {
							w = again(t, w)
						}
					}
					more, end, gone := w.Finish()
					if more != (i < len(test.walks)-1) {
						t.Fatalf("walk %d: again %v", i+1, more)
					}
					if more {
						continue
					}
					want := test.gone
					if restart {
						want = "" // the next enumeration unlists
					}
					if end != test.end || ids(gone) != want {
						t.Errorf("%s, gone %q; want %s, %q", end, ids(gone), test.end, want)
					}
					for _, row := range gone {
						if !row.Unlisted || row.Description == "" {
							t.Errorf("taken back: %+v", row)
						}
					}
				}
			}
		})
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	var w Walk
	if got := ids(w.Take(rows("aba"))) + "," + ids(w.Take(rows("bc"))); got != "ab,c" || w.Repeats != 2 {
		t.Errorf("%s, %d repeats", got, w.Repeats)
	}
	if w := again(t, w); !w.Has("a") || w.Has("d") || ids(w.Take(rows("cd"))) != "d" {
		t.Error("a restart forgets rows")
	}
}

// What is kept to take rows back has a bound.
func TestKept(t *testing.T) {
	t.Parallel()
	var w Walk
	long := strings.Repeat("x", 1<<20)
	for i := range 2 * mostKept >> 20 {
		w.Take([]data.Listing{{ExternalID: fmt.Sprint(i), Description: long}})
	}
	if len(w.shown) > 0 || w.Repeats > 0 || !w.Has("0") {
		t.Errorf("%d rows kept", len(w.shown))
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var w Walk
	if w.Note(&data.ItemError{Outcome: data.OutcomeUnavailable, RetryAt: now}) || w.Note(fmt.Errorf("x")) || w.Limited("m", now) != nil {
		t.Error("no limit was told")
	}
	if !w.Note(&data.ItemError{Outcome: data.OutcomeLimited, RetryAt: now.Add(time.Hour)}) {
		t.Error("a limit was not noted")
	}
	w = again(t, w)
	if err := w.Limited("m", now.Add(59*time.Minute)); data.OutcomeOf(err) != data.OutcomeLimited {
		t.Errorf("%v", err)
	}
	if err := w.Limited("m", now.Add(time.Hour)); err != nil {
		t.Errorf("after the limit: %v", err)
	}
	if err := w.Limited("m", now.Add(-25*time.Hour)); err != nil {
		t.Errorf("after the clock jumped back: %v", err)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add([]byte(`{"rows":"AAAAAAAAAAA=","before":{"rows":1,"sum":18446744073709551615}}`))
	f.Add([]byte(`{"rows":"AAA=","round":-5,"until":"2026-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var w Walk
		if json.Unmarshal(text, &w) != nil {
			return
		}
		before := again(t, w)
		if len(before.Rows.known) != len(w.Rows.known) || before.Round != w.Round {
			t.Errorf("%+v became %+v", w, before)
		}
		w.Take(rows("ab"))
		for range 1 << 10 {
			if more, _, _ := w.Finish(); !more {
				return
			}
			w.Shifted = true
			if w.Round > mostRounds {
				t.Fatal("no end")
			}
		}
	})
}
