package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"skillcorpus/data"
)

type dirTree struct {
	listing
	*os.Root
}

// OpenDir opens a local directory, a checkout for instance, under the same rules as an archive; Bytes and the
// ratio don't apply. Vendored folders are left out, since a checkout's are mostly not part of the repository.
// Nothing outside the directory is ever opened, whatever its links say.
func OpenDir(dir string, limits Limits) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	tree := &dirTree{Root: root}
	if err := tree.list(limits); err != nil {
		return nil, errors.Join(fmt.Errorf("open directory %s: %w", dir, err), root.Close())
	}
	return tree, nil
}

func (t *dirTree) list(limits Limits) error {
	c := collector{limits: limits}
	err := fs.WalkDir(t.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == "." && err != nil:
			return err
		case name == ".":
			return nil
		case err != nil:
			c.report(RuleRefused, data.SeverityWarning, "", "folder %s cannot be read", quote(name))
			return fs.SkipDir
		case Vendored(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case Vendored(entry.Name()):
			return nil
		}
		return c.add(t.member(name, entry))
	})
	t.listing = c.finish(limits.Expanded, false)
	return err
}

func (t *dirTree) member(name string, entry fs.DirEntry) member {
	m := member{Entry: Entry{Path: name, Mode: data.ModeFile}, folder: entry.IsDir()}
	info, err := entry.Info()
	switch {
	case m.folder:
	case err != nil:
		m.refuse(NoteRefused, "cannot be read")
	case entry.Type() == fs.ModeSymlink:
		m.Mode = data.ModeLink
		if m.Link, err = t.Readlink(name); err != nil {
			m.refuse(NoteRefused, "link cannot be read")
		}
	case !entry.Type().IsRegular():
		m.refuse(NoteRefused, "neither file nor link (%s)", info.Mode())
	default:
		m.Size = info.Size()
		if info.Mode()&0o100 != 0 {
			m.Mode = data.ModeExecutable
		}
	}
	return m
}

func (t *dirTree) Contents(ctx context.Context, want func(Entry) bool, visit func(Entry, io.Reader) error) error {
	for _, e := range t.entries {
		if !e.Plain() || !want(e) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := show(e, func() (io.ReadCloser, error) { return t.Open(e.Path) }, visit); err != nil {
			return err
		}
	}
	return nil
}
