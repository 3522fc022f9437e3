package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

type skill struct {
	id   string
	text []byte
}

// corpusSkills yields every nth skill of every nth file of the reference corpus, from the last file down: it
// is the smallest.
func corpusSkills(t testing.TB, nthFile, nth int, yield func(skill)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus files: %v", err)
	}
	for i := len(files) - 1; i >= 0; i -= nthFile {
		packed, err := gzip.NewReader(bytes.NewReader(readFile(t, files[i])))
		if err != nil {
			t.Fatal(err)
		}
		rows := bufio.NewReaderSize(packed, 1<<20)
		for at := 1; ; at++ {
			row, err := rows.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(row) == 0 {
				break
			} else if err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if at%nth == 0 {
				yield(readSkill(t, row))
			}
		}
	}
}

func readSkill(t testing.TB, row []byte) skill {
	t.Helper()
	var r struct {
		Origin, Path string
		Text         *string `json:"skill_md"`
		Base64       []byte  `json:"skill_md_b64"`
	}
	if err := json.Unmarshal(row, &r); err != nil {
		t.Fatal(err)
	}
	if r.Text != nil {
		return skill{r.Origin + "/" + r.Path, []byte(*r.Text)}
	}
	return skill{r.Origin + "/" + r.Path, r.Base64}
}

// TestProofThroughput holds the whole parse of the corpus to 1.3 times goldmark's own parse of the same bytes, both in
// processor time, the garbage collector's included.
func TestProofThroughput(t *testing.T) {
	if os.Getenv("SKILLCORPUS_PROOF") != "1" {
		t.Skip("runs with SKILLCORPUS_PROOF=1")
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	var ours, theirs time.Duration
	size := 0
	batch := func(skills []skill) {
		start := processorTime(t)
		for _, s := range skills {
			Parse(s.text, Source{Folder: "x"})
		}
		middle := processorTime(t)
		for _, s := range skills {
			md.Parse(text.NewReader(s.text))
		}
		ours, theirs = ours+middle-start, theirs+processorTime(t)-middle
	}
	var skills []skill
	corpusSkills(t, 1, 1, func(s skill) {
		size += len(s.text)
		if skills = append(skills, s); len(skills) == 500 {
			batch(skills)
			skills = skills[:0]
		}
	})
	batch(skills)
	rate := func(took time.Duration) float64 { return float64(size) / 1e6 / took.Seconds() }
	ratio := ours.Seconds() / theirs.Seconds()
	t.Logf("%d bytes: %.1f MB/s, goldmark alone %.1f MB/s, ratio %.2f", size, rate(ours), rate(theirs), ratio)
	if ratio > 1.3 {
		t.Errorf("%.2f times goldmark's time", ratio)
	}
}

// TestProofCorpus holds the partition of 700 real skills, of all 35,129 with SKILLCORPUS_PROOF=1, and
// shows the rate and what was found.
func TestProofCorpus(t *testing.T) {
	t.Parallel()
	nthFile, nth := 6, 8
	if os.Getenv("SKILLCORPUS_PROOF") == "1" {
		nthFile, nth = 1, 1
	}
	var took, worst time.Duration
	worstID := ""
	count, size, recovered, links, fences, headings := 0, 0, 0, 0, 0, 0
	found := map[string]int{}
	corpusSkills(t, nthFile, nth, func(s skill) {
		start := time.Now()
		doc := Parse(s.text, Source{File: "SKILL.md", Folder: data.FolderName(s.id)})
		d := time.Since(start)
		if took += d; d > worst {
			worst, worstID = d, s.id
		}
		count, size = count+1, size+len(s.text)
		if err := check(doc.Sections, s.text); err != nil {
			t.Errorf("%s: %v", s.id, err)
		}
		if !doc.Binary && utf8File(s.text) {
			if err := checkLines(doc.Sections, s.text); err != nil {
				t.Errorf("%s: %v", s.id, err)
			}
		}
		if doc.Name == "" {
			t.Errorf("%s: no name", s.id)
		}
		if doc.Frontmatter.Recovered {
			recovered++
		}
		links, headings = links+len(doc.Links), headings+len(doc.Headings)
		for _, c := range codes(doc) {
			if c.Fenced {
				fences++
			}
		}
		seen := map[string]bool{}
		for _, f := range doc.Findings {
			if !seen[f.Rule] {
				found[f.Rule]++
			}
			seen[f.Rule] = true
		}
	})
	t.Logf("%d skills, %.1f MB in %v: %.1f MB/s; recovered %d; %d fences, %d headings, %d links; slowest %v %s",
		count, float64(size)/1e6, took, float64(size)/1e6/took.Seconds(), recovered, fences, headings, links, worst, worstID)
	for _, id := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%-34s %d", id, found[id])
	}
}

func utf8File(file []byte) bool {
	return !bytes.HasPrefix(file, []byte("\xFE\xFF")) && !bytes.HasPrefix(file, []byte("\xFF\xFE"))
}

// BenchmarkCorpus compares the whole parse with goldmark's own parse of the same bytes.
func BenchmarkCorpus(b *testing.B) {
	var skills []skill
	size := 0
	corpusSkills(b, 5, 9, func(s skill) { skills, size = append(skills, s), size+len(s.text) })
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, s := range skills {
				Parse(s.text, Source{Folder: "x"})
			}
		}
	})
	b.Run("goldmark", func(b *testing.B) {
		b.SetBytes(int64(size))
		md := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
		for b.Loop() {
			for _, s := range skills {
				md.Parse(text.NewReader(s.text))
			}
		}
	})
}
