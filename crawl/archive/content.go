package archive

import (
	"errors"
	"fmt"
	"io"
)

// content reads one entry and holds it to its declared size. Its error is remembered, to tell a fault of the
// entry from one of the visitor.
type content struct {
	body io.Reader
	left int64
	err  error
}

func (c *content) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.body.Read(p)
	c.left -= int64(n)
	switch {
	case c.left < 0:
		n, err = n+int(c.left), errors.New("longer than declared")
	case errors.Is(err, io.EOF) && c.left > 0:
		err = fmt.Errorf("%d bytes shorter than declared", c.left)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// show opens an entry for visit. What cannot be opened or read is visit's to see and ends no pass.
func show(e Entry, open func() (io.ReadCloser, error), visit func(Entry, io.Reader) error) error {
	body, err := open()
	if err == nil {
		defer body.Close() //nolint:errcheck // read only: what matters was seen while reading
	}
	if errors.Is(err, io.EOF) {
		// An archive may end within a member's header; to a reader of the member that must not look like its end.
		err = io.ErrUnexpectedEOF
	}
	c := &content{body: body, left: e.Size, err: err}
	if err := visit(e, c); err != nil && c.err == nil {
		return err
	}
	return nil
}

// errBudget is what a capped reader says past its cap.
var errBudget = errors.New("expands beyond the limit")

// capped lets exactly left bytes through and fails on the next.
type capped struct {
	reader io.Reader
	left   int64
}

func (c *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.reader.Read(p)
	if int64(n) > c.left {
		n, err = int(c.left), errBudget
	}
	c.left -= int64(n)
	return n, err
}
