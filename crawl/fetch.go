package crawl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/discover"
	"skillcorpus/data"
	"skillcorpus/store"
)

// fetch brings one repository up to date: facts, then, if its head moved, its archive and the skills in it.
func (c *crawler) fetch(ctx context.Context, due store.DueRepo) (store.FetchedRepo, error) {
	if due.Host == data.HostDir {
		return c.readLocal(ctx, due.Repo)
	}
	if due.Host != data.HostGitHub {
		return store.FetchedRepo{}, &data.ItemError{Outcome: data.OutcomeForbidden, Reason: "repositories at " + due.Host + " cannot be fetched yet"}
	}
	known := due.Repo
	if due.Outdated {
		known.Commit, known.ETag = "", ""
	}
	repo, unchanged, err := c.GitHub.Repository(ctx, due.Name, known)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	asked := data.RepoKey(due.ID)
	alias, err := c.isAlias(ctx, asked, repo)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	if alias {
		return store.FetchedRepo{Asked: asked, Repo: repo, AliasOnly: true}, nil
	}
	fetched := store.FetchedRepo{Asked: asked, Repo: repo, Attempt: store.AttemptOf(asked, repo.Commit, Version, nil)}
	if unchanged {
		return fetched, nil
	}
	spooled, err := c.download(ctx, repo)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	defer os.Remove(spooled)
	tree, err := archive.Open(spooled, c.Limits)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	return c.read(ctx, fetched, tree)
}

// isAlias reports whether asked is only another name of a repository whose content this pass has taken on, or the
// corpus has, under its canonical name. Otherwise this pass takes it on now.
func (c *crawler) isAlias(ctx context.Context, asked string, repo data.Repo) (bool, error) {
	key := data.RepoKey(repo.ID)
	if key != asked {
		stored, ok, err := c.corpus.Repo(ctx, repo.ID)
		if err != nil {
			return false, err
		}
		if ok && repo.Commit != "" && stored.Commit == repo.Commit {
			return true, nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.claimed[key] {
		return true, nil
	}
	c.claimed[key] = true
	return false, nil
}

// download spools the archive of a repository and returns the file's path.
func (c *crawler) download(ctx context.Context, repo data.Repo) (path string, err error) {
	file, err := os.CreateTemp(c.spool, "archive-*")
	if err != nil {
		return "", fmt.Errorf("spool archive: %w", err)
	}
	err = c.GitHub.Archive(ctx, repo, &counted{file: file, counter: c.Counter}, c.Limits.Bytes)
	if err = errors.Join(err, file.Close()); err != nil {
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

func (c *crawler) readLocal(ctx context.Context, repo data.Repo) (store.FetchedRepo, error) {
	path, archived, _ := c.locate(repo)
	open := archive.OpenDir
	if archived {
		open = archive.Open
	}
	tree, err := open(path, c.Limits)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	repo.Commit = tree.Commit()
	key := data.RepoKey(repo.ID)
	return c.read(ctx, store.FetchedRepo{Asked: key, Repo: repo, Attempt: store.AttemptOf(key, repo.Commit, Version, nil)}, tree)
}

// read finds the skills of an opened repository and closes it.
func (c *crawler) read(ctx context.Context, fetched store.FetchedRepo, tree archive.Tree) (_ store.FetchedRepo, err error) {
	defer func() { err = errors.Join(err, tree.Close()) }()
	found, err := discover.Read(ctx, fetched.Repo, tree, func(_ string, content []byte) error {
		fetched.Blobs = append(fetched.Blobs, c.corpus.Pack(content))
		return nil
	})
	if err != nil {
		return store.FetchedRepo{}, fmt.Errorf("read %s: %w", fetched.Repo.ID, err)
	}
	fetched.Changed, fetched.Skills, fetched.Repo.Tree, fetched.Findings = true, found.Skills, found.Tree, found.Findings
	for _, sub := range found.Submodules {
		fetched.Submodules = append(fetched.Submodules, store.Submodule(sub))
	}
	fetched.Partial = slices.ContainsFunc(found.Findings, func(f data.Finding) bool { return f.Rule == archive.RuleCut })
	c.Log.Debug("fetched", "stage", store.StageCrawl, "key", fetched.Repo.ID, "class", data.OutcomeOK, "skills", len(found.Skills))
	return fetched, nil
}
