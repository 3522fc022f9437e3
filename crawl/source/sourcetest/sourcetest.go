// Package sourcetest owns the suite that every source passes, and what tests of this stage share. Only tests
// import it.
package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

// Suite is what the suite must know of a source.
type Suite struct {
	// Open returns the source as a new process would have it. What it lists must not change between calls.
	Open func(t *testing.T) source.Source
	Rows int               // different rows, by external id
	End  data.Completeness // how its enumeration ends
}

// Run checks the contract of source.Source: the whole enumeration, interruption after each page with a resume
// in a new process, an emit that fails, cancelled contexts, cursors that are not understood, and walks after a walk.
func Run(t *testing.T, s Suite) {
	t.Helper()
	t.Run("whole", s.whole)
	t.Run("resumed after each page", s.resumed)
	t.Run("failing emit", s.failing)
	t.Run("cancelled", s.cancelled)
	t.Run("strange cursor", s.strange)
	t.Run("renewed", s.renewed)
}

// listing is what a caller would have stored.
type listing struct {
	rows   map[string]data.Listing
	cursor json.RawMessage
	pages  int
}

func (l *listing) store(rows []data.Listing, next json.RawMessage) error {
	for _, row := range rows {
		l.rows[row.ExternalID] = row
	}
	l.cursor = slices.Clone(next)
	l.pages++
	return nil
}

func fresh() *listing { return &listing{rows: make(map[string]data.Listing)} }

func (s Suite) enumerate(t *testing.T, from json.RawMessage) *listing {
	t.Helper()
	got := fresh()
	end, err := s.Open(t).Enumerate(t.Context(), from, got.store)
	if err != nil || end != s.End {
		t.Fatalf("Enumerate = %s, %v; want %s", end, err, s.End)
	}
	return got
}

func (s Suite) whole(t *testing.T) {
	t.Parallel()
	got := s.enumerate(t, nil)
	if capped, ok := s.Open(t).(source.Capper); s.End == data.Capped && (!ok || capped.Cap() == "") {
		t.Error("it is capped and cannot say why")
	}
	if len(got.rows) != s.Rows {
		t.Errorf("%d rows, want %d", len(got.rows), s.Rows)
	}
	for id, row := range got.rows {
		if id == "" || row.Source != s.Open(t).Name() || row.Host == "" || row.Repo == "" {
			t.Errorf("row lacks id, source, host or repository: %+v", row)
		}
	}
	if again := s.enumerate(t, got.cursor); len(again.rows) != 0 {
		t.Errorf("the last cursor gave %d rows again", len(again.rows))
	}
}

var errStop = errors.New("stop")

func (s Suite) resumed(t *testing.T) {
	t.Parallel()
	want, got := s.enumerate(t, nil), fresh()
	for round := 0; ; round++ {
		if round > want.pages+1 {
			t.Fatalf("not at the end after %d rounds, uninterrupted it took %d pages", round, want.pages)
		}
		ctx, cancel := context.WithCancel(t.Context())
		end, err := s.Open(t).Enumerate(ctx, got.cursor, func(rows []data.Listing, next json.RawMessage) error {
			defer cancel()
			return got.store(rows, next)
		})
		cancel()
		if end == s.End && err == nil {
			break
		}
		if end != data.Interrupted || !errors.Is(err, context.Canceled) {
			t.Fatalf("Enumerate = %s, %v; want it interrupted by the context", end, err)
		}
	}
	if diff := cmp.Diff(want.rows, got.rows); diff != "" {
		t.Errorf("resumed enumeration differs (-uninterrupted +resumed):\n%s", diff)
	}
}

func (s Suite) failing(t *testing.T) {
	t.Parallel()
	want, got := s.enumerate(t, nil), fresh()
	for after := range want.pages {
		end, err := s.Open(t).Enumerate(t.Context(), got.cursor, func(rows []data.Listing, next json.RawMessage) error {
			return errStop // nothing of this page was stored
		})
		if end != data.Interrupted || !errors.Is(err, errStop) {
			t.Fatalf("after %d pages: Enumerate = %s, %v; want emit's error", after, end, err)
		}
		stored := false
		_, err = s.Open(t).Enumerate(t.Context(), got.cursor, func(rows []data.Listing, next json.RawMessage) error {
			if stored {
				return errStop
			}
			stored = true
			return got.store(rows, next)
		})
		if err != nil && !errors.Is(err, errStop) {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want.rows)), slices.Sorted(maps.Keys(got.rows))); diff != "" {
		t.Errorf("rows after failed pages (-want +got):\n%s", diff)
	}
}

func (s Suite) cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	end, err := s.Open(t).Enumerate(ctx, nil, func([]data.Listing, json.RawMessage) error {
		t.Error("emit was called")
		return nil
	})
	if end != data.Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("Enumerate = %s, %v; want it interrupted by the context", end, err)
	}
}

func (s Suite) strange(t *testing.T) {
	t.Parallel()
	for _, cursor := range []string{"null", "{}", "[1]", `"x"`, "{", `{"version":99,"rows":-1}`} {
		if got := s.enumerate(t, json.RawMessage(cursor)); len(got.rows) != s.Rows {
			t.Errorf("cursor %s: %d rows, want %d from the beginning", cursor, len(got.rows), s.Rows)
		}
	}
}

// renewed walks again after a walk that came to its end, and after cursors that nobody wrote.
func (s Suite) renewed(t *testing.T) {
	t.Parallel()
	renewer, ok := s.Open(t).(source.Renewer)
	if !ok {
		t.Skip("begins each walk with a nil cursor")
	}
	last := s.enumerate(t, nil).cursor
	for _, cursor := range []string{string(last), "null", "{}", "[1]", `"x"`, "{", `{"version":99,"rows":-1}`} {
		if got := s.enumerate(t, renewer.Renew(json.RawMessage(cursor))); len(got.rows) != s.Rows {
			t.Errorf("renewed from %s: %d rows, want %d", cursor, len(got.rows), s.Rows)
		}
	}
}
