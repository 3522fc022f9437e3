package fakehub

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// published is a skill as a registry of its own has it, apart from its repository.
type published struct {
	*row
	repo   *repository
	folder string
	slug   string // unique in the hub, in the order of its repositories
}

// shelf is every skill of a hub, read once a host.
type shelf struct {
	index *index
	once  sync.Once
	all   []*published
	byKey map[string]*published // by slug
	err   error
}

func (s *shelf) skills() ([]*published, error) {
	s.once.Do(func() { s.err = s.read() })
	return s.all, s.err
}

func (s *shelf) read() error {
	s.byKey = make(map[string]*published)
	for _, r := range s.index.repos {
		if r.Commit == "" {
			continue
		}
		a, err := r.openArchive(version{})
		if err != nil {
			return err
		}
		for _, m := range a.members {
			if !m.isSkill() {
				continue
			}
			content, err := m.content()
			if err != nil {
				a.close()
				return err
			}
			s.add(&published{row: r.row(m.path, content), repo: r, folder: parent(m.path)})
		}
		a.close()
	}
	return nil
}

// add gives a skill the first slug that is free: of its folder, then with its repository's name, then with a number.
func (s *shelf) add(p *published) {
	owner, repo, _ := strings.Cut(p.repo.Repo, "/")
	base := path.Base("/" + p.folder)
	if p.folder == "" {
		base = repo
	}
	short := strings.Trim(dashed(base), "-")
	if short == "" {
		short = "skill"
	}
	p.slug = short
	for n := 1; s.byKey[p.slug] != nil; n++ {
		p.slug = dashed(owner + "-" + repo + "-" + short)
		if n > 1 {
			p.slug = fmt.Sprintf("%s-%d", p.slug, n)
		}
	}
	s.all, s.byKey[p.slug] = append(s.all, p), p
}

// version changes whenever the skill's repository does.
func (p *published) version() string {
	sum := sha256.Sum256([]byte(p.repo.commitAt(p.repo.head())))
	return fmt.Sprintf("1.0.%d", binary.BigEndian.Uint32(sum[:4])%1_000_000)
}

func (p *published) updated() time.Time { return p.repo.updatedAt(p.repo.head()) }

// hidden reports that what a fault has blocked or taken away is not shown any more.
func (p *published) hidden() bool {
	s := p.repo.current()
	return s.vanished || s.empty || s.blocked != ""
}

// publishedFile is one file of a skill, with its path below the skill's folder.
type publishedFile struct {
	path    string
	mode    string
	content []byte
}

// files returns the plain files of a skill, but those of skills further in.
func (p *published) files() ([]publishedFile, error) {
	a, err := p.repo.openArchive(p.repo.head())
	if err != nil {
		return nil, err
	}
	defer a.close()
	var deeper []string
	for _, m := range a.members {
		if folder := parent(m.path); m.isSkill() && folder != p.folder && below(folder, p.folder) {
			deeper = append(deeper, folder)
		}
	}
	var files []publishedFile
	for _, m := range a.members {
		inside := func(folder string) bool { return below(m.path, folder) }
		if !inside(p.folder) || slices.ContainsFunc(deeper, inside) || m.mode == modeLink || m.mode == modeSubmodule {
			continue
		}
		content, err := m.content()
		if err != nil {
			return nil, err
		}
		files = append(files, publishedFile{strings.TrimPrefix(strings.TrimPrefix(m.path, p.folder), "/"), m.mode, content})
	}
	return files, nil
}

func below(name, folder string) bool { return folder == "" || strings.HasPrefix(name, folder+"/") }

// zipped packs files without a folder around them.
func zipped(files []publishedFile) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		member, err := w.CreateHeader(&zip.FileHeader{Name: f.path, Method: zip.Deflate})
		if err == nil {
			_, err = member.Write(f.content)
		}
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.path, err)
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// tarred packs files without a folder around them. The same files always give the same bytes.
func tarred(files []publishedFile) ([]byte, error) {
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: 0o644, Size: int64(len(f.content))}
		if f.mode == modeExecutable {
			header.Mode = 0o755
		}
		err := w.WriteHeader(header)
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.path, err)
		}
	}
	err := errors.Join(w.Close(), compressed.Close())
	return out.Bytes(), err
}
