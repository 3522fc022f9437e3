package robots

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// hosts answers by host and path; robots.txt counts how often it was asked.
type hosts struct {
	answers map[string]func() *http.Response
	asked   map[string]int
}

func (h *hosts) RoundTrip(req *http.Request) (*http.Response, error) {
	key := req.URL.Host + req.URL.Path
	h.asked[key]++
	response := text(200, "here")
	if answer, ok := h.answers[key]; ok {
		response = answer()
	}
	if response == nil {
		return nil, errors.New("no route")
	}
	response.Request = req
	return response, nil
}

func text(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func guarded(t *testing.T, h *hosts, config Config) *http.Client {
	t.Helper()
	if h.asked == nil {
		h.asked = map[string]int{}
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	client, err := polite.NewClient(polite.Config{RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Transport: h, Now: config.Now})
	if err != nil {
		t.Fatal(err)
	}
	return Guard(client, config)
}

func get(ctx context.Context, client *http.Client, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(req)
	if err != nil {
		return polite.Cause(ctx, err)
	}
	return response.Body.Close()
}

func TestGuard(t *testing.T) {
	t.Parallel()
	serve := func(status int, body string) func() *http.Response {
		return func() *http.Response { return text(status, body) }
	}
	for name, test := range map[string]struct {
		robots func() *http.Response
		want   data.Outcome // for /private/x
	}{
		"allowed":             {serve(200, "User-agent: *\nDisallow: /other"), data.OutcomeOK},
		"disallowed":          {serve(200, "User-agent: *\nDisallow: /private"), data.OutcomeForbidden},
		"for us":              {serve(200, "User-agent: *\nAllow: /\n\nUser-agent: SkillCorpus\nDisallow: /private/"), data.OutcomeForbidden},
		"allowed to us":       {serve(200, "User-agent: *\nDisallow: /\n\nUser-agent: skillcorpus\nAllow: /"), data.OutcomeOK},
		"longest rule":        {serve(200, "User-agent: *\nDisallow: /\nAllow: /private/x"), data.OutcomeOK},
		"one bad line":        {serve(200, "hello: x\nUser-agent: *\nCrawl-delay: soon\nDisallow: /private"), data.OutcomeForbidden},
		"byte order mark":     {serve(200, "\ufeffUser-agent: *\r\nDisallow: /private\r\n"), data.OutcomeForbidden},
		"a page in its place": {serve(200, "<!doctype html>\n<a href=x>allow: us</a>\nDisallow: /"), data.OutcomeOK},
		"empty":               {serve(200, ""), data.OutcomeOK},
		"none":                {serve(404, "no"), data.OutcomeOK},
		"refused":             {serve(403, "no"), data.OutcomeOK},
		"limited":             {serve(429, "slow down"), data.OutcomeLimited},
		"broken":              {serve(503, "later"), data.OutcomeUnavailable},
		"no answer":           {func() *http.Response { return nil }, data.OutcomeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hosts{answers: map[string]func() *http.Response{"a.example/robots.txt": test.robots}}
			client := guarded(t, h, Config{})
			for range 2 {
				if err := get(t.Context(), client, "https://a.example/private/x"); data.OutcomeOf(err) != test.want {
					t.Errorf("%v, want %s", err, test.want)
				}
			}
			if asked := h.asked["a.example/robots.txt"]; test.want == data.OutcomeForbidden && asked != 1 {
				t.Errorf("robots.txt asked for %d times", asked)
			}
			if reached := h.asked["a.example/private/x"] > 0; reached != (test.want == data.OutcomeOK) {
				t.Errorf("reached: %v", reached)
			}
		})
	}
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	closed := func() *hosts {
		return &hosts{answers: map[string]func() *http.Response{
			"a.example/robots.txt": func() *http.Response { return text(200, "User-agent: *\nDisallow: /") },
			"b.example/": func() *http.Response {
				r := text(302, "")
				r.Header.Set("Location", "https://a.example/api/v1/x")
				return r
			},
		}}
	}
	if err := get(t.Context(), guarded(t, closed(), Config{Ignore: true}), "https://a.example/x"); err != nil {
		t.Errorf("ignored: %v", err)
	}
	if err := get(t.Context(), guarded(t, closed(), Config{}), "https://b.example/"); data.OutcomeOf(err) != data.OutcomeForbidden {
		t.Errorf("redirect to a closed site: %v", err)
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file, broken := "User-agent: *\nCrawl-delay: 2.5", false
		answer := func() *http.Response {
			if broken {
				return text(500, "")
			}
			return text(200, file)
		}
		h := &hosts{answers: map[string]func() *http.Response{"a.example/robots.txt": answer, "127.0.0.1/robots.txt": answer}}
		client := guarded(t, h, Config{})
		took := func(address string) time.Duration {
			start := time.Now()
			for range 3 {
				if err := get(t.Context(), client, address); err != nil {
					t.Error(err)
				}
			}
			return time.Since(start).Round(100 * time.Millisecond)
		}
		if d := took("https://a.example/x"); d != 5*time.Second {
			t.Errorf("three requests took %v, want two delays of 2.5 s", d)
		}
		if d := took("http://127.0.0.1/x"); d != 0 {
			t.Errorf("on this machine three requests took %v", d)
		}
		time.Sleep(25 * time.Hour)
		file = "User-agent: *\nCrawl-delay: 86400"
		if d := took("https://a.example/x"); d != 2*time.Minute || h.asked["a.example/robots.txt"] != 2 {
			t.Errorf("three requests took %v after %d questions", d, h.asked["a.example/robots.txt"])
		}
		time.Sleep(25 * time.Hour)
		broken = true
		if err := get(t.Context(), client, "https://a.example/x"); data.OutcomeOf(err) != data.OutcomeUnavailable {
			t.Errorf("broken: %v", err)
		}
		broken = false
		if err := get(t.Context(), client, "https://a.example/x"); data.OutcomeOf(err) != data.OutcomeUnavailable {
			t.Errorf("asked again at once: %v", err)
		}
		time.Sleep(failedFor)
		if err := get(t.Context(), client, "https://a.example/x"); err != nil {
			t.Errorf("a minute later: %v", err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nCrawl-delay: 1"), "/axb")
	f.Add([]byte("\xef\xbb\xbfuser-agent:x\rallow:"), "/")
	f.Add([]byte("User-agent: *\nDisallow: /%zz\nDisallow: [("), "/%zz")
	f.Fuzz(func(_ *testing.T, file []byte, path string) { parse(file).Test(path) })
}
