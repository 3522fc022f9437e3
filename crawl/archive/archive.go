// Package archive opens a repository as hostile input: an archive file as a host sends it (zip or tar.gz), or
// a local directory. It owns the limits, the judgement on every member (kept, or refused with a finding), the
// removal of the wrapper folder and the resolving of links.
//
// It never writes to disk, never follows a link out of the repository and never trusts a declared size. It
// knows nothing of skills: package discover finds them, and the crawl stage calls both.
package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skillcorpus/data"
)

// Tree is a repository at one commit: what lies in it, and a way to read it. It is not safe for concurrent use.
type Tree interface {
	// Entries returns every file, link and refused member with a sound name, sorted by path. Folders have none.
	Entries() []Entry
	// Commit returns the commit that the archive says it was made from, 40 hex digits, or nothing.
	Commit() string
	// Findings returns what was refused or is odd, in a stable order. File is a path as in Entries, or empty
	// where a member's name is unsound: then the message quotes it.
	Findings() []data.Finding
	// Contents reads every plain entry that want asks for, once, in no promised order. An error of the reader
	// is a fault of that entry alone: visit may return it, and the pass goes on. Any other error of visit
	// ends the pass and is returned as it is. Content that is longer or shorter than Size is such a fault.
	Contents(ctx context.Context, want func(Entry) bool, visit func(Entry, io.Reader) error) error
	// Close releases the file or directory.
	Close() error
}

// Entry is one path of a repository.
type Entry struct {
	Path   string // from the repository root, slash-separated, the wrapper folder stripped
	Mode   string // git mode: data.ModeFile, data.ModeExecutable or data.ModeLink
	Size   int64  // bytes as declared; of a link, those of its Target, or of its text where it has none
	Link   string // the target as written, for links
	Target string // the path of the plain entry at which a link ends
	Note   string // why there is no content, one of the Note constants; empty if there is
}

// Plain reports whether the entry is a file with content of its own, which Contents can read.
func (e Entry) Plain() bool { return e.Note == "" && e.Mode != data.ModeLink }

// Why an entry has no content.
const (
	NoteOutside  = "link outside"   // the target is absolute or lies above the repository root
	NoteBroken   = "link broken"    // no target, or a loop
	NoteFolder   = "link to folder" // recorded, not expanded: what lies there is listed under its own path
	NoteTooLarge = "too large"      // over the limit on a member or on all of them
	NoteRefused  = "refused"        // a device, an encrypted member, an unknown compression
)

// The rules of the findings made here.
const (
	RuleRefused   = "archive.refused"   // a member was left out
	RuleDuplicate = "archive.duplicate" // a second member of the same name was left out
	RuleCase      = "archive.case"      // two names differ only in letter case; both are kept
	RuleLink      = "archive.link"      // a link has no content to give
	RuleTooLarge  = "archive.too-large" // a member's content was left out for its size
	// RuleCut says that an archive was not read to its end: what else lies in it is unknown, so that the
	// absence of a file proves nothing.
	RuleCut = "archive.cut"
	// RuleMore stands in place of further findings past the first 1,000.
	RuleMore = "archive.more"
)

// Open opens an archive file, told by its first bytes, and strips the one folder that holds everything, if there is
// one. The error is a *data.ItemError, `malformed` or
// `too_large`, unless the file itself cannot be read. Expanding beyond limits is no error: the entries that
// do not fit have NoteTooLarge and a finding, and the others can be read.
func Open(name string, limits Limits) (Tree, error) { return openAny(name, limits, true) }

// OpenBare is Open for archives without a wrapper: a folder that holds everything is part of the names.
func OpenBare(name string, limits Limits) (Tree, error) { return openAny(name, limits, false) }

func openAny(name string, limits Limits, wrapped bool) (Tree, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	tree, err := openFile(file, limits, wrapped)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open archive %s: %w", filepath.Base(name), err), file.Close())
	}
	return tree, nil
}

func openFile(file *os.File, limits Limits, wrapped bool) (Tree, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return read(source{ReaderAt: file, Closer: file, size: info.Size(), wrapped: wrapped}, limits)
}

// source is the bytes of an archive.
type source struct {
	io.ReaderAt
	io.Closer
	size    int64
	wrapped bool // one folder around all members is none of theirs
}

// read returns the tree of an archive whose bytes may come from anywhere.
func read(src source, limits Limits) (Tree, error) {
	if src.size > limits.Bytes {
		return nil, tooLarge("archive of %d bytes, limit %d", src.size, limits.Bytes)
	}
	head := make([]byte, 16)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return readZip(src, limits)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return readTar(src, limits)
	default:
		return nil, &data.ItemError{
			Outcome: data.OutcomeMalformed,
			Reason:  fmt.Sprintf("neither zip nor tar.gz: begins with %s", quote(string(head))),
		}
	}
}

// listing is what every kind of tree knows after the metadata pass.
type listing struct {
	entries  []Entry
	places   []int // of each entry: its number in the archive
	commit   string
	findings []data.Finding
}

func (l *listing) Entries() []Entry         { return l.entries }
func (l *listing) Commit() string           { return l.commit }
func (l *listing) Findings() []data.Finding { return l.findings }

func (l *listing) setCommit(comment string) {
	comment = strings.TrimSpace(comment)
	if len(comment) == 40 && strings.Trim(comment, "0123456789abcdef") == "" {
		l.commit = cmp.Or(l.commit, comment)
	}
}

func tooLarge(format string, args ...any) error {
	return &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf(format, args...)}
}

// malformed classes an error of an archive reader, and leaves those of our own disk and verdicts alone.
func malformed(kind string, err error) error {
	if _, ours := errors.AsType[*fs.PathError](err); ours {
		return err
	}
	if _, done := errors.AsType[*data.ItemError](err); done {
		return err
	}
	return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "damaged or cut " + kind, Err: err}
}
