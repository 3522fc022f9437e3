package fakehub

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// packer writes one version of a repository as an archive. The same version always gives the same bytes.
type packer struct {
	archive *archive
	wrapper string
	commit  string
	when    time.Time
}

func (p packer) write(w io.Writer, format string) error {
	switch {
	case format != "zip":
		return p.writeTarball(w)
	case p.archive.packed != nil:
		_, err := io.Copy(w, p.archive.packed)
		return err
	}
	return p.writeZip(w)
}

// writeZip stores what doesn't compress and deflates the rest; the comment is the commit, as git has it.
func (p packer) writeZip(w io.Writer) error {
	zw := zip.NewWriter(w)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	err := zw.SetComment(p.commit)
	for _, m := range p.archive.members {
		if err == nil {
			err = p.zipMember(zw, m)
		}
	}
	return errors.Join(err, zw.Close())
}

func (p packer) zipMember(zw *zip.Writer, m member) error {
	header := &zip.FileHeader{Name: path.Join(p.wrapper, m.path), Modified: p.when}
	switch m.mode {
	case modeSubmodule: // git leaves an empty folder
		header.Name += "/"
		header.SetMode(0o755 | fs.ModeDir)
		_, err := zw.CreateHeader(header)
		return err
	case modeExecutable:
		header.SetMode(0o755)
	case modeLink:
		header.SetMode(0o777 | fs.ModeSymlink)
	default:
		header.SetMode(0o644)
	}
	if m.text != nil {
		return m.text.zip(zw, header)
	}
	if m.isSkill() {
		header.Method = zip.Deflate
	}
	w, err := zw.CreateHeader(header)
	if err != nil {
		return fmt.Errorf("pack %s: %w", m.path, err)
	}
	return m.copy(w)
}

func (m member) copy(w io.Writer) (err error) {
	body, err := m.open()
	if err != nil {
		return fmt.Errorf("open %s: %w", m.path, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	_, err = io.Copy(w, body)
	return err
}

// writeTarball packs the files as git does: a global header that holds the commit, the wrapper folder, then the files.
func (p packer) writeTarball(w io.Writer) error {
	gz := gzip.NewWriter(w)
	tw := tar.NewWriter(gz)
	err := tw.WriteHeader(&tar.Header{
		Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": p.commit},
	})
	if err != nil {
		return fmt.Errorf("write global header: %w", err)
	}
	err = tw.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: p.wrapper + "/", Mode: 0o775, ModTime: p.when})
	for _, m := range p.archive.members {
		if err == nil {
			err = p.tarMember(tw, m)
		}
	}
	return errors.Join(err, tw.Close(), gz.Close())
}

func (p packer) tarMember(tw *tar.Writer, m member) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(p.wrapper, m.path), Mode: 0o664, Size: m.size, ModTime: p.when}
	switch m.mode {
	case modeExecutable:
		header.Mode = 0o775
	case modeLink:
		target, err := m.content()
		if err != nil {
			return err
		}
		header.Typeflag, header.Linkname, header.Size, header.Mode = tar.TypeSymlink, string(target), 0, 0o777
	case modeSubmodule:
		header.Typeflag, header.Name, header.Size, header.Mode = tar.TypeDir, header.Name+"/", 0, 0o775
	}
	if err := tw.WriteHeader(header); err != nil {
		return fmt.Errorf("pack %s: %w", m.path, err)
	}
	if header.Typeflag != tar.TypeReg {
		return nil
	}
	return m.copy(tw)
}
