package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/index"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/embedtest"
	"skillcorpus/index/lexical"
	"skillcorpus/index/rank"
	"skillcorpus/index/vector"
)

// writeDense writes an index with vectors, cached beside its folder.
func writeDense(t testing.TB, dir string, v index.Vectors, skills ...lexical.Skill) (index.Manifest, error) {
	t.Helper()
	slices.SortFunc(skills, func(a, b lexical.Skill) int { return strings.Compare(a.ID, b.ID) })
	if v.Cache == "" {
		v.Cache = filepath.Join(filepath.Dir(dir), "vectors")
	}
	return index.Write(t.Context(), dir, index.Options{CorpusDigest: "digest", Vectors: v}, rows(skills))
}

// buildDense writes an index with the vectors of an embedder and opens it for that embedder.
func buildDense(t testing.TB, e embed.Embedder, skills ...lexical.Skill) *index.Searcher {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "main")
	if _, err := writeDense(t, dir, index.Vectors{Embedder: e}, skills...); err != nil {
		t.Fatal(err)
	}
	return openDense(t, dir, index.Dense{Embedder: e, Budget: time.Minute})
}

func openDense(t testing.TB, dir string, d index.Dense) *index.Searcher {
	t.Helper()
	s, err := index.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Use(d)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fleet is n skills with texts of their own.
func fleet(n int) []lexical.Skill {
	skills := make([]lexical.Skill, n)
	for i := range skills {
		name := fmt.Sprintf("boat%04d", i)
		skills[i] = lexical.Skill{
			ID: "f/" + name, Name: name, Description: "Sail " + name + " along coast" + fmt.Sprint(i%7), YAML: "name: " + name,
			Prose: "Hoist the sail of " + name, Code: strings.Repeat("", i) + "hoist " + name,
		}
		if i%5 == 0 {
			skills[i].Code = " \n"
		}
	}
	return skills
}

// folder returns all files of a folder.
func folder(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

func TestVectorsAreBuiltOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "main")
	fake := &embedtest.Fake{}
	skills := append(fleet(40), lexical.Skill{ID: "g/copy", Name: "boat0000", Description: fleet(1)[0].Description})
	var tokens [2]int
	v := index.Vectors{Embedder: fake, Tokens: func(done, total int) { tokens = [2]int{done, total} }}
	first, err := writeDense(t, dir, v, skills...)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, l := range first.Lists {
		counts[l.File] = l.Count
	}
	if diff := cmp.Diff(map[string]int{"code.vec": 32, "description.vec": 41, "lexical.db": 41, "prose.vec": 40, "yaml.vec": 40}, counts); diff != "" {
		t.Error(diff)
	}
	asked := fake.Asked()
	for text, n := range asked {
		if n != 1 || strings.TrimSpace(text) == "" {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
	if len(asked) != 32+40+40+40 || tokens[0] != tokens[1] || tokens[1] == 0 {
		t.Errorf("%d texts, tokens %v", len(asked), tokens)
	}
	files := folder(t, dir)
	if _, err := writeDense(t, dir, v, skills...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asked, fake.Asked()); diff != "" {
		t.Error("the second build embeds: ", diff)
	}
	if diff := cmp.Diff(files, folder(t, dir)); diff != "" {
		t.Error("the second build has other files")
	}
	if err := index.Verify(t.Context(), dir); err != nil {
		t.Error(err)
	}
}

// TestResume stops a build in each of its calls: what was embedded stays, nothing is embedded twice, and the
// files are those of a build that was never stopped. Until then the index is there with its words.
func TestResume(t *testing.T) {
	t.Parallel()
	skills := fleet(150)
	whole := filepath.Join(t.TempDir(), "main")
	if _, err := writeDense(t, whole, index.Vectors{Embedder: &embedtest.Fake{}}, skills...); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "main")
	broken := errors.New("killed")
	stops := 0
	fake := &embedtest.Fake{}
	for done := false; !done; stops++ {
		calls := 0
		fake.Before = func(context.Context, []string) error {
			if calls++; calls > 1 {
				return broken
			}
			s := openDense(t, dir, index.Dense{Embedder: fake})
			if got := find(t, s, index.Request{Text: "boat0007", Mode: index.ModeLexical}); len(got) == 0 || got[0] != "f/boat0007" {
				t.Errorf("during the build: %v", got)
			}
			return nil
		}
		_, err := writeDense(t, dir, index.Vectors{Embedder: fake}, skills...)
		if err != nil && !errors.Is(err, broken) {
			t.Fatal(err)
		}
		done = err == nil
		if err := index.Verify(t.Context(), dir); err != nil {
			t.Error(err)
		}
	}
	if stops < 3 {
		t.Errorf("only %d runs", stops)
	}
	for text, n := range fake.Asked() {
		if n != 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
	if diff := cmp.Diff(folder(t, whole), folder(t, dir)); diff != "" {
		t.Error("other files than those of a build without a stop")
	}
}

func TestCancelledBuild(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	fake := &embedtest.Fake{Before: func(context.Context, []string) error {
		cancel()
		return nil
	}}
	dir := filepath.Join(t.TempDir(), "main")
	_, err := index.Write(ctx, dir, index.Options{Vectors: index.Vectors{Embedder: fake, Cache: t.TempDir()}}, rows(fleet(300)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNumberTypes(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	var want []string
	for _, dtype := range []vector.DType{vector.Float32, vector.Float16, vector.Int8} {
		fake := &embedtest.Fake{}
		dir := filepath.Join(t.TempDir(), "main")
		m, err := writeDense(t, dir, index.Vectors{Embedder: fake, Cache: cache, DType: dtype, Sections: []index.Section{index.SectionDescription}}, fleet(50)...)
		if err != nil {
			t.Fatal(err)
		}
		if l := m.Vectors(); len(l) != 1 || l[0].DType != dtype || l[0].Bytes != int64(50*(64*dtype.Size()+36)) {
			t.Errorf("%s: lists %+v", dtype, l)
		}
		got := find(t, openDense(t, dir, index.Dense{Embedder: fake}), index.Request{Text: "sail boat0031", Mode: index.ModeVector})
		if want == nil {
			want = got
		}
		if got[0] != "f/boat0031" || !slices.Equal(got[:1], want[:1]) {
			t.Errorf("%s finds %v", dtype, got)
		}
	}
	if _, err := writeDense(t, filepath.Join(t.TempDir(), "main"), index.Vectors{Embedder: &embedtest.Fake{}, DType: "float8"}, fleet(1)...); err == nil {
		t.Error("a number type that is none")
	}
}

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
type odd struct {
	*embedtest.Fake
	broken map[string][]float32
}

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
func TestBadVectors(t *testing.T) {
	t.Parallel()
	zero, nan, inf := make([]float32, 64), make([]float32, 64), make([]float32, 64)
	nan[3], inf[4] = float32(nanOf()), float32(1/nonzero())
	e := odd{&embedtest.Fake{}, map[string][]float32{"Zero anchor": zero, "Nan anchor": nan, "Inf anchor": inf, "Short anchor": {1}}}
	skills := []lexical.Skill{{ID: "x/blank", Name: "blank"}, {ID: "x/dots", Name: "dots", Description: "…"}}
	for text := range e.broken {
		skills = append(skills, lexical.Skill{ID: "bad/" + text[:3], Name: "bad", Description: text})
	}
	for i := range 3 {
		skills = append(skills, lexical.Skill{ID: fmt.Sprint("good/", i), Name: "good", Description: fmt.Sprint("Good anchor ", i)})
	}
	dir := filepath.Join(t.TempDir(), "main")
	m, err := writeDense(t, dir, index.Vectors{Embedder: e}, skills...)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Vectors() {
		if l.Section == index.SectionDescription && (l.Count != 3 || l.Refused != 5 || l.Missing != 0) {
			t.Errorf("%d vectors, %d refused, %d missing", l.Count, l.Refused, l.Missing)
		}
	}
	s := openDense(t, dir, index.Dense{Embedder: e})
	got := find(t, s, index.Request{Text: "anchor", Mode: index.ModeVector})
	if slices.Sort(got); !slices.Equal(got, []string{"good/0", "good/1", "good/2"}) {
		t.Errorf("found %v", got)
	}
	if got := find(t, s, index.Request{Text: "blank"}); len(got) == 0 || got[0] != "x/blank" {
		t.Errorf("found %v", got)
	}
}

func nonzero() float32 { return float32(len("")) }

func nanOf() float64 { return float64(nonzero() / nonzero()) }

// degraded searches and returns the reasons and all they say.
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

// TestDegraded asks an index for more than it has: the words always answer, and the reason names what to do.
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

// TestOtherModelKeepsApart is the rest of case 45: a build with another model never mixes, and the former
// vectors stay in their cache.
func TestOtherModelKeepsApart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "main")
	first, second := &embedtest.Fake{Name: "tide-mini-1"}, &embedtest.Fake{Name: "reef-mini-2"}
	for _, fake := range []*embedtest.Fake{first, second, first} {
		m, err := writeDense(t, dir, index.Vectors{Embedder: fake}, harbour()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range m.Vectors() {
			if l.Embedder != fake.ID() || l.Missing > 0 {
				t.Errorf("%s has vectors of %s, %d missing", l.File, l.Embedder, l.Missing)
			}
		}
	}
	for text, n := range first.Asked() {
		if n != 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
}

// TestDamagedVectors spoils one file: it is told by name, the other sections and the words go on.
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

// TestStale changes one skill while the model is away: the others keep their vectors.
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

// TestTimeout has a model that takes a second, or all the time it is given.
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

// TestCancelledSearch tells a caller who gave up from a model that is slow.
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
