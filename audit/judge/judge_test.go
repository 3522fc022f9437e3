package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/judge"
	"skillcorpus/data"
)

const good = `{"code_sound":true,"missing_files":false,"missing":[],"purpose_aligned":true,"tier":"functional","reason":"whole"}`

func completion(w http.ResponseWriter, content string, tokens int) {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, `{"id":"x","choices":[{"message":{"role":"assistant","content":%s}}],"usage":{"total_tokens":%d}}`, text, tokens)
}

func serve(t *testing.T, handler http.HandlerFunc) judge.Config {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return judge.Config{
		URL: server.URL + "/v1/", Model: "m", Key: "secret", Cache: filepath.Join(t.TempDir(), "judge"), Timeout: 5 * time.Second, Wait: time.Millisecond,
		Now: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
	}
}

func cases(n int) []judge.Case {
	var all []judge.Case
	for i := range n {
		all = append(all, judge.Case{ID: fmt.Sprintf("o/r/s%d", i), SkillMD: fmt.Appendf(nil, "# Skill %d\nDo it.\n", i), Files: []data.File{{Path: "scripts/x.py", Size: 7}}})
	}
	return all
}

func mustRun(t *testing.T, config judge.Config, all []judge.Case) judge.Summary {
	t.Helper()
	summary, err := judge.Run(t.Context(), config, all)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

func TestAsked(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" ||
			!strings.Contains(string(body), "# Skill 0") || !strings.Contains(string(body), `scripts/x.py`) || !strings.Contains(string(body), `"temperature":0`) {
			t.Errorf("%s %v %s", r.URL, r.Header, body)
		}
		completion(w, "```json\n"+good+"\n```", 123)
	})
	first := mustRun(t, config, cases(1))
	want := judge.Summary{
		Answers:  map[string]judge.Answer{"o/r/s0": {CodeSound: true, Missing: []string{}, PurposeAligned: true, Tier: data.TierFunctional, Reason: "whole"}},
		Outcomes: map[data.Outcome]int{data.OutcomeOK: 1}, Tokens: 123,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	again := mustRun(t, config, cases(1))
	want.Tokens, want.Cached = 0, 1
	if diff := cmp.Diff(want, again); diff != "" || asked.Load() != 1 {
		t.Errorf("asked %d times %s", asked.Load(), diff)
	}
	config.Model = "another"
	if other := mustRun(t, config, cases(1)); strings.Contains(fmt.Sprint(other), "Cached:1") || asked.Load() != 2 {
		t.Error("another model's answer was taken")
	}
}

// TestTrouble: each trouble is an outcome of the case, and what may pass is not kept.
func TestTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    data.Outcome
		asked   int32 // requests in two runs
	}{
		"no JSON":     {func(w http.ResponseWriter, _ *http.Request) { completion(w, "I think it is fine.", 9) }, data.OutcomeMalformed, 4},
		"half":        {func(w http.ResponseWriter, _ *http.Request) { completion(w, good[:40], 9) }, data.OutcomeMalformed, 4},
		"two":         {func(w http.ResponseWriter, _ *http.Request) { completion(w, good+good, 9) }, data.OutcomeMalformed, 4},
		"rubbish":     {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, data.OutcomeMalformed, 2},
		"no choice":   {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"choices":[]}`) }, data.OutcomeMalformed, 2},
		"endless":     {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat(" ", 2<<20)) }, data.OutcomeTooLarge, 2},
		"bad request": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }, data.OutcomeMalformed, 2},
		"key refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, data.OutcomeForbidden, 2},
		"no model":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, data.OutcomeGone, 2},
		"limit":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, data.OutcomeLimited, 2},
		"down":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, data.OutcomeUnavailable, 6},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			io.WriteString(w, "{")
		}, data.OutcomeUnavailable, 2},
		"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, data.OutcomeMalformed, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			config := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); c.handler(w, r) })
			for range 2 {
				summary := mustRun(t, config, cases(1))
				if summary.Outcomes[c.want] != 1 || len(summary.Answers) != 0 || summary.Reason == "" || strings.Contains(summary.Reason, "secret") {
					t.Errorf("%+v", summary)
				}
			}
			if asked.Load() != c.asked {
				t.Errorf("asked %d times, want %d", asked.Load(), c.asked)
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	config := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	config.Timeout = 20 * time.Millisecond
	summary := mustRun(t, config, cases(3))
	close(release)
	if summary.Outcomes[data.OutcomeUnavailable] != 1 || summary.Left != 2 {
		t.Errorf("%+v", summary)
	}
}

// TestLimit: a limit ends the asking, says until when, and the next run goes on.
func TestLimit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 3 {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		completion(w, good, 10)
	})
	summary := mustRun(t, config, cases(5))
	if summary.Outcomes[data.OutcomeOK] != 2 || summary.Outcomes[data.OutcomeLimited] != 1 || summary.Left != 2 || !summary.RetryAt.Equal(config.Now().Add(90*time.Second)) {
		t.Errorf("%+v", summary)
	}
	if summary = mustRun(t, config, cases(5)); summary.Outcomes[data.OutcomeOK] != 5 || summary.Cached != 2 {
		t.Errorf("%+v", summary)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { completion(w, good, 1000) })
	config.Budget, config.Workers = 4000, 3
	summary := mustRun(t, config, cases(9))
	if summary.Tokens > config.Budget || len(summary.Answers) == 0 || summary.Left+len(summary.Answers) != 9 {
		t.Errorf("%+v", summary)
	}
	for summary.Left > 0 {
		before := summary.Left
		if summary = mustRun(t, config, cases(9)); summary.Left >= before {
			t.Fatalf("no step further: %+v", summary)
		}
	}
	if len(summary.Answers) != 9 {
		t.Errorf("%+v", summary)
	}
}

// TestResume stops a run in the middle, and damages an answer as a kill of the machine might.
func TestResume(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	var asked atomic.Int32
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 4 {
			io.Copy(io.Discard, r.Body) // only then does the server see that the client is gone
			stop()
			<-r.Context().Done()
			return
		}
		completion(w, good, 10)
	})
	summary, err := judge.Run(ctx, config, cases(6))
	if err == nil || len(summary.Answers) != 3 || summary.Left != 3 {
		t.Fatalf("%v, %+v", err, summary)
	}
	files, err := filepath.Glob(filepath.Join(config.Cache, "*.json"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"answ`), 0o600); err != nil {
		t.Fatal(err)
	}
	summary = mustRun(t, config, cases(6))
	if len(summary.Answers) != 6 || summary.Cached != 2 || asked.Load() != 8 {
		t.Errorf("asked %d times, %+v", asked.Load(), summary)
	}
}

func TestRefusedConfig(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "ftp://x", "http://judge.example/v1", "https://user:pass@x/"} {
		if _, err := judge.Run(t.Context(), judge.Config{URL: url, Model: "m", Key: "k", Cache: t.TempDir()}, nil); err == nil {
			t.Errorf("%q was taken", url)
		}
	}
	if _, err := judge.Run(t.Context(), judge.Config{URL: "http://judge.example/v1", Model: "m", Cache: t.TempDir()}, nil); err != nil {
		t.Errorf("without a key: %v", err)
	}
}
