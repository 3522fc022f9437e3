package polite

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
)

// Unreadable returns in plain words why the text of an answer cannot be read as JSON. Other errors come back as they are.
func Unreadable(err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case !ok:
		return err
	case strings.HasPrefix(syntax.Error(), "invalid character '<'"):
		return errors.New("a web page in place of JSON")
	case strings.HasPrefix(syntax.Error(), "unexpected end"):
		return errors.New("no JSON, or JSON that breaks off")
	}
	return fmt.Errorf("no JSON: %w", syntax)
}

// brokenOff reports whether an error is the end of a connection that was there.
func brokenOff(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
