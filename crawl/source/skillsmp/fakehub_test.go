package skillsmp_test

import (
	"encoding/json"
	"io"
	"os"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

// The 30 real repositories of the shared hub, listed by fakehub behind the real window of 1,000 rows a query.
func TestFakehub(t *testing.T) {
	t.Parallel()
	hub, err := fakehub.New(fakehub.Config{
		Hub: os.DirFS(datatest.Shared(t, "hub")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	urls := hub.URLs()
	s, err := skillsmp.New(skillsmp.Config{BaseURL: urls["skillsmp"], RequestsPerSecond: 1e6, Now: time.Now, Warn: func(text string) { t.Error(text) }})
	if err != nil {
		t.Fatal(err)
	}
	rows, pages := make(map[string]data.Listing), 0
	end, err := s.Enumerate(t.Context(), nil, func(page []data.Listing, _ json.RawMessage) error {
		for _, row := range page {
			rows[row.ExternalID] = row
		}
		pages++
		return nil
	})
	if err != nil || end != data.Complete || len(rows) != 1508 || pages > 100 {
		t.Errorf("%s, %v: %d rows in %d pages; want complete with 1508 in 100", end, err, len(rows), pages)
	}
	repos := make(map[string]bool)
	for _, row := range rows {
		repos[row.Repo] = true
	}
	c, err := github.New(github.Config{APIURL: urls["api"], CodeloadURL: urls["codeload"], RequestsPerSecond: 1e6, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for name := range repos {
		repo, _, err := c.Repository(t.Context(), name, data.Repo{})
		if err == nil {
			err = c.Archive(t.Context(), repo, io.Discard, 50e6)
		}
		if err != nil || repo.Name != name || repo.ETag == "" {
			t.Errorf("%s: %+v, %v", name, repo, err)
		}
		if again, unchanged, err := c.Repository(t.Context(), name, repo); err != nil || !unchanged || again.Commit != repo.Commit {
			t.Errorf("%s again: %v, %v", name, unchanged, err)
		}
	}
	if len(repos) != 30 {
		t.Errorf("%d repositories, want 30", len(repos))
	}
}
