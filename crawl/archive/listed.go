package archive

import (
	"context"
	"io"

	"skillcorpus/data"
)

// NoteUnfetched says that an entry is known from a listing alone: no skill needs its content.
const NoteUnfetched = "not fetched"

// Listed is one path of a repository as its host lists it.
type Listed struct {
	Path string // as the host gives it
	Mode string // git mode; a submodule is no entry, as in an archive
	Size int64
	ID   string // git's id of the content
	Link string // the target as written, of a link that was read
	Note string // why the content is not there, one of the Note constants; empty if it is
	Why  string // a sentence about it, for a finding; empty for none
}

// listedTree is a repository of which the host gave a listing, and single files.
type listedTree struct {
	listing
	ids  []string // by place
	open func(id string) (io.ReadCloser, error)
}

// OpenListed opens a repository that is known by a listing, under the same rules as an archive: what its contents
// are, open says by their ids. No byte limit applies but that on all contents that are there. More paths than most
// are too_large. What the host left out of the listing is told by a finding of RuleCut where cut is set.
func OpenListed(paths []Listed, commit string, cut bool, limits Limits, open func(id string) (io.ReadCloser, error)) (Tree, error) {
	c := collector{limits: limits}
	c.limits.Entries = MostListed
	ids := make([]string, len(paths))
	for i, p := range paths {
		ids[i] = p.ID
		m := member{place: i, Entry: Entry{Path: p.Path, Mode: data.ModeFile, Size: p.Size, Link: p.Link, Note: p.Note}, why: p.Why}
		switch p.Mode {
		case data.ModeExecutable, data.ModeLink:
			m.Mode = p.Mode
		case data.ModeSubmodule:
			m.folder = true // an empty one, as in an archive
		}
		if err := c.add(m); err != nil {
			return nil, err
		}
	}
	if cut {
		c.report(RuleCut, data.SeverityError, "", "the host lists only a part of the files")
	}
	tree := &listedTree{listing: c.finish(limits.Expanded, false), ids: ids, open: open}
	tree.setCommit(commit)
	return tree, nil
}

// MostListed bounds the paths of a listing, which are held at once: about 60 MB.
const MostListed = 250_000

// Contents reads what is wanted, by the ids of the listing.
func (t *listedTree) Contents(ctx context.Context, want func(Entry) bool, visit func(Entry, io.Reader) error) error {
	for i, e := range t.entries {
		if !e.Plain() || !want(e) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := show(e, func() (io.ReadCloser, error) { return t.open(t.ids[t.places[i]]) }, visit); err != nil {
			return err
		}
	}
	return nil
}

// Close does nothing: whoever fetched the contents owns them.
func (t *listedTree) Close() error { return nil }
