package fakehub

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// packed is the content of a repository in hub format: a zip of the folder.
type packed struct {
	folder fs.FS
	name   string
	commit string
}

func (p packed) open() (_ *archive, err error) {
	file, err := p.folder.Open(p.name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	bytes, err := readerAt(file)
	if err != nil {
		return nil, err
	}
	zr, err := zip.NewReader(bytes, bytes.Size())
	if err != nil {
		return nil, err
	}
	if zr.Comment != p.commit {
		return nil, fmt.Errorf("its comment %q is not the commit %s of index.json", zr.Comment, p.commit)
	}
	a := &archive{closer: file, packed: bytes}
	for _, f := range zr.File {
		_, inside, _ := strings.Cut(f.Name, "/")
		if inside == "" || strings.HasSuffix(inside, "/") {
			continue
		}
		a.members = append(a.members, member{path: inside, mode: gitMode(f.Mode()), size: int64(f.UncompressedSize64), open: f.Open})
	}
	return a, nil
}

// readerAt gives random access to a file, in memory where the folder doesn't offer it.
func readerAt(file fs.File) (*io.SectionReader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if direct, ok := file.(io.ReaderAt); ok {
		return io.NewSectionReader(direct, 0, info.Size()), nil
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content))), nil
}

func gitMode(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return modeLink
	case mode&0o111 != 0:
		return modeExecutable
	default:
		return modeFile
	}
}
