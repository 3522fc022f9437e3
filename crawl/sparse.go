package crawl

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/discover"
	"skillcorpus/data"
)

const (
	// fewFiles is how many files are fetched one by one rather than an archive that may be too large.
	fewFiles = 100
	// mostPacked is how much smaller than its files an archive may be hoped to be. Texts come to a quarter.
	mostPacked = 10
	// mostLinks bounds the links that are read, each with a request, to learn where they lead.
	mostLinks = 2000
	// moreTries is how often a file is asked for again whose transfer was cut, rather than leave a repository of
	// thousands for another try.
	moreTries = 2
)

// sparse is a repository that is fetched file by file.
type sparse struct {
	*crawler
	repo  data.Repo
	paths []archive.Listed
	cut   bool
	need  discover.Need
	files int                       // different contents that are needed and not here
	last  map[string]data.TreeEntry // what the last fetch of the repository saw, by path, as far as it tells a content
	dir   string                    // where contents lie, by their ids
}

// list asks for the tree of a repository and finds what its skills need.
func (c *crawler) list(ctx context.Context, repo data.Repo) (*sparse, error) {
	s := &sparse{crawler: c, repo: repo, dir: filepath.Join(c.spool, "files-"+data.SHA256Hex([]byte(repo.ID))[:16])}
	var err error
	if s.paths, s.cut, err = c.GitHub.Tree(ctx, repo); err != nil {
		return nil, err
	}
	if len(s.paths) > heavyEntries {
		if err := c.bear(ctx, repo.ID); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, ourFault{fmt.Errorf("spool files: %w", err)}
	}
	if err := s.recall(ctx); err != nil {
		return nil, err
	}
	if err := s.readLinks(ctx); err != nil {
		return nil, err
	}
	all := c.Limits // nothing is left out before it is known what is needed
	all.Member, all.Expanded = math.MaxInt64, math.MaxInt64
	tree, err := archive.OpenListed(s.paths, repo.Commit, s.cut, all, s.open)
	if err != nil {
		return nil, err
	}
	s.need = discover.Needed(tree.Entries(), c.Limits.Bytes, c.Limits.Expanded)
	different := map[string]bool{}
	for _, p := range s.paths {
		if !s.need.Paths[p.Path] {
			continue
		}
		if here, err := s.here(ctx, p); err != nil {
			return nil, err
		} else if !here {
			different[p.ID] = true
		}
	}
	s.files = len(different)
	return s, nil
}

// size returns the bytes of all files of the repository.
func (s *sparse) size() (sum int64) {
	for _, p := range s.paths {
		sum += p.Size
	}
	return sum
}

// readLinks learns where the links of the repository lead.
func (s *sparse) readLinks(ctx context.Context) error {
	left := mostLinks
	for i := range s.paths {
		p := &s.paths[i]
		if p.Mode != data.ModeLink || archive.Vendored(p.Path) {
			continue
		}
		if left--; left < 0 || p.Size > int64(s.Limits.Name) {
			continue // a link without a target is told as such
		}
		if err := s.fetch(ctx, *p); err != nil {
			return err
		}
		target, err := os.ReadFile(s.at(p.ID))
		if err != nil {
			return ourFault{err}
		}
		p.Link = string(target)
	}
	return nil
}

// tree fetches what is needed and returns the repository as its archive would show it.
func (s *sparse) tree(ctx context.Context) (archive.Tree, error) {
	if len(s.need.TooLarge) > 0 && s.need.Skills == 0 {
		return nil, &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("the repository's skills have over %d bytes each", s.Limits.Bytes)}
	}
	for i := range s.paths {
		p := &s.paths[i]
		size, large := s.need.TooLarge[p.Path]
		switch {
		case large:
			p.Note, p.Why = archive.NoteTooLarge, fmt.Sprintf("the skill's files have %d bytes, limit %d", size, s.Limits.Bytes)
		case p.Mode == data.ModeSubmodule, p.Mode == data.ModeLink && p.Link != "":
		case !s.need.Paths[p.Path]:
			p.Note = archive.NoteUnfetched
		default:
			if err := s.fetch(ctx, *p); err != nil {
				return nil, err
			}
		}
	}
	return archive.OpenListed(s.paths, s.repo.Commit, s.cut, s.Limits, s.open)
}

// fetch brings one content, unless an earlier try or another path did, or the corpus has it.
func (s *sparse) fetch(ctx context.Context, file archive.Listed) error {
	if !isID(file.ID) {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: fmt.Sprintf("%.100q is listed without an id", file.Path)}
	}
	if here, err := s.here(ctx, file); err != nil || here {
		return err
	}
	err := s.transfer(ctx, file)
	for range moreTries {
		if data.OutcomeOf(err) != data.OutcomeUnavailable {
			break
		}
		err = s.transfer(ctx, file)
	}
	return err
}

func (s *sparse) transfer(ctx context.Context, file archive.Listed) error {
	return s.spool(ctx, file, func(to *os.File) error {
		return s.GitHub.File(ctx, s.repo, file, &counted{file: to, counter: s.Counter})
	})
}

// spool keeps a content in the spool once it is whole.
func (s *sparse) spool(ctx context.Context, file archive.Listed, fill func(to *os.File) error) error {
	part, err := os.CreateTemp(s.dir, "part-*")
	if err != nil {
		return ourFault{fmt.Errorf("spool file: %w", err)}
	}
	err = fill(part)
	if _, isItem := errors.AsType[*data.ItemError](err); err != nil && !isItem && ctx.Err() == nil {
		err = ourFault{err}
	}
	if closeErr := part.Close(); err == nil && closeErr != nil {
		err = ourFault{fmt.Errorf("spool file of %s: %w", s.repo.ID, closeErr)}
	}
	if err == nil {
		if err = os.Rename(part.Name(), s.at(file.ID)); err != nil {
			err = ourFault{err}
		}
	}
	if err != nil {
		_ = os.Remove(part.Name()) // the spool is emptied anyway
	}
	return err
}

func (s *sparse) at(id string) string { return filepath.Join(s.dir, id) }

func (s *sparse) open(id string) (io.ReadCloser, error) {
	if !isID(id) {
		return nil, os.ErrNotExist
	}
	return os.Open(s.at(id))
}

// isID keeps names of files of ours to those of git's ids.
func isID(id string) bool {
	_, err := hex.DecodeString(id)
	return err == nil && (len(id) == 40 || len(id) == 64) && strings.ToLower(id) == id
}
