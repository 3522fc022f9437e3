// Package clawhub owns ClawHub: the enumeration of its skills as a source, and their contents as a host.
//
// Skills lie there under slugs that are unique, and belong to an owner whom a listing does not tell: a row therefore
// names the repository `clawhub:slug`, and asking for that gives its canonical name, `clawhub:owner/slug`, as asking
// for a renamed repository would. Only the API is asked, which the registry documents for programs. The package opens
// no archive. The crawl stage calls it.
package clawhub

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
	"sync"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/walk"
	"skillcorpus/data"
)

// Name is the source's name, and DefaultURL the registry itself.
const (
	Name       = "clawhub"
	DefaultURL = "https://clawhub.ai"
)

// Config says where the registry is and how it is asked. Now and Warn must be set.
type Config struct {
	BaseURL           string // empty is DefaultURL
	Key               string // goes to the origin of BaseURL only; raises the limits
	UserAgent         string
	RequestsPerSecond float64       // 0 is polite.DefaultRequestsPerSecond, far below the registry's limits
	RetryWait         time.Duration // before another try after a connection error or 5xx
	Transport         http.RoundTripper
	Now               func() time.Time
	Warn              func(string)          // gets a line for rows that are skipped
	Limited           func(*data.ItemError) // told of every limit and outage, from many goroutines; nil is silent
	Logger            *slog.Logger
}

// Client is ClawHub as a source.Source and as a crawl.Host. It is safe for concurrent use.
type Client struct {
	base *url.URL
	http *http.Client
	now  func() time.Time
	warn func(string)

	mu     sync.Mutex
	latest map[string]string // versions that pages showed in this run, by slug
}

// New returns the client, or an error about the settings.
func New(config Config) (*Client, error) {
	address := cmp.Or(config.BaseURL, DefaultURL)
	if _, err := polite.Origin(address); err != nil {
		return nil, fmt.Errorf("ClawHub: %w", err)
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("ClawHub: %w", err)
	}
	client, err := polite.NewClient(polite.Config{
		UserAgent:         config.UserAgent,
		Token:             config.Key,
		TokenOrigins:      []string{address},
		RequestsPerSecond: config.RequestsPerSecond,
		RetryWait:         config.RetryWait,
		Classify:          classify,
		Budget:            budget,
		Transport:         config.Transport,
		Limited:           config.Limited,
		Now:               config.Now,
		Logger:            config.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("ClawHub: %w", err)
	}
	return &Client{base: base, http: client, now: config.Now, warn: config.Warn, latest: make(map[string]string)}, nil
}

// Name returns Name.
func (c *Client) Name() string { return Name }

// Cap says what keeps a walk from being complete.
func (c *Client) Cap() string { return walk.Inconsistent }

const (
	cursorVersion = 1
	mostPages     = 10_000 // of one walk: 2,000,000 rows, where the registry has 78,000 (FACTS.md 3.1)
	mostDry       = 20     // pages in a row that bring nothing new
)

// cursor is how far an enumeration has come.
type cursor struct {
	Version int               `json:"version"`
	Ended   data.Completeness `json:"ended,omitempty"`
	At      string            `json:"at,omitempty"` // the registry's own cursor
	Pages   int               `json:"pages,omitempty"`
	Dry     int               `json:"dry,omitempty"`
	Walk    walk.Walk         `json:"walk,omitzero"`
}

func (c *cursor) emit(rows []data.Listing, emit source.Emit) error {
	next, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return emit(rows, next)
}

// Enumerate reads the pages of all skills in the order in which they were made, which no update changes; see
// source.Source. Only a page without a cursor is the last one. A cursor that leads nowhere, or back, shifts the walk.
func (c *Client) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	k := new(cursor)
	if json.Unmarshal(at, k) != nil || k.Version != cursorVersion {
		k = &cursor{Version: cursorVersion}
	}
	for k.Ended == "" {
		if err := ctx.Err(); err != nil {
			return data.Interrupted, err
		}
		if err := k.Walk.Limited("ClawHub", c.now()); err != nil {
			return data.Interrupted, err
		}
		rows, err := c.step(ctx, k)
		if err != nil && k.Walk.Note(err) {
			err = cmp.Or(k.emit(nil, emit), err)
		}
		if err != nil {
			return data.Interrupted, err
		}
		if err := k.emit(rows, emit); err != nil {
			return data.Interrupted, err
		}
	}
	return k.Ended, nil
}

// step reads one page and returns its rows that are new in the walk.
func (c *Client) step(ctx context.Context, k *cursor) ([]data.Listing, error) {
	page, err := c.page(ctx, k.At)
	if item, ok := errors.AsType[*data.ItemError](err); ok && k.At != "" && item.Outcome == data.OutcomeMalformed {
		k.Walk.Shifted = true // the registry no longer knows its cursor
		return k.finish(), nil
	}
	if err != nil {
		return nil, err
	}
	rows := k.Walk.Take(c.rows(page.Items))
	k.Pages++
	if k.Dry++; len(rows) > 0 {
		k.Dry = 0
	}
	next := page.next()
	switch {
	case next == "":
		return append(rows, k.finish()...), nil
	case next == k.At, k.Dry == mostDry, k.Pages == mostPages:
		k.Walk.Shifted = true
		return append(rows, k.finish()...), nil
	}
	k.At = next
	return rows, nil
}

// finish ends a walk, or begins the next one, and returns the rows that are gone.
func (c *cursor) finish() []data.Listing {
	again, end, gone := c.Walk.Finish()
	c.At, c.Pages, c.Dry = "", 0, 0
	if !again {
		c.Ended = end
	}
	return gone
}

// rows turns a page into listings, and remembers the versions. What is no row of a skill is told in one line.
func (c *Client) rows(page []json.RawMessage) []data.Listing {
	rows := make([]data.Listing, 0, len(page))
	skipped, example := 0, ""
	for _, text := range page {
		var s *skill
		if json.Unmarshal(text, &s) != nil || s == nil || !isSlug(s.Slug) {
			skipped++
			example = string(text)
			continue
		}
		rows = append(rows, s.listing(c.base))
		if version := s.version(); version != "" {
			c.mu.Lock()
			c.latest[strings.ToLower(s.Slug)] = version
			c.mu.Unlock()
		}
	}
	if skipped > 0 {
		c.warn(fmt.Sprintf("%s: %d of %d rows skipped, such as %.100q", Name, skipped, len(page), example))
	}
	return rows
}
