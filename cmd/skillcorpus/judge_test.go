package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// answer is what the model of these tests says of every skill.
func answer(w io.Writer) {
	text, _ := json.Marshal(`{"code_sound":false,"missing_files":false,"missing":[],"purpose_aligned":true,"tier":"reference_only","reason":"prose"}`)
	fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}],"usage":{"total_tokens":100}}`, text)
}

// serveJudge serves a language model until the script ends and sets a variable to its URL. How it answers:
//
//	well, prose, 401, 404, 429, page (a web page), big (10 MB)
//	second    prose at first, and well when it is reminded
//	first     well for five skills, then 401
//	mixed     prose of each skill but the first three
func serveJudge(ts *testscript.TestScript, _ bool, args []string) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		ts.Check(err)
		n, prose := asked.Add(1), `{"choices":[{"message":{"content":"It is fine."}}],"usage":{"total_tokens":100}}`
		how := args[1]
		switch {
		case how == "second" && !bytes.Contains(body, []byte(`"assistant"`)), how == "mixed" && n > 3:
			how = "prose"
		case how == "first" && n > 5:
			how = "401"
		}
		switch how {
		case "prose":
			io.WriteString(w, prose)
		case "401":
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error":{"message":"no such key: `+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}}`)
		case "404":
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":"model \"local\" not found"}`)
		case "429":
			w.Header().Set("Retry-After", "5400")
			w.WriteHeader(http.StatusTooManyRequests)
		case "page":
			io.WriteString(w, "<html><title>Sign\nin</title></html>")
		case "big":
			io.WriteString(w, strings.Repeat("x", 10_000_000))
		default:
			answer(w)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// judged is what audit --judge --json prints.
type judged struct {
	Type              string
	N, Cached, Tokens int
	Labels            []any
}

func askJudge(t *testing.T, corpus, url string) judged {
	t.Helper()
	out := run(t, []string{"SKILLCORPUS_JUDGE_KEY=k"}, "audit", "--data", corpus, "--json", "--judge", url, "--judge-model", "local")
	var got judged
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Type != "judgement" || len(got.Labels) != 4 {
		t.Fatalf("%v %s", err, out)
	}
	return got
}

// TestJudge asks a model on this machine about the sample, twice: the second run asks nothing.
func TestJudge(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer k" || !strings.Contains(string(body), `"model":"local"`) {
			t.Errorf("%v %v %.200s", err, r.Header, body)
		}
		answer(w)
	}))
	t.Cleanup(server.Close)
	corpus := t.TempDir()
	run(t, nil, "demo", "--data", corpus)
	for _, cached := range []int{0, 13} {
		if got := askJudge(t, corpus, server.URL); got.N != 13 || got.Cached != cached || got.Tokens != 100*(13-cached) {
			t.Errorf("%+v", got)
		}
	}
	if asked.Load() != 13 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// TestJudgeKilled kills a run while four questions are open. The next one asks these again and those that were left, and none
// that was answered.
func TestJudgeKilled(t *testing.T) {
	t.Parallel()
	const answered, open = 5, 4
	var asked atomic.Int32
	killed := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > answered {
			<-killed
		}
		answer(w)
	}))
	t.Cleanup(server.Close)
	corpus := t.TempDir()
	run(t, nil, "demo", "--data", corpus)
	command := program(t, []string{"SKILLCORPUS_JUDGE_KEY=k"}, "audit", "--data", corpus, "--judge", server.URL, "--judge-model", "local")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	err := await(t.Context(), "questions", func() bool { return asked.Load() == answered+open })
	if err := errors.Join(err, command.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, command.Wait()); code != -1 {
		t.Errorf("exit code %d of a killed process", code)
	}
	close(killed)
	if got := askJudge(t, corpus, server.URL); got.N != 13 || got.Cached != answered || got.Tokens != 100*(13-answered) {
		t.Errorf("%+v", got)
	}
	if n := asked.Load(); n != 13+open {
		t.Errorf("asked %d times, want %d", n, 13+open)
	}
}

// TestJudgeInterrupted: Ctrl-C ends a run at once, whatever the model is about, and what it answered is kept.
func TestJudgeInterrupted(t *testing.T) {
	t.Parallel()
	const answered, open = 5, 4
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		if n := asked.Add(1); n > answered && n <= answered+open {
			io.WriteString(w, " ") // and no more of it
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		answer(w)
	}))
	t.Cleanup(server.Close)
	corpus, stderr := t.TempDir(), &watched{}
	run(t, nil, "demo", "--data", corpus)
	command := program(t, []string{"SKILLCORPUS_JUDGE_KEY=k"}, "audit", "--data", corpus, "--judge", server.URL, "--judge-model", "local")
	command.Stderr = stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	err := await(t.Context(), "questions", func() bool { return asked.Load() == answered+open })
	if err := errors.Join(err, command.Process.Signal(os.Interrupt)); err != nil {
		t.Fatal(err)
	}
	interrupted := time.Now()
	if code := exitCodeOf(t, command.Wait()); code != 130 || !strings.Contains(stderr.String(), "run the same command again to go on; 5 answers kept") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if took := time.Since(interrupted); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if got := askJudge(t, corpus, server.URL); got.N != 13 || got.Cached != answered {
		t.Errorf("%+v", got)
	}
}
