package skillssh

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/robots"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/walk"
	"skillcorpus/data"
)

// Name is the source's name.
const Name = "skills.sh"

// DefaultURL is the site itself.
const DefaultURL = "https://skills.sh"

// Config says where the site is and how it is asked. Now and Warn must be set.
type Config struct {
	BaseURL           string // empty is DefaultURL
	Key               string // goes to the origin of BaseURL only; without one the API is not asked
	UserAgent         string
	RequestsPerSecond float64       // 0 is one, which is what the API allows without a key (FACTS.md 2.2)
	RetryWait         time.Duration // before another try after a connection error or 5xx
	IgnoreRobots      bool
	Transport         http.RoundTripper
	Now               func() time.Time
	Warn              func(string)          // gets a line for rows that are skipped
	Limited           func(*data.ItemError) // told of every limit and outage, from many goroutines; nil is silent
	Logger            *slog.Logger
}

// Source is skills.sh as a source.Source.
type Source struct {
	base  *url.URL
	pages *http.Client // asks without the key, and asks robots.txt
	api   *http.Client // nil without a key
	now   func() time.Time
	warn  func(string)
}

// New returns the source, or an error about the settings.
func New(config Config) (*Source, error) {
	address := cmp.Or(config.BaseURL, DefaultURL)
	if _, err := polite.Origin(address); err != nil {
		return nil, fmt.Errorf("skills.sh: %w", err)
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("skills.sh: %w", err)
	}
	s := &Source{base: base, now: config.Now, warn: config.Warn}
	if s.pages, err = client(config, ""); err != nil {
		return nil, err
	}
	s.pages = robots.Guard(s.pages, robots.Config{Ignore: config.IgnoreRobots, Now: config.Now})
	if config.Key != "" {
		s.api, err = client(config, config.Key)
	}
	return s, err
}

func client(config Config, key string) (*http.Client, error) {
	client, err := polite.NewClient(polite.Config{
		UserAgent:         config.UserAgent,
		Token:             key,
		TokenOrigins:      []string{cmp.Or(config.BaseURL, DefaultURL)},
		RequestsPerSecond: config.RequestsPerSecond,
		RetryWait:         config.RetryWait,
		Transport:         config.Transport,
		Limited:           config.Limited,
		Now:               config.Now,
		Logger:            config.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("skills.sh: %w", err)
	}
	return client, nil
}

// Name returns Name.
func (s *Source) Name() string { return Name }

// Cap says what keeps a walk from being complete.
func (s *Source) Cap() string { return walk.Inconsistent }

// cursor is how far an enumeration has come: first the API's pages, then one sitemap after another.
type cursor struct {
	Version int               `json:"version"`
	Ended   data.Completeness `json:"ended,omitempty"`
	API     int               `json:"api"`             // page of the API to be asked next; -1 is none
	Parts   []string          `json:"parts,omitempty"` // paths of the sitemaps still to be read
	Index   string            `json:"index,omitempty"` // digest of the index that named them; empty: still to be read
	Listed  walk.Walk         `json:"listed,omitzero"` // by the API
	Walk    walk.Walk         `json:"walk,omitzero"`   // by the sitemaps
}

const cursorVersion = 1

func resume(at json.RawMessage, key bool) *cursor {
	c := new(cursor)
	if json.Unmarshal(at, c) != nil || c.Version != cursorVersion {
		c = &cursor{Version: cursorVersion}
	}
	if !key {
		c.API = -1
	}
	return c
}

func (c *cursor) emit(rows []data.Listing, emit source.Emit) error {
	next, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return emit(rows, next)
}

// Enumerate reads the API's pages, if there is a key, then all sitemaps of skills; see source.Source. It is Complete
// if the sitemaps were read in one consistent walk: the index stayed the same and named no skill twice.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	c := resume(at, s.api != nil)
	for c.Ended == "" {
		if err := ctx.Err(); err != nil {
			return data.Interrupted, err
		}
		if err := c.Walk.Limited(Name, s.now()); err != nil {
			return data.Interrupted, err
		}
		rows, err := s.step(ctx, c)
		if err != nil && c.Walk.Note(err) {
			err = cmp.Or(c.emit(nil, emit), err)
		}
		if err != nil {
			return data.Interrupted, err
		}
		if err := c.emit(rows, emit); err != nil {
			return data.Interrupted, err
		}
	}
	return c.Ended, nil
}

// step makes one request and returns the rows that it brought.
func (s *Source) step(ctx context.Context, c *cursor) ([]data.Listing, error) {
	switch {
	case c.API >= 0:
		return s.stepAPI(ctx, c)
	case c.Index == "":
		var err error
		c.Index, c.Parts, err = s.index(ctx)
		return nil, err
	case len(c.Parts) > 0:
		return s.stepPart(ctx, c)
	}
	digest, _, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	c.Walk.Shifted = c.Walk.Shifted || digest != c.Index
	return c.finish(), nil
}

// finish ends the walk over the sitemaps, or begins the next one.
func (c *cursor) finish() []data.Listing {
	again, end, gone := c.Walk.Finish()
	c.Index, c.Parts = "", nil
	if !again {
		c.Ended = end
	}
	return gone
}

// stepPart reads one sitemap. One that is no longer there means that the site has written them anew.
func (s *Source) stepPart(ctx context.Context, c *cursor) ([]data.Listing, error) {
	part := c.Parts[0]
	rows, whole, err := s.part(ctx, part)
	if data.OutcomeOf(err) == data.OutcomeGone {
		c.Walk.Shifted = true
		return c.finish(), nil
	}
	if err != nil {
		return nil, err
	}
	c.Parts = c.Parts[1:]
	c.Walk.Shifted = c.Walk.Shifted || !whole
	fresh := c.Walk.Take(rows)
	kept := fresh[:0]
	for _, row := range fresh {
		if !c.Listed.Has(row.ExternalID) { // the API told more of it
			kept = append(kept, row)
		}
	}
	return kept, nil
}
