package index_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/index"
	"skillcorpus/index/lexical"
	"skillcorpus/parse/document"
)

// parsed makes a skill of a SKILL.md.
func parsed(id string, text []byte) lexical.Skill {
	return index.TextsOf(id, document.Parse(text, document.Source{File: "SKILL.md", Folder: data.FolderName(id)}), text)
}

// corpus reads up to limit skills of the corpus; 0 reads all.
func corpus(t testing.TB, limit int) []lexical.Skill {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "skills-*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus files: ", err)
	}
	var skills []lexical.Skill
	for _, file := range files {
		each(t, file, func(d *json.Decoder) error {
			var r data.Record
			if err := d.Decode(&r); err != nil {
				return err
			}
			if limit > 0 && len(skills) >= limit {
				return io.EOF
			}
			id := data.SkillID(r.Repo, r.Path)
			text, _ := r.Text()
			s := parsed(id, text)
			s.Repo, s.License, s.Stars = r.Repo, r.License, r.Stars
			skills = append(skills, s)
			return nil
		})
	}
	return skills
}

// each decodes a packed file of JSON lines.
func each(t testing.TB, file string, read func(*json.Decoder) error) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(unpacked)
	for {
		if err := read(d); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// bench is the retrieval benchmark: its skills, and of each task the text.
func bench(t testing.TB) (skills []lexical.Skill, tasks map[string]string) {
	t.Helper()
	root := datatest.Shared(t, "skillsbench", "tasks")
	files, err := filepath.Glob(filepath.Join(root, "*", "skills", "*", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(file))
		task := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(file))))
		skills = append(skills, parsed("skillsbench/"+task+"/"+folder, text))
	}
	tasks = map[string]string{}
	files, err = filepath.Glob(filepath.Join(root, "*", "instruction.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tasks[filepath.Base(filepath.Dir(file))] = string(text)
	}
	return skills, tasks
}

// names returns n names of the marketplace listing, drawn with a fixed seed.
func names(t testing.TB, n int) []string {
	t.Helper()
	var all []string
	each(t, datatest.Shared(t, "listings", "marketplace.jsonl.gz"), func(d *json.Decoder) error {
		var row struct{ Name string }
		if err := d.Decode(&row); err != nil {
			return err
		}
		if row.Name != "" {
			all = append(all, row.Name)
		}
		return nil
	})
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// score is what one task's ranking is worth.
type score struct{ reciprocal, recall, hit float64 }

// measure ranks the tasks in a mode and returns the mean score and every query's time.
func measure(t testing.TB, s *index.Searcher, mode index.Mode, skills []lexical.Skill, tasks map[string]string) (score, []time.Duration) {
	t.Helper()
	var mean score
	var times []time.Duration
	for task, text := range tasks {
		truth := 0
		for _, skill := range skills {
			if strings.HasPrefix(skill.ID, "skillsbench/"+task+"/") {
				truth++
			}
		}
		result, err := s.Search(t.Context(), index.Request{Text: text, Mode: mode, K: index.MaxK, KeepCopies: true})
		if err != nil || result.Mode != mode {
			t.Fatal(result.Degraded, err)
		}
		times = append(times, result.Took)
		found, first := 0, 0
		for i, id := range idsOf(result) {
			if !strings.HasPrefix(id, "skillsbench/"+task+"/") {
				continue
			}
			if first == 0 {
				first = i + 1
			}
			if i < 10 {
				found++
			}
		}
		n := float64(len(tasks))
		if first > 0 {
			mean.reciprocal += 1 / float64(first) / n
		}
		mean.recall += float64(found) / float64(truth) / n
		if found > 0 {
			mean.hit += 1 / n
		}
	}
	return mean, times
}

// TestProofRetrieval measures ranking and speed by the rule of the benchmark's README. The short form searches
// its skills among 300 others; with SKILLCORPUS_PROOF=1 among the whole corpus.
func TestProofRetrieval(t *testing.T) {
	whole := os.Getenv("SKILLCORPUS_PROOF") == "1"
	if !whole {
		t.Parallel()
	}
	limit, floor := 300, 0.75
	if whole {
		limit, floor = 0, 0.66
	}
	skills, tasks := bench(t)
	all := append(corpus(t, limit), skills...)
	dir := filepath.Join(t.TempDir(), "main")
	runtime.GC()
	start := time.Now()
	m := write(t, dir, all...)
	t.Logf("built %d skills, %d bytes in %v", m.Skills, m.Lists[0].Bytes, time.Since(start))
	clear(all)
	s, err := index.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mean, times := measure(t, s, index.ModeLexical, skills, tasks)
	for _, name := range names(t, 156) {
		result, err := s.Search(t.Context(), index.Request{Text: name})
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, result.Took)
	}
	slices.Sort(times)
	t.Logf("MRR %.3f recall@10 %.3f hit@10 %.3f; median %v p95 %v", mean.reciprocal, mean.recall, mean.hit,
		times[len(times)/2], times[len(times)*95/100])
	if mean.reciprocal < floor {
		t.Errorf("MRR %.3f, want at least %.2f", mean.reciprocal, floor)
	}
}
