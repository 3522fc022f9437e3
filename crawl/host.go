package crawl

import (
	"context"
	"io"
	"strings"

	"skillcorpus/data"
)

// Host is where repositories lie: it tells the facts of one and gives its files as one archive. The client of
// GitHub is one; registries that keep skills themselves are others.
type Host interface {
	// Repository returns the facts of the repository called name. known is what is stored of it: its ID, Host and
	// Name are always set, so that one Host can answer for many origins; Commit and ETag are empty where the
	// content is due in any case. The result has ID, Host and Name, in the host's own spelling, and as Commit
	// whatever changes with the content: a commit, a version, a digest. unchanged means that known's content is
	// still the current one. Errors are *data.ItemError, or ctx's own.
	Repository(ctx context.Context, name string, known data.Repo) (repo data.Repo, unchanged bool, err error)

	// Archive copies the files of repo at its Commit to to, as one zip or tar.gz of at most maxBytes bytes. GitHub's
	// has one wrapper folder around all files; every other host's has none. Errors are *data.ItemError (too_large
	// over maxBytes), ctx's own, or those of to.
	Archive(ctx context.Context, repo data.Repo, to io.Writer, maxBytes int64) error
}

// Estimator is a Host that knows beforehand how many requests a repository will take, given what is known of it, as
// Repository is. It asks nothing.
type Estimator interface {
	Host
	Requests(known data.Repo) int
}

// Hosts are the hosts beside GitHub and local folders, by data.Repo.Host (`clawhub`). Where that is a URL
// (`https://example.org`) and has no entry of its own, the one of its scheme counts: `https://`, `http://`.
type Hosts map[string]Host

func (h Hosts) of(name string) (Host, bool) {
	if host, ok := h[name]; ok {
		return host, true
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		host, ok := h[scheme+"://"]
		return host, ok
	}
	return nil, false
}

// hostOf returns the host that a repository is fetched from.
func (c *crawler) hostOf(repo data.Repo) (Host, error) {
	if repo.Host == data.HostGitHub {
		return c.GitHub, nil
	}
	if host, ok := c.Hosts.of(repo.Host); ok {
		return host, nil
	}
	return nil, &data.ItemError{Outcome: data.OutcomeForbidden, Reason: "repositories at " + repo.Host + " cannot be fetched"}
}
