package model

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// member is a file within a source.
type member struct {
	name string
	size int64
	open func() (io.ReadCloser, error)
}

// scan calls visit with every regular file of a source: those of a folder, the members of a wheel, jar or zip,
// also of such ones in a folder, or the file itself.
func scan(path string, visit func(member) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return scanFile(path, info.Size(), visit)
	}
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return scanFile(path, info.Size(), visit)
	})
}

func scanFile(path string, size int64, visit func(member) error) error {
	switch filepath.Ext(path) {
	case ".whl", ".jar", ".zip":
		return scanZip(path, visit)
	}
	return visit(member{path, size, func() (io.ReadCloser, error) { return os.Open(path) }})
}

// scanZip trusts a member's size only as far as to skip it: what is taken is counted.
func scanZip(path string, visit func(member) error) (err error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	for _, f := range archive.File {
		if !f.Mode().IsRegular() || f.UncompressedSize64 > 1<<62 {
			continue
		}
		if err := visit(member{f.Name, int64(f.UncompressedSize64), f.Open}); err != nil {
			return err
		}
	}
	return nil
}
