package polite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// roundTrip is a network made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func client(t testing.TB, config polite.Config) *http.Client {
	t.Helper()
	config.RequestsPerSecond = 1e6
	config.RetryWait = time.Microsecond
	if config.Now == nil {
		config.Now = func() time.Time { return clock }
	}
	c, err := polite.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func get(ctx context.Context, c *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := c.Do(req)
	if err != nil {
		return "", polite.Cause(ctx, err)
	}
	defer response.Body.Close()
	body, err := polite.ReadAll(response.Body, 1<<20)
	return string(body), polite.Cause(ctx, err)
}

func answer(status int, body string, header ...string) *http.Response {
	w := httptest.NewRecorder()
	for i := 0; i < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return w.Result()
}

func TestClassify(t *testing.T) {
	t.Parallel()
	reset := fmt.Sprint(clock.Add(time.Hour).Unix())
	tests := []struct {
		name   string
		status int
		header []string
		body   string
		want   data.Outcome
		wait   time.Duration // without the second of slack
	}{
		{"good", 200, nil, "", data.OutcomeOK, 0},
		{"unchanged", 304, nil, "", data.OutcomeOK, 0},
		{"not yet", 202, nil, "", data.OutcomeUnavailable, 0},
		{"gone", 404, nil, `{"message":"Not Found"}`, data.OutcomeGone, 0},
		{"gone for ever", 410, nil, "", data.OutcomeGone, 0},
		{"gone though nothing remains", 404, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset}, "", data.OutcomeGone, 0},
		{"dmca", 451, nil, `{"message":"Repository access blocked","block":{"reason":"dmca","html_url":"https://x.test/1"}}`, data.OutcomeBlocked, 0},
		{"tos", 403, nil, `{"message":"Repository access blocked","block":{"reason":"tos"}}`, data.OutcomeBlocked, 0},
		{"tos told by message", 403, []string{"X-RateLimit-Remaining", "0"}, `{"message":"Repository access blocked"}`, data.OutcomeBlocked, 0},
		{"empty", 409, nil, `{"message":"Git Repository is empty."}`, data.OutcomeEmpty, 0},
		{"bad token", 401, nil, `{"message":"Bad credentials"}`, data.OutcomeForbidden, 0},
		{"lack of rights", 403, []string{"X-RateLimit-Remaining", "3999"}, `{"message":"Resource not accessible by personal access token","documentation_url":"https://docs.github.com/rest/repos"}`, data.OutcomeForbidden, 0},
		{"primary", 403, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset}, "", data.OutcomeLimited, time.Hour},
		{"primary as 429", 429, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset}, "", data.OutcomeLimited, time.Hour},
		{"primary, reset passed", 403, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1"}, "", data.OutcomeLimited, time.Minute},
		{"secondary, the reset is another limit's", 403, []string{"X-RateLimit-Remaining", "100", "X-RateLimit-Reset", reset}, "You have exceeded a secondary rate limit", data.OutcomeLimited, time.Minute},
		{"secondary told by the link", 403, nil, `{"documentation_url":"https://docs.github.com/x#secondary-rate-limits"}`, data.OutcomeLimited, time.Minute},
		{"seconds before reset", 403, []string{"Retry-After", "5", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset}, "", data.OutcomeLimited, 5 * time.Second},
		{"bare 429", 429, nil, "", data.OutcomeLimited, time.Minute},
		{"negative", 429, []string{"Retry-After", "-5"}, "", data.OutcomeLimited, time.Minute},
		{"fraction", 429, []string{"Retry-After", "1.5"}, "", data.OutcomeLimited, time.Minute},
		{"overflow", 429, []string{"Retry-After", strings.Repeat("9", 40)}, "", data.OutcomeLimited, 1 << 31 * time.Second},
		{"503 with a time", 503, []string{"Retry-After", "120"}, "", data.OutcomeUnavailable, 2 * time.Minute},
		{"server error", 500, nil, "", data.OutcomeUnavailable, 0},
		{"unknown", 418, nil, "", data.OutcomeUnavailable, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for i := 0; i < len(test.header); i += 2 {
				header.Set(test.header[i], test.header[i+1])
			}
			item := polite.Classify(polite.Answer{Status: test.status, Header: header, Body: []byte(test.body), Now: clock})
			if item == nil {
				if test.want != data.OutcomeOK {
					t.Errorf("good, want %s", test.want)
				}
				return
			}
			var want time.Time
			if test.wait > 0 {
				want = clock.Add(test.wait + time.Second)
			}
			if item.Outcome != test.want || !item.RetryAt.Equal(want) {
				t.Errorf("%s at %v; want %s at %v", item.Outcome, item.RetryAt, test.want, want)
			}
		})
	}
}

