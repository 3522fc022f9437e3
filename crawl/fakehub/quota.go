package fakehub

import (
	"sync"
	"time"
)

// Quota is a number of requests in a window of time; 0 is no limit.
type Quota struct {
	Anonymous int // without credentials
	Keyed     int // for each set of credentials
}

// Quotas are the limits of the hosts that a hub plays. The zero value has none.
type Quotas struct {
	GitHubHour     Quota
	GraphQLHour    Quota // in points
	SkillsMPDay    Quota // reset at 00:00 UTC
	SkillsMPMinute Quota
	SkillsSHMinute Quota
	ClawHubMinute  Quota

	ClawHubDownloads Quota // a minute

	CodeSearchMinute Quota // at GitHub
	RepoSearchMinute Quota
}

// named returns each quota by its name in a fault script.
func (q *Quotas) named() map[string]*Quota {
	return map[string]*Quota{
		"github_hour":     &q.GitHubHour,
		"graphql_hour":    &q.GraphQLHour,
		"skillsmp_day":    &q.SkillsMPDay,
		"skillsmp_minute": &q.SkillsMPMinute,
		"skillssh_minute": &q.SkillsSHMinute,
		"clawhub_minute":  &q.ClawHubMinute,

		"clawhub_downloads": &q.ClawHubDownloads,

		"code_search_minute": &q.CodeSearchMinute,
		"repo_search_minute": &q.RepoSearchMinute,
	}
}

// RealQuotas returns the figures of the real hosts as their documentation and people who tested them tell.
func RealQuotas() Quotas {
	return Quotas{
		GitHubHour:     Quota{Anonymous: 60, Keyed: 5000},
		GraphQLHour:    Quota{Keyed: 5000}, // nobody asks without a token
		SkillsMPDay:    Quota{Anonymous: 50, Keyed: 500},
		SkillsMPMinute: Quota{Anonymous: 10, Keyed: 30},
		SkillsSHMinute: Quota{Anonymous: 60, Keyed: 600},
		ClawHubMinute:  Quota{Anonymous: 3000, Keyed: 12000},

		ClawHubDownloads: Quota{Anonymous: 1200, Keyed: 6000},

		CodeSearchMinute: Quota{Keyed: 10}, // neither answers without a token here
		RepoSearchMinute: Quota{Keyed: 30},
	}
}

// quota counts requests in windows of fixed length that start with a caller's first request, or with the day.
type quota struct {
	limits Quota
	window time.Duration
	mu     sync.Mutex
	used   map[string]usage // by credentials; empty for callers without
}

// usage is how far one caller is.
type usage struct {
	limit int
	used  int
	reset time.Time
}

func newQuota(limits Quota, window time.Duration) *quota {
	return &quota{limits: limits, window: window, used: make(map[string]usage)}
}

// remaining never falls to 0 where there is no limit.
func (u usage) remaining() int {
	if u.limit == unlimited {
		return max(1, u.limit-u.used)
	}
	return max(0, u.limit-u.used)
}

// unlimited is what the headers say where there is no limit.
const unlimited = 1_000_000

// take counts one request, and reports false when the caller has used up the window.
func (q *quota) take(caller string, now time.Time) (usage, bool) { return q.takeSome(caller, 1, now) }

// takeSome counts a cost; the last one may go over what is left, as in GitHub's GraphQL.
func (q *quota) takeSome(caller string, cost int, now time.Time) (usage, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.current(caller, now)
	if u.remaining() == 0 {
		return u, false
	}
	u.used += cost
	q.used[caller] = u
	return u, true
}

// giveBack undoes one take.
func (q *quota) giveBack(caller string, now time.Time) usage {
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.current(caller, now)
	u.used = max(0, u.used-1)
	q.used[caller] = u
	return u
}

// look returns a caller's usage and counts nothing.
func (q *quota) look(caller string, now time.Time) usage {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.current(caller, now)
}

// current returns the usage of the running window. It is called with the lock held.
func (q *quota) current(caller string, now time.Time) usage {
	u, ok := q.used[caller]
	if ok && now.Before(u.reset) {
		return u
	}
	u = usage{limit: q.limits.Keyed, reset: now.Add(q.window)}
	if caller == "" {
		u.limit = q.limits.Anonymous
	}
	if u.limit == 0 {
		u.limit = unlimited
	}
	if q.window == day {
		u.reset = now.UTC().Truncate(day).Add(day)
	}
	return u
}

const day = 24 * time.Hour

// of returns the figure for callers with or without credentials.
func (q Quota) of(keyed bool) int {
	if keyed {
		return q.Keyed
	}
	return q.Anonymous
}
