package fakehub

import (
	"encoding/json"
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
}

// Endpoint counts one endpoint of one host.
type Endpoint struct {
	Requests int64            `json:"requests"`
	Bytes    int64            `json:"bytes"`
	Status   map[string]int64 `json:"status"` // requests by status
}

type stats struct {
	mu   sync.Mutex
	sums Stats
}

func newStats() *stats { return &stats{sums: Stats{Endpoints: make(map[string]Endpoint)}} }

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
	return copied
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
	s.sums = Stats{Endpoints: make(map[string]Endpoint)}
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
