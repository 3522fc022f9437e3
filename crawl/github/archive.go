package github

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// Bounds of an archive's transfer.
const (
	transferTimeout = 30 * time.Minute // what GitHub itself allows, FACTS.md 4
	mostOfZipEnd    = 1<<16 + 22       // the longest end record: its comment has a 16-bit length
)

// Archive copies the zip archive of repo at its Commit (else its default branch) to to, at most maxBytes.
// It comes directly from the codeload host; with a token, what is not public there is asked through the API.
// Only a whole zip file ends without an error; after one, what was written is worth nothing.
//
// Errors are *data.ItemError (too_large over maxBytes, unavailable where the body is cut or no archive),
// ctx's own, or those of to.
func (c *Client) Archive(ctx context.Context, repo data.Repo, to io.Writer, maxBytes int64) error {
	owner, name, ok := splitName(repo.Name)
	if !ok {
		return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%q is no owner/name", repo.Name)}
	}
	ref := cmp.Or(repo.Commit, repo.DefaultBranch, "HEAD")
	within, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	response, err := c.get(within, c.codeload.JoinPath(owner, name, "legacy.zip", ref).String())
	if item, isItem := errors.AsType[*data.ItemError](err); isItem && item.Outcome == data.OutcomeGone && c.tokens > 0 {
		response, err = c.get(within, c.api.BaseURL.JoinPath("repos", owner, name, "zipball", ref).String())
	}
	if err != nil {
		return polite.Cause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	if response.ContentLength > maxBytes {
		return tooLarge(maxBytes)
	}
	target := &writer{to: to}
	err = copyZip(target, response.Body, maxBytes)
	if errors.Is(err, errLimitPage) {
		err = &data.ItemError{Outcome: data.OutcomeLimited, Reason: err.Error(), RetryAt: c.now().Add(polite.UnmarkedWait)}
	}
	if target.err != nil {
		return fmt.Errorf("write archive of %s: %w", repo.Name, target.err)
	}
	return polite.Cause(ctx, err)
}

var errLimitPage = errors.New("a page about a rate limit in place of the archive")

func (c *Client) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return c.http.Do(req)
}

func tooLarge(most int64) error {
	return &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("archive of more than %d bytes", most)}
}

// writer tells an error of the target, which is ours, from one of the transfer.
type writer struct {
	to  io.Writer
	err error
}

// Write passes on.
func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// copyZip copies a whole zip file and nothing else: an error page writes nothing, and a body that ends early
// is told even where the transfer itself cannot know its end.
func copyZip(to io.Writer, from io.Reader, most int64) error {
	body := bufio.NewReaderSize(from, 64<<10)
	head, err := body.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(head, []byte("PK\x03\x04")) && !bytes.Equal(head, []byte("PK\x05\x06")) {
		page, _ := body.Peek(body.Size()) // an error page may be of any length
		if polite.SpeaksOfLimit(page) {
			return errLimitPage
		}
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the answer is not an archive"}
	}
	end := new(ending)
	n, err := io.Copy(io.MultiWriter(to, end), io.LimitReader(body, most))
	if err != nil {
		return err
	}
	if n == most {
		if _, err := body.Peek(1); err == nil {
			return tooLarge(most)
		} else if !errors.Is(err, io.EOF) {
			return err
		}
	}
	if !bytes.Contains(end.last, []byte("PK\x05\x06")) {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the archive ends early"}
	}
	return nil
}

// ending remembers where a zip file's end record must lie.
type ending struct{ last []byte }

// Write keeps the last bytes.
func (e *ending) Write(p []byte) (int, error) {
	e.last = append(e.last, p[max(0, len(p)-mostOfZipEnd):]...)
	if extra := len(e.last) - mostOfZipEnd; extra > mostOfZipEnd {
		e.last = e.last[:copy(e.last, e.last[extra:])]
	}
	return len(p), nil
}
