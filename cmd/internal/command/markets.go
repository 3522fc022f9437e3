package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/githubsearch"
	"skillcorpus/crawl/source/marketplace"
)

// marketplace opens `--source marketplace:ARGUMENT`: a file if there is one of that name, else a repository.
func (e *environment) marketplace(argument string, at hosts, requests float64) (source.Source, error) {
	warn := func(line string) { e.Warn("%s", line) }
	if info, err := os.Stat(argument); err == nil && info.Mode().IsRegular() {
		return marketplace.File(argument, warn), readable(argument)
	}
	market, err := marketplace.New(argument, marketplace.Config{
		RawURL: at.raw, UserAgent: e.userAgent(), RequestsPerSecond: pace(at.raw, requests), Now: e.now, Warn: warn, Logger: e.logger(),
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("--source marketplace:%s: neither a file that is there nor OWNER/REPO", argument)}
	}
	return market, nil
}

// githubSearch opens `--source github[:QUERY]`. It asks with the first token, since a search has limits of its own.
func (e *environment) githubSearch(query string, at hosts, requests float64) (source.Source, error) {
	tokens := fields(cmp.Or(e.setting("GITHUB_TOKEN", ""), e.getenv("GITHUB_TOKEN")))
	if len(tokens) == 0 {
		return nil, usageError{errors.New("--source github: GitHub's search wants a token in SKILLCORPUS_GITHUB_TOKEN")}
	}
	return githubsearch.New(query, githubsearch.Config{
		APIURL: at.api, Token: tokens[0], UserAgent: e.userAgent(), RequestsPerSecond: pace(at.api, requests), Now: e.now, Logger: e.logger(),
	})
}
