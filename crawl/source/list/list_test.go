package list_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/list"
	"skillcorpus/crawl/source/sourcetest"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

func text(content string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
}

// read enumerates a list whole.
func read(t testing.TB, s *list.Source) (rows []data.Listing, end data.Completeness, err error) {
	t.Helper()
	end, err = s.Enumerate(t.Context(), nil, func(page []data.Listing, _ json.RawMessage) error {
		rows = append(rows, page...)
		return nil
	})
	return rows, end, err
}

// short is a listing as tests spell it: repo@ref:path, or repo#name.
func short(l data.Listing) string {
	text := l.Repo
	if l.Ref != "" {
		text += "@" + l.Ref
	}
	if l.PathKnown {
		return text + ":" + l.Path
	}
	if l.Name != "" {
		text += "#" + l.Name
	}
	return text
}

func TestShapes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		text     string
		want     []string
		warnings int
	}{
		{name: "empty"},
		{name: "blank", text: "\n \r\n# nothing\n"},
		{
			name: "URLs",
			text: "# mine\nhttps://github.com/o/kit\n\ngithub.com/o/kit/tree/main/skills/a\r\no/kit/skills/b/SKILL.md\nhttps://gitlab.com/o/kit\nhttps://github.com/o/kit/blob/main/SKILL.md",
			want: []string{"o/kit", "o/kit@main:skills/a", "o/kit:skills/b", "o/kit@main:"}, warnings: 1,
		},
		{
			name: "BOM and JSON lines", text: "\ufeff{\"repo\":\"o/a\",\"path\":\"SKILL.md\"}\n{\"repo\":\"o/a\",\"path\":\"\",\"name\":\"n\"}\n",
			want: []string{"o/a:", "o/a#n"},
		},
		{
			name: "files that are no skills",
			text: "{\"repo\":\"o/a\",\"path\":\"x/SKILL.md.backup\"}\n{\"repo\":\"o/a\",\"path\":\"create-skill.md\"}\n{\"repo\":\"o/a\",\"path\":\"x/Skill.MD\"}\n{\"repo\":\"o/a\",\"path\":\"v1.2/.claude\"}\n",
			want: []string{"o/a:x", "o/a:v1.2/.claude"}, warnings: 2,
		},
		{
			name: "torn last line", text: "{\"repo\":\"o/a\"}\n{\"repo\":\"o/b\",\"st",
			want: []string{"o/a"}, warnings: 1,
		},
		{
			name: "bad rows between good ones", text: "{\"repo\":\"o/a\"}\nnot json\n{\"repo\":7}\n{}\n[]\n{\"repo\":\"o/b\",\"stars\":\"many\"}\n{\"repo\":\"o/c\"}\n",
			want: []string{"o/a", "o/c"}, warnings: 5,
		},
		{
			name: "JSON array", text: "[\n {\"repo\":\"o/a\",\"commit\":\"1\"},\n \"https://github.com/o/b\",\n 5,\n {\"repo\":\"o/c\"}\n]\n",
			want: []string{"o/a", "o/b", "o/c"}, warnings: 1,
		},
		{name: "torn array", text: "[{\"repo\":\"o/a\"},{\"rep", want: []string{"o/a"}, warnings: 1},
		{
			name: "CSV", text: "Name,GitHub URL,stars,tags\nknots,https://github.com/o/a/tree/main/knots,3,\"x, y\"\nbad,,1,\nlong,o/b,1,t,extra\nlast,o/c,,\n",
			want: []string{"o/a@main:knots", "o/c#last"}, warnings: 2,
		},
		{
			name: "repository and URL", text: `{"repo":"o/a","url":"https://github.com/O/A/tree/dev/s"}` + "\n" + `{"repo":"o/a","url":"https://example.org/o/a"}` + "\n" + `{"source":"o/b","name":"s","url":"https://skills.example/o/b/s"}`,
			want: []string{"O/A@dev:s", "o/a", "o/b#s"},
		},
		{name: "climbing path", text: `{"repo":"o/a","path":"../x"}`, warnings: 1},
		{name: "root of the corpus format", text: `{"repo":"o/a","path":"","file":"skill.md","skill_md":"---"}`, want: []string{"o/a:"}},
	}
	for _, test := range tests {
		for _, zipped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/zipped=%v", test.name, zipped), func(t *testing.T) {
				t.Parallel()
				content := test.text
				if zipped {
					content = pack(t, content)
				}
				var warnings []string
				rows, end, err := read(t, list.New("list:x", text(content), func(w string) { warnings = append(warnings, w) }))
				outcome, wanted := data.OutcomeOK, data.Complete
				if len(test.want) == 0 {
					outcome, wanted = data.OutcomeMalformed, data.Interrupted
				}
				if data.OutcomeOf(err) != outcome || end != wanted {
					t.Fatalf("Enumerate = %s, %v", end, err)
				}
				var got []string
				for _, row := range rows {
					got = append(got, short(row))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				if len(warnings) != test.warnings {
					t.Errorf("warnings %q, want %d", warnings, test.warnings)
				}
			})
		}
	}
}

