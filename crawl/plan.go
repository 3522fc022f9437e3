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

// Plan is an estimate of what the repositories that are due will cost. Sources are no part of it, nor what of the
// repositories that were read before has changed: a request each on top.
type Plan struct {
	Repos int        `json:"repos"` // due
	New   int        `json:"new"`   // of these: their content is due in any case
	Hosts []HostPlan `json:"hosts"`
	Hours float64    `json:"hours"` // until the slowest host is through; the others are asked meanwhile
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

// plan tells what is due.
func (c *crawler) plan(ctx context.Context) error {
	if c.Planned == nil {
		return nil
	}
	due, err := c.corpus.DueByHost(ctx, Version, c.start, c.MaxAge)
	if err != nil {
		return err
	}
	var plan Plan
	requests, quota := map[string]int{}, map[string]float64{}
	api, archives := c.GitHub.Hosts()
	for _, d := range due {
		plan.Repos += d.Known + d.New
		plan.New += d.New
		switch tokens := c.GitHub.Tokens(); {
		case d.Host == data.HostDir:
		case d.Host != data.HostGitHub:
			requests[d.Host] += d.Known + 2*d.New
		case tokens > 0:
			quota[api] = float64(tokens * tokenQuota)
			requests[api] += (d.Known + d.New + github.FactsAtATime - 1) / github.FactsAtATime
			requests[archives] += d.New
		default:
			quota[api] = anonymousQuota
			requests[api] += d.Known + 2*d.New // facts and head
			requests[archives] += d.New
		}
	}
	pace := cmp.Or(c.Pace, polite.DefaultRequestsPerSecond) * time.Hour.Seconds()
	for _, host := range slices.Sorted(maps.Keys(requests)) {
		hourly := pace
		if q := quota[host]; q > 0 && !c.GitHub.Loopback() {
			hourly = min(hourly, q)
		}
		part := HostPlan{Host: host, Requests: requests[host], Hours: float64(requests[host]) / hourly}
		plan.Hosts = append(plan.Hosts, part)
		plan.Hours = max(plan.Hours, part.Hours)
	}
	c.Planned(plan)
	return nil
}
