package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skillcorpus/audit/judge"
	"skillcorpus/data"
)

// TestUnreadable: an answer that cannot be read is asked for once more, with a reminder, paid for, and never kept.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		switch n := asked.Add(1); {
		case n <= 3 && (n == 2) == (len(body.Messages) == 4):
			completion(w, "It is fine.", 10)
		case n == 4 && body.Messages[2].Content == "It is fine.":
			completion(w, good, 10)
		default:
			t.Errorf("request %d has %d messages", n, len(body.Messages))
		}
	})
	first := mustRun(t, config, cases(1))
	if first.Unreadable != 1 || first.Tokens != 20 || first.Trouble != judge.Unreadable || first.Cached != 0 || len(first.Answers) != 0 {
		t.Errorf("%+v", first)
	}
	if files, err := filepath.Glob(filepath.Join(config.Cache, "*")); err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
	second := mustRun(t, config, cases(1))
	if second.Unreadable != 0 || second.Tokens != 20 || len(second.Answers) != 1 || second.Reason != "" {
		t.Errorf("%+v", second)
	}
}

// TestFaultOfAnEarlierVersion: what was once kept as unreadable is asked again.
func TestFaultOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { completion(w, good, 10) })
	mustRun(t, config, cases(1))
	files, err := filepath.Glob(filepath.Join(config.Cache, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"answer":null,"fault":"no JSON","tokens":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, config, cases(1)); got.Cached != 0 || len(got.Answers) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestBudgetOfASecondAnswer: the budget forbids to ask again.
func TestBudgetOfASecondAnswer(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); completion(w, "fine", 1500) })
	config.Budget = 2000
	if got := mustRun(t, config, cases(2)); asked.Load() != 1 || got.Unreadable != 1 || got.Left != 1 || got.Tokens != 1500 {
		t.Errorf("asked %d times, %+v", asked.Load(), got)
	}
}

// TestEndsInARow: a model of which nothing can be read is not asked about everything.
func TestEndsInARow(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); completion(w, "fine", 1) })
	if got := mustRun(t, config, cases(100)); got.Unreadable != 20 || got.Left != 80 || asked.Load() != 40 {
		t.Errorf("asked %d times, %+v", asked.Load(), got)
	}
}

// TestShortLimit: a Retry-After within the patience is waited for, by all workers, and told.
func TestShortLimit(t *testing.T) {
	t.Parallel()
	var asked, waited atomic.Int32
	var now atomic.Int64
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", time.Unix(1_700_000_030, 0).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		completion(w, good, 10)
	})
	now.Store(1_700_000_000)
	config.Now = func() time.Time { return time.Unix(now.Load(), 0) }
	config.Patience = 30 * time.Second
	config.Waiting = func(until time.Time) {
		waited.Add(1)
		now.Store(until.Unix())
	}
	got := mustRun(t, config, cases(3))
	if len(got.Answers) != 3 || waited.Load() != 1 || asked.Load() != 4 || got.Reason != "" {
		t.Errorf("asked %d times, waited %d, %+v", asked.Load(), waited.Load(), got)
	}
}

// TestCanceled: the end of the context ends a wait for a limit, and a request, at once.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(stop func()) http.HandlerFunc{
		"limit": func(func()) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		},
		"no answer": func(stop func()) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				stop()
				<-r.Context().Done()
			}
		},
		"an answer without an end": func(stop func()) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.(http.Flusher).Flush()
				stop()
				<-r.Context().Done()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			config := serve(t, handler(stop))
			config.Timeout, config.Patience, config.Workers = time.Hour, time.Hour, 3
			config.Waiting = func(time.Time) { stop() }
			if got, err := judge.Run(ctx, config, cases(1000)); !errors.Is(err, context.Canceled) || got.Left != 1000 || got.Reason != "" {
				t.Errorf("%v, %+v", err, got)
			}
		})
	}
}

// TestNoConnection: what is not there, or speaks no TLS, is told apart and ends the run.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	serveTLS := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); completion(w, good, 1) }))
	serveTLS.Config.ErrorLog = log.New(io.Discard, "", 0)
	serveTLS.StartTLS()
	t.Cleanup(serveTLS.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); completion(w, good, 1) })
	plain := strings.Replace(config.URL, "http:", "https:", 1)
	for url, want := range map[string]judge.Trouble{closed.URL: judge.Unreachable, serveTLS.URL: judge.Insecure, plain: judge.Insecure} {
		config.URL = url
		if got := mustRun(t, config, cases(3)); got.Trouble != want || got.Left != 2 || got.Reason == "" {
			t.Errorf("%s: %+v", url, got)
		}
	}
	if asked.Load() != 0 {
		t.Error("a server was asked")
	}
}

// TestWords: an endpoint's own words are told in one line, bounded, and never with the key.
func TestWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"message":"no key secret\n\u001b[31m"}}`: "the judge says 400 (no key … [31m)",
		`{"error":"no model"}`:                              "the judge says 400 (no model)",
		`{"detail":"gone"}`:                                 "the judge says 400 (gone)",
		`{"detail":[1],"message":"m"}`:                      "the judge says 400 (m)",
		`<html><TITLE lang=x> Sign in </title>`:             "the judge says 400 (a web page, Sign in)",
		`null`:                                              "the judge says 400",
		`{"error":"` + strings.Repeat("é", 999) + `"}`:      "the judge says 400 (" + strings.Repeat("é", 200) + "…)",
	} {
		config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, body)
		})
		got := mustRun(t, config, cases(1))
		if got.Reason != "o/r/s0: "+want || got.Trouble != judge.Refused || got.Outcomes[data.OutcomeMalformed] != 1 {
			t.Errorf("%s: %+v", body, got)
		}
	}
}