func pack(t testing.TB, content string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFields(t *testing.T) {
	t.Parallel()
	rows, _, err := read(t, list.New("list:x", text(`{"id":12,"repo":"o/a","path":"s/knots","name":"knots","description":"ties","author":"ann",`+
		`"stars":4.0,"installs":"7","tags":["a","b"],"updated_at":1700000000,"htmlUrl":null,"metadata":{"x":1},"branch":"dev"}`), func(w string) { t.Log(w) }))
	if err != nil {
		t.Fatal(err)
	}
	want := []data.Listing{{
		Source: "list:x", ExternalID: "12", Name: "knots", Description: "ties", Author: "ann", Stars: 4, Installs: 7,
		Tags: []string{"a", "b"}, UpdatedAt: time.Unix(1700000000, 0).UTC(), Host: data.HostGitHub, Repo: "o/a", Ref: "dev",
		Path: "s/knots", PathKnown: true,
	}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	whole := pack(t, strings.Repeat("https://github.com/o/kit\n", 5000))
	_, end, err := read(t, list.New("list:x", text(whole[:len(whole)-9]), func(string) {}))
	if end != data.Interrupted || data.OutcomeOf(err) != data.OutcomeMalformed {
		t.Errorf("cut gzip: %s, %v; want interrupted, malformed", end, err)
	}
	_, end, err = read(t, list.File("no/such/file", func(string) {}))
	if end != data.Interrupted || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %s, %v", end, err)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	warnings := 0
	content := `{"repo":"o/a","skill_md":"` + strings.Repeat("x", 17<<20) + "\"}\n" + `{"repo":"o/b"}`
	rows, _, err := read(t, list.New("list:x", text(content), func(string) { warnings++ }))
	if err != nil || len(rows) != 1 || warnings != 1 {
		t.Errorf("%d rows, %d warnings, %v; want 1, 1", len(rows), warnings, err)
	}
}

// A list of rubbish names its first rows, none of them at length, and the number of all.
func TestRubbish(t *testing.T) {
	t.Parallel()
	var told []string
	content := strings.Repeat("%"+strings.Repeat("x", 5000)+"\n", 100) + "https://github.com/o/kit\n"
	rows, _, err := read(t, list.New("list:x", text(content), func(line string) { told = append(told, line) }))
	if err != nil || len(rows) != 1 || len(told) != 21 || len(strings.Join(told, "")) > 10_000 {
		t.Fatalf("%d rows, %d warnings, %v; want 1, 21", len(rows), len(told), err)
	}
	if want := "list:x: 100 of 101 rows skipped, of which the first 20 are named"; told[20] != want {
		t.Errorf("%q, want %q", told[20], want)
	}
}

// A list that names nothing is not what was meant, and says so.
func TestNothingListed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"": "empty", "\n# nothing yet\n": "empty", "[]": "empty", "name,repo\n": "empty",
		"hello world\nfoo\n": "none of its 2 rows", "{\"name\":\"x\"}\n": "none of its 1 rows", "[{": "none of its 1 rows",
	} {
		rows, end, err := read(t, list.New("list:x", text(content), func(string) {}))
		if len(rows) != 0 || end != data.Interrupted || data.OutcomeOf(err) != data.OutcomeMalformed || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d rows, %s, %v; want %s", content, len(rows), end, err, want)
		}
	}
}

