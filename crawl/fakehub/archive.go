package fakehub

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// archive is a repository's zip, opened.
type archive struct {
	file    fs.File
	bytes   io.ReaderAt
	size    int64
	members []member
}

// member is one file of a repository.
type member struct {
	path string // without the wrapper folder
	mode string // git mode
	zip  *zip.File
}

// openArchive opens the repository's zip. The caller closes it.
func (r *repository) openArchive() (*archive, error) {
	a, err := openZip(r.folder, r.Zip, r.Commit)
	if err != nil {
		return nil, fmt.Errorf("open archive of %s: %w", r.Repo, err)
	}
	return a, nil
}

func openZip(folder fs.FS, name, commit string) (*archive, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	a := &archive{file: file}
	if err := a.read(commit); err != nil {
		_ = file.Close() // read only: nothing is lost
		return nil, err
	}
	return a, nil
}

func (a *archive) read(commit string) error {
	info, err := a.file.Stat()
	if err != nil {
		return err
	}
	a.size = info.Size()
	var ok bool
	if a.bytes, ok = a.file.(io.ReaderAt); !ok {
		content, err := io.ReadAll(a.file)
		if err != nil {
			return err
		}
		a.bytes = bytes.NewReader(content)
	}
	zr, err := zip.NewReader(a.bytes, a.size)
	if err != nil {
		return err
	}
	if zr.Comment != commit {
		return fmt.Errorf("its comment %q is not the commit %s of index.json", zr.Comment, commit)
	}
	for _, f := range zr.File {
		_, inside, _ := strings.Cut(f.Name, "/")
		if inside == "" || strings.HasSuffix(inside, "/") {
			continue
		}
		a.members = append(a.members, member{path: inside, mode: gitMode(f.Mode()), zip: f})
	}
	return nil
}

func (a *archive) close() { _ = a.file.Close() } // read only: nothing is lost

// wrapper is the archive's top folder.
func (r *repository) wrapper() string {
	return strings.ReplaceAll(r.Repo, "/", "-") + "-" + r.Commit[:7]
}

func (m member) content() ([]byte, error) {
	body, err := m.zip.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m.path, err)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.path, err)
	}
	return content, body.Close()
}

// file returns the content of one path of the repository, and fs.ErrNotExist if it has none of that name.
func (r *repository) file(path string) ([]byte, error) {
	a, err := r.openArchive()
	if err != nil {
		return nil, err
	}
	defer a.close()
	for _, m := range a.members {
		if m.path == path {
			return m.content()
		}
	}
	return nil, fmt.Errorf("%s in %s: %w", path, r.Repo, fs.ErrNotExist)
}

func gitMode(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "120000"
	case mode&0o111 != 0:
		return "100755"
	default:
		return "100644"
	}
}

// objectID returns git's id of an object: the SHA-1 of its kind, its size and its content.
func objectID(kind string, content []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00", kind, len(content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}
