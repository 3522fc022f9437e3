package fakehub

import (
	"context"
	"net/http"
	"time"
)

// handler applies the fault script to one host, and counts what goes out.
func (h *Hub) handler(s *server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.enter() {
			panic(http.ErrAbortHandler) // closing: the connection is being torn anyway
		}
		defer h.running.Done()
		if r.URL.Path == StatsPath {
			h.serveStats(w, r)
			return
		}
		t := s.host.classify(r)
		out := &recorder{ResponseWriter: w, stats: h.stats, endpoint: s.name + " " + t.endpoint}
		defer func() {
			h.logger.Debug("answered", "host", s.name, "method", r.Method, "path", r.URL.Path, "status", out.status, "bytes", out.bytes)
		}()
		h.respond(out, r, s, t)
	})
}

func (h *Hub) respond(out *recorder, r *http.Request, s *server, t target) {
	action := h.faults.fire(s.name, r, t)
	if action == nil {
		s.host.serve(out, r, t)
		return
	}
	if !wait(r.Context(), action.Delay) {
		panic(http.ErrAbortHandler) // the caller left, or the hub closes
	}
	out.headers, out.cut = action.Headers, action.CutAfter
	switch {
	case action.Limit != nil:
		write(out, r, h.faults.limited(s, r, *action.Limit))
	case action.Status != 0:
		write(out, r, answer{status: action.Status, contentType: "text/html; charset=utf-8", body: []byte(action.Body)})
	default:
		s.host.serve(out, r, t)
	}
}

// wait reports false if the context ends first.
func wait(ctx context.Context, delay time.Duration) bool {
	if delay <= 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// recorder counts an answer on its way out, and does to it what a fault orders.
type recorder struct {
	http.ResponseWriter
	stats    *stats
	endpoint string // in the statistics
	status   int
	bytes    int64
	headers  map[string]string // in place of the answer's own
	cut      *int64            // tear the connection after so many bytes of the body
}

// WriteHeader puts the fault's headers over the answer's.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		for name, value := range w.headers {
			w.Header().Set(name, value)
		}
		w.stats.count(w.endpoint, status)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes the body on, up to the cut.
func (w *recorder) Write(body []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	torn := w.cut != nil && w.bytes+int64(len(body)) > *w.cut
	if torn {
		body = body[:*w.cut-w.bytes]
	}
	// Counted before they go: a caller who has read them may ask for the statistics at once.
	w.stats.add(w.endpoint, int64(len(body)))
	n, err := w.ResponseWriter.Write(body)
	w.bytes += int64(n)
	w.stats.add(w.endpoint, int64(n-len(body)))
	if torn {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // what was ordered is to arrive; the connection is torn either way
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
