package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"skillcorpus/index"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/embedtest"
	"skillcorpus/index/rank"
)

// writeDense writes an index with vectors, cached beside its folder.
// buildDense writes an index with the vectors of an embedder and opens it for that embedder.
// fleet is n skills with texts of their own.
// folder returns all files of a folder.
// TestResume stops a build in each of its calls: what was embedded stays, nothing is embedded twice, and the
// files are those of a build that was never stopped. Until then the index is there with its words.
// paraphrase is a fake that knows a few synonyms.
func paraphrase() *embedtest.Fake {
	return &embedtest.Fake{Size: 256, Same: map[string]string{"flood": "tide", "ebb": "tide", "schedule": "tables", "timetable": "tables", "consult": "read"}}
}

func TestParaphrase(t *testing.T) {
	t.Parallel()
	s := buildDense(t, paraphrase(), harbour()...)
	q := index.Request{Text: "consult ebb timetable"}
	result, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	h := result.Hits[0]
	if h.ID != "a/tides/tide" || h.Why != "close in meaning: description 1.00, no word in common" || h.Confidence < 0.99 {
		t.Errorf("hit %+v", h)
	}
	if result.Mode != index.ModeHybrid || len(result.Degraded) > 0 {
		t.Errorf("mode %q, degraded %v", result.Mode, result.Degraded)
	}
	q.Mode = index.ModeLexical
	if got := find(t, s, q); len(got) > 0 {
		t.Errorf("by words: %v", got)
	}
	if _, err := s.Search(t.Context(), index.Request{Text: "x", Mode: "dense"}); err == nil {
		t.Error("a mode that is none")
	}
	if _, err := s.Search(t.Context(), index.Request{Text: "x", Fusion: "sum"}); err == nil {
		t.Error("a fusion that is none")
	}
}

// TestEveryModeHolds what all searches promise: pins, filters, copies, order, pages.
func TestEveryModeHolds(t *testing.T) {
	t.Parallel()
	s := buildDense(t, paraphrase(), append(fleet(80), harbour()...)...)
	for _, mode := range []index.Mode{index.ModeLexical, index.ModeVector, index.ModeHybrid} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			for query, want := range map[string]string{"knots": "b/boats/knots", "c/net": "c/net", "boat0042": "f/boat0042", "tide tables": "a/tides/tide"} {
				if got := find(t, s, index.Request{Text: query, Mode: mode}); len(got) == 0 || got[0] != want {
					t.Errorf("%q: %v", query, got)
				}
			}
			for _, f := range []index.Filters{{Licenses: []string{"mit"}}, {MinStars: 7}, {RunnableOnly: true}, {Repo: "B/Boats"}, {Sources: []string{"list"}}} {
				got := find(t, s, index.Request{Text: "the tide", Filters: f, Mode: mode})
				all := find(t, s, index.Request{Text: "the tide", Mode: index.ModeLexical, Filters: f})
				slices.Sort(got)
				slices.Sort(all)
				if !slices.Equal(got, all) {
					t.Errorf("%+v: %v, by words %v", f, got, all)
				}
			}
			if got := find(t, s, index.Request{Text: "tide tables", KeepCopies: true, Mode: mode}); !slices.Equal(got[:2], []string{"a/tides/.claude/tide", "a/tides/tide"}) {
				t.Errorf("copies: %v", got)
			}
			for _, fusion := range []rank.Fusion{rank.FusionRRF, rank.FusionMax, rank.FusionMean, rank.FusionSumNorm} {
				q := index.Request{Text: "sail along coast3", Mode: mode, Fusion: fusion, K: 60}
				whole := find(t, s, q)
				for range 2 {
					if !slices.Equal(find(t, s, q), whole) {
						t.Error("another order in the next run")
					}
				}
				for _, page := range [][2]int{{1, 0}, {7, 0}, {7, 7}, {10, 45}} {
					q.K, q.Offset = page[0], page[1]
					if got := find(t, s, q); !slices.Equal(got, whole[q.Offset:min(q.Offset+q.K, len(whole))]) {
						t.Errorf("%s: page %v is %v", fusion, page, got)
					}
				}
			}
			for _, query := range []string{"", " ", "...", "\x00"} {
				if result, err := s.Search(t.Context(), index.Request{Text: query, Mode: mode}); err != nil || len(result.Hits) > 0 {
					t.Errorf("%q: %d hits, %v", query, len(result.Hits), err)
				}
			}
		})
	}
}

