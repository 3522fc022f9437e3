package crawl

import (
	"context"
	"os"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/github"
	"skillcorpus/data"
)

// recall reads what the last fetch of the repository saw, so that contents that the corpus has are not fetched again.
func (s *sparse) recall(ctx context.Context) error {
	tree, err := s.corpus.Tree(ctx, s.repo.ID)
	if err != nil {
		return ourFault{err}
	}
	s.last = map[string]data.TreeEntry{}
	for _, entry := range tree {
		if entry.Digest != "" || entry.Link != "" {
			s.last[entry.Path] = entry
		}
	}
	return nil
}

// here reports whether a content is in the spool, be it that the corpus had it.
func (s *sparse) here(ctx context.Context, file archive.Listed) (bool, error) {
	if !isID(file.ID) {
		return false, nil
	}
	if _, err := os.Stat(s.at(file.ID)); err == nil {
		return true, nil
	}
	content, ok, err := s.known(ctx, file)
	if err != nil || !ok {
		return false, err
	}
	return true, s.spool(ctx, file, func(to *os.File) error {
		_, err := to.Write(content)
		return err
	})
}

// known returns a content that the corpus has: of what lay at the path of the file before, if its id is the one that is
// listed now.
func (s *sparse) known(ctx context.Context, file archive.Listed) (content []byte, ok bool, err error) {
	last, ok := s.last[file.Path]
	switch {
	case !ok:
		return nil, false, nil
	case last.Mode == data.ModeLink:
		content = []byte(last.Link)
	case last.Size == file.Size:
		if content, _, err = s.corpus.Content(ctx, last.Digest); err != nil {
			return nil, false, ourFault{err}
		}
	}
	return content, github.IsContent(file, content), nil
}