func TestStrikesDoubleTheWait(t *testing.T) {
	t.Parallel()
	for strikes, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		item := polite.Classify(polite.Answer{Status: 429, Header: http.Header{}, Now: clock, Strikes: strikes})
		if got := item.RetryAt.Sub(clock) - time.Second; got != want {
			t.Errorf("after %d limits: %v, want %v", strikes, got, want)
		}
	}
}

func TestNotice(t *testing.T) {
	t.Parallel()
	body := `{"message":"Repository access\u001b[31m blocked","block":{"reason":"dmca","html_url":"https://x.test/1"}}`
	item := polite.Classify(polite.Answer{Status: 451, Body: []byte(body)})
	if !strings.Contains(item.Reason, "dmca, notice https://x.test/1") || strings.Contains(item.Reason, "\x1b") {
		t.Errorf("reason %q", item.Reason)
	}
}

// The replies of case 24, each through the whole chain.
func TestCaseWaitTimes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(datatest.Shared(t, "cases", "24-wait-times", "replies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Clock   time.Time
		Replies []struct {
			ID, Status int
			Headers    map[string]string
			Body       string
			Archive    bool
			Want       struct {
				Action string
				Wait   []float64 `json:"wait_s"`
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, reply := range file.Replies {
		if reply.Archive {
			continue // crawl/github knows what an archive is
		}
		t.Run(fmt.Sprint(reply.ID), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for key, value := range reply.Headers {
					w.Header().Set(key, value)
				}
				w.WriteHeader(reply.Status)
				_, _ = io.WriteString(w, reply.Body)
			}))
			defer server.Close()
			_, err := get(t.Context(), client(t, polite.Config{Now: func() time.Time { return file.Clock }}), server.URL)
			item, ok := errors.AsType[*data.ItemError](err)
			if !ok {
				t.Fatalf("no ItemError: %v", err)
			}
			wait := item.RetryAt.Sub(file.Clock).Seconds()
			action := "retry"
			switch {
			case item.Outcome.Permanent():
				action = "fail"
			case wait > 600:
				action = "defer"
			}
			if action != reply.Want.Action {
				t.Errorf("%s (%v), want %s", action, item, reply.Want.Action)
			}
			if w := reply.Want.Wait; w != nil && (wait < w[0] || wait > w[1]) {
				t.Errorf("waits %v s, want %v", wait, w)
			}
		})
	}
}

func TestTries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply func(n int) (*http.Response, error)
		want  int // attempts
		end   data.Outcome
	}{
		{"502 then good", func(n int) (*http.Response, error) {
			if n == 1 {
				return answer(502, "<html>"), nil
			}
			return answer(200, "x"), nil
		}, 2, data.OutcomeOK},
		{"502 always", func(int) (*http.Response, error) { return answer(502, ""), nil }, 3, data.OutcomeUnavailable},
		{"connection refused", func(int) (*http.Response, error) { return nil, errors.New("refused") }, 3, data.OutcomeUnavailable},
		{"timeout", func(int) (*http.Response, error) { return nil, os.ErrDeadlineExceeded }, 1, data.OutcomeUnavailable},
		{"503 with a time", func(int) (*http.Response, error) { return answer(503, "", "Retry-After", "9"), nil }, 1, data.OutcomeUnavailable},
		{"429", func(int) (*http.Response, error) { return answer(429, ""), nil }, 1, data.OutcomeLimited},
		{"404", func(int) (*http.Response, error) { return answer(404, ""), nil }, 1, data.OutcomeGone},
		{"redirect loop", func(int) (*http.Response, error) { return answer(302, "", "Location", "/again"), nil }, 6, data.OutcomeUnavailable},
		{"redirect to nowhere", func(int) (*http.Response, error) { return answer(302, ""), nil }, 1, data.OutcomeOK},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			_, err := get(t.Context(), client(t, polite.Config{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				n++
				return test.reply(n)
			})}), "https://api.test/x")
			if got := data.OutcomeOf(err); got != test.end || n != test.want {
				t.Errorf("%v (%s) after %d attempts, want %s after %d", err, got, n, test.end, test.want)
			}
		})
	}
}

