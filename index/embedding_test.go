package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/index"
	"skillcorpus/index/embed"
	"skillcorpus/index/embed/embedtest"
	"skillcorpus/index/lexical"
	"skillcorpus/index/vector"
)

func writeDense(t testing.TB, dir string, v index.Vectors, skills ...lexical.Skill) (index.Manifest, error) {
	t.Helper()
	slices.SortFunc(skills, func(a, b lexical.Skill) int { return strings.Compare(a.ID, b.ID) })
	if v.Cache == "" {
		v.Cache = filepath.Join(filepath.Dir(dir), "vectors")
	}
	return index.Write(t.Context(), dir, index.Options{CorpusDigest: "digest", Vectors: v}, rows(skills))
}

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

type odd struct {
	*embedtest.Fake
	broken map[string][]float32
}

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
