package fakehub_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
)

type searchRow struct {
	ID, Name, Author, Description, ContentLanguage string
	GitHubURL                                      string `json:"githubUrl"`
	SkillURL                                       string `json:"skillUrl"`
	Stars                                          int
	UpdatedAt                                      int64 `json:"updatedAt"`
}

type searchAnswer struct {
	Success bool
	Data    struct {
		Skills     []searchRow
		Pagination struct {
			Page, Limit, Total, TotalPages, MaxResults int
			HasNext, HasPrev, TotalIsExact, IsCapped   bool
		}
		Filters map[string]string
	}
	Meta struct {
		RequestID string `json:"requestId"`
	}
	Error struct{ Code string }
}

func (b *box) search(query string) searchAnswer {
	b.t.Helper()
	var found searchAnswer
	b.json(b.get("skillsmp", "/api/v1/skills/search?"+query), 200, &found)
	return found
}

func TestSearchRow(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	found := b.search("q=STOP-SLOP")
	if len(found.Data.Skills) != 1 || !found.Success || found.Meta.RequestID == "" {
		t.Fatalf("%+v", found)
	}
	var repo repoAnswer
	b.json(b.get("api", "/repos/hardikpandya/stop-slop"), 200, &repo)
	got := found.Data.Skills[0]
	if got.ID != "hardikpandya-stop-slop-skill-md" || got.Name != "stop-slop" || got.Author != "hardikpandya" ||
		got.Description == "" || got.GitHubURL != "https://github.com/hardikpandya/stop-slop/tree/"+repo.DefaultBranch ||
		got.SkillURL != "https://skillsmp.com/creators/hardikpandya/stop-slop/stop-slop" || got.Stars != *repo.Stars || got.UpdatedAt == 0 {
		t.Errorf("%+v", got)
	}
	nested := b.search("q=json-canvas").Data.Skills
	if len(nested) != 1 || !strings.HasSuffix(nested[0].GitHubURL, "/skills/json-canvas") ||
		nested[0].ID != "kepano-obsidian-skills-skills-json-canvas-skill-md" {
		t.Errorf("%+v", nested)
	}
}

func TestNamesAsAuthorsWriteThem(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Hub: smallHub(t,
		"plain/SKILL.md", "---\nname: given\ndescription: |\n  two\n  lines\n---\nbody",
		"colon/SKILL.md", "---\nname: bare\ndescription: Use when: a colon is bare\n---\n",
		"none/skill.md", "no frontmatter",
		"han/SKILL.md", "\ufeff---\r\nname: han\r\ndescription: 处理文件\r\n---\r\n",
		"open/SKILL.md", "---\nname: never closed\n",
	)})
	var got []string
	for _, r := range b.search("q=ann&sortBy=stars").Data.Skills {
		got = append(got, fmt.Sprintf("%s|%s|%s", r.Name, r.Description, r.ContentLanguage))
	}
	slices.Sort(got)
	want := []string{"bare|Use when: a colon is bare|en", "given|two\nlines|en", "han|处理文件|zh", "none||en", "open||en"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if zh := b.search("q=ann&language=zh").Data.Skills; len(zh) != 1 || zh[0].Name != "han" {
		t.Errorf("%+v", zh)
	}
}

func TestSearchTraps(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	for query, code := range map[string]string{
		"": "MISSING_QUERY", "q=": "MISSING_QUERY", "q=+": "MISSING_QUERY", "q=*": "INVALID_QUERY",
		"q=" + strings.Repeat("x", 201): "INVALID_QUERY", "q=a&language=english": "INVALID_LANGUAGE",
		"q=a&occupation=No+Such!": "INVALID_OCCUPATION",
	} {
		var refused searchAnswer
		b.json(b.get("skillsmp", "/api/v1/skills/search?"+query), 400, &refused)
		if refused.Success || refused.Error.Code != code {
			t.Errorf("%q: %+v", query, refused.Error)
		}
	}
	b.search("q=" + strings.Repeat("x", 200))
	for query, want := range map[string][3]int{ // page, limit, rows
		"q=e": {1, 20, 13}, "q=e&limit=0": {1, 1, 1}, "q=e&limit=100": {1, 50, 13}, "q=e&limit=5&page=3": {3, 5, 3},
		"q=e&limit=5&page=99": {3, 5, 3}, "q=e&limit=x&page=x": {1, 20, 13}, "q=e&page=-4": {1, 20, 13},
		"q=nosuchword": {1, 20, 0}, "q=nosuchword+kepano": {1, 20, 5}, "q=e&unknown=1": {1, 20, 13}, "q=e&category=tools": {1, 20, 0},
	} {
		found := b.search(query)
		p := found.Data.Pagination
		if got := [3]int{p.Page, p.Limit, len(found.Data.Skills)}; got != want || p.MaxResults != 1000 || p.IsCapped || !p.TotalIsExact {
			t.Errorf("%s: %v, want %v: %+v", query, got, want, p)
		}
	}
	if f := b.search("q=e&sortBy=newest&category=c").Data.Filters; f["sortBy"] != "stars" || f["search"] != "e" || f["category"] != "c" {
		t.Errorf("filters %v", f)
	}
	recent := b.search("q=e&sortBy=recent").Data.Skills
	if !slices.IsSortedFunc(recent, func(a, b searchRow) int { return int(b.UpdatedAt - a.UpdatedAt) }) {
		t.Error("recent is not sorted by update")
	}
	var lost struct {
		Error struct{ Code string }
		Meta  struct{ AvailableEndpoints []string }
	}
	b.json(b.get("skillsmp", "/api/v1/nothing"), 404, &lost)
	if lost.Error.Code != "ENDPOINT_NOT_FOUND" || len(lost.Meta.AvailableEndpoints) == 0 {
		t.Errorf("%+v", lost)
	}
}

