package stats_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/parse/document"
	"skillcorpus/parse/skillflow"
	"skillcorpus/parse/stats"
)

var update = flag.Bool("update", false, "rewrite the figures in docs/parse.md")

// figures are all that docs/parse.md says of the reference corpus.
type figures struct {
	stats.Collector
	keys        map[string][3]int // by folded key: skills with it at the top level, under metadata, in a vendor's block
	headings    map[string]int    // by pattern
	withoutCode int               // by the paper's splitter
}

// TestProofFigures holds the tables of docs/parse.md against the whole reference corpus.
func TestProofFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("SKILLCORPUS_PROOF") != "1" {
		t.Skip("runs with SKILLCORPUS_PROOF=1")
	}
	f := figures{keys: map[string][3]int{}, headings: map[string]int{}}
	patterns := map[string]*regexp.Regexp{}
	for _, row := range document.Headings() {
		for _, key := range row.Keys {
			patterns[key] = regexp.MustCompile(`(?i)^\W*(?:` + key + `)`)
		}
	}
	eachSkill(t, func(file []byte) {
		doc := document.Parse(file, document.Source{Folder: "x"})
		f.Add(doc, len(file))
		f.addKeys(doc.Frontmatter)
		for _, h := range doc.Headings {
			for key, pattern := range patterns {
				if pattern.MatchString(h.Text) {
					f.headings[key]++
				}
			}
		}
		if skillflow.Split(file).Code == "" {
			f.withoutCode++
		}
	})
	s := f.Stats()
	t.Logf("%d skills, %d bytes; without code by the paper's splitter %d (%.1f %%)", s.Skills, s.Bytes.Total, f.withoutCode,
		100*float64(f.withoutCode)/float64(s.Skills))
	checkDocs(t, map[string]string{"aliases": f.aliasTable(), "headings": f.headingTable(), "recoveries": countTable("complaint", s.Recoveries), "findings": countTable("rule", s.Findings)})
}

func (f *figures) addKeys(frontmatter data.Frontmatter) {
	seen := map[string][3]bool{}
	mark := func(fields []data.Field, level int) {
		for _, field := range fields {
			at := seen[fold(field.Key)]
			at[level] = true
			seen[fold(field.Key)] = at
		}
	}
	mark(frontmatter.Fields, 0)
	for _, field := range frontmatter.Fields {
		if fold(field.Key) == "metadata" {
			mark(field.Value.Map, 1)
		}
	}
	for _, vendor := range document.Vendors() {
		for _, place := range [][]data.Field{frontmatter.Fields, metadata(frontmatter)} {
			for _, field := range place {
				if fold(field.Key) == vendor {
					mark(field.Value.Map, 2)
				}
			}
		}
	}
	for key, at := range seen {
		count := f.keys[key]
		for level, found := range at {
			if found {
				count[level]++
			}
		}
		f.keys[key] = count
	}
}

func metadata(f data.Frontmatter) []data.Field {
	value, _ := f.Get("metadata")
	return value.Map
}

func fold(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ ", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

func (f *figures) aliasTable() string {
	var out strings.Builder
	out.WriteString("| field | key | top level | `metadata` | vendor's block |\n|---|---|--:|--:|--:|\n")
	for _, a := range document.Aliases() {
		for _, key := range a.Keys {
			count := f.keys[fold(key)]
			fmt.Fprintf(&out, "| %s | `%s` | %d | %d | %d |\n", a.Field, key, count[0], count[1], count[2])
		}
	}
	return out.String()
}

func (f *figures) headingTable() string {
	var out strings.Builder
	out.WriteString("| heading | begins with | headings |\n|---|---|--:|\n")
	for _, row := range document.Headings() {
		for _, key := range row.Keys {
			fmt.Fprintf(&out, "| %s | `%s` | %d |\n", row.Field, strings.ReplaceAll(key, "|", `\|`), f.headings[key])
		}
	}
	return out.String()
}

func countTable(title string, counts []stats.Count) string {
	var out strings.Builder
	fmt.Fprintf(&out, "| %s | skills |\n|---|--:|\n", title)
	for _, c := range counts {
		fmt.Fprintf(&out, "| `%s` | %d |\n", c.Name, c.Skills)
	}
	return out.String()
}

// checkDocs compares tables with those between `<!-- NAME -->` and `<!-- /NAME -->`.
func checkDocs(t *testing.T, tables map[string]string) {
	t.Helper()
	path := filepath.Join(datatest.ModuleRoot(t), "docs", "parse.md")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for name, table := range tables {
		block := regexp.MustCompile(fmt.Sprintf(`(?s)(<!-- %s -->\n)(.*?)(<!-- /%s -->)`, name, name))
		m := block.FindStringSubmatch(text)
		switch {
		case m == nil:
			t.Errorf("docs/parse.md has no table %s", name)
		case *update:
			text = strings.Replace(text, m[0], m[1]+table+m[3], 1)
		case m[2] != table:
			t.Errorf("docs/parse.md, table %s: got\n%s", name, table)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func eachSkill(t *testing.T, yield func(file []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file of the corpus: %v", err)
	}
	for _, name := range files {
		readSkills(t, name, yield)
	}
}

func readSkills(t *testing.T, name string, yield func(file []byte)) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for rows := json.NewDecoder(packed); ; {
		var record data.Record
		if err := rows.Decode(&record); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		content, _ := record.Text()
		yield(content)
	}
}
