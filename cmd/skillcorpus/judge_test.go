package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

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
		answer, _ := json.Marshal(`{"code_sound":false,"missing_files":false,"missing":[],"purpose_aligned":true,"tier":"reference_only","reason":"prose"}`)
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}],"usage":{"total_tokens":100}}`, answer)
	}))
	t.Cleanup(server.Close)
	corpus := t.TempDir()
	run(t, nil, "demo", "--data", corpus)
	for _, cached := range []int{0, 13} {
		out := run(t, []string{"SKILLCORPUS_JUDGE_KEY=k"}, "audit", "--data", corpus, "--json", "--judge", server.URL, "--judge-model", "local")
		var got struct {
			Type              string
			N, Cached, Tokens int
			Labels            []any
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Type != "judgement" || got.N != 13 || got.Cached != cached || got.Tokens != 100*(13-cached) || len(got.Labels) != 4 {
			t.Errorf("%v %s", err, out)
		}
	}
	if asked.Load() != 13 {
		t.Errorf("asked %d times", asked.Load())
	}
}