func TestSearchQuotas(t *testing.T) {
	t.Parallel()
	clock := newClock()
	b := start(t, fakehub.Config{Faults: &fakehub.Script{Quotas: fakehub.RealQuotas()}, Now: clock.now})
	const path = "/api/v1/skills/search?q=a"
	if r := b.get("skillsmp", path, "Authorization", "Bearer nonsense"); r.status != 401 || !strings.Contains(string(r.body), "INVALID_API_KEY") {
		t.Errorf("bad key: %d %s", r.status, r.body)
	}
	const key = "Bearer sk_live_skillsmp_abc123"
	if r := b.get("skillsmp", path, "Authorization", key); r.header.Get("X-RateLimit-Daily-Limit") != "500" || r.header.Get("X-RateLimit-Daily-Remaining") != "499" {
		t.Errorf("with a key: %v", r.header)
	}
	for i := range 50 {
		if i > 0 && i%10 == 0 {
			if r := b.get("skillsmp", path); r.status != 429 || r.header.Get("Retry-After") != "60" {
				t.Errorf("the 11th of a minute: %d %v", r.status, r.header)
			}
			clock.add(time.Minute)
		}
		if r := b.get("skillsmp", path); r.status != 200 || r.header.Get("X-RateLimit-Daily-Remaining") != fmt.Sprint(49-i) {
			t.Fatalf("request %d: %d %v", i, r.status, r.header)
		}
	}
	clock.add(time.Minute)
	over := b.get("skillsmp", path)
	if over.status != 429 || !strings.Contains(string(over.body), "DAILY_QUOTA_EXCEEDED") || over.header.Get("X-RateLimit-Daily-Remaining") != "0" {
		t.Errorf("the 51st of a day: %d %s", over.status, over.body)
	}
	clock.add(16 * time.Hour) // past 00:00 UTC
	if r := b.get("skillsmp", path); r.status != 200 {
		t.Errorf("the next day: %d", r.status)
	}
}

// TestPartitionedWalkFindsAll walks one-letter queries, then one for each author that turned up.
func TestPartitionedWalkFindsAll(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{Hub: sharedHub(t)})
	urls := make(map[string]bool)
	authors := make(map[string]bool)
	capped := 0
	walk := func(query string) {
		for page := 1; ; page++ {
			found := b.search(fmt.Sprintf("q=%s&limit=50&page=%d", url.QueryEscape(query), page))
			for _, r := range found.Data.Skills {
				urls[r.GitHubURL] = true
				authors[r.Author] = true
			}
			if p := found.Data.Pagination; !p.HasNext {
				if p.IsCapped {
					capped++
					if p.Page != 20 || p.Total != 1000 || p.TotalIsExact {
						t.Errorf("%s is capped: %+v", query, p)
					}
				}
				return
			}
		}
	}
	for _, letter := range "aeqz" {
		walk(string(letter))
	}
	if capped == 0 || len(urls) == 1508 {
		t.Errorf("letters alone: %d rows, %d capped", len(urls), capped)
	}
	for _, author := range slices.Sorted(maps.Keys(authors)) {
		walk(author)
	}
	if len(urls) != 1508 {
		t.Errorf("%d rows by letters and %d authors, want 1508", len(urls), len(authors))
	}
}
