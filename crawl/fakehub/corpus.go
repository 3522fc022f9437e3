package fakehub

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// records is the content of a repository that a corpus describes: the SKILL.md of each of its records, and filler for
// the files that these list.
type records struct {
	repo  string
	files []corpusFile // by path
}

// corpusFile is one file of such a repository.
type corpusFile struct {
	path string
	mode string
	size int64
	text *text // nil: filler
}

// text is a SKILL.md, deflated. A corpus of 313 MB takes 110 MB so.
type text struct {
	deflated []byte
	size     int64
	crc      uint32
	sha      [sha1.Size]byte // of the text alone
}

func newText(content []byte, w *flate.Writer) (*text, error) {
	var packed bytes.Buffer
	w.Reset(&packed)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &text{
		deflated: bytes.Clone(packed.Bytes()), size: int64(len(content)), crc: crc32.ChecksumIEEE(content), sha: sha1.Sum(content),
	}, nil
}

func (t *text) open() (io.ReadCloser, error) {
	return flate.NewReader(bytes.NewReader(t.deflated)), nil
}

// zip writes the text into an archive as it is.
func (t *text) zip(zw *zip.Writer, header *zip.FileHeader) error {
	header.Method, header.CRC32 = zip.Deflate, t.crc
	header.CompressedSize64, header.UncompressedSize64 = uint64(len(t.deflated)), uint64(t.size)
	w, err := zw.CreateRaw(header)
	if err != nil {
		return fmt.Errorf("pack %s: %w", header.Name, err)
	}
	_, err = w.Write(t.deflated)
	return err
}

func (c *records) open() (*archive, error) {
	a := &archive{members: make([]member, len(c.files))}
	for i, f := range c.files {
		if f.text == nil {
			a.members[i] = filled(c.repo, f.path, f.mode, f.size)
			continue
		}
		a.members[i] = member{path: f.path, mode: f.mode, size: f.size, open: f.text.open, text: f.text}
	}
	return a, nil
}

// gather makes one repository of its records. A SKILL.md in the list of a record counts only if it has a record of its
// own; of two files of one path the record's wins, else the first; a file that is also a folder is left out.
func gather(repo string, list []record) (*records, error) {
	c := &records{repo: repo}
	known := make(map[string]bool)
	folders := make(map[string]bool)
	add := func(f corpusFile) error {
		if !fs.ValidPath(f.path) || strings.Contains(f.path, `\`) {
			return fmt.Errorf("%s: path %q is none of git's", repo, f.path)
		}
		if known[f.path] {
			return nil
		}
		known[f.path] = true
		for folder := parent(f.path); folder != "" && !folders[folder]; folder = parent(folder) {
			folders[folder] = true
		}
		c.files = append(c.files, f)
		return nil
	}
	for _, r := range list {
		if err := add(corpusFile{path: path.Join(r.Path, r.File), mode: modeFile, size: r.text.size, text: r.text}); err != nil {
			return nil, err
		}
	}
	for _, r := range list {
		for _, f := range r.Files {
			if strings.EqualFold(path.Base(f.path), "SKILL.md") {
				continue
			}
			f.path = path.Join(r.Path, f.path)
			if err := add(f); err != nil {
				return nil, err
			}
		}
	}
	c.files = slices.DeleteFunc(c.files, func(f corpusFile) bool { return folders[f.path] })
	slices.SortFunc(c.files, func(a, b corpusFile) int { return cmp.Compare(a.path, b.path) })
	return c, nil
}

// commit is an id that changes whenever a text, a path, a mode or a size does.
func (c *records) commit() string {
	sum := sha1.New()
	fmt.Fprintf(sum, "%s\n", c.repo)
	for _, f := range c.files {
		fmt.Fprintf(sum, "%s %d %s\x00", f.mode, f.size, f.path)
		if f.text != nil {
			sum.Write(f.text.sha[:])
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (c *records) bytes() int64 {
	var n int64
	for _, f := range c.files {
		n += f.size
	}
	return n
}
