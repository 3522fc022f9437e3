// Package robots owns what sites ask of crawlers in their robots.txt: which paths to leave alone, and how long to
// wait between two requests.
//
// It is for pages and files that a site shows to everybody. An API that its site documents for programs is not asked
// through it. The sources put it around their HTTP client.
package robots

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
	"golang.org/x/time/rate"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// Agent is the product token by which robots.txt may name this crawler.
const Agent = "skillcorpus"

const (
	mostOfFile   = 500 << 10      // bytes that RFC 9309 asks a crawler to read at least
	validFor     = 24 * time.Hour // RFC 9309: no longer than a day
	failedFor    = time.Minute    // how long an unreadable file is not asked for again
	longestDelay = time.Minute    // between two requests, whatever a Crawl-delay says
)

// Config says whether robots.txt counts. Now must be set.
type Config struct {
	Ignore bool // the user asked for it
	Now    func() time.Time
}

// Guard returns client with the rules of every site that it asks, redirects included. A path that is disallowed is a
// *data.ItemError, `forbidden`; one whose site cannot say at the moment is `unavailable`, as RFC 9309 asks. A site
// without a robots.txt allows everything. A Crawl-delay slows the requests down, except on this machine.
func Guard(client *http.Client, config Config) *http.Client {
	if config.Ignore {
		return client
	}
	guarded := *client
	guarded.Transport = &guard{config: config, plain: client, sites: make(map[string]*site)}
	return &guarded
}

// guard is the transport that asks first.
type guard struct {
	config Config
	plain  *http.Client

	mu    sync.Mutex
	sites map[string]*site // by scheme and host
}

// site is what one robots.txt says.
type site struct {
	mu     sync.Mutex // held while the file is asked for, so that this happens once
	group  *robotstxt.Group
	err    error
	until  time.Time
	ticket *rate.Limiter // nil: no delay
}

// RoundTrip passes the request on if its site allows it, when its turn comes.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	group, ticket, err := g.rules(req.Context(), req.URL)
	if err != nil {
		return nil, err
	}
	if !group.Test(req.URL.RequestURI()) {
		return nil, &data.ItemError{Outcome: data.OutcomeForbidden, Reason: "robots.txt of " + req.URL.Host + " asks crawlers to leave " + req.URL.Path + " alone"}
	}
	if ticket != nil {
		if err := ticket.Wait(req.Context()); err != nil {
			return nil, err
		}
	}
	return g.plain.Transport.RoundTrip(req)
}

func (g *guard) rules(ctx context.Context, address *url.URL) (*robotstxt.Group, *rate.Limiter, error) {
	key := address.Scheme + "://" + address.Host
	g.mu.Lock()
	s, ok := g.sites[key]
	if !ok {
		s = &site{}
		g.sites[key] = s
	}
	g.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := g.config.Now(); !now.Before(s.until) || s.until.Sub(now) > validFor { // a clock may jump
		file, err := g.fetch(ctx, key+"/robots.txt")
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		s.set(file, err, now, address.Hostname())
	}
	return s.group, s.ticket, s.err
}

func (s *site) set(file []byte, err error, now time.Time, host string) {
	s.group, s.ticket, s.err, s.until = nil, nil, err, now.Add(failedFor)
	if err != nil {
		return
	}
	s.until, s.group = now.Add(validFor), parse(file)
	if delay := min(s.group.CrawlDelay, longestDelay); delay > 0 && !local(host) {
		s.ticket = rate.NewLimiter(rate.Every(delay), 1)
	}
}

func local(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback() || strings.EqualFold(host, "localhost")
}

// fetch returns the file, empty where there is none.
func (g *guard) fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := g.plain.Do(req)
	if err != nil {
		return nil, withoutFile(polite.Cause(ctx, err))
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	file, err := io.ReadAll(io.LimitReader(response.Body, mostOfFile))
	return file, polite.Cause(ctx, err)
}

// withoutFile takes a refusal of the file itself, any 4xx but a limit, as a site without rules.
func withoutFile(err error) error {
	item, ok := errors.AsType[*data.ItemError](err)
	if ok && (item.Outcome == data.OutcomeLimited || item.Outcome == data.OutcomeUnavailable) {
		return &data.ItemError{Outcome: item.Outcome, Reason: "robots.txt: " + item.Reason, RetryAt: item.RetryAt, Err: item.Err}
	}
	if ok {
		return nil
	}
	return err
}

// A line that says anything. The parser refuses a whole file for one bad line, such as a delay in words, and pages
// that are no robots.txt at all are often served in its place.
var (
	agentLine = regexp.MustCompile(`(?i)^\s*user-agent\s*:\s*\S`)
	ruleLine  = regexp.MustCompile(`(?i)^\s*(?:(?:dis)?allow\s*:|crawl-delay\s*:\s*[0-9]+(?:\.[0-9]+)?\s*(?:#.*)?$)`)
)

// parse returns the rules that concern this crawler.
func parse(file []byte) *robotstxt.Group {
	var kept [][]byte
	named := false
	for line := range bytes.Lines(bytes.ReplaceAll(file, []byte("\r"), []byte("\n"))) {
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\xef\xbb\xbf"))
		if agentLine.Match(line) {
			named = true
			kept = append(kept, line)
		} else if named && ruleLine.Match(line) {
			kept = append(kept, line)
		}
	}
	rules, err := robotstxt.FromBytes(bytes.Join(kept, []byte("\n")))
	if err != nil || len(kept) == 0 {
		return &robotstxt.Group{}
	}
	return rules.FindGroup(Agent)
}
