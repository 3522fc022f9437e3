package crawl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
	"skillcorpus/store"
)

// open brings the content of a repository whose facts are known. done forgets what was spooled of it. A host that
// has the facts but not the content may have moved on in between, so that it is asked once more before anything is
// concluded; repo then has its newer facts.
func (c *crawler) open(ctx context.Context, host Host, repo *data.Repo) (tree archive.Tree, done func(), err error) {
	tree, done, err = c.content(ctx, host, *repo)
	if data.OutcomeOf(err) != data.OutcomeGone {
		return tree, done, err
	}
	asked := *repo
	asked.ETag, asked.Commit = "", ""
	again, _, factsErr := host.Repository(ctx, repo.Name, asked)
	switch {
	case factsErr != nil:
		return nil, nil, factsErr
	case again.ID == repo.ID && again.Commit != repo.Commit:
		*repo = again
		tree, done, err = c.content(ctx, host, again)
	}
	if data.OutcomeOf(err) == data.OutcomeGone {
		err = &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the repository is there, its content is not", Err: err}
	}
	return tree, done, err
}

// content fetches a repository by the route that its size suggests: the archive, or, if that is over the cap, only
// what its skills need. Both give the same skills.
func (c *crawler) content(ctx context.Context, host Host, repo data.Repo) (archive.Tree, func(), error) {
	large := repo.SizeKB*1000 > c.Limits.Bytes
	_, over := c.overCap.Load(repo.ID + "@" + repo.Commit)
	switch {
	case large && c.StrictSize:
		return nil, nil, &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("the host reports %d KB, limit %d", repo.SizeKB, c.Limits.Bytes/1000)}
	case repo.Host != data.HostGitHub || c.StrictSize || repo.Commit == "":
		return c.fromArchive(ctx, host, repo)
	case !large && !over:
		tree, done, err := c.fromArchive(ctx, host, repo)
		if data.OutcomeOf(err) != data.OutcomeTooLarge {
			return tree, done, err
		}
		over = true
	}
	listed, err := c.list(ctx, repo)
	if err != nil {
		return nil, nil, err
	}
	// The size is that of the whole history, so the archive may well be under the cap.
	if !over && listed.files > fewFiles && listed.size() < mostPacked*c.Limits.Bytes {
		tree, done, err := c.fromArchive(ctx, host, repo)
		if data.OutcomeOf(err) != data.OutcomeTooLarge {
			return tree, done, err
		}
	}
	return listed.content(ctx)
}

// content is tree with what forgets the spooled contents; after an error another try in this run finds them.
func (s *sparse) content(ctx context.Context) (archive.Tree, func(), error) {
	tree, err := s.tree(ctx)
	if err != nil {
		return nil, nil, err
	}
	return tree, func() { _ = os.RemoveAll(s.dir) }, nil // the next run empties the spool anyway
}

func (c *crawler) fromArchive(ctx context.Context, host Host, repo data.Repo) (archive.Tree, func(), error) {
	spooled, err := c.download(ctx, host, repo)
	if data.OutcomeOf(err) == data.OutcomeTooLarge {
		c.overCap.Store(repo.ID+"@"+repo.Commit, true)
	}
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = os.Remove(spooled) } // the next run empties the spool anyway
	if err := c.weigh(ctx, repo.ID, spooled); err != nil {
		done()
		return nil, nil, err
	}
	open := archive.OpenBare
	if repo.Host == data.HostGitHub {
		open = archive.Open
	}
	tree, err := open(spooled, c.Limits)
	if _, ours := errors.AsType[*fs.PathError](err); ours {
		err = ourFault{err}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return tree, done, nil
}

// download spools the archive of a repository and returns the file's path.
func (c *crawler) download(ctx context.Context, host Host, repo data.Repo) (path string, err error) {
	file, err := os.CreateTemp(c.spool, "archive-*")
	if err != nil {
		return "", ourFault{fmt.Errorf("spool archive: %w", err)}
	}
	err = host.Archive(ctx, repo, &counted{file: file, counter: c.Counter}, c.Limits.Bytes)
	_, isItem := errors.AsType[*data.ItemError](err)
	if repo.Host == data.HostGitHub {
		c.remember(&c.limits.archives, err)
	}
	if err != nil && !isItem && ctx.Err() == nil {
		err = ourFault{err}
	}
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = ourFault{fmt.Errorf("spool archive of %s: %w", repo.ID, closeErr)}
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// counted writes to a file and counts for the progress.
type counted struct {
	file    *os.File
	counter *store.Counter
}

// Write writes to the file.
func (w *counted) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.counter.Bytes.Add(int64(n))
	return n, err
}
