// Package dir owns reading skills that lie on this machine: a checkout, an archive, or a folder of both.
//
// It names repositories and where they lie; it opens none of them and follows no links. The crawl stage calls
// it as a source and opens what Locate returns by crawl/archive.
package dir

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

const prefix = "dir:"

// Source is a folder or archive as a source.Source.
type Source struct {
	name    string
	root    string // absolute path given to New
	entries []entry
}

type entry struct {
	repo    string
	path    string
	archive bool
}

// New looks at path once and returns the source `dir:PATH`. An archive (.zip, .tar.gz, .tgz) is one
// repository. A folder is one as well, unless it holds archives or checkouts with a .git of their own: then
// each archive and each folder in it is one. A repository is called by its base name without the archive's
// ending, or with it where that name is taken.
func New(path string) (*Source, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	s := &Source{name: prefix + path, root: full}
	if !info.IsDir() {
		if _, ok := archiveName(full); !ok {
			return nil, fmt.Errorf("open %s: neither a folder nor a .zip or .tar.gz archive", path)
		}
		s.add(full, true)
		return s, nil
	}
	children, err := os.ReadDir(full)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	if !collection(full, children) {
		s.add(full, false)
		return s, nil
	}
	for _, child := range children { // sorted by name, so folders come before archives of their name
		_, isArchive := archiveName(child.Name())
		switch {
		case child.IsDir() && !strings.HasPrefix(child.Name(), "."):
			s.add(filepath.Join(full, child.Name()), false)
		case child.Type().IsRegular() && isArchive:
			s.add(filepath.Join(full, child.Name()), true)
		}
	}
	return s, nil
}

// collection reports whether a folder holds repositories and is none itself.
func collection(path string, children []os.DirEntry) bool {
	found := false
	for _, child := range children {
		if child.Name() == ".git" || data.IsSkillFile(child.Name()) {
			return false
		}
		_, isArchive := archiveName(child.Name())
		found = found || child.Type().IsRegular() && isArchive
		if child.IsDir() && !found {
			_, err := os.Lstat(filepath.Join(path, child.Name(), ".git"))
			found = err == nil
		}
	}
	return found
}

func archiveName(path string) (string, bool) {
	base := filepath.Base(path)
	for _, ending := range []string{".zip", ".tar.gz", ".tgz"} {
		if cut := len(base) - len(ending); cut > 0 && strings.EqualFold(base[cut:], ending) {
			return base[:cut], true
		}
	}
	return base, false
}

func (s *Source) add(path string, archive bool) {
	repo := filepath.Base(path)
	if archive {
		short, _ := archiveName(path)
		if _, _, taken := s.Locate(short); !taken {
			repo = short
		}
	}
	s.entries = append(s.entries, entry{repo: repo, path: path, archive: archive})
}

// Name returns `dir:` and the path given to New.
func (s *Source) Name() string { return s.name }

// Local marks a source that asks no host.
func (s *Source) Local() {}

// Locate returns where a repository of this source lies, and whether it is an archive or a folder.
func (s *Source) Locate(repo string) (path string, archive, ok bool) {
	for _, e := range s.entries {
		if e.repo == repo {
			return e.path, e.archive, true
		}
	}
	return "", false, false
}

// cursor names the last repository that was given, and the folder, since a name may be relative to another one.
type cursor struct {
	After string `json:"after"`
	Root  string `json:"root"`
}

// Former returns the source of this name and cursor as it was crawled before, and false if its folder is no longer there
// or it is none of this package.
func Former(name string, last json.RawMessage) (*Source, bool) {
	root, ok := strings.CutPrefix(name, prefix)
	var at cursor
	if json.Unmarshal(last, &at) == nil && at.Root != "" {
		root = at.Root
	}
	if !ok {
		return nil, false
	}
	s, err := New(root)
	return s, err == nil
}

// Enumerate gives one row for each repository, all of whose skills are meant; see source.Source.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	const pageRows = 100
	var from cursor
	if json.Unmarshal(at, &from) != nil {
		from = cursor{}
	}
	if err := ctx.Err(); err != nil {
		return data.Interrupted, err
	}
	left := s.entries
	for i, e := range s.entries {
		if e.repo == from.After {
			left = s.entries[i+1:]
		}
	}
	for len(left) > 0 {
		var rows []data.Listing
		for _, e := range left[:min(pageRows, len(left))] {
			rows = append(rows, data.Listing{Source: s.name, ExternalID: e.repo, Host: data.HostDir, Repo: e.repo})
		}
		left = left[len(rows):]
		next, err := json.Marshal(cursor{After: rows[len(rows)-1].Repo, Root: s.root})
		if err != nil {
			return data.Interrupted, err
		}
		if err := emit(rows, next); err != nil {
			return data.Interrupted, err
		}
		if err := ctx.Err(); err != nil {
			return data.Interrupted, err
		}
	}
	return data.Complete, nil
}

// Shares returns the name of a repository that both sources have, in any letter case, and where the other has it, if
// that is another place; empty if there is none. Ids hold no more of a place than its name, so the two would be taken
// for one.
func (s *Source) Shares(other *Source) (name, there string) {
	for _, mine := range s.entries {
		for _, theirs := range other.entries {
			if strings.EqualFold(mine.repo, theirs.repo) && !same(mine.path, theirs.path) {
				return mine.repo, theirs.path
			}
		}
	}
	return "", ""
}

// same reports whether two paths lead to one file or folder.
func same(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return a == b || err == nil && otherErr == nil && os.SameFile(first, second)
}
