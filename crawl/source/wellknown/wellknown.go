// Package wellknown owns skills that a site publishes itself, by an index under /.well-known (agent skills discovery,
// versions 0.2.0 and 0.1.0): their listing as a source, and their contents as a host.
//
// One skill is one repository, `https://host/name`, with the skill at its root. The package opens no archive: it only
// checks that the bytes are those that the index names. It asks no address of a private network, except below a site
// on this machine that the user named. The crawl stage calls it.
package wellknown

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/robots"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/walk"
	"skillcorpus/data"
)

// Name is what the names of all these sources begin with.
const Name = "wellknown"

// Config says how sites are asked. Now and Warn must be set.
type Config struct {
	UserAgent         string
	RequestsPerSecond float64       // a host; 0 is polite.DefaultRequestsPerSecond. Sites on this machine have no pace
	RetryWait         time.Duration // before another try after a connection error or 5xx
	IgnoreRobots      bool
	Transport         http.RoundTripper
	Now               func() time.Time
	Warn              func(string)          // gets a line for each row that is skipped
	Limited           func(*data.ItemError) // told of every limit and outage, from many goroutines; nil is silent
	Logger            *slog.Logger
}

// Client asks sites. It is safe for concurrent use, and reads the index of each once.
type Client struct {
	public *http.Client // reaches public addresses only
	local  *http.Client // for sites on this machine
	now    func() time.Time
	warn   func(string)

	mu    sync.Mutex
	sites map[string]*site // by base URL
	named map[string]bool  // sites on this machine that the user named
}

// New returns a client, or an error about the settings.
func New(config Config) (*Client, error) {
	build := func(transport http.RoundTripper, pace float64) (*http.Client, error) {
		client, err := polite.NewClient(polite.Config{
			UserAgent:         config.UserAgent,
			RequestsPerSecond: pace,
			RetryWait:         config.RetryWait,
			Transport:         transport,
			Limited:           config.Limited,
			Now:               config.Now,
			Logger:            config.Logger,
		})
		if err != nil {
			return nil, fmt.Errorf("well-known sites: %w", err)
		}
		return robots.Guard(client, robots.Config{Ignore: config.IgnoreRobots, Now: config.Now}), nil
	}
	public, err := build(publicOnly(config.Transport), config.RequestsPerSecond)
	if err != nil {
		return nil, err
	}
	const noPace = 1e6
	local, err := build(config.Transport, cmp.Or(config.RequestsPerSecond, noPace))
	if err != nil {
		return nil, err
	}
	return &Client{
		public: public, local: local, now: config.Now, warn: config.Warn,
		sites: make(map[string]*site), named: make(map[string]bool),
	}, nil
}

// Source returns the source of one site: a host name, or its URL, which must be https except on this machine.
func (c *Client) Source(argument string) (*Source, error) {
	if !strings.Contains(argument, "://") {
		argument = "https://" + argument
	}
	u, err := url.Parse(argument)
	if _, originErr := polite.Origin(argument); err != nil || originErr != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, fmt.Errorf("well-known site %q: want HOST or https://HOST", argument)
	}
	base := strings.ToLower(u.Scheme + "://" + u.Host)
	switch {
	case isLocal(u.Hostname()):
		c.mu.Lock()
		c.named[base] = true
		c.mu.Unlock()
	case !IsPublicName(u.Hostname()):
		return nil, fmt.Errorf("well-known site %q: want the name of a public host", argument)
	}
	return &Source{client: c, base: base, name: Name + ":" + strings.TrimPrefix(base, "https://")}, nil
}

// Source is one site as a source.Source.
type Source struct {
	client *Client
	base   string
	name   string
}

// Name is `wellknown:HOST`.
func (s *Source) Name() string { return s.name }

// Cap says what keeps a listing from being complete.
func (s *Source) Cap() string { return fmt.Sprintf("has more than %d rows in its index", mostRows) }

const cursorVersion = 1

// cursor says only whether the index has been listed, since it comes in one piece.
type cursor struct {
	Version int               `json:"version"`
	Ended   data.Completeness `json:"ended,omitempty"`
	Walk    walk.Walk         `json:"walk,omitzero"`
}

// Enumerate lists the index in one page; see source.Source. It is Capped if the index holds more rows than are read.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	var c cursor
	if json.Unmarshal(at, &c) != nil || c.Version != cursorVersion {
		c = cursor{Version: cursorVersion}
	}
	if c.Ended != "" {
		return c.Ended, nil
	}
	if err := ctx.Err(); err != nil {
		return data.Interrupted, err
	}
	if err := c.Walk.Limited(s.name, s.client.now()); err != nil {
		return data.Interrupted, err
	}
	found, err := s.client.index(ctx, s.base)
	if err != nil && c.Walk.Note(err) {
		err = cmp.Or(c.emit(nil, emit), err)
	}
	if err != nil {
		return data.Interrupted, err
	}
	for _, line := range found.skipped {
		s.client.warn(s.name + ": " + line)
	}
	if c.Ended = data.Complete; found.more {
		c.Ended = data.Capped
	}
	if err := c.emit(s.rows(found), emit); err != nil {
		return data.Interrupted, err
	}
	return c.Ended, nil
}

func (c cursor) emit(rows []data.Listing, emit source.Emit) error {
	next, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return emit(rows, next)
}

func (s *Source) rows(found *index) []data.Listing {
	rows := make([]data.Listing, 0, len(found.names))
	for _, name := range found.names {
		e := found.entries[strings.ToLower(name)]
		rows = append(rows, data.Listing{
			Source: s.name, ExternalID: e.Name, Name: e.Name, Description: e.Description, URL: e.address(found),
			Host: s.base, Repo: e.Name, PathKnown: true,
		})
	}
	return rows
}
