package polite

import (
	"bytes"
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

const (
	mostOfRefusal = 64 << 10 // bytes read of an answer that is no good
	mostOfPeek    = 8 << 20  // bytes of a good one that has to be looked into
)

var (
	errStalled = errors.New("no byte came for too long")
	errFinal   = errors.New("not to be tried again")
)

// ErrBadToken is in the chain of what a host answers once it accepts none of its tokens.
var ErrBadToken = errors.New("the token is not accepted")

// hosts is the lowest round tripper: one attempt of one hop at one host. It returns redirects and good
// answers, and an error for everything else.
type hosts struct {
	config  Config
	tokens  []string
	allowed map[string]bool // origins that may see the tokens

	mu       sync.Mutex
	byOrigin map[string]*host
}

func (h *hosts) at(u *url.URL) *host {
	key := origin(u)
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.byOrigin[key]
	if !ok {
		known = &host{name: u.Host, limiter: rate.NewLimiter(rate.Limit(h.config.RequestsPerSecond), 1), doors: make([]door, 1)}
		if h.allowed[key] && len(h.tokens) > 0 {
			known.tokens, known.doors = h.tokens, make([]door, len(h.tokens))
		}
		h.byOrigin[key] = known
	}
	return known
}

// RoundTrip makes one attempt, when the host's turn comes. What one token may not ask, the next one may.
func (h *hosts) RoundTrip(req *http.Request) (*http.Response, error) {
	if !safe(req.URL) {
		return nil, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "plain http to " + req.URL.Host + " refused", Err: errFinal}
	}
	content, err := contentOf(req)
	if err != nil {
		return nil, err
	}
	asked := h.at(req.URL)
	for try := 1; ; try++ {
		response, err := h.attempt(asked, req, content)
		item, ok := errors.AsType[*data.ItemError](err)
		if !ok || try >= len(asked.doors) || item.Outcome != data.OutcomeLimited && !errors.Is(item, ErrBadToken) {
			return response, err
		}
	}
}

// contentOf reads what a request sends, which is small, so that it can be sent again.
func contentOf(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	content, err := io.ReadAll(req.Body)
	return content, errors.Join(err, req.Body.Close())
}

func (h *hosts) attempt(asked *host, req *http.Request, content []byte) (*http.Response, error) {
	budget := ""
	if h.config.Budget != nil {
		budget = h.config.Budget(req)
	}
	if err := asked.closed(budget, h.config.Now()); err != nil {
		return nil, err
	}
	if err := asked.limiter.Wait(req.Context()); err != nil {
		return nil, err
	}
	number, err := asked.enter(budget, h.config.Now())
	if err != nil {
		return nil, err
	}
	response, err := h.send(req, content, asked.token(number))
	if err != nil {
		if closed := asked.unreached(err, h.config.Now()); closed != nil {
			h.tell(closed)
		}
		return nil, err
	}
	asked.reached()
	if status := response.StatusCode; status >= 300 && status < 400 && status != http.StatusNotModified {
		return response, nil
	}
	return h.judge(visit{asked, number, budget, h.config.Peek != nil && h.config.Peek(req)}, response)
}

// send makes the request with what this origin may see, under a watch on silence.
func (h *hosts) send(req *http.Request, content []byte, token string) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	watch := time.AfterFunc(h.config.StallTimeout, func() { cancel(errStalled) })
	out := req.Clone(ctx)
	out.Header.Del("Authorization")
	out.Header.Del("Cookie")
	out.Header.Del("Referer")
	if token != "" {
		out.Header.Set("Authorization", "Bearer "+token)
	}
	if content != nil {
		out.Body = io.NopCloser(bytes.NewReader(content))
	}
	if h.config.UserAgent != "" {
		out.Header.Set("User-Agent", h.config.UserAgent)
	}
	response, err := h.config.Transport.RoundTrip(out)
	if err != nil {
		watch.Stop()
		err = transferError(req.Context(), ctx, req.URL.Host, err)
		cancel(nil)
		return nil, err
	}
	response.Body = &body{host: req.URL.Host, from: response.Body, outer: req.Context(), inner: ctx, cancel: cancel, watch: watch, patience: h.config.StallTimeout}
	return response, nil
}

// judge turns a refusal into its error and remembers limits.
func (h *hosts) judge(v visit, response *http.Response) (*http.Response, error) {
	answer := Answer{Status: response.StatusCode, Header: response.Header, Now: h.config.Now()}
	answer.Strikes = v.count(answer.Now)
	good := answer.Status < 300 || answer.Status == http.StatusNotModified
	switch {
	case !good:
		// A refusal whose text is cut is still the refusal that its status says.
		answer.Body, _ = io.ReadAll(io.LimitReader(response.Body, mostOfRefusal))
	case v.peek:
		var err error
		if answer.Body, err = ReadAll(response.Body, mostOfPeek); err != nil {
			_ = response.Body.Close()
			return nil, err
		}
		response.Body = &peeked{bytes.NewReader(answer.Body), response.Body}
	}
	item := h.config.Classify(answer)
	latest := answer.Now.Add(h.config.MaxWait)
	if item == nil {
		v.answered(answer, latest)
		return response, nil
	}
	item.RetryAt = earlier(item.RetryAt, latest)
	item.Reason = v.name + ": " + item.Reason
	switch {
	case item.Outcome == data.OutcomeLimited:
		h.tell(v.limited(item, answer))
	case answer.Status == http.StatusUnauthorized && v.token(v.door) != "":
		item.Err = ErrBadToken
		v.retire(item)
		h.config.Warn(fmt.Sprintf("%s: token %d of %d is not accepted and not used again", v.name, v.door+1, len(v.tokens)))
	}
	_ = response.Body.Close() // what it said has been read
	return nil, item
}

func (h *hosts) tell(limit *data.ItemError) {
	if h.config.Limited != nil {
		h.config.Limited(limit)
	}
}

// peeked is an answer that was read and can be read again.
type peeked struct {
	io.Reader
	io.Closer
}

func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// body watches a transfer: silence ends it, and every fault is told as an outcome.
type body struct {
	host     string
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
		err = transferError(b.outer, b.inner, b.host, err)
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
func transferError(outer, inner context.Context, host string, err error) error {
	if outer.Err() != nil {
		return outer.Err()
	}
	if errors.Is(context.Cause(inner), errStalled) {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: host + ": it went silent", Err: errStalled}
	}
	reason := host + ": no connection"
	if err = withoutURL(err); brokenOff(err) {
		reason = host + ": the connection broke off"
	}
	return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: reason, Err: err}
}

func withoutURL(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		return withoutURL(inner.Err)
	}
	return err
}

// Fetch sends a request and returns the whole body, of at most most bytes, and the header of a good answer. Errors are
// *data.ItemError (too_large for a longer one), or the request context's own.
func Fetch(client *http.Client, req *http.Request, most int64) ([]byte, http.Header, error) {
	response, err := client.Do(req)
	if err != nil {
		return nil, nil, Cause(req.Context(), err)
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	body, err := ReadAll(response.Body, most)
	if err != nil {
		return nil, nil, Cause(req.Context(), err)
	}
	return body, response.Header, nil
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
