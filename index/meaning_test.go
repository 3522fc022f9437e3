package index_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/index"
	"skillcorpus/index/embed"
	"skillcorpus/index/lexical"
	"skillcorpus/index/model"
	"skillcorpus/index/model/modeltest"
)

// vectorCache is where the long proof keeps its vectors from run to run: SKILLCORPUS_VECTORS, or a folder for
// temporary files.
func vectorCache(t testing.TB, whole bool) string {
	switch dir := os.Getenv("SKILLCORPUS_VECTORS"); {
	case !whole:
		return t.TempDir()
	case dir != "":
		return dir
	}
	return filepath.Join(os.TempDir(), "skillcorpus-vectors")
}

// proofSections are those that the long proof embeds: SKILLCORPUS_PROOF_SECTIONS, by default the descriptions,
// which take ten minutes.
func proofSections(whole bool) []index.Section {
	names := os.Getenv("SKILLCORPUS_PROOF_SECTIONS")
	if !whole || names == "" {
		return []index.Section{index.SectionDescription}
	}
	var sections []index.Section
	for name := range strings.SplitSeq(names, ",") {
		sections = append(sections, index.Section(name))
	}
	return sections
}

// remembering embeds a query once, so that the second time shows what the rest of a search takes.
type remembering struct {
	embed.Embedder
	mu      sync.Mutex
	queries map[string][][]float32
}

func (r *remembering) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	key := strings.Join(texts, "\x00")
	r.mu.Lock()
	defer r.mu.Unlock()
	if vectors, ok := r.queries[key]; ok {
		return vectors, nil
	}
	vectors, err := r.Embedder.Embed(ctx, kind, texts)
	if err == nil {
		if r.queries == nil {
			r.queries = map[string][][]float32{}
		}
		r.queries[key] = vectors
	}
	return vectors, err
}

// TestProofMeaning measures the three modes with the default model: all tasks in the whole corpus with
// SKILLCORPUS_PROOF=1, else ten of them among 60 other skills.
func TestProofMeaning(t *testing.T) {
	whole := os.Getenv("SKILLCORPUS_PROOF") == "1"
	e := modeltest.Open(t, "", model.Options{})
	skills, tasks := bench(t)
	limit, floor := 0, 0.70
	if !whole {
		limit, floor = 60, 0.85
		for _, task := range slices.Sorted(maps.Keys(tasks))[10:] {
			delete(tasks, task)
			skills = slices.DeleteFunc(skills, func(s lexical.Skill) bool { return strings.HasPrefix(s.ID, "skillsbench/"+task+"/") })
		}
	}
	dir := filepath.Join(t.TempDir(), "main")
	started := time.Now()
	v := index.Vectors{Embedder: e, Cache: vectorCache(t, whole), Sections: proofSections(whole), Tokens: func(done, total int) {
		if whole && total > 0 && time.Since(started) > time.Minute {
			t.Logf("%d of %d tokens", done, total)
			started = time.Now()
		}
	}}
	m, err := writeDense(t, dir, v, append(corpus(t, limit), skills...)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Lists {
		t.Logf("%s: %d entries, %d bytes", l.File, l.Count, l.Bytes)
	}
	opening := time.Now()
	s := openDense(t, dir, index.Dense{Embedder: &remembering{Embedder: e}, Budget: time.Minute})
	t.Logf("opened in %v", time.Since(opening))
	for _, mode := range []index.Mode{index.ModeLexical, index.ModeVector, index.ModeHybrid} {
		measure(t, s, mode, skills, tasks)
		mean, times := measure(t, s, mode, skills, tasks)
		slices.Sort(times)
		t.Logf("%s: MRR %.3f recall@10 %.3f hit@10 %.3f; 1,000 hits without the embedding: median %v p95 %v", mode, mean.reciprocal, mean.recall, mean.hit,
			times[len(times)/2], times[len(times)*95/100])
		times = times[:0]
		for _, text := range tasks {
			result, err := s.Search(t.Context(), index.Request{Text: text, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, result.Took)
		}
		slices.Sort(times)
		t.Logf("%s, ten hits: median %v p95 %v", mode, times[len(times)/2], times[len(times)*95/100])
		if mode == index.ModeHybrid && mean.reciprocal < floor {
			t.Errorf("MRR %.3f, want at least %.2f", mean.reciprocal, floor)
		}
	}
}

// TestRealParaphrase finds a skill by words of which it holds none.
func TestRealParaphrase(t *testing.T) {
	t.Parallel()
	e := modeltest.Open(t, "", model.Options{})
	s := buildDense(t, e,
		lexical.Skill{ID: "a/pdf", Name: "pdf", Description: "Extract text from PDF documents and fill in their forms."},
		lexical.Skill{ID: "b/email", Name: "mailer", Description: "Draft and send polite e-mail answers to customers."},
		lexical.Skill{ID: "c/deploy", Name: "deploy", Description: "Ship a container image to a Kubernetes cluster."},
		lexical.Skill{ID: "d/chart", Name: "chart", Description: "Plot time series as line graphs."},
	)
	for query, want := range map[string]string{
		"release my dockerized app into production": "c/deploy",
		"reply on behalf of our support desk":       "b/email",
		"visualise measurements over the months":    "d/chart",
	} {
		result, err := s.Search(t.Context(), index.Request{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		if h := result.Hits[0]; h.ID != want || !strings.Contains(h.Why, "no word in common") {
			t.Errorf("%q: %s, %s", query, h.ID, h.Why)
		}
	}
}
