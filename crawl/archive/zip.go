package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"

	"skillcorpus/data"
)

type zipTree struct {
	listing
	source
	files []*zip.File
}

// readZip judges a zip by its directory. No content is read but the targets of links; that a member is as
// long as it says is held when it is read, so that the sum of declared sizes is a sound bound.
func readZip(src source, limits Limits) (*zipTree, error) {
	if err := countHeaders(src, limits); err != nil {
		return nil, err
	}
	reader, err := zip.NewReader(src, src.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, malformed("zip", err)
	}
	c := collector{limits: limits}
	for i, f := range reader.File {
		if err := c.add(zipMember(i, f, limits)); err != nil {
			return nil, err
		}
	}
	tree := &zipTree{listing: c.finish(limits.budget(src.size), src.wrapped), source: src, files: reader.File}
	tree.setCommit(reader.Comment)
	return tree, nil
}

// countHeaders refuses a zip with far too many members before its directory is held in memory. The marks that
// begin a directory entry are counted in the whole file, so those of a zip stored inside count too.
func countHeaders(src source, limits Limits) error {
	mark, shortest := []byte("PK\x01\x02"), int64(46)
	if src.size/shortest <= int64(limits.Entries) {
		return nil
	}
	buffer, count, kept := make([]byte, 64<<10), 0, 0
	for r := io.NewSectionReader(src, 0, src.size); ; {
		n, err := r.Read(buffer[kept:])
		count += bytes.Count(buffer[:kept+n], mark)
		switch {
		case count > limits.Entries:
			return tooLarge("more than %d entries", limits.Entries)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		// A mark may lie across two reads.
		kept = copy(buffer, buffer[max(0, kept+n-len(mark)+1):kept+n])
	}
}

func zipMember(place int, f *zip.File, limits Limits) member {
	m := member{place: place, Entry: Entry{Path: f.Name, Mode: data.ModeFile, Size: math.MaxInt64}}
	if f.UncompressedSize64 < math.MaxInt64 {
		m.Size = int64(f.UncompressedSize64)
	}
	mode := f.Mode()
	switch kind := mode.Type(); {
	case kind == fs.ModeDir:
		m.folder = true
	case f.Flags&1 != 0:
		m.refuse(NoteRefused, "encrypted")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		m.refuse(NoteRefused, "unknown compression method %d", f.Method)
	case kind == fs.ModeSymlink:
		m.Mode = data.ModeLink
		m.readLink(f, limits)
	case kind != 0:
		m.refuse(NoteRefused, "neither file nor link (%s)", mode)
	case mode&0o100 != 0:
		m.Mode = data.ModeExecutable
	}
	return m
}

// readLink reads a link's target, which is its content.
func (m *member) readLink(f *zip.File, limits Limits) {
	if f.UncompressedSize64 > uint64(limits.Name) {
		m.refuse(NoteRefused, "link target of more than %d bytes", limits.Name)
		return
	}
	body, err := f.Open()
	if err != nil {
		m.refuse(NoteRefused, "link target cannot be read: %v", err)
		return
	}
	defer body.Close() //nolint:errcheck // read only
	target, err := io.ReadAll(io.LimitReader(body, int64(limits.Name)+1))
	if err != nil {
		m.refuse(NoteRefused, "link target cannot be read: %v", err)
		return
	}
	m.Link = string(target)
}

func (t *zipTree) Contents(ctx context.Context, want func(Entry) bool, visit func(Entry, io.Reader) error) error {
	for i, e := range t.entries {
		if !e.Plain() || !want(e) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := show(e, t.files[t.places[i]].Open, visit); err != nil {
			return err
		}
	}
	return nil
}
