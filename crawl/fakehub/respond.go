package fakehub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
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
		if control := h.control(r.URL.Path); control != nil {
			control(w, r)
			return
		}
		t := s.host.classify(r)
		var err error
		if t.body, err = keepBody(r); err != nil {
			write(w, r, plain(http.StatusRequestEntityTooLarge, err.Error()))
			return
		}
		h.stats.ask(s.name, callerOf(r))
		out := &recorder{ResponseWriter: w, stats: h.stats, endpoint: s.name + " " + t.endpoint, done: r.Context()}
		defer func() {
			if out.status == 0 {
				h.stats.count(out.endpoint, 0)
			}
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
	out.headers, out.cut, out.hold = action.Headers, action.CutAfter, action.Hold
	t.partial = action.Partial
	switch {
	case action.Tear:
		tear(out)
	case action.Limit != nil:
		write(out, r, h.faults.limited(s, r, t, *action.Limit))
	case action.Status != 0:
		write(out, r, answer{status: action.Status, contentType: "text/html; charset=utf-8", body: []byte(action.Body)})
	default:
		s.host.serve(out, r, t)
	}
}

// keepBody reads what was posted, leaves it to be read again, and returns its digest.
func keepBody(r *http.Request) (string, error) {
	const most = 1 << 20
	content, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil || len(content) > most {
		return "", fmt.Errorf("want a body of %d bytes at most", most)
	}
	r.Body = io.NopCloser(bytes.NewReader(content))
	if len(content) == 0 {
		return "", nil
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}

// tear resets the connection, as a host that dies does.
func tear(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the connection ends in order: also torn
	}
	_ = connection.Close() // nobody is left to tell
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
	hold     time.Duration     // before it is torn
	done     context.Context   // the request's: ends the hold
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
		wait(w.done, w.hold)
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
