package skillflow

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads every testdata file: its comment says which weak point it shows, `in` is the SKILL.md (with
// `<BOM>`, `<CR>` for what cannot be written), and yaml, prose and code are what is embedded.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := strings.NewReplacer("<BOM>", "\uFEFF", "<CR>", "\r", "<FF>", "\xff").Replace(string(archive.Files[0].Data))
			got := Split([]byte(in)).Embedded()
			want := txtar.Archive{Comment: archive.Comment, Files: []txtar.File{
				archive.Files[0], {Name: "yaml", Data: line(got.YAML)}, {Name: "prose", Data: line(got.Prose)}, {Name: "code", Data: line(got.Code)},
			}}
			if *update {
				if err := os.WriteFile(file, txtar.Format(&want), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(&want))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func line(text string) []byte { return []byte(text + "\n") }

// FuzzSplit holds that texts are trimmed UTF-8 and never longer than the file.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "---\na: b\n---\nc\n```sh\nd\n```\n", "---\n---\n````\n```\n", "\uFEFF---\r\n\xff```a b\n```\nc```"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s := Split(file)
		for _, text := range []string{s.YAML, s.Prose, s.Code} {
			if text != trim(text) || len(text) > 3*len(file) {
				t.Errorf("%q", text)
			}
		}
	})
}
