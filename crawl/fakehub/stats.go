package fakehub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"sync"
)

// StatsPath answers with the statistics on every host that a hub plays, and is itself not counted. A POST with
// `?reset=1` sets them to zero.
const StatsPath = "/_stats"

// Stats counts what a hub has answered since its start or the last reset.
type Stats struct {
	Requests  int64               `json:"requests"`
	Bytes     int64               `json:"bytes"`     // of bodies, as far as they were sent
	Endpoints map[string]Endpoint `json:"endpoints"` // by host and endpoint, like `api repo`

	// Callers counts requests by host and CallerKey.
	Callers map[string]map[string]int64 `json:"callers"`
}

// Endpoint counts one endpoint of one host.
type Endpoint struct {
	Requests int64            `json:"requests"`
	Bytes    int64            `json:"bytes"`
	Status   map[string]int64 `json:"status"` // requests by status; 0 where the connection was torn before one
}

// CallerKey is how the statistics name a token: the first eight digits of its SHA-256; `anonymous` for none.
func CallerKey(token string) string {
	if token == "" {
		return "anonymous"
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}

type stats struct {
	mu   sync.Mutex
	sums Stats
}

func newStats() *stats {
	return &stats{sums: Stats{Endpoints: make(map[string]Endpoint), Callers: make(map[string]map[string]int64)}}
}

// Stats returns the counts so far.
func (h *Hub) Stats() Stats {
	h.stats.mu.Lock()
	defer h.stats.mu.Unlock()
	copied := h.stats.sums
	copied.Endpoints = make(map[string]Endpoint, len(h.stats.sums.Endpoints))
	for name, e := range h.stats.sums.Endpoints {
		status := make(map[string]int64, len(e.Status))
		for code, n := range e.Status {
			status[code] = n
		}
		e.Status = status
		copied.Endpoints[name] = e
	}
	copied.Callers = make(map[string]map[string]int64, len(h.stats.sums.Callers))
	for host, callers := range h.stats.sums.Callers {
		copied.Callers[host] = maps.Clone(callers)
	}
	return copied
}

// ask counts a request by who makes it.
func (s *stats) ask(host, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sums.Callers[host] == nil {
		s.sums.Callers[host] = make(map[string]int64)
	}
	s.sums.Callers[host][CallerKey(token)]++
}

// count counts a request as its status goes out.
func (s *stats) count(endpoint string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums.Requests++
	e := s.sums.Endpoints[endpoint]
	if e.Status == nil {
		e.Status = make(map[string]int64)
	}
	e.Requests++
	e.Status[strconv.Itoa(status)]++
	s.sums.Endpoints[endpoint] = e
}

// add counts bytes of a body; a negative number takes back what could not be sent.
func (s *stats) add(endpoint string, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums.Bytes += bytes
	e := s.sums.Endpoints[endpoint]
	e.Bytes += bytes
	s.sums.Endpoints[endpoint] = e
}

func (s *stats) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums = Stats{Endpoints: make(map[string]Endpoint), Callers: make(map[string]map[string]int64)}
}

func (h *Hub) serveStats(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Query().Get("reset") == "1":
		h.stats.reset()
	case r.Method != http.MethodGet:
		write(w, r, plain(http.StatusMethodNotAllowed, "GET, or POST with ?reset=1"))
		return
	}
	body, err := json.Marshal(h.Stats())
	if err != nil {
		write(w, r, plain(http.StatusInternalServerError, "fakehub: "+err.Error()))
		return
	}
	write(w, r, answer{status: http.StatusOK, contentType: "application/json", body: append(body, '\n')})
}
