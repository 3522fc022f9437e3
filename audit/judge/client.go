package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"skillcorpus/data"
)

// maxReply bounds a response, in bytes.
const maxReply = 1 << 20

type client struct {
	http    *retryablehttp.Client
	url     string
	model   string
	key     string
	timeout time.Duration
	now     func() time.Time
	cache   cache
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
		if err != nil { // what took all its time, or met no TLS, would do so again
			trouble := unanswered(err, config.Timeout).trouble
			return trouble != Slow && trouble != Insecure, nil
		}
		return response.StatusCode >= http.StatusInternalServerError, nil
	}
	retrying.HTTPClient = &http.Client{
		Transport: transport, Timeout: config.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for this host alone
	}
	return &client{
		http: retrying, url: strings.TrimSuffix(config.URL, "/") + "/chat/completions", model: config.Model, key: config.Key, timeout: config.Timeout, now: config.Now,
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

// ask sends one prompt, and with it the text that an earlier answer was, if that could not be read. Its errors are of
// class *failure; a text that is no answer is a reply with a fault.
func (c *client) ask(ctx context.Context, prompt string, before reply) (reply, error) {
	messages := []message{{"system", instructions}, {"user", prompt}}
	if before.fault != "" {
		messages = append(messages, message{"assistant", before.text}, message{"user", reminder})
	}
	body, err := json.Marshal(map[string]any{"model": c.model, "temperature": 0, "max_tokens": maxAnswer, "messages": messages})
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
		return reply{}, unanswered(err, c.timeout)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	closed := response.Body.Close()
	spent := reply{Tokens: estimate(prompt)}
	switch {
	case len(text) > maxReply:
		return spent, &failure{&data.ItemError{Outcome: data.OutcomeTooLarge, Reason: "the judge's response is over 1 MiB"}, TooLong, false}
	case err != nil || closed != nil:
		f := unanswered(errors.Join(err, closed), c.timeout)
		if f.trouble != Slow {
			f.trouble, f.Reason = CutOff, "the judge's response was cut off"
		}
		return spent, f
	case response.StatusCode != http.StatusOK:
		return reply{}, c.refused(response, text)
	}
	return c.read(text, spent)
}

// read takes the answer out of a response. What a response does not say of its cost is estimated.
func (c *client) read(text []byte, spent reply) (reply, error) {
	var envelope struct {
		Choices []struct {
			Message message `json:"message"`
			Finish  string  `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Total int `json:"total_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(text, &envelope) != nil || len(envelope.Choices) == 0 {
		return spent, &failure{&data.ItemError{Outcome: data.OutcomeMalformed, Reason: "the judge's response is no chat completion" + c.said(text)}, NoAPI, false}
	}
	content := envelope.Choices[0].Message.Content
	r := reply{Tokens: envelope.Usage.Total, text: content[:min(len(content), maxRepeated)]}
	if r.Tokens <= 0 {
		r.Tokens = spent.Tokens + len(content)/bytesPerToken
	}
	answer, err := parse(content)
	switch {
	case err == nil:
		r.Answer = &answer
	case envelope.Choices[0].Finish == "length":
		r.fault = fmt.Sprintf("cut off at %d tokens: %v", maxAnswer, err)
	default:
		r.fault = err.Error()
	}
	return r, nil
}
