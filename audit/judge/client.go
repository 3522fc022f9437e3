package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"skillcorpus/data"
)

// maxReply bounds a response, in bytes.
const maxReply = 1 << 20

// limitWait is how long a limit without a Retry-After counts (FACTS.md 4), and limitMost the longest that is believed.
const (
	limitWait = time.Minute
	limitMost = 24 * time.Hour
)

type client struct {
	http  *retryablehttp.Client
	url   string
	model string
	key   string
	now   func() time.Time
	cache cache
}

func newClient(config Config) (*client, error) {
	base, err := url.Parse(config.URL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil:
		return nil, fmt.Errorf("judge: %q: want a URL such as https://api.example/v1", config.URL)
	case config.Key != "" && base.Scheme == "http" && !loopback(base.Hostname()):
		return nil, fmt.Errorf("judge: a key is sent only over https, or to this machine, and not to %s", base.Host)
	case config.Model == "":
		return nil, errors.New("judge: no model is named")
	}
	if err := os.MkdirAll(config.Cache, 0o755); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	transport := config.Client
	if transport == nil {
		transport = http.DefaultTransport
	}
	retrying := retryablehttp.NewClient()
	retrying.Logger, retrying.RetryMax, retrying.RetryWaitMin, retrying.RetryWaitMax = nil, 2, config.Wait, 2*config.Wait
	retrying.ErrorHandler = retryablehttp.PassthroughErrorHandler
	retrying.CheckRetry = func(ctx context.Context, response *http.Response, err error) (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return err != nil || response.StatusCode >= http.StatusInternalServerError, nil
	}
	retrying.HTTPClient = &http.Client{
		Transport: transport, Timeout: config.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for this host alone
	}
	return &client{
		http: retrying, url: strings.TrimSuffix(config.URL, "/") + "/chat/completions", model: config.Model, key: config.Key, now: config.Now,
		cache: cache{dir: config.Cache, model: config.Model},
	}, nil
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ask sends one prompt. Its errors are of class *data.ItemError; a text that is no answer is a reply with a fault.
func (c *client) ask(ctx context.Context, prompt string) (reply, error) {
	body, err := json.Marshal(map[string]any{
		"model": c.model, "temperature": 0, "max_tokens": maxAnswer,
		"messages": []message{{"system", instructions}, {"user", prompt}},
	})
	if err != nil {
		return reply{}, err
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, c.url, body)
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return reply{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the judge does not answer", Err: err}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return reply{}, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the judge's answer was cut off", Err: err}
	}
	if response.StatusCode != http.StatusOK {
		return reply{}, c.refused(response)
	}
	return read(text, prompt)
}

func (c *client) refused(response *http.Response) error {
	item := &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("the judge says %d", response.StatusCode)}
	switch code := response.StatusCode; {
	case code == http.StatusTooManyRequests:
		item.Outcome, item.RetryAt = data.OutcomeLimited, c.now().Add(limitWait)
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			item.RetryAt = c.now().Add(min(time.Duration(min(seconds, int(limitMost/time.Second)))*time.Second, limitMost))
		}
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusPaymentRequired:
		item.Outcome = data.OutcomeForbidden
	case code >= http.StatusInternalServerError:
		item.Outcome = data.OutcomeUnavailable
	}
	return item
}

// read takes the answer out of a response. What a response does not say of its cost is estimated.
func read(text []byte, prompt string) (reply, error) {
	var envelope struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
		Usage struct {
			Total int `json:"total_tokens"`
		} `json:"usage"`
	}
	if len(text) > maxReply || json.Unmarshal(bytes.TrimSpace(text), &envelope) != nil || len(envelope.Choices) == 0 {
		return reply{Tokens: estimate(prompt)}, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "the judge's response is no chat completion"}
	}
	content := envelope.Choices[0].Message.Content
	r := reply{Tokens: envelope.Usage.Total}
	if r.Tokens <= 0 {
		r.Tokens = estimate(prompt + content)
	}
	answer, err := parse(content)
	if err != nil {
		r.Fault = err.Error()
		return r, nil
	}
	r.Answer = &answer
	return r, nil
}
