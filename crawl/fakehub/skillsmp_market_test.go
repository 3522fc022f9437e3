package fakehub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/data/sample"
)

func listingsFile(t *testing.T, text string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "listings.jsonl")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{name}
}

const threeRows = `{"name":"knots","description":"Ties and unties ropes","repo":"ann/kit","path":"s/knots","category":"security","stars":7}
{"name":"rope","description":"веревка","repo":"bob/kit","path":"","category":"security","stars":9}
{"name":"sums","description":"Adds","repo":"bob/kit","path":"","category":"data","stars":9}
`

func TestListings(t *testing.T) {
	t.Parallel()
	files := listingsFile(t, threeRows)
	parts := start(t, fakehub.Config{Listings: files})
	words := start(t, fakehub.Config{Listings: files, Faults: &fakehub.Script{Market: fakehub.Market{Words: true}}})
	for _, test := range []struct {
		box   *box
		query string
		want  int
	}{
		{parts, "q=rope", 2},
		{words, "q=rope", 1},
		{parts, "q=knots+sums", 2},
		{words, "q=knots+sums", 0},
		{words, "q=knots+ties", 1},
		{parts, "q=kit&language=ru", 0},
		{parts, "q=e&language=ru", 1},
		{parts, "q=s&category=security", 1},
		{words, "q=bob", 2},
	} {
		if got := test.box.search(test.query); len(got.Data.Skills) != test.want {
			t.Errorf("%s: %d rows, want %d", test.query, len(got.Data.Skills), test.want)
		}
	}
	all := parts.search("q=e+a").Data.Skills
	if len(all) != 3 || all[2].GitHubURL != "https://github.com/ann/kit/tree/main/s/knots" || all[0].GitHubURL != "https://github.com/bob/kit" || all[0].Author != "bob" {
		t.Errorf("%+v", all)
	}
	if parts.get("skillsmp", "/api/v1/skills/search?q=a").status != 200 {
		t.Error("no answer")
	}
	if _, err := fakehub.New(fakehub.Config{Hub: sample.FS(), Listings: listingsFile(t, threeRows+"{")}); err == nil {
		t.Error("a torn file was read")
	}
}

// Every leaf together shows every row, and a market that shifts shows other totals and repeats pages.
func TestMarketFacetsAndShift(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 900 {
		fmt.Fprintf(&text, `{"name":"n%03d","description":"x","repo":"o/r","category":"security","stars":1}`+"\n", i)
	}
	files := listingsFile(t, text.String())
	b := start(t, fakehub.Config{Listings: files})
	one, two := b.search("q=x&category=security").Data.Pagination.Total, b.search("q=x&category=smart-contracts").Data.Pagination.Total
	if one+two <= 900 || one >= 900 || two >= 900 || one < two {
		t.Errorf("leaves of %d and %d rows", one, two)
	}
	shifting := start(t, fakehub.Config{Listings: files, Faults: &fakehub.Script{Market: fakehub.Market{Shift: 3}}})
	totals, pages := map[int]bool{}, ""
	for range 9 {
		p := shifting.search("q=x&limit=50&page=2").Data.Pagination
		totals[p.Total] = true
		pages += fmt.Sprint(p.Page)
	}
	if len(totals) < 3 || pages != "221221221" {
		t.Errorf("totals %v, pages %s", totals, pages)
	}
}
