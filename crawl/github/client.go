package github

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// The hosts of GitHub itself.
const (
	DefaultAPIURL      = "https://api.github.com"
	DefaultCodeloadURL = "https://codeload.github.com"
	DefaultRawURL      = "https://raw.githubusercontent.com"
)

// mostOfAnswer bounds an answer of the API, in bytes. A page of 100 refs takes about 40 KB.
const mostOfAnswer = 8 << 20

// Config says which hosts play GitHub and how they are asked. Only Now must be set.
type Config struct {
	APIURL, CodeloadURL string   // base URLs; empty are the real ones
	RawURL              string   // likewise
	Tokens              []string // go to the origin of APIURL and to those of TokenHosts, nowhere else; each has its own limits
	TokenHosts          []string
	UserAgent           string
	RequestsPerSecond   float64       // a host; 0 is polite.DefaultRequestsPerSecond
	RetryWait           time.Duration // before another try after a connection error or 5xx
	StallTimeout        time.Duration
	MaxWait             time.Duration // no retry time lies further ahead
	Transport           http.RoundTripper
	Now                 func() time.Time
	Logger              *slog.Logger
	Warn                func(string)          // told when a token is taken out of use; nil is silent
	Limited             func(*data.ItemError) // told of every limit and outage, from many goroutines; nil is silent
}

// Client asks GitHub. It is safe for concurrent use.
type Client struct {
	api      *github.Client
	http     *http.Client
	codeload *url.URL
	raw      *url.URL
	tokens   int
	now      func() time.Time
}

// New returns a client, or an error about the settings.
func New(config Config) (*Client, error) {
	api, err := baseURL(cmp.Or(config.APIURL, DefaultAPIURL))
	if err != nil {
		return nil, fmt.Errorf("GitHub API: %w", err)
	}
	codeload, err := baseURL(cmp.Or(config.CodeloadURL, DefaultCodeloadURL))
	if err != nil {
		return nil, fmt.Errorf("GitHub codeload: %w", err)
	}
	raw, err := baseURL(cmp.Or(config.RawURL, DefaultRawURL))
	if err != nil {
		return nil, fmt.Errorf("GitHub raw: %w", err)
	}
	chain, err := polite.NewClient(polite.Config{
		UserAgent:         config.UserAgent,
		Tokens:            config.Tokens,
		TokenOrigins:      append([]string{api.String()}, config.TokenHosts...),
		RequestsPerSecond: config.RequestsPerSecond,
		RetryWait:         config.RetryWait,
		StallTimeout:      config.StallTimeout,
		MaxWait:           config.MaxWait,
		Budget:            budget,
		Peek:              isGraphQL,
		Classify:          classify,
		Warn:              config.Warn,
		Limited:           config.Limited,
		Transport:         config.Transport,
		Now:               config.Now,
		Logger:            config.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("GitHub: %w", err)
	}
	forAPI := *chain
	forAPI.Transport = answers{chain.Transport}
	c := &Client{api: github.NewClient(&forAPI), http: chain, codeload: codeload, raw: raw, tokens: len(config.Tokens), now: config.Now}
	c.api.BaseURL = api
	return c, nil
}

// Hosts returns the names of the API's host and of the archives'.
func (c *Client) Hosts() (api, archives string) { return c.api.BaseURL.Host, c.codeload.Host }

// Tokens returns how many tokens the client has.
func (c *Client) Tokens() int { return c.tokens }

// Loopback reports whether the API is played by this machine, which sets no quota by itself.
func (c *Client) Loopback() bool { return polite.Loopback(c.api.BaseURL.Hostname()) }

func baseURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		return nil, fmt.Errorf("base URL %q: want https://host[:port][/path]", text)
	}
	if _, err := polite.Origin(text); err != nil {
		return nil, err
	}
	u, err := url.Parse(strings.TrimSuffix(text, "/") + "/")
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("base URL: want https://host[:port][/path]")
	}
	return u, nil
}

// answers prepares what go-github sees: bodies under a cap, and no rate headers, because it would remember
// them by its own clock and answer later calls with made-up errors. The chain below keeps the limits.
type answers struct{ next http.RoundTripper }

// RoundTrip passes the request on.
func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	response.Header.Del("X-RateLimit-Remaining")
	response.Header.Del("X-RateLimit-Reset")
	response.Body = polite.Capped(response.Body, mostOfAnswer)
	return response, nil
}
