package store

import (
	"fmt"
	"strings"
	"testing"

	"skillcorpus/data"
)

// thousand are skills of about 6 KB, as in the corpus, with four listed files each.
func thousand() (skills []skill) {
	text := strings.Repeat("Read the page, then write what it says into the table.\n", 110)
	for i := range 1000 {
		skills = append(skills, skill{
			repo: fmt.Sprintf("owner/repo-%03d", i/7), path: fmt.Sprintf("skills/s-%04d", i), text: fmt.Sprintf("# Skill %d\n%s", i, text),
			files: map[string]string{"a.md": fmt.Sprint(i), "b.md": "b", "c.py": "c", "d.sh": "d"},
		})
	}
	return skills
}

func BenchmarkImport(b *testing.B) {
	skills := thousand()
	for b.Loop() {
		b.StopTimer()
		c := newCorpus(b)
		var bundles []data.Bundle
		var blobs []Blob
		for _, s := range skills {
			bundle, kept := c.bundle(s)
			bundles, blobs = append(bundles, bundle), append(blobs, kept...)
		}
		b.StartTimer()
		check(b, c.CommitImport(b.Context(), bundles, blobs))
		b.StopTimer()
		check(b, c.Close())
		b.StartTimer()
	}
}

func benchmarkOn(b *testing.B, f func(*corpus)) {
	c := newCorpus(b)
	c.imports(thousand()...)
	c.parse(1)
	c.audit(1)
	b.ReportAllocs()
	for b.Loop() {
		f(c)
	}
}

func BenchmarkSkills(b *testing.B) {
	benchmarkOn(b, func(c *corpus) {
		if n := len(c.ids()); n != 1000 {
			b.Fatal(n)
		}
	})
}

func BenchmarkDigest(b *testing.B) {
	benchmarkOn(b, func(c *corpus) { must[string](b)(c.Digest(b.Context())) })
}

func BenchmarkSearchDigest(b *testing.B) {
	benchmarkOn(b, func(c *corpus) { _, _, err := c.SearchDigest(b.Context()); check(b, err) })
}

func BenchmarkVerify(b *testing.B) {
	benchmarkOn(b, func(c *corpus) { must[[]string](b)(c.Verify(b.Context())) })
}
