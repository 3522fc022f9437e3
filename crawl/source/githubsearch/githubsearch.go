package githubsearch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"skillcorpus/crawl/github"
	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

// Name is the source's name; with a query of its own it is Name, a colon and the query.
const Name = "github"

// Requests a second: 10 a minute for code and 30 for repositories (GitHub's documentation of its search).
const (
	codePace = 10.0 / 60
	repoPace = 30.0 / 60
)

// topics are what skill repositories call themselves.
func topics() []string {
	return []string{"agent-skills", "claude-skills", "claude-code-skills", "codex-skills", "skill-md"}
}

// Config says where GitHub's API is and how it is asked. Token and Now must be set.
type Config struct {
	APIURL            string // empty is github.DefaultAPIURL
	Token             string // goes to the origin of APIURL only
	UserAgent         string
	RequestsPerSecond float64 // 0 stays under GitHub's limits of a minute
	RetryWait         time.Duration
	Transport         http.RoundTripper
	Now               func() time.Time
	Logger            *slog.Logger
}

// Source is GitHub's search as a source.Source.
type Source struct {
	name  string
	base  *url.URL
	code  *http.Client
	repos *http.Client
	first []span
	now   func() time.Time
}

// New returns a search for query, or, where that is empty, for every SKILL.md and the usual topics. A query with a
// `topic:` is one for repositories, any other one for SKILL.md files. GitHub answers neither without a token.
func New(query string, config Config) (*Source, error) {
	if config.Token == "" {
		return nil, errors.New("search GitHub: it answers only with a token")
	}
	address := cmp.Or(config.APIURL, github.DefaultAPIURL)
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("search GitHub: %w", err)
	}
	s := &Source{name: Name, base: base, now: config.Now, first: begin(query, config.Now())}
	if query != "" {
		s.name += ":" + query
	}
	chain := polite.Config{
		UserAgent: config.UserAgent, Token: config.Token, TokenOrigins: []string{address}, RequestsPerSecond: cmp.Or(config.RequestsPerSecond, codePace),
		RetryWait: config.RetryWait, Transport: config.Transport, Now: config.Now, Logger: config.Logger,
	}
	if s.code, err = polite.NewClient(chain); err != nil {
		return nil, fmt.Errorf("search GitHub: %w", err)
	}
	chain.RequestsPerSecond = cmp.Or(config.RequestsPerSecond, repoPace)
	if s.repos, err = polite.NewClient(chain); err != nil {
		return nil, fmt.Errorf("search GitHub: %w", err)
	}
	return s, nil
}

// Name returns Name, with the query if there is one.
func (s *Source) Name() string { return s.name }

// Enumerate reads the search range by range; see source.Source. It is Capped if some range could not be cut small
// enough, or if GitHub said more than once that its results are not whole.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	w := resume(at, s.first)
	for len(w.Queue) > 0 {
		if err := ctx.Err(); err != nil {
			return data.Interrupted, err
		}
		page, err := s.ask(ctx, w.Queue[0], w.Page)
		if err != nil {
			return data.Interrupted, err
		}
		rows := s.rows(page)
		w.take(page)
		next, err := json.Marshal(w)
		if err != nil {
			return data.Interrupted, fmt.Errorf("write cursor: %w", err)
		}
		if err := emit(rows, next); err != nil {
			return data.Interrupted, err
		}
	}
	if w.Capped {
		return data.Capped, nil
	}
	return data.Complete, nil
}

// Cap says what keeps a search from being complete.
func (s *Source) Cap() string {
	return "shows 1,000 results of a search, and some range could not be cut smaller, shifted, or was called incomplete by GitHub"
}

const mostOfAnswer = 16 << 20 // bytes

// answer is one page of either search.
type answer struct {
	Total      int    `json:"total_count"`
	Incomplete bool   `json:"incomplete_results"`
	Items      []item `json:"items"`
}

type item struct {
	repository            // of a search for repositories
	Path       string     `json:"path"`
	Of         repository `json:"repository"` // of a search for code
}

type repository struct {
	FullName    string   `json:"full_name"`
	Description string   `json:"description"`
	Stars       int      `json:"stargazers_count"`
	Topics      []string `json:"topics"`
	Pushed      string   `json:"pushed_at"`
}

func (s *Source) ask(ctx context.Context, of span, page int) (answer, error) {
	where, client := "search/code", s.code
	if of.Dates {
		where, client = "search/repositories", s.repos
	}
	address := s.base.JoinPath(where)
	address.RawQuery = url.Values{"q": {of.query()}, "per_page": {fmt.Sprint(perPage)}, "page": {fmt.Sprint(page)}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return answer{}, fmt.Errorf("search GitHub: %w", err)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	text, _, err := polite.Fetch(client, req, mostOfAnswer)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || a.Total < 0 {
		return answer{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "GitHub: the answer is no page of results", Err: polite.Unreadable(err)}
	}
	return a, nil
}

// rows are the SKILL.md files or the repositories of a page; code search also finds names that only begin like that.
func (s *Source) rows(page answer) []data.Listing {
	var rows []data.Listing
	for _, item := range page.Items {
		of := item.repository
		row := data.Listing{Source: s.name, Host: data.HostGitHub}
		if item.Of.FullName != "" {
			of = item.Of
			if _, file := cutLast(item.Path); !data.IsSkillFile(file) {
				continue
			}
			row.Path, row.PathKnown = github.Directory(item.Path), true
		}
		at, err := github.ParseURL("https://github.com/" + of.FullName)
		if err != nil || at.Repo != of.FullName {
			continue
		}
		row.Repo, row.URL, row.ExternalID = at.Repo, "https://github.com/"+at.Repo, at.Repo
		if row.PathKnown {
			row.ExternalID += "/" + item.Path
		}
		row.Description, row.Stars, row.Tags, row.UpdatedAt = of.Description, of.Stars, of.Topics, source.ParseTime(of.Pushed)
		rows = append(rows, row)
	}
	return rows
}

func cutLast(name string) (dir, file string) {
	slash := strings.LastIndexByte(name, '/')
	return name[:max(slash, 0)], name[slash+1:]
}