// TestEqualScoresByMeaning is case 44 for the other modes.
func TestEqualScoresByMeaning(t *testing.T) {
	t.Parallel()
	skills := caseSkills(t, "44-equal-scores")
	for range 2 {
		s := buildDense(t, &embedtest.Fake{}, skills...)
		for _, mode := range []index.Mode{index.ModeVector, index.ModeHybrid} {
			for range 30 {
				if got := find(t, s, index.Request{Text: "fold a chart", Mode: mode}); !slices.Equal(got, []string{"chart-a", "chart-b", "chart-c", "chart-d", "chart-e", "chart-f"}) {
					t.Fatalf("%s: %v", mode, got)
				}
			}
		}
		slices.Reverse(skills)
	}
}

func TestExplainHybrid(t *testing.T) {
	t.Parallel()
	s := buildDense(t, &embedtest.Fake{Size: 256}, harbour()...)
	result, err := s.Search(t.Context(), index.Request{Text: "mend net tide", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	names := func(h index.Hit) (all []string) {
		for _, stage := range h.Stages {
			if stage.Name == "popularity" {
				continue
			}
			if all = append(all, stage.Name); stage.Rank < 1 {
				t.Errorf("%s has no rank", stage.Name)
			}
		}
		return all
	}
	for _, h := range result.Hits {
		want := map[string][]string{
			"c/net":         {"lexical", "code", "prose", "vector", "fused"},
			"b/boats/knots": {"lexical", "description", "vector", "fused"},
			"d/notes":       {"description", "vector", "fused"},
		}[h.ID]
		if got := names(h); want != nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", h.ID, got, want)
		}
	}
}

// odd gives broken vectors for some texts.
func (o odd) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	vectors, err := o.Fake.Embed(ctx, kind, texts)
	for i, text := range texts {
		if v, ok := o.broken[text]; ok && vectors != nil {
			vectors[i] = v
		}
	}
	return vectors, err
}

// TestBadVectors is case 46: vectors without a direction are counted, kept nowhere and never found; a skill
// without a text is found by its name.
// degraded searches and returns the reasons and all they say.
// TestDegraded asks an index for more than it has: the words always answer, and the reason names what to do.
// TestOtherModelKeepsApart is the rest of case 45: a build with another model never mixes, and the former
// vectors stay in their cache.
// TestDamagedVectors spoils one file: it is told by name, the other sections and the words go on.
// TestStale changes one skill while the model is away: the others keep their vectors.
// TestTimeout has a model that takes a second, or all the time it is given.
// TestCancelledSearch tells a caller who gave up from a model that is slow.
func TestConcurrentSearches(t *testing.T) {
	t.Parallel()
	s := buildDense(t, &embedtest.Fake{}, append(fleet(50), harbour()...)...)
	want := find(t, s, index.Request{Text: "sail the tide"})
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 40 {
				result, err := s.Search(t.Context(), index.Request{Text: "sail the tide"})
				if err != nil || len(result.Degraded) > 0 || !slices.Equal(idsOf(result), want) {
					t.Errorf("got %v, %v", idsOf(result), err)
				}
			}
		})
	}
	running.Wait()
}

// TestLongQueryInPieces asks the parts of a long text.
func TestLongQueryInPieces(t *testing.T) {
	t.Parallel()
	fake := &embedtest.Fake{Size: 512}
	s := buildDense(t, fake, append(fleet(50), harbour()...)...)
	filler := make([]string, 200)
	for i := range filler {
		filler[i] = fmt.Sprint("filler", i)
	}
	filler[100] = "read tide tables"
	text := strings.Join(filler, " ")
	before := fake.Asked()
	if got := find(t, s, index.Request{Text: text, Mode: index.ModeVector}); len(got) == 0 || got[0] != "a/tides/tide" {
		t.Errorf("got %v", got)
	}
	parts := 0
	for asked := range fake.Asked() {
		if before[asked] == 0 {
			if parts++; len(strings.Fields(asked)) > 80 || !strings.Contains(text, asked) {
				t.Errorf("asked %q", asked)
			}
		}
	}
	if parts != 3 {
		t.Errorf("%d parts", parts)
	}
	result, err := s.Search(t.Context(), index.Request{Text: strings.Repeat("word ", 100_000), Mode: index.ModeVector})
	if err != nil || len(result.Degraded) > 0 {
		t.Errorf("a very long text: %v, %v", result.Degraded, err)
	}
}
