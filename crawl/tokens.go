package crawl

import (
	"context"
	"errors"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
	"skillcorpus/store"
)

// withoutToken is the input of an attempt that was limited where a token would have had a budget of its own. The first
// run with a token does not wait for it.
const withoutToken = "without a token"

// tokens returns how many tokens this run has.
func (c *crawler) tokens() int {
	if c.GitHub == nil {
		return 0
	}
	return c.GitHub.Tokens()
}

// release makes due what only a run without a token had to wait for.
func (c *crawler) release(ctx context.Context) error {
	if c.tokens() == 0 {
		return nil
	}
	return c.corpus.Release(ctx, store.StageCrawl, withoutToken)
}

// judgeToken notes what the tokens, or that there were none, have to do with the end of an attempt.
func (c *crawler) judgeToken(attempt *store.Attempt, repo data.Repo, err error) {
	switch {
	case errors.Is(err, polite.ErrBadToken):
		c.refused.Add(1)
	case attempt.Outcome == data.OutcomeLimited && repo.Host == data.HostGitHub && c.tokens() == 0:
		attempt.Input = withoutToken
		c.tokenless.Store(true)
	}
}
