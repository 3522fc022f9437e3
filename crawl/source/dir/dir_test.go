package dir_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/dir"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
)

// tree makes files below a new folder called name; a name that ends in a slash is a folder.
func tree(t *testing.T, name string, files ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	for _, file := range append(files, "/") {
		path := filepath.Join(root, file)
		if file[len(file)-1] == '/' {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestEntries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []string
		want  map[string]string // repository: path below the root, with * for an archive
	}{
		{"plain folder of skills", []string{"a/SKILL.md", "b/SKILL.md"}, map[string]string{"tools": ""}},
		{"empty folder", nil, map[string]string{"tools": ""}},
		{"checkout that ships an archive", []string{".git/HEAD", "assets.zip", "a/SKILL.md"}, map[string]string{"tools": ""}},
		{"one skill that ships an archive", []string{"SKILL.md", "template.zip"}, map[string]string{"tools": ""}},
		{"archives", []string{"a.zip", "b.tar.gz", "c.TGZ", "README.md"}, map[string]string{"a": "*a.zip", "b": "*b.tar.gz", "c": "*c.TGZ"}},
		{"checkouts", []string{"a/.git/HEAD", "b/SKILL.md", ".cache/x"}, map[string]string{"a": "a", "b": "b"}},
		{"worktree", []string{"a/.git"}, map[string]string{"a": "a"}},
		{"one name thrice", []string{"a/SKILL.md", "a.zip", "a.tar.gz"}, map[string]string{"a": "a", "a.zip": "*a.zip", "a.tar.gz": "*a.tar.gz"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, "tools", test.files...)
			s, err := dir.New(root)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]string)
			end, err := s.Enumerate(t.Context(), nil, func(rows []data.Listing, _ json.RawMessage) error {
				for _, row := range rows {
					path, archive, ok := s.Locate(row.Repo)
					if !ok || row.Host != data.HostDir || row.PathKnown {
						t.Errorf("row %+v located at %q, %v", row, path, ok)
					}
					below, err := filepath.Rel(root, path)
					if err != nil {
						return err
					}
					got[row.Repo] = strings.TrimPrefix(map[bool]string{true: "*"}[archive]+below, ".")
				}
				return nil
			})
			if err != nil || end != data.Complete {
				t.Fatalf("Enumerate = %s, %v", end, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("repositories (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOneArchive(t *testing.T) {
	t.Parallel()
	root := tree(t, "tools", "pack.v2.zip", "notes.txt")
	s, err := dir.New(filepath.Join(root, "pack.v2.zip"))
	if err != nil {
		t.Fatal(err)
	}
	path, archive, ok := s.Locate("pack.v2")
	if !ok || !archive || path != filepath.Join(root, "pack.v2.zip") {
		t.Errorf("Locate = %q, %v, %v", path, archive, ok)
	}
	if _, _, ok := s.Locate("other"); ok {
		t.Error("a repository that is not there was located")
	}
	for _, bad := range []string{"notes.txt", "missing"} {
		if _, err := dir.New(filepath.Join(root, bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 250 {
		files = append(files, fmt.Sprintf("pack-%03d.zip", i))
	}
	root := tree(t, "many", files...)
	sourcetest.Run(t, sourcetest.Suite{
		Open: func(t *testing.T) source.Source {
			s, err := dir.New(root)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Rows: 250,
		End:  data.Complete,
	})
}

// Two places of one name are told apart, whatever path leads there and whatever was crawled first.
func TestFormer(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, name := range []string{"a/kit", "b/KIT", "b/other"} {
		if err := os.MkdirAll(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *dir.Source {
		t.Helper()
		s, err := dir.New(filepath.Join(base, name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var last json.RawMessage
	first := open("a/kit")
	if _, err := first.Enumerate(t.Context(), nil, func(_ []data.Listing, next json.RawMessage) error { last = next; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, old := range []struct {
		name   string
		cursor json.RawMessage
	}{{first.Name(), nil}, {first.Name(), last}, {"dir:kit", last}} {
		former, ok := dir.Former(old.name, old.cursor)
		if !ok {
			t.Fatalf("%s, %s: no source", old.name, old.cursor)
		}
		for name, want := range map[string]string{"a/kit": "", "link/kit": "", "b/KIT": "KIT", "b/other": ""} {
			if got, there := open(name).Shares(former); got != want || (there == "") != (want == "") {
				t.Errorf("%s shares %q at %q, want %q", name, got, there, want)
			}
		}
	}
	if err := os.Rename(filepath.Join(base, "a/kit"), filepath.Join(base, "a/moved")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{first.Name(), "list:x", "sample"} {
		if _, ok := dir.Former(name, last); ok {
			t.Errorf("%s is still there", name)
		}
	}
}
