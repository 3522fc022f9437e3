package polite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"skillcorpus/data"
)

const mostOfRefusal = 64 << 10 // bytes read of an answer that is no good

var (
	errStalled = errors.New("stalled")
	errFinal   = errors.New("not to be tried again")
)

// hosts is the lowest round tripper: one attempt of one hop at one host. It returns redirects and good
// answers, and an error for everything else.
type hosts struct {
	config  Config
	allowed map[string]bool // origins that may see the token

	mu       sync.Mutex
	byOrigin map[string]*host
}

// host is what is known of one origin.
type host struct {
	limiter *rate.Limiter

	mu      sync.Mutex
	until   time.Time // not to be asked before
	why     string
	strikes int // limits in a row
}

func (h *hosts) at(u *url.URL) *host {
	key := origin(u)
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.byOrigin[key]
	if !ok {
		known = &host{limiter: rate.NewLimiter(rate.Limit(h.config.RequestsPerSecond), 1)}
		h.byOrigin[key] = known
	}
	return known
}

// RoundTrip makes one attempt, when the host's turn comes.
func (h *hosts) RoundTrip(req *http.Request) (*http.Response, error) {
	if !safe(req.URL) {
		return nil, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "plain http to " + req.URL.Host + " refused", Err: errFinal}
	}
	asked := h.at(req.URL)
	if err := asked.closed(h.config.Now()); err != nil {
		return nil, err
	}
	if err := asked.limiter.Wait(req.Context()); err != nil {
		return nil, err
	}
	if err := asked.closed(h.config.Now()); err != nil {
		return nil, err
	}
	response, err := h.send(req)
	if err != nil {
		return nil, err
	}
	if status := response.StatusCode; status >= 300 && status < 400 && status != http.StatusNotModified {
		return response, nil
	}
	return h.judge(asked, req.URL.Host, response)
}

// send makes the request with what this origin may see, under a watch on silence.
func (h *hosts) send(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	watch := time.AfterFunc(h.config.StallTimeout, func() { cancel(errStalled) })
	out := req.Clone(ctx)
	out.Header.Del("Authorization")
	out.Header.Del("Cookie")
	out.Header.Del("Referer")
	if h.config.Token != "" && h.allowed[origin(req.URL)] {
		out.Header.Set("Authorization", "Bearer "+h.config.Token)
	}
	if h.config.UserAgent != "" {
		out.Header.Set("User-Agent", h.config.UserAgent)
	}
	response, err := h.config.Transport.RoundTrip(out)
	if err != nil {
		watch.Stop()
		err = transferError(req.Context(), ctx, err)
		cancel(nil)
		return nil, err
	}
	response.Body = &body{from: response.Body, outer: req.Context(), inner: ctx, cancel: cancel, watch: watch, patience: h.config.StallTimeout}
	return response, nil
}

// judge turns a refusal into its error and remembers limits.
func (h *hosts) judge(asked *host, name string, response *http.Response) (*http.Response, error) {
	answer := Answer{Status: response.StatusCode, Header: response.Header, Now: h.config.Now()}
	answer.Strikes = asked.count(answer.Now)
	if good := answer.Status < 300 || answer.Status == http.StatusNotModified; !good {
		// A refusal whose text is cut is still the refusal that its status says.
		answer.Body, _ = io.ReadAll(io.LimitReader(response.Body, mostOfRefusal))
	}
	item := h.config.Classify(answer)
	latest := answer.Now.Add(h.config.MaxWait)
	if item == nil {
		asked.answered(answer, latest)
		return response, nil
	}
	item.RetryAt = earlier(item.RetryAt, latest)
	item.Reason = name + ": " + item.Reason
	asked.refused(item, answer.Now)
	_ = response.Body.Close() // what it said has been read
	return nil, item
}

// closed returns the limit that the host is under, so that nobody asks it in vain.
func (h *host) closed(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !now.Before(h.until) {
		return nil
	}
	return &data.ItemError{Outcome: data.OutcomeLimited, Reason: h.why, RetryAt: h.until}
}

// count returns the limits in a row before an answer. What was in flight when the last one was met meets the same.
func (h *host) count(now time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.until) {
		return max(0, h.strikes-1)
	}
	return h.strikes
}

// answered ends a row of limits. A good answer may be the last that the host gives before its reset.
func (h *host) answered(a Answer, latest time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.strikes = 0
	if reset, ok := a.reset(); ok && a.exhausted() && reset.After(h.until) {
		h.until, h.why = earlier(reset, latest), "no requests remain until the reset"
	}
}

func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

func (h *host) refused(item *data.ItemError, now time.Time) {
	if item.Outcome != data.OutcomeLimited {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !now.Before(h.until) {
		h.strikes++
	}
	if item.RetryAt.After(h.until) {
		h.until, h.why = item.RetryAt, item.Reason
	}
}

// body watches a transfer: silence ends it, and every fault is told as an outcome.
type body struct {
	from     io.ReadCloser
	outer    context.Context //nolint:containedctx // a reader has no other way to tell a cancelled run from a fault
	inner    context.Context //nolint:containedctx // as above
	cancel   context.CancelCauseFunc
	watch    *time.Timer
	patience time.Duration
}

// Read reads on and starts the watch anew.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if n > 0 && err == nil {
		b.watch.Reset(b.patience)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = transferError(b.outer, b.inner, err)
	}
	return n, err
}

// Close ends the transfer and the watch.
func (b *body) Close() error {
	b.watch.Stop()
	err := b.from.Close()
	b.cancel(nil)
	return err
}

// transferError tells a fault of the transfer from a cancelled run.
func transferError(outer, inner context.Context, err error) error {
	if outer.Err() != nil {
		return outer.Err()
	}
	if errors.Is(context.Cause(inner), errStalled) {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "no byte came for too long", Err: errStalled}
	}
	return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "connection trouble", Err: withoutURL(err)}
}

func withoutURL(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		return withoutURL(inner.Err)
	}
	return err
}

// ReadAll reads an answer of at most most bytes; a longer one is too_large.
func ReadAll(from io.Reader, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > most {
		return nil, &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("answer of more than %d bytes", most)}
	}
	return content, nil
}

// Capped returns body cut off with a too_large error past most bytes.
func Capped(body io.ReadCloser, most int64) io.ReadCloser {
	return &capped{ReadCloser: body, left: most}
}

type capped struct {
	io.ReadCloser
	left int64
}

// Read reads on up to one byte past the cap.
func (c *capped) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left+1)])
	if c.left -= int64(n); c.left < 0 {
		c.left = 0
		return n - 1, &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: "the answer is longer than any that is expected"}
	}
	return n, err
}
