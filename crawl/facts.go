package crawl

import (
	"context"
	"errors"

	"skillcorpus/crawl/github"
	"skillcorpus/data"
	"skillcorpus/store"
)

// known returns what the host may take as known of a repository: of one whose content is due in any case, its name.
func known(due store.DueRepo) data.Repo {
	repo := due.Repo
	if due.Outdated {
		repo.Commit, repo.ETag = "", ""
	}
	return repo
}

// facts returns the facts of a repository, those that were asked for beforehand or what its host says now.
func (c *crawler) facts(ctx context.Context, host Host, due store.DueRepo) (repo data.Repo, unchanged bool, err error) {
	c.mu.Lock()
	told, ok := c.told[due.Name]
	delete(c.told, due.Name)
	c.mu.Unlock()
	if ok && due.Host == data.HostGitHub {
		return told.Repo, told.Unchanged, told.Err
	}
	repo = known(due)
	if err := c.closed(repo); err != nil {
		return data.Repo{}, false, err
	}
	repo, unchanged, err = host.Repository(ctx, due.Name, repo)
	if due.Host == data.HostGitHub {
		c.remember(&c.limits.api, err)
	}
	return repo, unchanged, err
}

// askTogether asks for the facts of a page of due repositories before the workers take them, where that is cheaper
// than asking for each. What it does not learn the workers ask for one by one, and meet what it met.
func (c *crawler) askTogether(ctx context.Context, page []store.DueRepo) error {
	var repos []data.Repo
	for _, due := range page {
		if repo := known(due); due.Host == data.HostGitHub && c.denied.check(repo) == nil {
			repos = append(repos, repo)
		}
	}
	if len(repos) < 2 {
		return nil
	}
	told, err := c.GitHub.Repositories(ctx, repos)
	c.remember(&c.limits.api, err)
	if item, ok := errors.AsType[*data.ItemError](err); ok {
		c.Log.Debug("facts", "stage", store.StageCrawl, "class", item.Outcome, "err", item)
	} else if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, facts := range told {
		c.told[name] = facts
	}
	return nil
}

type told = map[string]github.Facts // by the name that the repository is stored under
