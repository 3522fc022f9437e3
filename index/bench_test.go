package index_test

import (
	"path/filepath"
	"testing"

	"skillcorpus/index"
	"skillcorpus/index/embed/embedtest"
)

// benchSkills is how many skills of the corpus the benchmarks index.
const benchSkills = 2000

func BenchmarkWrite(b *testing.B) {
	skills := corpus(b, benchSkills)
	size := 0
	for _, s := range skills {
		size += len(s.Prose) + len(s.Code) + len(s.Description)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		write(b, filepath.Join(b.TempDir(), "main"), skills...)
	}
	b.ReportMetric(float64(len(skills)*b.N)/b.Elapsed().Seconds(), "skills/s")
}

func BenchmarkSearch(b *testing.B) {
	_, tasks := bench(b)
	s := build(b, corpus(b, benchSkills)...)
	hybrid := buildDense(b, &embedtest.Fake{Size: 384}, corpus(b, benchSkills)...)
	var instructions []string
	for _, text := range tasks {
		instructions = append(instructions, text)
	}
	for name, queries := range map[string][]string{
		"name": names(b, 156), "instruction": instructions,
	} {
		b.Run("lexical/"+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				find(b, s, index.Request{Text: queries[i%len(queries)]})
			}
		})
		b.Run("hybrid/"+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				find(b, hybrid, index.Request{Text: queries[i%len(queries)]})
			}
		})
	}
}
