package crawl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/discover"
	"skillcorpus/data"
	"skillcorpus/store"
)

// fetch brings one repository up to date: facts, then, if its head moved, its archive and the skills in it.
func (c *crawler) fetch(ctx context.Context, due store.DueRepo) (store.FetchedRepo, error) {
	if err := c.denied.check(due.Repo); err != nil {
		return store.FetchedRepo{}, err
	}
	if due.Host == data.HostDir {
		return c.readLocal(ctx, due.Repo)
	}
	host, err := c.hostOf(due.Repo)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	repo, unchanged, err := c.facts(ctx, host, due)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	if err := c.denied.check(repo); err != nil {
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
	if unchanged && repo.ID == due.ID { // under another name its skills have other ids, so they are read again
		return fetched, nil
	}
	defer c.unless(&fetched.Changed, repo.ID)()
	tree, done, err := c.open(ctx, host, &fetched.Repo)
	if err != nil {
		return store.FetchedRepo{}, err
	}
	defer done()
	fetched.Attempt.Input = fetched.Repo.Commit
	if fetched.Repo.Commit == "" { // where the host does not tell the head, its archive does
		fetched.Repo.Commit = tree.Commit()
		fetched.Attempt.Input = tree.Commit()
	}
	fetched, err = c.read(ctx, fetched, tree)
	fetched.Changed = err == nil
	return fetched, err
}

// closed returns the limit that keeps a repository of GitHub from being brought up to date: that of the API, or, if
// its archive is needed in any case, that of the archives' host. Asking the API for it would only spend requests
// that a later run needs.
func (c *crawler) closed(known data.Repo) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known.Host != data.HostGitHub {
		return nil
	}
	for _, limit := range []*data.ItemError{c.limits.api, c.limits.archives} {
		if limit != nil && c.Now().Before(limit.RetryAt) && (limit == c.limits.api || known.Commit == "") {
			return limit
		}
	}
	return nil
}

// remember keeps a limit that one of GitHub's hosts told.
func (c *crawler) remember(told **data.ItemError, err error) {
	if item, ok := errors.AsType[*data.ItemError](err); ok && item.Outcome == data.OutcomeLimited {
		c.mu.Lock()
		defer c.mu.Unlock()
		*told = item
	}
}

// isAlias reports whether asked is only another name of a repository whose content this pass has taken on, or the
// corpus has, under its canonical name. Otherwise this pass takes it on now.
func (c *crawler) isAlias(ctx context.Context, asked string, repo data.Repo) (bool, error) {
	key := data.RepoKey(repo.ID)
	if key != asked {
		stored, ok, err := c.corpus.Repo(ctx, repo.ID)
		if err != nil {
			return false, ourFault{err}
		}
		if ok && data.RepoKey(stored.ID) == key && repo.Commit != "" && stored.Commit == repo.Commit {
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

// read finds the skills of an opened repository and closes it.
func (c *crawler) read(ctx context.Context, fetched store.FetchedRepo, tree archive.Tree) (_ store.FetchedRepo, err error) {
	defer func() { err = errors.Join(err, tree.Close()) }()
	if err := c.weighTree(ctx, fetched.Repo.ID, tree.Entries()); err != nil {
		return store.FetchedRepo{}, err
	}
	found, err := discover.Read(ctx, fetched.Repo, tree, func(_ string, content []byte) error {
		fetched.Blobs = append(fetched.Blobs, c.corpus.Pack(content))
		return nil
	})
	if err != nil {
		return store.FetchedRepo{}, fmt.Errorf("read %s: %w", fetched.Repo.ID, err)
	}
	if err := c.addInstallers(found, fetched.Blobs); err != nil {
		return store.FetchedRepo{}, fmt.Errorf("read %s: %w", fetched.Repo.ID, err)
	}
	fetched.Changed, fetched.Skills, fetched.Repo.Tree, fetched.Findings = true, found.Skills, found.Tree, found.Findings
	c.denied.drop(&fetched)
	c.Counter.Skills.Add(int64(len(fetched.Skills)))
	for _, sub := range found.Submodules {
		fetched.Submodules = append(fetched.Submodules, store.Submodule(sub))
	}
	fetched.Partial = slices.ContainsFunc(found.Findings, func(f data.Finding) bool { return f.Rule == archive.RuleCut })
	c.Log.Debug("fetched", "stage", store.StageCrawl, "key", fetched.Repo.ID, "class", data.OutcomeOK, "skills", len(found.Skills))
	return fetched, nil
}
