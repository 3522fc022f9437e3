package code_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"skillcorpus/audit/code"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/parse/document"
)

type skill struct {
	text []byte
	doc  data.Document
}

// corpus yields the skills of the reference corpus's files from one on; the last is the smallest.
func corpus(t testing.TB, from int, yield func(skill)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "*.jsonl.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus files: %v", err)
	}
	for _, name := range names[min(from, len(names)-1):] {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		for rows := json.NewDecoder(packed); ; {
			var row struct {
				Text   *string `json:"skill_md"`
				Base64 []byte  `json:"skill_md_b64"`
			}
			if err := rows.Decode(&row); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if row.Text != nil {
				row.Base64 = []byte(*row.Text)
			}
			yield(skill{row.Base64, document.Parse(row.Base64, document.Source{File: data.SkillFile})})
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProofStates tells the states by language over the whole corpus, and holds the languages that were read by eye: of
// their blocks at most one in 300 is broken. More means that a parser or a mark of explained has changed.
func TestProofStates(t *testing.T) {
	t.Parallel()
	if os.Getenv("SKILLCORPUS_PROOF") != "1" {
		t.Skip("runs with SKILLCORPUS_PROOF=1")
	}
	states := map[string]map[code.State]int{}
	corpus(t, 0, func(s skill) {
		for _, u := range code.Blocks(s.doc, s.text, data.SkillFile) {
			if states[u.Lang] == nil {
				states[u.Lang] = map[code.State]int{}
			}
			states[u.Lang][u.State]++
		}
	})
	for lang, count := range states {
		t.Log(lang, count)
	}
	for _, lang := range []string{"python", "javascript", "typescript"} {
		whole, broken := states[lang][code.OK], states[lang][code.Broken]
		if whole < 7000 || broken == 0 || broken*300 > whole {
			t.Errorf("%s: %v", lang, states[lang])
		}
	}
}

func BenchmarkBlocks(b *testing.B) {
	var skills []skill
	size := 0
	corpus(b, 14, func(s skill) {
		skills = append(skills, s)
		size += len(s.text)
	})
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, s := range skills {
			code.Blocks(s.doc, s.text, data.SkillFile)
		}
	}
}
