package polite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"skillcorpus/data"
)

const (
	moreTries   = 2               // after connection errors and 5xx
	triesWithin = 5 * time.Second // all waits between them together
	mostHops    = 5
)

// NewClient returns a client that gives out good answers only (2xx and 304). Everything else is an error
// with a *data.ItemError in its chain, or the context's own error once that is done; Cause unwraps it. The
// body's reader reports a cut or stalled transfer in the same way. It is safe for concurrent use.
func NewClient(config Config) (*http.Client, error) {
	config = config.withDefaults()
	tokens, err := config.tokens()
	if err != nil {
		return nil, err
	}
	allowed := make(map[string]bool, len(config.TokenOrigins))
	for _, base := range config.TokenOrigins {
		o, err := Origin(base)
		if err != nil {
			return nil, err
		}
		allowed[o] = true
	}
	retry := retryablehttp.NewClient()
	retry.HTTPClient = &http.Client{
		Transport:     &hosts{config: config, tokens: tokens, allowed: allowed, byOrigin: make(map[string]*host)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	retry.Logger = quietLogger{config.Logger}
	retry.RetryMax = moreTries
	retry.CheckRetry = checkRetry
	retry.Backoff = func(_, _ time.Duration, try int, _ *http.Response) time.Duration {
		return min(config.RetryWait<<try, triesWithin/moreTries)
	}
	retry.ErrorHandler = onlyOne
	return &http.Client{Transport: &retryablehttp.RoundTripper{Client: retry}, CheckRedirect: checkRedirect}, nil
}

// onlyOne gives up with an answer or an error. An answer that came while the run was being stopped is let go, since a
// round tripper may not return both.
func onlyOne(response *http.Response, err error, _ int) (*http.Response, error) {
	if err != nil && response != nil {
		_ = response.Body.Close() // nobody reads it
		return nil, err
	}
	return response, err
}

// checkRetry allows another try for connection errors and 5xx. A host that says when to come back is left
// alone until then, and a timeout has cost enough already.
func checkRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeUnavailable || errors.Is(item, errFinal) || errors.Is(item, errStalled) {
		return false, nil
	}
	if trouble, ok := errors.AsType[net.Error](item.Err); ok && trouble.Timeout() {
		return false, nil
	}
	return item.RetryAt.IsZero(), nil
}

// checkRedirect judges each hop before it is made.
func checkRedirect(next *http.Request, before []*http.Request) error {
	refuse := func(why string) error {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "redirect to " + next.URL.Host + " refused: " + why, Err: errFinal}
	}
	switch {
	case len(before) > mostHops:
		return refuse(fmt.Sprintf("more than %d hops", mostHops))
	case before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme != "https", !safe(next.URL):
		return refuse("not https")
	}
	return nil
}

// Cause returns what an error of the client is about: the context's error if ctx is done, else the
// *data.ItemError in the chain, else the error as an unavailable host. URLs, which may hold signatures, are
// not part of it.
func Cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if item, ok := errors.AsType[*data.ItemError](err); ok {
		return item
	}
	return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "no usable answer", Err: Unreadable(withoutURL(err))}
}

// quietLogger passes retryablehttp's messages on as debug lines, since whoever gets the error decides what
// is worth more, and cuts the queries off URLs.
type quietLogger struct{ to *slog.Logger }

func (l quietLogger) Error(msg string, pairs ...any) { l.debug(msg, pairs) }
func (l quietLogger) Warn(msg string, pairs ...any)  { l.debug(msg, pairs) }
func (l quietLogger) Info(msg string, pairs ...any)  { l.debug(msg, pairs) }
func (l quietLogger) Debug(msg string, pairs ...any) { l.debug(msg, pairs) }

func (l quietLogger) debug(msg string, pairs []any) {
	clean := make([]any, len(pairs))
	for i, value := range pairs {
		switch v := value.(type) {
		case string:
			clean[i] = withoutQuery(v)
		case error:
			clean[i] = withoutURL(v)
		default:
			clean[i] = value
		}
	}
	l.to.Debug(msg, clean...)
}

func withoutQuery(text string) string {
	before, rest, found := strings.Cut(text, "?")
	if !found {
		return text
	}
	if space := strings.IndexByte(rest, ' '); space >= 0 {
		return before + rest[space:]
	}
	return before
}
