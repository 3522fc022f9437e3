package github_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"skillcorpus/crawl/github"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

// read is what a caller does with a URL and a repository's refs: ref and directory, or the class of error.
func read(url string, refs []string, byDefault string) (repo, ref, dir string, err error) {
	at, err := github.ParseURL(url)
	if err != nil {
		return "", "", "", err
	}
	ref, dir, err = github.Resolve(at.Tail, refs)
	if ref == "" {
		ref = byDefault
	}
	if len(at.Tail) == 0 {
		dir = github.Directory(at.Path)
	}
	return at.Repo, ref, dir, err
}

func TestCaseTreeURLs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(datatest.Shared(t, "cases", "20-tree-urls", "urls.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		URL, Default string
		Refs         []string
		Want         json.RawMessage
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		repo, ref, dir, err := read(row.URL, row.Refs, row.Default)
		var failure string
		if json.Unmarshal(row.Want, &failure) == nil {
			if err == nil || !strings.HasSuffix(err.Error(), strings.TrimPrefix(failure, "error: ")) {
				t.Errorf("%s: %v, want %s", row.URL, err, failure)
			}
			continue
		}
		want := struct{ Repo, Key, Ref, Path string }{Repo: "kit"}
		if err := json.Unmarshal(row.Want, &want); err != nil {
			t.Fatal(err)
		}
		if want.Key == "" {
			want.Key = "example-owner/" + want.Repo
		}
		if err != nil || data.RepoKey(repo) != want.Key || ref != want.Ref || dir != want.Path {
			t.Errorf("%s: %s %s %q %v, want %+v", row.URL, repo, ref, dir, err, want)
		}
	}
	if len(rows) != 20 {
		t.Errorf("%d rows, want 20", len(rows))
	}
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	refs := []string{"main", "a", "a/b", "release/1.0", "100%"}
	tests := []struct {
		url  string
		want string // repo@ref:dir
		err  error
	}{
		{"  https://github.com/o/r/tree/main/x/  ", "o/r@main:x", nil},
		{"HTTPS://GitHub.com/O/R/tree/main", "O/R@main:", nil},
		{"http://github.com:443/o/r", "o/r@:", nil},
		{"ssh://git@github.com/o/r.git", "o/r@:", nil},
		{"ssh://git@github.com:22/o/r.git", "o/r@:", nil},
		{"git+https://github.com/o/r.git#main", "o/r@:", nil},
		{"https://user:secret@github.com/o/r", "o/r@:", nil},
		{"https://raw.githubusercontent.com/o/r/main/x/SKILL.md", "o/r@main:x", nil},
		{"https://raw.githubusercontent.com/o/r/refs/heads/a/b/x/skill.md", "o/r@a/b:x", nil},
		{"https://github.com/o/r/raw/main/SKILL.md", "o/r@main:", nil},
		{"https://github.com/o/r/tree/a/b", "o/r@a/b:", nil},
		{"https://github.com/o/r/tree/a/bc", "o/r@a:bc", nil},
		{"https://github.com/o/r/tree/release%2F1.0%2Fx", "o/r@release/1.0:x", nil},
		{"https://github.com/o/r/tree/100%25/x", "o/r@100%:x", nil},
		{"https://github.com/o/r/tree/main/a%252Fb", "o/r@main:a%2Fb", nil},
		{"https://github.com/o/r/tree/main//x/./y", "o/r@main:x/y", nil},
		{"https://github.com/o/r/tree/main/a+b", "o/r@main:a+b", nil},
		{"https://github.com/o/r/tree", "o/r@:", nil},
		{"https://github.com/o/r/issues/5", "o/r@:", nil},
		{"https://github.com/o/tree/tree/main/tree", "o/tree@main:tree", nil},
		{"o/r/skills/x/SKILL.md", "o/r@:skills/x", nil},
		{"o/r/tree/main/x", "o/r@main:x", nil},
		{"o/.github", "o/.github@:", nil},
		{"topics/x", "topics/x@:", nil},
		{"https://github.com/o/r/tree/nope/x", "", github.ErrNoRef},
		{"https://github.com/o/r/tree/mainly", "", github.ErrNoRef},
		{"https://github.com/o/r/tree/main/%2e%2e/x", "", github.ErrLeaves},
		{"https://github.com/o/r/tree/main/a%2F..%2Fx", "", github.ErrLeaves},
		{"https://github.com/o/../r", "", github.ErrLeaves},
		{"https://github.com/o/r/tree/main/%", "", github.ErrBadEscape},
		{"https://github.com/o/r/tree/main/%00", "", github.ErrBadEscape},
		{"https://github.com/o/r/tree/main/%ff", "", github.ErrBadEscape},
		{"https://github.com/topics/x", "", github.ErrNotRepository},
		{"https://github.com/", "", github.ErrNotRepository},
		{"https://gitlab.com/o/r", "", github.ErrNotRepository},
		{"https://github.com.evil.test/o/r", "", github.ErrNotRepository},
		{"https://github.com@evil.test/o/r", "", github.ErrNotRepository},
		{"file:///o/r", "", github.ErrNotRepository},
		{"gitlab.com/o/r", "", github.ErrNotRepository},
		{"o", "", github.ErrNotRepository},
		{"", "", github.ErrNotRepository},
		{"a b/c", "", github.ErrNotRepository},
		{"o/" + strings.Repeat("x", 101), "", github.ErrNotRepository},
		{"git@gitlab.com:o/r.git", "", github.ErrNotRepository},
	}
	for _, test := range tests {
		repo, ref, dir, err := read(test.url, refs, "")
		if got := repo + "@" + ref + ":" + dir; !errors.Is(err, test.err) || err == nil && got != test.want {
			t.Errorf("%s: %s, %v; want %s, %v", test.url, got, err, test.want, test.err)
		}
	}
}

func TestGuess(t *testing.T) {
	t.Parallel()
	at, err := github.ParseURL("https://github.com/o/r/tree/feature/x/skills/a/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if ref, path := at.Guess(); ref != "feature" || path != "x/skills/a/SKILL.md" || github.Directory(path) != "x/skills/a" {
		t.Errorf("Guess = %s, %s", ref, path)
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"https://github.com/o/r/tree/a/b%2Fc/SKILL.md?x#y", "git@github.com:o/r.git", "o/r/..%2f", "https://github.com/%2e%2e/%2e%2e",
		"raw.githubusercontent.com/o/r/refs/heads/a", "://", "https://@/", "o/r.git.git",
	} {
		f.Add(seed, "a/b")
	}
	f.Fuzz(func(t *testing.T, url, ref string) {
		at, err := github.ParseURL(url)
		if err != nil {
			if !errors.Is(err, github.ErrNotRepository) && !errors.Is(err, github.ErrBadEscape) && !errors.Is(err, github.ErrLeaves) {
				t.Errorf("%q: error without a class: %v", url, err)
			}
			return
		}
		if again, err := github.ParseURL("https://github.com/" + at.Repo); strings.Count(at.Repo, "/") != 1 ||
			err == nil && again.Repo != strings.TrimSuffix(at.Repo, ".git") {
			t.Errorf("%q: repository %q", url, at.Repo)
		}
		found, dir, err := github.Resolve(at.Tail, []string{ref, "main"})
		if err == nil && (slices.Contains(strings.Split(dir, "/"), "..") || found != "" && found != ref && found != "main" || dir != data.CleanDir(dir)) {
			t.Errorf("%q: ref %q, dir %q", url, found, dir)
		}
	})
}
