package index_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"skillcorpus/index"
	"skillcorpus/index/embed/embedtest"
	"skillcorpus/index/lexical"
)

func degraded(t testing.TB, s *index.Searcher, mode index.Mode) (reasons []index.Reason, text string, result index.Result) {
	t.Helper()
	result, err := s.Search(t.Context(), index.Request{Text: "tide tables", Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Hits) == 0 || result.Hits[0].ID != "a/tides/tide" {
		t.Errorf("the words find %v", idsOf(result))
	}
	for _, d := range result.Degraded {
		reasons = append(reasons, d.Reason)
		text += d.String() + "\n"
	}
	return reasons, text, result
}

func TestDegraded(t *testing.T) {
	t.Parallel()
	fake := func() *embedtest.Fake { return &embedtest.Fake{Name: "tide-mini-1"} }
	plain, dense := filepath.Join(t.TempDir(), "main"), filepath.Join(t.TempDir(), "main")
	write(t, plain, harbour()...)
	if _, err := writeDense(t, dense, index.Vectors{Embedder: fake()}, harbour()...); err != nil {
		t.Fatal(err)
	}
	failing := fake()
	failing.Before = func(context.Context, []string) error { return errors.New("out of memory") }
	for name, c := range map[string]struct {
		dir  string
		with index.Dense
		want index.Reason
		says []string
	}{
		"no model":         {dense, index.Dense{}, index.ReasonNoModel, []string{"skillcorpus model pull"}},
		"no runtime":       {dense, index.Dense{Missing: errors.New("no runtime: run `make setup`")}, index.ReasonNoModel, []string{"make setup"}},
		"no vectors":       {plain, index.Dense{Embedder: fake()}, index.ReasonNoVectors, []string{"skillcorpus index"}},
		"other model":      {dense, index.Dense{Embedder: &embedtest.Fake{Name: "reef-mini-2"}}, index.ReasonNoVectors, []string{"tide-mini-1", "reef-mini-2", "skillcorpus index"}},
		"other dimensions": {dense, index.Dense{Embedder: &embedtest.Fake{Name: "tide-large-1", Size: 96}}, index.ReasonNoVectors, []string{"64", "96"}},
		"failing model":    {dense, index.Dense{Embedder: failing}, index.ReasonUnavailable, []string{"out of memory"}},
	} {
		s := openDense(t, c.dir, c.with)
		for _, mode := range []index.Mode{"", index.ModeVector, index.ModeHybrid} {
			reasons, text, result := degraded(t, s, mode)
			if slices.Sort(reasons); !slices.Equal(slices.Compact(reasons), []index.Reason{c.want}) || result.Mode != index.ModeLexical {
				t.Errorf("%s, mode %q: %v in mode %q", name, mode, reasons, result.Mode)
			}
			for _, part := range c.says {
				if !strings.Contains(text, part) {
					t.Errorf("%s: %q does not say %q", name, text, part)
				}
			}
			if summary := result.Summary("q"); !slices.Contains(summary.Degraded, c.want) || len(summary.Notes) != len(summary.Degraded) {
				t.Errorf("%s: summary %+v", name, summary)
			}
		}
		if reasons, _, _ := degraded(t, s, index.ModeLexical); len(reasons) > 0 {
			t.Errorf("%s: a search by words is degraded: %v", name, reasons)
		}
	}
	if reasons, text, _ := degraded(t, openDense(t, dense, index.Dense{Embedder: fake()}), ""); len(reasons) > 0 {
		t.Errorf("the right model is refused: %s", text)
	}
}

func TestDamagedVectors(t *testing.T) {
	t.Parallel()
	fake := &embedtest.Fake{}
	for name, spoil := range map[string]func(*testing.T, string){
		"missing": func(t *testing.T, path string) { remove(t, path) },
		"short":   func(t *testing.T, path string) { edit(t, path, func(b []byte) []byte { return b[:len(b)-1] }) },
		"empty":   func(t *testing.T, path string) { edit(t, path, func([]byte) []byte { return nil }) },
		"altered": func(t *testing.T, path string) {
			edit(t, path, func(b []byte) []byte {
				b[5] ^= 1
				return b
			})
		},
	} {
		dir := filepath.Join(t.TempDir(), "main")
		if _, err := writeDense(t, dir, index.Vectors{Embedder: fake}, harbour()...); err != nil {
			t.Fatal(err)
		}
		spoil(t, filepath.Join(dir, "prose.vec"))
		reasons, text, result := degraded(t, openDense(t, dir, index.Dense{Embedder: fake}), "")
		if !slices.Equal(reasons, []index.Reason{index.ReasonDamaged}) || !strings.Contains(text, "prose.vec") || !strings.Contains(text, "skillcorpus index") {
			t.Errorf("%s: %q", name, text)
		}
		if result.Mode != index.ModeHybrid {
			t.Errorf("%s: the other sections are not searched", name)
		}
		if err := index.Verify(t.Context(), dir); !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), "prose.vec") {
			t.Errorf("%s: verify says %v", name, err)
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "main")
	fake := &embedtest.Fake{}
	skills := append(fleet(60), harbour()...)
	if _, err := writeDense(t, dir, index.Vectors{Embedder: fake}, skills...); err != nil {
		t.Fatal(err)
	}
	skills[len(skills)-1].Description += " and more"
	skills = append(skills, lexical.Skill{ID: "z/new", Name: "new", Description: "Tide of news"})
	if _, err := writeDense(t, dir, index.Vectors{}, skills...); err != nil {
		t.Fatal(err)
	}
	reasons, text, result := degraded(t, openDense(t, dir, index.Dense{Embedder: fake}), "")
	if !slices.Equal(reasons, []index.Reason{index.ReasonStale}) || !strings.Contains(text, "2 skills") || result.Mode != index.ModeHybrid {
		t.Errorf("mode %q, %q", result.Mode, text)
	}
	if _, err := writeDense(t, dir, index.Vectors{Embedder: fake}, skills...); err != nil {
		t.Fatal(err)
	}
	if _, text, _ = degraded(t, openDense(t, dir, index.Dense{Embedder: fake}), ""); text != "" {
		t.Errorf("after a build: %s", text)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "main")
	if _, err := writeDense(t, dir, index.Vectors{Embedder: &embedtest.Fake{}}, harbour()...); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			takes  time.Duration
			heeds  bool
			within time.Duration
			want   []index.Reason
		}{
			{time.Second, false, index.DefaultBudget, []index.Reason{index.ReasonTimeout}},
			{time.Hour, true, index.DefaultBudget, []index.Reason{index.ReasonTimeout}},
			{index.DefaultBudget - time.Millisecond, false, index.DefaultBudget, nil},
		} {
			slow := &embedtest.Fake{Before: func(ctx context.Context, _ []string) error {
				done := ctx.Done()
				if !c.heeds {
					done = nil
				}
				select {
				case <-time.After(c.takes):
					return nil
				case <-done:
					return ctx.Err()
				}
			}}
			s, err := index.Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			s.Use(index.Dense{Embedder: slow})
			start := time.Now()
			reasons, text, _ := degraded(t, s, "")
			if !slices.Equal(reasons, c.want) || time.Since(start) > c.within {
				t.Errorf("takes %v: %q after %v", c.takes, text, time.Since(start))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestCancelledSearch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	fake := &embedtest.Fake{}
	s := buildDense(t, fake, harbour()...)
	fake.Before = func(context.Context, []string) error {
		cancel()
		return ctx.Err()
	}
	if _, err := s.Search(ctx, index.Request{Text: "tide"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