// An edited list is read anew, and one that only grew goes on.
func TestEditedList(t *testing.T) {
	t.Parallel()
	var old strings.Builder
	for i := range 600 {
		fmt.Fprintf(&old, "o/kit-%d\n", i)
	}
	var cursor json.RawMessage
	stop := errors.New("stop")
	_, err := list.New("list:x", text(old.String()), func(w string) { t.Log(w) }).Enumerate(t.Context(), nil, func(_ []data.Listing, next json.RawMessage) error {
		if cursor != nil {
			return stop
		}
		cursor = next
		return nil
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	for _, test := range []struct {
		content string
		want    int
	}{
		{old.String(), 100},
		{old.String() + "o/more\n", 101},
		{"o/first\n" + old.String(), 601},
		{"o/only\n", 1},
	} {
		got := 0
		_, err := list.New("list:x", text(test.content), func(w string) { t.Log(w) }).Enumerate(t.Context(), cursor, func(rows []data.Listing, _ json.RawMessage) error {
			got += len(rows)
			return nil
		})
		if err != nil || got != test.want {
			t.Errorf("%d rows, %v; want %d", got, err, test.want)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&content, "{\"repo\":\"o/kit-%d\",\"name\":\"n\"}\n", i)
		if i%100 == 0 {
			content.WriteString("torn {\n")
		}
	}
	sourcetest.Run(t, sourcetest.Suite{
		Open: func(*testing.T) source.Source { return list.New("list:x", text(content.String()), func(string) {}) },
		Rows: 2100,
		End:  data.Complete,
	})
}

func TestSharedLists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path           []string
		rows, warnings int
		repos, known   int
	}{
		{[]string{"listings", "marketplace.jsonl.gz"}, 24889, 0, 5180, 77},
		{[]string{"listings", "discovered.jsonl.gz"}, 30676, 483, 0, 30676},
		{[]string{"hub", "index.json"}, 30, 0, 30, 0},
		{[]string{"cases", "22-renamed-and-recased", "listing.json"}, 4, 0, 4, 0},
		{[]string{"cases", "29-kill-and-resume", "listing.json"}, 30, 0, 30, 0},
		{[]string{"cases", "29-kill-and-resume", "journal.cut.jsonl"}, 3, 1, 3, 0},
		{[]string{"corpus", "skills-14.jsonl.gz"}, 129, 0, 0, 129},
	} {
		t.Run(strings.Join(test.path, "/"), func(t *testing.T) {
			t.Parallel()
			warnings := 0
			rows, end, err := read(t, list.File(datatest.Shared(t, test.path...), func(line string) {
				if _, number, all := strings.Cut(line, ": "); !all || strings.Contains(line, " skipped: ") {
					warnings++
				} else if _, err := fmt.Sscanf(number, "%d of", &warnings); err != nil {
					t.Error(err)
				}
			}))
			if err != nil || end != data.Complete {
				t.Fatalf("Enumerate = %s, %v", end, err)
			}
			repos, known := make(map[string]bool), 0
			for _, row := range rows {
				repos[row.Repo] = true
				if row.PathKnown {
					known++
				}
			}
			if len(rows) != test.rows || warnings != test.warnings || known != test.known || test.repos > 0 && len(repos) != test.repos {
				t.Errorf("%d rows of %d repositories, %d with a path, %d warnings; want %+v", len(rows), len(repos), known, warnings, test)
			}
		})
	}
}

func FuzzList(f *testing.F) {
	for _, seed := range []string{
		"https://github.com/o/r\n", `{"repo":"o/a"}` + "\n{", `[{"repo":"o/a"},`, "name,repo\nx,o/a\n\"", "\x1f\x8b\x08", "\ufeff[", `[[[[`,
		`{"repo":"o/a","path":"a/../b","tags":"x;y","stars":1e400}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
		rows, _, _ := read(t, list.New("list:x", open, func(string) {}))
		for _, row := range rows {
			if row.Repo == "" || row.ExternalID == "" || row.Path != data.CleanDir(row.Path) || strings.Count(row.Repo, "/") != 1 {
				t.Errorf("row %+v", row)
			}
		}
	})
}
