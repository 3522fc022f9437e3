package audit

import (
	"context"
	"fmt"
	"path"
	"sync"

	"skillcorpus/audit/license"
	"skillcorpus/data"
	"skillcorpus/store"
)

// sharedFacts remembers what many skills have in common. Of the repository that was asked for last these are the paths,
// folders included: items come in id order, so the skills of one repository follow each other. Of a licence text it is
// what it is: thousands of repositories share a few.
type sharedFacts struct {
	corpus *store.Store

	mu       sync.Mutex // guards the rest
	repo     string
	paths    map[string]bool     // nil where no tree is known, as of imported skills
	licenses map[string][]string // SPDX ids by the SHA-256 of the text
}

// inRepo returns what tells whether a path exists in a repository, or nil where its tree is not known.
func (s *sharedFacts) inRepo(ctx context.Context, repoID string) (func(path string) bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repo != repoID {
		tree, err := s.corpus.Tree(ctx, repoID)
		if err != nil {
			return nil, err
		}
		s.repo, s.paths = repoID, places(tree)
	}
	if s.paths == nil {
		return nil, nil
	}
	paths := s.paths
	return func(path string) bool { return paths[path] }, nil
}

// licensesOf says what the licence files above a skill are.
func (s *sharedFacts) licensesOf(ctx context.Context, files []data.LicenseFile) ([]license.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	licenses := make([]license.File, len(files))
	for i, f := range files {
		licenses[i].Path = f.Path
		if f.SHA256 == "" {
			continue
		}
		ids, seen := s.licenses[f.SHA256]
		if !seen {
			text, kept, err := s.corpus.Content(ctx, f.SHA256)
			if err != nil {
				return nil, err
			}
			if !kept {
				return nil, fmt.Errorf("the content of %s is not there: run `skillcorpus verify`", f.Path)
			}
			ids = license.Identify(text)
			s.licenses[f.SHA256] = ids
		}
		licenses[i].IDs = ids
	}
	return licenses, nil
}

// places returns the paths of a tree and of the folders in it, nil for no tree.
func places(tree []data.TreeEntry) map[string]bool {
	if tree == nil {
		return nil
	}
	paths := make(map[string]bool, len(tree))
	for _, entry := range tree {
		for place := entry.Path; place != "." && !paths[place]; place = path.Dir(place) {
			paths[place] = true
		}
	}
	return paths
}