// A limit closes its host until it ends, without a request, and no other host.
func TestLimitClosesOneHost(t *testing.T) {
	t.Parallel()
	now, asked := clock, 0
	c := client(t, polite.Config{Now: func() time.Time { return now }, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked++
		if r.URL.Host == "limited.test" && now.Before(clock.Add(30*time.Second)) {
			return answer(403, "", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(clock.Add(30*time.Second).Unix())), nil
		}
		return answer(200, "x"), nil
	})})
	for range 3 {
		_, err := get(t.Context(), c, "https://limited.test/")
		item, ok := errors.AsType[*data.ItemError](err)
		if !ok || item.Outcome != data.OutcomeLimited || !item.RetryAt.Equal(clock.Add(31*time.Second)) {
			t.Fatalf("limited host: %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("a limited host was asked %d times", asked)
	}
	if _, err := get(t.Context(), c, "https://other.test/"); err != nil {
		t.Errorf("other host: %v", err)
	}
	now = clock.Add(31 * time.Second)
	if _, err := get(t.Context(), c, "https://limited.test/"); err != nil {
		t.Errorf("after the reset: %v", err)
	}
}

func TestLastRemainingRequestClosesHost(t *testing.T) {
	t.Parallel()
	asked := 0
	c := client(t, polite.Config{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		asked++
		return answer(200, "x", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(clock.Add(1000*time.Hour).Unix())), nil
	})})
	if _, err := get(t.Context(), c, "https://api.test/"); err != nil {
		t.Fatal(err)
	}
	_, err := get(t.Context(), c, "https://api.test/")
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeLimited || asked != 1 || !item.RetryAt.Equal(clock.Add(polite.DefaultMaxWait)) {
		t.Errorf("%v after %d requests", err, asked)
	}
}

const secret = "test-token-not-real"

