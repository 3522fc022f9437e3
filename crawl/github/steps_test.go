package github_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/crawl/github"
	"skillcorpus/data/datatest"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

var clock = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// step is one answer of a mock server, in the form of the shared cases' http.json.
type step struct {
	Host, Path    string
	Nth           int
	Status        int
	Headers       map[string]string
	Body          string
	BodyJSON      json.RawMessage `json:"body_json"`
	BodyFile      string          `json:"body_file"`
	RejectHeader  string          `json:"reject_if_header"`
	RejectStatus  int             `json:"reject_status"`
	RequireHeader string          `json:"require_header"`
}

// hub is a network that answers by steps. A zipball step is the codeload host's answer as well, and every
// repository has the head commit sha unless a step says otherwise.
type hub struct {
	t     *testing.T
	dir   string
	steps []step

	mu    sync.Mutex
	asked []string // host and path, in order
	seen  []http.Header
}

func steps(t *testing.T, steps ...step) *hub { return &hub{t: t, steps: steps} }

func caseSteps(t *testing.T, name string) *hub {
	t.Helper()
	h := &hub{t: t, dir: datatest.Shared(t, "cases", name)}
	text, err := os.ReadFile(filepath.Join(h.dir, "http.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Steps []step }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	h.steps = file.Steps
	return h
}

// RoundTrip answers without a network.
func (h *hub) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, r.URL.Host+r.URL.EscapedPath())
	h.seen = append(h.seen, r.Header.Clone())
	w := httptest.NewRecorder()
	h.serve(w, r)
	response := w.Result()
	response.Request = r
	return response, nil
}

func (h *hub) count(name string) int {
	n := 0
	for _, asked := range h.asked {
		if asked == name {
			n++
		}
	}
	return n
}

func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
	at := r.URL.Path
	if parts := strings.Split(at, "/"); len(parts) == 5 && parts[3] == "legacy.zip" {
		at = "/repos/" + parts[1] + "/" + parts[2] + "/zipball/*"
	}
	nth := h.count(r.URL.Host + r.URL.EscapedPath())
	for _, s := range h.steps {
		matches, _ := path.Match(s.Path, at)
		if back, _ := path.Match(at, s.Path); !matches && !back || s.Host != "" && s.Host != r.URL.Host || s.Nth != 0 && s.Nth != nth {
			continue
		}
		h.answer(w, r, s)
		return
	}
	if parts := strings.Split(at, "/"); len(parts) > 4 && parts[4] == "commits" {
		_, _ = io.WriteString(w, sha)
		return
	}
	w.WriteHeader(http.StatusNotFound)
}

func (h *hub) answer(w http.ResponseWriter, r *http.Request, s step) {
	if s.RejectHeader != "" && r.Header.Get(s.RejectHeader) != "" {
		w.WriteHeader(s.RejectStatus)
		return
	}
	if s.RequireHeader != "" && r.Header.Get(s.RequireHeader) == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	for key, value := range s.Headers {
		w.Header().Set(key, value)
	}
	if s.Status != 0 {
		w.WriteHeader(s.Status)
	}
	body := []byte(s.Body)
	if s.BodyJSON != nil {
		body = s.BodyJSON
	}
	if s.BodyFile != "" {
		content, err := os.ReadFile(filepath.Join(h.dir, s.BodyFile))
		if err != nil {
			h.t.Error(err)
		}
		body = content
	}
	_, _ = io.Copy(w, bytes.NewReader(body))
}

// client returns a client on the network, changed by the last word of each test.
func (h *hub) client(change ...func(*github.Config)) *github.Client {
	h.t.Helper()
	config := github.Config{
		RequestsPerSecond: 1e6, RetryWait: time.Microsecond, Transport: h, Now: func() time.Time { return clock },
	}
	for _, c := range change {
		c(&config)
	}
	client, err := github.New(config)
	if err != nil {
		h.t.Fatal(err)
	}
	return client
}
