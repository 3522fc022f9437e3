package audit

import (
	"context"
	"errors"
	"path"
	"sync"

	"skillcorpus/audit/license"
	"skillcorpus/data"
	"skillcorpus/store"
)

// sharedFacts remembers what many skills have in common. Of the repository that was asked for last these are the paths,
// folders included: items come in id order, so the skills of one repository follow each other.
type sharedFacts struct {
	corpus   *store.Store
	licenses license.Cache

	mu    sync.Mutex // guards the rest
	repo  string
	paths map[string]bool // nil where no tree is known, as of imported skills
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
func (s *sharedFacts) licensesOf(ctx context.Context, skill data.Bundle) ([]license.File, error) {
	return s.licenses.Files(skill.Licenses, func(sha256 string) ([]byte, error) {
		text, kept, err := s.corpus.Content(ctx, sha256)
		if err == nil && !kept {
			err = errors.New("its content is not there: run `skillcorpus verify`")
		}
		return text, err
	})
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
