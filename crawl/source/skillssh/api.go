package skillssh

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"skillcorpus/crawl/github"
	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/source/wellknown"
	"skillcorpus/data"
)

const (
	apiPath      = "/api/v1/"
	askedRows    = 500 // the documented most (FACTS.md 2.2)
	mostPages    = 5_000
	mostOfAnswer = 8 << 20
)

// answer is one page of the API (FACTS.md 2.2). Rows are read one by one, so that a bad one spoils no other.
type answer struct {
	Data       []json.RawMessage `json:"data"`
	Pagination *struct {
		Page    int  `json:"page"`
		HasMore bool `json:"hasMore"`
	} `json:"pagination"`
}

type skill struct {
	Slug       string `json:"slug"`
	Name       string `json:"name"`
	Source     string `json:"source"`
	Installs   int    `json:"installs"`
	SourceType string `json:"sourceType"`
	URL        string `json:"url"`
}

// stepAPI reads one page of the API. The order of its pages moves with the installs, so that rows may be missed or
// come twice: the sitemaps, read after it, make the walk whole. A key that is refused costs the installs alone.
func (s *Source) stepAPI(ctx context.Context, c *cursor) ([]data.Listing, error) {
	page, err := s.page(ctx, c.API)
	if data.OutcomeOf(err) == data.OutcomeForbidden {
		s.warn(fmt.Sprintf("%s: its API refuses the key: the sitemaps are read alone, without installs", Name))
		c.API = -1
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fresh := c.Listed.Take(s.rows(page.Data))
	c.API++
	if !page.Pagination.HasMore || len(fresh) == 0 || c.API == mostPages {
		c.API = -1
	}
	return fresh, nil
}

func (s *Source) page(ctx context.Context, number int) (answer, error) {
	address := s.base.JoinPath(apiPath, "skills")
	address.RawQuery = url.Values{
		"view": {"all-time"}, "page": {strconv.Itoa(number)}, "per_page": {strconv.Itoa(askedRows)},
	}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return answer{}, fmt.Errorf("ask skills.sh: %w", err)
	}
	text, _, err := polite.Fetch(s.api, req, mostOfAnswer)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || a.Pagination == nil {
		return answer{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "skills.sh: the answer is no page of skills", Err: polite.Unreadable(err)}
	}
	return a, nil
}

// rows turns a page into listings. What is no row of a skill is told in one line.
func (s *Source) rows(page []json.RawMessage) []data.Listing {
	rows := make([]data.Listing, 0, len(page))
	skipped, example := 0, ""
	for _, text := range page {
		l, ok := listing(text)
		if !ok {
			skipped++
			example = string(text)
			continue
		}
		rows = append(rows, l)
	}
	if skipped > 0 {
		s.warn(fmt.Sprintf("%s: %d of %d rows skipped, such as %.100q", Name, skipped, len(page), example))
	}
	return rows
}

func listing(text []byte) (data.Listing, bool) {
	var k *skill
	if json.Unmarshal(text, &k) != nil || k == nil {
		return data.Listing{}, false
	}
	l, ok := locate(k.Source, k.Slug)
	l.URL, l.Installs = k.URL, max(k.Installs, 0)
	return l, ok
}

// locate returns the row of a skill by where it comes from: owner/repo at GitHub, or the name of a site that
// publishes it. Which folder of a repository is meant only its name tells.
func locate(from, slug string) (data.Listing, bool) {
	l := data.Listing{Source: Name, ExternalID: from + "/" + slug, Name: slug}
	if slug == "" || strings.ContainsAny(slug, "/\\") {
		return l, false
	}
	if !strings.Contains(from, "/") {
		l.Host, l.Repo, l.PathKnown = "https://"+strings.ToLower(from), slug, true
		return l, wellknown.IsPublicName(from) && wellknown.IsSkillName(slug)
	}
	at, err := github.ParseURL(from)
	if err != nil || !strings.EqualFold(at.Repo, from) {
		return l, false
	}
	l.Host, l.Repo, l.Author = data.HostGitHub, at.Repo, from[:strings.Index(from, "/")]
	return l, true
}
