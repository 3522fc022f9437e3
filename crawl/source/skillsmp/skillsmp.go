package skillsmp

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

// Name is the source's name.
const Name = "skillsmp"

// DefaultURL is the marketplace itself.
const DefaultURL = "https://skillsmp.com"

// Requests a second that stay under the limits of a minute: 10 without and 30 with a key (FACTS.md 1.1).
const (
	anonymousPace = 10.0 / 60
	keyPace       = 30.0 / 60
)

// Config says where the marketplace is and how it is asked. Now and Warn must be set.
type Config struct {
	BaseURL           string // empty is DefaultURL
	Key               string // goes to the origin of BaseURL only
	UserAgent         string
	RequestsPerSecond float64       // 0 stays under the marketplace's limits of a minute
	RetryWait         time.Duration // before another try after a connection error or 5xx
	Categories        []string      // slugs of leaf categories; nil are those that are publicly known
	Transport         http.RoundTripper
	Now               func() time.Time
	Warn              func(string) // gets a line for each row that is skipped
	Logger            *slog.Logger
}

// Source is SkillsMP as a source.Source.
type Source struct {
	base       *url.URL
	http       *http.Client
	tier       string
	categories []string
	now        func() time.Time
	warn       func(string)
}

// New returns the source, or an error about the settings.
func New(config Config) (*Source, error) {
	address := cmp.Or(config.BaseURL, DefaultURL)
	if _, err := polite.Origin(address); err != nil {
		return nil, fmt.Errorf("SkillsMP: %w", err)
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("SkillsMP: %w", err)
	}
	tier, pace := "anonymous", anonymousPace
	if config.Key != "" {
		tier, pace = "key", keyPace
	}
	client, err := polite.NewClient(polite.Config{
		UserAgent:         config.UserAgent,
		Token:             config.Key,
		TokenOrigins:      []string{address},
		RequestsPerSecond: cmp.Or(config.RequestsPerSecond, pace),
		RetryWait:         config.RetryWait,
		Classify:          classify,
		Transport:         config.Transport,
		Now:               config.Now,
		Logger:            config.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("SkillsMP: %w", err)
	}
	s := &Source{base: base, http: client, tier: tier, categories: config.Categories, now: config.Now, warn: config.Warn}
	if s.categories == nil {
		s.categories = leaves()
	}
	return s, nil
}

// Name returns Name.
func (s *Source) Name() string { return Name }

// Enumerate reads the marketplace partition by partition; see source.Source. It is Complete only if the partitions
// show everything and each was read whole in a consistent walk, and Capped as soon as one was not.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	w := resume(at, s.categories)
	for {
		if err := ctx.Err(); err != nil {
			return data.Interrupted, err
		}
		p := w.choose()
		if p == nil {
			return w.end(), nil
		}
		if now := s.now(); w.Quota.spent(s.tier, now) {
			return data.Interrupted, &data.ItemError{
				Outcome: data.OutcomeLimited, Reason: "SkillsMP: the daily quota is used up", RetryAt: midnight(now),
			}
		}
		page, err := s.search(ctx, p.query, p.Page)
		if err != nil {
			return data.Interrupted, s.stopped(err, w, emit)
		}
		w.Quota = w.Quota.after(s.tier, s.now(), page.dailyLeft)
		if err := w.emit(w.take(p, s.rows(page), page.Data.Pagination), emit); err != nil {
			return data.Interrupted, err
		}
	}
}

// Cap says what keeps a walk from being complete.
func (s *Source) Cap() string {
	return "shows 1,000 rows of a query, and no queries that are left promise enough of the others"
}

// Renew begins another walk with what is left of the day's quota.
func (s *Source) Renew(last json.RawMessage) json.RawMessage {
	before := resume(last, nil)
	if before.Quota.Day == "" {
		return nil
	}
	cursor, err := json.Marshal(begin(before.Quota))
	if err != nil {
		return nil
	}
	return cursor
}

// stopped keeps a used up quota for the next run, and returns why the enumeration stops.
func (s *Source) stopped(err error, w *walk, emit source.Emit) error {
	now := s.now()
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeLimited || item.RetryAt.Before(midnight(now)) {
		return err
	}
	w.Quota = quota{Tier: s.tier, Day: day(now), Left: 0}
	return cmp.Or(w.emit(nil, emit), err)
}

// rows turns a page into listings. One without a repository keeps its id only, since it still counts.
func (s *Source) rows(page answer) []entry {
	rows := make([]entry, 0, len(page.Data.Skills))
	for _, k := range page.Data.Skills {
		l, err := k.listing()
		if err != nil {
			s.warn(fmt.Sprintf("%s row %q skipped: %v", Name, k.ID, err))
		}
		rows = append(rows, entry{l, k.Language})
	}
	return rows
}

// listing returns the row. Its id is the GitHub URL, because the marketplace's own ids join owner, repository and path by
// dashes, so that two rows may share one; where that URL names no path, the name is part of it. The ref is right for
// branches without a slash; the URL tells it all.
func (k skill) listing() (data.Listing, error) {
	l := data.Listing{
		Source: Name, ExternalID: cmp.Or(k.GitHubURL, k.ID, k.SkillURL), Name: k.Name, Description: k.Description,
		Author: k.Author, Stars: k.Stars, URL: cmp.Or(k.GitHubURL, k.SkillURL),
		UpdatedAt: source.ParseTime(strings.Trim(string(k.UpdatedAt), `"`)), Host: data.HostGitHub,
	}
	at, err := github.ParseURL(k.GitHubURL)
	if err != nil {
		return l, err
	}
	ref, dir := at.Guess()
	l.Repo, l.Ref, l.Path, l.PathKnown = at.Repo, ref, github.Directory(dir), ref != ""
	if !l.PathKnown && k.Name != "" {
		l.ExternalID += "#" + k.Name
	}
	return l, nil
}
