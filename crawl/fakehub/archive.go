package fakehub

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// content is where a repository's files lie before a fault changes them: a packed archive, or records of a corpus.
type content interface {
	// open returns the files. The caller closes the archive.
	open() (*archive, error)
}

// archive is a repository's files, opened.
type archive struct {
	members []member          // in the order in which they are packed
	packed  *io.SectionReader // the zip as the folder holds it; nil where it is yet to be made of the members
	closer  io.Closer         // nil where nothing is open
}

// member is one file of a repository.
type member struct {
	path string // without the wrapper folder
	mode string // git mode; a submodule (160000) has no content
	size int64
	open func() (io.ReadCloser, error)
	text *text // where the content is there deflated
}

const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeLink       = "120000"
	modeSubmodule  = "160000"
	modeFolder     = "040000"
)

func (a *archive) close() {
	if a.closer != nil {
		_ = a.closer.Close() // read only: nothing is lost
	}
}

// isSkill reports whether a member is a SKILL.md, in any letter case.
func (m member) isSkill() bool {
	return strings.EqualFold(path.Base(m.path), "SKILL.md") && m.mode != modeLink && m.mode != modeSubmodule
}

func (m member) content() (_ []byte, err error) {
	body, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m.path, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	content, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.path, err)
	}
	return content, nil
}

// id returns git's id of the member. That of a submodule, which is a commit elsewhere, follows from its path.
func (m member) id() (_ string, err error) {
	if m.mode == modeSubmodule {
		return objectID("commit", []byte(m.path)), nil
	}
	body, err := m.open()
	if err != nil {
		return "", fmt.Errorf("open %s: %w", m.path, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", m.size)
	if _, err := io.Copy(sum, body); err != nil {
		return "", fmt.Errorf("read %s: %w", m.path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// file returns the content of one path of the repository at a version, and fs.ErrNotExist if it has none of that name.
func (r *repository) file(v version, path string) ([]byte, error) {
	a, err := r.openArchive(v)
	if err != nil {
		return nil, err
	}
	defer a.close()
	for _, m := range a.members {
		if m.path == path && m.mode != modeSubmodule {
			return m.content()
		}
	}
	return nil, fmt.Errorf("%s in %s: %w", path, r.Repo, fs.ErrNotExist)
}

// objectID returns git's id of an object: the SHA-1 of its kind, its size and its content.
func objectID(kind string, content []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00", kind, len(content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}
