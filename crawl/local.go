package crawl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
	"skillcorpus/store"
)

func (c *crawler) locate(repo data.Repo) (path string, archived, ok bool) {
	if repo.Host != data.HostDir || c.Locate == nil {
		return "", false, false
	}
	return c.Locate(repo.Name)
}

// within reports whether this run can say anything of a repository: all but local ones of folders that it was not
// given.
func (c *crawler) within(ctx context.Context, repo data.Repo) (bool, error) {
	if repo.Host != data.HostDir {
		return true, nil
	}
	if _, _, ok := c.locate(repo); ok {
		return true, nil
	}
	if c.missing == nil {
		if err := c.findMissing(ctx); err != nil {
			return false, err
		}
	}
	return c.missing[data.RepoKey(repo.ID)] != "", nil
}

// findMissing finds the local repositories that only this run's sources ever listed and that none of them has now.
func (c *crawler) findMissing(ctx context.Context) error {
	c.missing = map[string]string{}
	listings, err := c.corpus.Listings(ctx)
	if err != nil {
		return err
	}
	given := map[string]bool{}
	for _, src := range c.Sources {
		given[src.Name()] = true
	}
	for key, rows := range listings {
		if !strings.HasPrefix(key, data.HostDir+":") {
			continue
		}
		for _, row := range rows {
			if !given[row.Source] {
				delete(c.missing, key)
				break
			}
			c.missing[key] = row.Source
		}
	}
	return nil
}

// readLocal reads a folder or archive on this machine, which is never taken as unchanged.
func (c *crawler) readLocal(ctx context.Context, repo data.Repo) (store.FetchedRepo, error) {
	path, archived, ok := c.locate(repo)
	if !ok {
		return store.FetchedRepo{}, c.local(&data.ItemError{Outcome: data.OutcomeGone, Reason: "no longer in " + c.missing[data.RepoKey(repo.ID)]})
	}
	open := archive.OpenDir
	if archived {
		open = archive.Open
	}
	tree, err := open(path, c.Limits)
	if err != nil {
		return store.FetchedRepo{}, c.local(err)
	}
	repo.Commit = tree.Commit()
	key := data.RepoKey(repo.ID)
	var fetched store.FetchedRepo
	defer c.unless(&fetched.Changed, repo.ID)()
	fetched, err = c.read(ctx, store.FetchedRepo{Asked: key, Repo: repo, Attempt: store.AttemptOf(key, repo.Commit, Version, nil)}, tree)
	fetched.Changed = err == nil
	return fetched, c.local(err)
}

// local classes an error about something on this machine. Looking again costs nothing, so that every run does.
func (c *crawler) local(err error) error {
	item, isItem := errors.AsType[*data.ItemError](err)
	_, ofFile := errors.AsType[*fs.PathError](err)
	again := data.ItemError{Reason: "cannot be read", Err: err, RetryAt: c.Now()}
	switch {
	case isItem:
		again.Outcome, again.Reason, again.Err = item.Outcome, item.Reason, item.Err
	case errors.Is(err, fs.ErrNotExist):
		again.Outcome = data.OutcomeGone
	case errors.Is(err, fs.ErrPermission):
		again.Outcome = data.OutcomeForbidden
	case ofFile:
		again.Outcome = data.OutcomeMalformed
	default:
		return err
	}
	return fmt.Errorf("read folder: %w", &again)
}
