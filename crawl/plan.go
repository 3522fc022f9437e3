package crawl

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"skillcorpus/crawl/github"
	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// Plan is an estimate of what the repositories that are due will cost. Sources are no part of it, nor what is denied,
// nor what of the repositories that were read before has changed: a request each on top.
type Plan struct {
	Repos int            `json:"repos"` // due
	New   int            `json:"new"`   // of these: their content is due in any case
	Due   map[string]int `json:"due"`   // Repos by the host that has them
	Hosts []HostPlan     `json:"hosts"` // that are asked
	Hours float64        `json:"hours"` // until the slowest host is through; the others are asked meanwhile
}

// HostPlan is the part of one host.
type HostPlan struct {
	Host     string  `json:"host"`
	Requests int     `json:"requests"`
	Hours    float64 `json:"hours"` // by the pace, or by the host's quota where that is slower
}

// Requests an hour that GitHub's API grants (FACTS.md 4).
const (
	anonymousQuota = 60
	tokenQuota     = 5000
)

const planPage = 1000 // repositories read at a time

// plan tells what is due.
func (c *crawler) plan(ctx context.Context) error {
	if c.Planned == nil {
		return nil
	}
	plan := Plan{Due: map[string]int{}}
	requests, fresh := map[string]int{}, 0 // fresh: at GitHub, whose content is due in any case
	for after := ""; ; {
		page, err := c.corpus.DueRepos(ctx, Version, c.start, c.MaxAge, after, planPage)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		after = data.RepoKey(page[len(page)-1].ID)
		for _, due := range page {
			ours, err := c.within(ctx, due.Repo)
			if err != nil {
				return err
			}
			if !ours || c.denied.check(due.Repo) != nil {
				continue
			}
			plan.Repos++
			plan.Due[due.Host]++
			isNew := known(due).Commit == ""
			if isNew {
				plan.New++
			}
			if due.Host != data.HostGitHub {
				requests[due.Host] += c.requests(known(due))
			} else if isNew {
				fresh++
			}
		}
	}
	c.planGitHub(requests, plan.Due[data.HostGitHub], fresh)
	for _, host := range slices.Sorted(maps.Keys(requests)) {
		if requests[host] == 0 {
			continue
		}
		part := HostPlan{Host: host, Requests: requests[host], Hours: float64(requests[host]) / c.hourly(host)}
		plan.Hosts = append(plan.Hosts, part)
		plan.Hours = max(plan.Hours, part.Hours)
	}
	c.Planned(plan)
	return nil
}

// requests estimates what a repository beside GitHub costs.
func (c *crawler) requests(known data.Repo) int {
	host, ok := c.Hosts.of(known.Host)
	estimator, estimates := host.(Estimator)
	switch {
	case !ok:
		return 0 // a local one, or one that nobody can fetch
	case estimates:
		return estimator.Requests(known)
	case known.Commit == "":
		return 2
	}
	return 1
}

// planGitHub adds what repositories at GitHub cost, so many of them with content that is due in any case.
func (c *crawler) planGitHub(requests map[string]int, repos, fresh int) {
	api, archives := c.GitHub.Hosts()
	facts := repos + fresh // and heads
	if c.GitHub.Tokens() > 0 {
		facts = (repos + github.FactsAtATime - 1) / github.FactsAtATime
	}
	requests[api] += facts
	requests[archives] += fresh
}

// hourly returns how many requests an hour a host gets: by the pace, or by GitHub's quota where that is less.
func (c *crawler) hourly(host string) float64 {
	pace := cmp.Or(c.Pace, polite.DefaultRequestsPerSecond) * time.Hour.Seconds()
	if api, _ := c.GitHub.Hosts(); host != api || c.GitHub.Loopback() {
		return pace
	}
	return min(pace, float64(max(anonymousQuota, c.GitHub.Tokens()*tokenQuota)))
}
