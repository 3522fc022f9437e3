package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"

	"skillcorpus/data"
)

type tarTree struct {
	listing
	source
	budget int64
}

// readTar judges a tar.gz by reading it to its end, contents included, since nothing else shows that it is
// whole. Past the budget it stops with a finding of RuleCut, and what came before stays.
func readTar(src source, limits Limits) (*tarTree, error) {
	tree := &tarTree{source: src, budget: limits.budget(src.size)}
	c, comments := collector{limits: limits}, ""
	err := tree.walk(func(place int, h *tar.Header, body io.Reader) error {
		if h.Typeflag == tar.TypeXGlobalHeader {
			comments = h.PAXRecords["comment"]
			return nil
		}
		m := tarMember(place, h)
		_, err := io.Copy(io.Discard, bodyOf(&m, body))
		if errors.Is(err, errBudget) {
			m.refuse(NoteTooLarge, "size of %d bytes takes the archive over its limit of %d", m.Size, tree.budget)
		}
		return errors.Join(c.add(m), err)
	})
	switch {
	case errors.Is(err, errBudget):
		c.report(RuleCut, data.SeverityError, "", "not read to its end: expands to more than %d bytes", tree.budget)
	case err != nil:
		return nil, malformed("tar.gz", err)
	}
	tree.listing = c.finish(tree.budget, src.wrapped)
	tree.setCommit(comments)
	return tree, nil
}

// bodyOf returns what of a member's content the first pass reads: nothing where a sparse file could make the
// reader invent endless zeros.
func bodyOf(m *member, body io.Reader) io.Reader {
	if m.folder || !m.Plain() {
		return strings.NewReader("")
	}
	return body
}

func tarMember(place int, h *tar.Header) member {
	m := member{place: place, Entry: Entry{Path: h.Name, Mode: data.ModeFile, Size: h.Size}}
	switch h.Typeflag {
	case tar.TypeDir:
		m.folder = true
	case tar.TypeSymlink:
		m.Mode, m.Link = data.ModeLink, h.Linkname
	case tar.TypeLink:
		m.Mode, m.Link, m.hard = data.ModeLink, h.Linkname, true
	case tar.TypeReg:
		if h.Mode&0o100 != 0 {
			m.Mode = data.ModeExecutable
		}
	default:
		m.refuse(NoteRefused, "neither file nor link (type %s)", quote(string(h.Typeflag)))
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			m.refuse(NoteRefused, "sparse file")
		}
	}
	return m
}

// walk reads the archive once from its start to its end, at most as far as the budget goes.
func (t *tarTree) walk(visit func(place int, h *tar.Header, body io.Reader) error) error {
	unzipped, err := gzip.NewReader(io.NewSectionReader(t, 0, t.size))
	if err != nil {
		return err
	}
	stream := &capped{reader: unzipped, left: t.budget}
	reader := tar.NewReader(stream)
	for place := 0; ; place++ {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			// The checksum of the whole lies at the end.
			_, err = io.Copy(io.Discard, stream)
			return err
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if err := visit(place, header, reader); err != nil {
			return err
		}
	}
}

func (t *tarTree) Contents(ctx context.Context, want func(Entry) bool, visit func(Entry, io.Reader) error) error {
	wanted := make(map[int]Entry)
	for i, e := range t.entries {
		if e.Plain() && want(e) {
			wanted[t.places[i]] = e
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	err := t.walk(func(place int, _ *tar.Header, body io.Reader) error {
		e, ok := wanted[place]
		if !ok {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := show(e, func() (io.ReadCloser, error) { return io.NopCloser(body), nil }, visit); err != nil {
			return err
		}
		if delete(wanted, place); len(wanted) == 0 {
			return errAllSeen
		}
		return nil
	})
	if errors.Is(err, errAllSeen) {
		return nil
	}
	return err
}

// errAllSeen ends a pass that has nothing more to look for.
var errAllSeen = errors.New("all seen")
