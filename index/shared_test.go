package index_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data/datatest"
	"skillcorpus/index"
	"skillcorpus/index/lexical"
)

// caseQuery is one query of a case.
type caseQuery struct {
	Q      string   `json:"q"`
	First  []string `json:"first"`
	Then   []string `json:"then"`
	Prefix string   `json:"prefix"`
	Set    []string `json:"set"`
}

// caseSkills reads the small corpus of a case.
func caseSkills(t testing.TB, folder string) []lexical.Skill {
	t.Helper()
	text, err := os.ReadFile(datatest.Shared(t, "cases", folder, "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var skills []lexical.Skill
	for line := range strings.Lines(string(text)) {
		var row struct {
			ID, Name, Description string
			Installs              int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		skills = append(skills, lexical.Skill{ID: row.ID, Name: row.Name, Description: row.Description, Installs: row.Installs})
	}
	return skills
}

func caseQueries(t testing.TB, folder string) []caseQuery {
	t.Helper()
	text, err := os.ReadFile(datatest.Shared(t, "cases", folder, "queries.json"))
	if err != nil {
		t.Fatal(err)
	}
	var queries []caseQuery
	if err := json.Unmarshal(text, &queries); err != nil {
		t.Fatal(err)
	}
	return queries
}

// build writes an index over the skills, in any order, and opens it.
func build(t testing.TB, skills ...lexical.Skill) *index.Searcher {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "main")
	write(t, dir, skills...)
	s, err := index.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func write(t testing.TB, dir string, skills ...lexical.Skill) index.Manifest {
	t.Helper()
	slices.SortFunc(skills, func(a, b lexical.Skill) int { return strings.Compare(a.ID, b.ID) })
	m, err := index.Write(t.Context(), dir, index.Options{CorpusDigest: "digest"}, rows(skills))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func rows(skills []lexical.Skill) func(func(lexical.Skill, error) bool) {
	return func(yield func(lexical.Skill, error) bool) {
		for _, s := range skills {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// find returns the ids of a search.
func find(t testing.TB, s *index.Searcher, q index.Request) []string {
	t.Helper()
	result, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	return idsOf(result)
}

func idsOf(result index.Result) []string {
	ids := make([]string, len(result.Hits))
	for i, h := range result.Hits {
		ids[i] = h.ID
	}
	return ids
}
