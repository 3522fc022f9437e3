package polite

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"skillcorpus/data"
)

// Defaults of Config.
const (
	DefaultRequestsPerSecond = 1 // a host, DESIGN.md 4
	DefaultRetryWait         = time.Second
	DefaultStallTimeout      = time.Minute
	DefaultMaxWait           = 24 * time.Hour // the longest real one is a daily quota
)

// Config says how hosts are asked. Only Now must be set.
type Config struct {
	UserAgent         string
	Token             string   // sent as a Bearer token, to TokenOrigins only
	Tokens            []string // further ones: requests are spread over all, and each has limits of its own
	TokenOrigins      []string // base URLs; scheme, host and port count
	RequestsPerSecond float64  // a host; 0 is the default
	RetryWait         time.Duration
	StallTimeout      time.Duration // without an answer or another byte of it
	MaxWait           time.Duration // no retry time lies further ahead, whatever a host asks for
	Classify          Classifier    // what an answer means; nil is Classify
	// Budget names the kind of a request where a host counts kinds apart, so that a spent budget closes the host for
	// that kind alone; nil is one budget for all. Limits that are no budget's close it for all kinds.
	Budget    func(*http.Request) string
	Peek      func(*http.Request) bool    // whose good answers Classify sees whole, up to 8 MiB; nil: none
	Warn      func(string)                // told when a token is taken out of use; nil is silent
	Limited   func(limit *data.ItemError) // told of every limit and outage, from many goroutines; nil is silent
	Transport http.RoundTripper
	Now       func() time.Time
	Logger    *slog.Logger // debug lines only, without queries of URLs; nil is silent
}

// Classifier turns an answer into its error, nil for a good one. Of the body it sees the first 64 KiB; of
// a good answer none, unless Peek asks for it.
type Classifier func(answer Answer) *data.ItemError

func (c Config) withDefaults() Config {
	c.RequestsPerSecond = cmp.Or(c.RequestsPerSecond, DefaultRequestsPerSecond)
	c.RetryWait = cmp.Or(c.RetryWait, DefaultRetryWait)
	c.StallTimeout = cmp.Or(c.StallTimeout, DefaultStallTimeout)
	c.MaxWait = cmp.Or(c.MaxWait, DefaultMaxWait)
	if c.Classify == nil {
		c.Classify = Classify
	}
	if c.Warn == nil {
		c.Warn = func(string) {}
	}
	if c.Transport == nil {
		c.Transport = transport()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func transport() http.RoundTripper {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// Origin returns the (scheme, host, port) that a base URL stands for. A bare host means https. Anything but
// https, and plain http on loopback, is an error.
func Origin(base string) (string, error) {
	if !strings.Contains(base, "://") {
		base = "https://" + base
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil {
		return "", fmt.Errorf("base URL: want https://host[:port]")
	}
	if !safe(u) {
		return "", fmt.Errorf("base URL %s://%s: plain http is for loopback only", u.Scheme, u.Host)
	}
	return origin(u), nil
}

// safe reports whether a request may go there: by https, or by plain http without leaving the machine.
func safe(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && Loopback(u.Hostname())
}

// Loopback reports whether a host name means this machine.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// tokens returns all tokens, each once.
func (c Config) tokens() ([]string, error) {
	var all []string
	for _, token := range append([]string{c.Token}, c.Tokens...) {
		if err := checkToken(token); err != nil {
			return nil, err
		}
		if token != "" && !slices.Contains(all, token) {
			all = append(all, token)
		}
	}
	return all, nil
}

func checkToken(token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || r == 0x7f }) {
		return errors.New("token: holds characters that no header may carry")
	}
	return nil
}
