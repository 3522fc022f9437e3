package terminal

import (
	"io"
	"sync"
)

// stream is one of the two outputs: whole writes at a time, and the first error kept, since a result that was
// not written is a failure wherever it happened.
type stream struct {
	to  io.Writer
	mu  sync.Mutex // guards what follows, and the order of writes
	err error
	bar bool // a progress bar stands on the last line
}

// clearLine takes the progress bar off the line that is written next; the bar draws itself again.
const clearLine = "\r\x1b[K"

// Write writes p, in place of a progress bar if one is shown.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar {
		if _, err := io.WriteString(s.to, clearLine); err != nil {
			return 0, err
		}
	}
	n, err := s.to.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

func (s *stream) setBar(shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bar = shown
}

// under returns the stream as the bar itself writes to it.
func (s *stream) under() io.Writer { return barWriter{s} }

type barWriter struct{ *stream }

// Write writes p without the care that others take of the bar.
func (w barWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
