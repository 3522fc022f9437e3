package skillsmp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

const (
	mostOfAnswer = 8 << 20
	askedLimit   = 100 // the documented most; the server gives what it likes and says so
)

// answer is one page of the search API (FACTS.md 1.1).
type answer struct {
	Success bool `json:"success"`
	Data    struct {
		Skills     []skill    `json:"skills"`
		Pagination pagination `json:"pagination"`
	} `json:"data"`

	dailyLeft int // requests that remain today; -1 where the server does not say
}

type skill struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Author      string          `json:"author"`
	Description string          `json:"description"`
	Language    string          `json:"contentLanguage"`
	GitHubURL   string          `json:"githubUrl"`
	SkillURL    string          `json:"skillUrl"`
	Stars       int             `json:"stars"`
	UpdatedAt   json.RawMessage `json:"updatedAt"` // seconds as a number or text, or ISO 8601
}

type pagination struct {
	Page       int   `json:"page"`
	Limit      int   `json:"limit"`
	Total      int   `json:"total"`
	TotalPages int   `json:"totalPages"`
	HasNext    bool  `json:"hasNext"`
	Exact      *bool `json:"totalIsExact"` // absent in older answers, whose totals are exact
	Capped     bool  `json:"isCapped"`
	MaxResults int   `json:"maxResults"`
}

// exact reports whether the total counts every row of the query.
func (p pagination) exact() bool { return (p.Exact == nil || *p.Exact) && !p.capped() }

// capped reports whether the query has more rows than it shows.
func (p pagination) capped() bool { return p.Capped || p.MaxResults > 0 && p.Total > p.MaxResults }

// lastPage returns the last page that shows rows of its own.
func (p pagination) lastPage() int {
	last := p.TotalPages
	if last == 0 && p.Limit > 0 {
		last = (p.Total + p.Limit - 1) / p.Limit
	}
	if p.Limit > 0 && p.MaxResults > 0 {
		last = min(last, (p.MaxResults+p.Limit-1)/p.Limit)
	}
	return last
}

// search asks for one page of one query.
func (s *Source) search(ctx context.Context, q query, page int) (answer, error) {
	values := url.Values{"q": {q.Text}, "page": {strconv.Itoa(page)}, "limit": {strconv.Itoa(askedLimit)}, "sortBy": {"stars"}}
	if q.Recent {
		values.Set("sortBy", "recent")
	}
	if q.Category != "" {
		values.Set("category", q.Category)
	}
	if q.Language != "" {
		values.Set("language", q.Language)
	}
	address := s.base.JoinPath("api/v1/skills/search")
	address.RawQuery = values.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return answer{}, fmt.Errorf("ask SkillsMP: %w", err)
	}
	text, header, err := polite.Fetch(s.http, req, mostOfAnswer)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || !a.Success {
		return answer{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "SkillsMP: the answer is no page of skills", Err: polite.Unreadable(err)}
	}
	a.dailyLeft = -1
	if left, err := strconv.Atoi(header.Get("X-RateLimit-Daily-Remaining")); err == nil && left >= 0 {
		a.dailyLeft = left
	}
	return a, nil
}

// classify knows the daily quota, which the answer's code alone tells from a short limit.
func classify(a polite.Answer) *data.ItemError {
	item := polite.Classify(a)
	if item == nil {
		return nil
	}
	var refusal struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(a.Body, &refusal) == nil && refusal.Error.Code != "" {
		item.Reason += fmt.Sprintf(" %.60q", refusal.Error.Code)
	}
	if a.Status == http.StatusTooManyRequests && strings.HasPrefix(refusal.Error.Code, "DAILY_QUOTA") {
		item.RetryAt = midnight(a.Now)
	}
	return item
}