func TestTokenStaysHome(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	seen := make(map[string]string)
	c := client(t, polite.Config{
		Token: secret, TokenOrigins: []string{"https://api.test/v3", "codeload.test", "https://own.test:8443"},
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			seen[r.URL.String()] = r.Header.Get("Authorization") + r.Header.Get("Cookie") + r.Header.Get("Referer")
			if to := r.URL.Query().Get("to"); to != "" {
				return answer(302, "", "Location", to, "Set-Cookie", "a=b"), nil
			}
			return answer(500, secret+" is unwelcome"), nil
		}),
	})
	bearer := "Bearer " + secret
	for _, test := range []struct{ from, to, want string }{
		{"https://api.test", "https://store.test/blob?sig=abc", ""},
		{"https://api.test", "https://codeload.test/x", bearer},
		{"https://api.test", "https://CODELOAD.test:443/y", bearer},
		{"https://api.test", "https://codeload.test:8443/x", ""},
		{"https://api.test", "https://api.test.evil.test/x", ""},
		{"https://api.test", "https://own.test:8443/x", bearer},
		{"https://store.test", "https://api.test/back", bearer},
	} {
		_, err := get(t.Context(), c, test.from+"/?to="+test.to)
		if err == nil || strings.Contains(err.Error(), "sig=") {
			t.Errorf("error %v", err)
		}
		if got, asked := seen[test.to]; !asked || got != test.want {
			t.Errorf("%s saw %q, want %q", test.to, got, test.want)
		}
	}
	for _, to := range []string{"http://api.test/plain", "http://127.0.0.1/plain", "ftp://api.test/", "file:///etc/passwd"} {
		_, err := get(t.Context(), c, "https://api.test/?to="+to)
		if _, asked := seen[to]; asked || data.OutcomeOf(err) != data.OutcomeUnavailable {
			t.Errorf("redirect to %s: asked %v, %v", to, asked, err)
		}
	}
	if strings.Contains(log.String(), secret) || strings.Contains(log.String(), "sig=abc") || log.Len() == 0 {
		t.Errorf("log:\n%s", log.String())
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, bad := range []polite.Config{
		{Token: "line\nbreak"},
		{Token: secret + "é"},
		{Token: secret, TokenOrigins: []string{"http://api.test"}},
		{Token: secret, TokenOrigins: []string{"https://user:pw@api.test"}},
		{Token: secret, TokenOrigins: []string{"https://"}},
	} {
		if _, err := polite.NewClient(bad); err == nil || strings.Contains(err.Error(), "break") || strings.Contains(err.Error(), "pw") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := get(t.Context(), client(t, polite.Config{}), "http://example.test/"); data.OutcomeOf(err) != data.OutcomeUnavailable {
		t.Errorf("plain http: %v", err)
	}
}

// Reasons are what a tired reader understands: the host, and what happened there in words.
func TestReasons(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "part")
		case "/torn":
			panic(http.ErrAbortHandler)
		case "/429":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/502":
			http.Error(w, "<html>", http.StatusBadGateway)
		case "/404":
			http.Error(w, `{"message":"no such thing"}`, http.StatusNotFound)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for path, want := range map[string]string{
		"/cut": ": the connection broke off: ", "/torn": ": the connection broke off: ", "/429": ": HTTP 429 Too Many Requests",
		"/502": ": HTTP 502 Bad Gateway", "/404": ": HTTP 404: no such thing",
	} {
		if _, err := get(t.Context(), client(t, polite.Config{}), server.URL+path); err == nil || !strings.Contains(err.Error(), ": "+host+want) {
			t.Errorf("%s: %v, want %q", path, err, host+want)
		}
	}
	for text, want := range map[string]string{"<html>": "a web page in place of JSON", "": "no JSON, or JSON that breaks off", "{": "no JSON, or JSON that breaks off", "[}": "no JSON: "} {
		var into any
		if err := polite.Unreadable(json.Unmarshal([]byte(text), &into)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := polite.Unreadable(io.EOF); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Errorf("another error: %v", err)
	}
}

func TestTransfers(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "part")
		case "/slow":
			_, _ = io.WriteString(w, "part")
			w.(http.Flusher).Flush()
			<-release
		case "/mute":
			<-release
		case "/long":
			_, _ = w.Write(make([]byte, 2<<20))
		}
	}))
	defer server.Close()
	defer close(release)
	c := client(t, polite.Config{StallTimeout: 50 * time.Millisecond})
	for path, want := range map[string]data.Outcome{
		"/cut": data.OutcomeUnavailable, "/slow": data.OutcomeUnavailable, "/mute": data.OutcomeUnavailable, "/long": data.OutcomeTooLarge, "/fine": data.OutcomeOK,
	} {
		if _, err := get(t.Context(), c, server.URL+path); data.OutcomeOf(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := get(ctx, c, server.URL+"/fine"); !errors.Is(err, context.Canceled) || data.OutcomeOf(err) != data.OutcomeInternal {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCapped(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]data.Outcome{0: data.OutcomeOK, 9: data.OutcomeOK, 10: data.OutcomeOK, 11: data.OutcomeTooLarge, 99: data.OutcomeTooLarge} {
		content, err := io.ReadAll(polite.Capped(io.NopCloser(strings.NewReader(strings.Repeat("x", size))), 10))
		if data.OutcomeOf(err) != want || len(content) != min(size, 10) {
			t.Errorf("%d bytes: %d, %v", size, len(content), err)
		}
	}
}

// One request at a time leaves each host, retries included.
func TestPace(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	c, err := polite.NewClient(polite.Config{
		RequestsPerSecond: 20, RetryWait: time.Microsecond, Now: func() time.Time { return clock },
		Transport: roundTrip(func(*http.Request) (*http.Response, error) { asked.Add(1); return answer(500, ""), nil }),
	})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for range 2 {
		_, _ = get(t.Context(), c, "https://api.test/")
	}
	if took := time.Since(start); asked.Load() != 6 || took < 245*time.Millisecond {
		t.Errorf("%d requests in %v, want 6 in 250 ms", asked.Load(), took)
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(403, "7", "0", "1772352090", []byte(`{"message":"x","block":{}}`), 3)
	f.Add(429, "Sun, 01 Mar 2026 07:59:00 GMT", "", "", []byte("<html>"), -1)
	f.Add(503, "99999999999999999999", "00", "-1", []byte(nil), 1<<40)
	f.Fuzz(func(t *testing.T, status int, retryAfter, remaining, reset string, body []byte, strikes int) {
		header := http.Header{"Retry-After": {retryAfter}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}}
		item := polite.Classify(polite.Answer{Status: status, Header: header, Body: body, Now: clock, Strikes: strikes})
		if item == nil {
			return
		}
		if item.Outcome == data.OutcomeLimited && item.RetryAt.Before(clock.Add(time.Second)) {
			t.Errorf("limited until %v, which is no wait", item.RetryAt)
		}
		if item.Outcome == data.OutcomeOK || strings.ContainsAny(item.Reason, "\n\x1b") || len(item.Reason) > 4000 {
			t.Errorf("%+v", item)
		}
	})
}

// lateAnswer stops the run while it answers.
type lateAnswer struct {
	stop   context.CancelFunc
	closed *atomic.Bool
}

func (l lateAnswer) RoundTrip(*http.Request) (*http.Response, error) {
	l.stop()
	late := answer(200, "good")
	late.Body = closing{late.Body, l.closed}
	return late, nil
}

type closing struct {
	io.Reader
	closed *atomic.Bool
}

func (c closing) Close() error {
	c.closed.Store(true)
	return nil
}

// An answer that comes while the run is being stopped is no answer: its connection is let go, and only the error is given.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	var closed atomic.Bool
	c := client(t, polite.Config{Transport: lateAnswer{stop, &closed}})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Transport.RoundTrip(request)
	if response != nil {
		_ = response.Body.Close()
	}
	if response != nil || !errors.Is(err, context.Canceled) || !closed.Load() {
		t.Errorf("%v, %v, closed %v", response, err, closed.Load())
	}
}
