package list

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

const (
	pageRows   = 500
	mostWarned = 20 // skipped rows that are told one by one
)

// Source is a list as a source.Source.
type Source struct {
	name string
	open func() (io.ReadCloser, error)
	warn func(string)
}

// New returns the source called name (such as `list:FILE`) over what open gives: the same list, from its
// start, for each enumeration. warn gets a line for each of the first rows that are skipped, and one with their number.
func New(name string, open func() (io.ReadCloser, error), warn func(string)) *Source {
	return &Source{name: name, open: open, warn: warn}
}

// File returns the source `list:PATH` over a file.
func File(path string, warn func(string)) *Source {
	return New("list:"+path, func() (io.ReadCloser, error) { return os.Open(path) }, warn)
}

// Name returns the name given to New.
func (s *Source) Name() string { return s.name }

// Local marks a source that asks no host.
func (s *Source) Local() {}

// cursor counts the rows that were read and digests them, so that a list that was edited is read anew.
type cursor struct {
	Rows   int    `json:"rows"`
	Digest string `json:"digest"`
}

// Enumerate gives the list's rows; see source.Source. A list is complete when it was read to its end, bad
// rows and a torn last line included. One that cannot be read on, such as a cut gzip file, is malformed, and so is one
// that names no repository at all: most likely another file was meant.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	var from cursor
	if json.Unmarshal(at, &from) != nil {
		from = cursor{}
	}
	if from.Rows > 0 {
		same, err := s.unchanged(ctx, from)
		if err != nil {
			return data.Interrupted, err
		}
		if !same {
			from = cursor{}
		}
	}
	if err := s.read(ctx, from, emit); err != nil {
		return data.Interrupted, err
	}
	return data.Complete, nil
}

// unchanged reports whether the list still begins with the rows that the cursor stands after.
func (s *Source) unchanged(ctx context.Context, from cursor) (bool, error) {
	same := false
	err := s.rows(ctx, func(r row, w *walk) error {
		if w.rows == from.Rows {
			same = w.digest() == from.Digest
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return same, err
}

var errEnough = errors.New("enough")

// read emits the rows after from.
func (s *Source) read(ctx context.Context, from cursor, emit source.Emit) error {
	var page []data.Listing
	flush := func(w *walk) error {
		next, err := json.Marshal(cursor{Rows: w.rows, Digest: w.digest()})
		if err != nil {
			return err
		}
		rows := page
		page = nil
		return emit(rows, next)
	}
	last, skipped := &walk{}, 0
	err := s.rows(ctx, func(r row, w *walk) error {
		last = w
		if w.rows <= from.Rows {
			return nil
		}
		listing, err := r.listing(s.name)
		if err != nil {
			if skipped++; skipped <= mostWarned {
				s.warn(fmt.Sprintf("%s row %d skipped: %v", s.name, w.rows, err))
			}
			return nil
		}
		if page = append(page, listing); len(page) == pageRows {
			return flush(w)
		}
		return nil
	})
	if skipped > mostWarned {
		s.warn(fmt.Sprintf("%s: %d of %d rows skipped, of which the first %d are named", s.name, skipped, last.rows-from.Rows, mostWarned))
	}
	switch {
	case err != nil:
		return err
	case len(page) > 0:
		return flush(last)
	case last.rows == 0:
		return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "the list is empty"}
	case skipped == last.rows:
		return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf(
			"none of its %d rows names a repository, as a URL, as owner/repo, or in JSON lines, a JSON array or CSV with a header", last.rows)}
	}
	return nil
}

// walk is the place of a reading.
type walk struct {
	rows int
	sum  hash.Hash
}

func (w *walk) digest() string { return hex.EncodeToString(w.sum.Sum(nil)) }

// rows gives every row of the list, good or bad, to visit.
func (s *Source) rows(ctx context.Context, visit func(row, *walk) error) error {
	file, err := s.open()
	if err != nil {
		return fmt.Errorf("open %s: %w", s.name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	from, err := newReader(file)
	if err != nil {
		return s.unreadable(err)
	}
	w := &walk{sum: sha256.New()}
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r, err := from.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.unreadable(err)
		}
		w.rows++
		fmt.Fprintf(w.sum, "%d\n%s\n", len(r.raw), r.raw)
		if err := visit(r, w); err != nil {
			return err
		}
	}
}

func (s *Source) unreadable(err error) error {
	return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "read " + s.name, Err: err}
}
