package marketplace_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/marketplace"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
)

const plugins = `{"name": "m", "plugins": [
 {"name": "own", "source": "./own", "description": "d"},
 {"name": "named", "source": "./named", "skills": ["./one", "./two"]},
 {"name": "hub", "source": {"source": "github", "repo": "o/hub", "ref": "v1", "sha": "0123456789012345678901234567890123456789"}},
 {"name": "git", "source": {"source": "url", "url": "https://github.com/o/git.git", "ref": "v2"}},
 {"name": "sub", "source": {"source": "git-subdir", "url": "git@github.com:o/sub.git", "path": "a/b"}},
 {"name": "pack", "source": {"source": "npm", "package": "@o/pack"}},
 {"name": "else", "source": {"source": "url", "url": "https://gitlab.com/o/x.git"}},
 {"name": "bad pack", "source": {"source": "pip", "package": "../x"}},
 {"name": "odd"  , "source": "/etc"}]}`

func serve(t *testing.T, files map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[strings.TrimPrefix(r.URL.Path, "/o/r/HEAD/")]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func open(t *testing.T, base string, warn func(string)) *marketplace.Source {
	t.Helper()
	s, err := marketplace.New("https://github.com/o/r", marketplace.Config{
		RawURL: base, RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Now: time.Now, Warn: warn,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func list(t *testing.T, s source.Source) ([]string, data.Completeness, error) {
	t.Helper()
	var got []string
	end, err := s.Enumerate(t.Context(), nil, func(rows []data.Listing, _ json.RawMessage) error {
		for _, row := range rows {
			path := "?"
			if row.PathKnown {
				path = row.Path
			}
			got = append(got, strings.Join([]string{row.ExternalID, data.RepoID(row.Host, row.Repo), row.Ref, path}, " "))
		}
		return nil
	})
	return got, end, err
}

func TestRows(t *testing.T) {
	t.Parallel()
	var warnings []string
	got, end, err := list(t, open(t, serve(t, map[string]string{".claude-plugin/marketplace.json": plugins}), func(line string) { warnings = append(warnings, line) }))
	want := []string{
		"own o/r  own", "named#named/one o/r  named/one", "named#named/two o/r  named/two",
		"hub o/hub 0123456789012345678901234567890123456789 ?", "git o/git v2 ?", "sub o/sub  a/b", "pack npm:@o/pack  ?",
	}
	if err != nil || end != data.Complete || !slices.Equal(got, want) || len(warnings) != 3 {
		t.Errorf("%s, %v\n%q\n%q", end, err, got, warnings)
	}
}

func TestWhere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		rows  int
		want  data.Outcome
	}{
		"codex":     {map[string]string{".agents/plugins/marketplace.json": plugins}, 7, data.OutcomeOK},
		"codex old": {map[string]string{".codex-plugin/marketplace.json": plugins}, 7, data.OutcomeOK},
		"none":      {nil, 0, data.OutcomeGone},
		"rubbish":   {map[string]string{".claude-plugin/marketplace.json": "<html>"}, 0, data.OutcomeMalformed},
		"other":     {map[string]string{".claude-plugin/marketplace.json": `{"plugins": {"a": 1}}`}, 0, data.OutcomeMalformed},
		"endless":   {map[string]string{".claude-plugin/marketplace.json": strings.Repeat(" ", 9<<20)}, 0, data.OutcomeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := list(t, open(t, serve(t, test.files), func(string) {}))
			if data.OutcomeOf(err) != test.want || len(got) != test.rows {
				t.Errorf("%d rows, %v", len(got), err)
			}
		})
	}
	if _, err := marketplace.New("no repository", marketplace.Config{Now: time.Now}); err == nil {
		t.Error("no repository was accepted")
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "marketplace.json")
	if err := os.WriteFile(name, []byte(plugins), 0o600); err != nil {
		t.Fatal(err)
	}
	warnings := 0
	got, end, err := list(t, marketplace.File(name, func(string) { warnings++ }))
	if err != nil || end != data.Complete || len(got) != 4 || warnings != 5 {
		t.Errorf("%s, %v: %q, %d warnings", end, err, got, warnings)
	}
	if _, _, err := list(t, marketplace.File(name+"x", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]string{".claude-plugin/marketplace.json": plugins})
	sourcetest.Run(t, sourcetest.Suite{
		Open: func(t *testing.T) source.Source { return open(t, base, func(string) {}) }, Rows: 7, End: data.Complete,
	})
}
