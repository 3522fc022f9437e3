package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"skillcorpus/data/models"
)

// desk is a folder beside the models where files are checked before they go to their places by renaming.
type desk struct {
	dir   string
	found map[string]string // SHA-256 to the file on the desk
	alike []string          // members that look like a wanted file but are another
}

func (p *Places) newDesk() (*desk, error) {
	if err := os.MkdirAll(p.Into, 0o755); err != nil {
		return nil, fmt.Errorf("models folder: %w", err)
	}
	dir, err := os.MkdirTemp(p.Into, ".adding-")
	if err != nil {
		return nil, fmt.Errorf("models folder: %w", err)
	}
	return &desk{dir: dir, found: map[string]string{}}, nil
}

// clear removes the desk. What cannot be removed is harmless: no search looks there.
func (d *desk) clear() { _ = os.RemoveAll(d.dir) }

// take copies a member to the desk if it is one of the files.
func (d *desk) take(m member, files map[string]models.File) (err error) {
	named, sized := false, false
	for _, f := range files {
		named = named || f.Name == path.Base(m.name)
		sized = sized || f.Size == m.size
	}
	if !sized {
		if named {
			d.alike = append(d.alike, fmt.Sprintf("%s has %d bytes", m.name, m.size))
		}
		return nil
	}
	content, err := m.open()
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	file, digest, err := d.write(content, m.size)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	if _, wanted := files[digest]; !wanted {
		d.alike = append(d.alike, m.name+" has SHA-256 "+digest)
		return os.Remove(file)
	}
	d.found[digest] = file
	return nil
}

// errCut means that a stream had not the bytes that it should.
var errCut = errors.New("another size than promised")

// write copies a stream of exactly size bytes to a new file of the desk, and returns its digest.
func (d *desk) write(from io.Reader, size int64) (file, digest string, err error) {
	to, err := os.CreateTemp(d.dir, "file-")
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(from, size+1))
	if err != nil {
		return "", "", err
	}
	if n != size {
		return "", "", fmt.Errorf("%w: %d bytes or more, want %d", errCut, n, size)
	}
	return to.Name(), hex.EncodeToString(hash.Sum(nil)), to.Sync()
}

// readable is the mode of what others on the machine may use.
const readable = 0o644

// place makes a folder of files of the desk, whole or not at all, in place of one that may be there.
func (d *desk) place(folder string, files map[string]string) error {
	whole, err := os.MkdirTemp(d.dir, "folder-")
	if err != nil {
		return err
	}
	if err := os.Chmod(whole, 0o755); err != nil {
		return err
	}
	for name, file := range files {
		if err := os.Chmod(file, readable); err != nil {
			return err
		}
		if err := os.Rename(file, filepath.Join(whole, name)); err != nil {
			return err
		}
	}
	// A folder cannot be renamed over one with files in it; the old one goes to the desk, and with it.
	if err := os.Rename(folder, whole+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(whole, folder)
}
