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
	bar string // the progress that stands on the last line; empty: none
}

// clearLine takes the progress off the last line.
const clearLine = "\r\x1b[K"

// Write writes p, which ends with a line break, above the progress if one is shown.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != "" {
		s.put(clearLine)
		defer s.put(s.bar)
	}
	n, err := s.to.Write(p)
	s.keep(err)
	return n, err
}

// draw shows progress in place of what was shown before, and with an empty text takes it away.
func (s *stream) draw(bar string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bar != s.bar {
		s.put(clearLine + bar)
	}
	s.bar = bar
}

func (s *stream) put(text string) {
	_, err := io.WriteString(s.to, text)
	s.keep(err)
}

func (s *stream) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// failed returns the first error of any write.
func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
