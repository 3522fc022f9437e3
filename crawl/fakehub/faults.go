package fakehub

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// engine decides which rule of a script acts on which request.
type engine struct {
	seed  uint64
	index *index
	now   func() time.Time

	mu     sync.Mutex
	rules  []*compiled
	limits map[string]exhausted // by host
}

// compiled is a rule with its globs compiled and its requests counted.
type compiled struct {
	Rule
	number int
	path   *regexp.Regexp // nil matches everything
	repo   *regexp.Regexp
	seen   map[string]int // by request
}

// exhausted is a limit that has fired.
type exhausted struct {
	action *Action
	until  time.Time
}

// newEngine checks a script against the hub, and gives repositories the states that no request has to wait for.
func newEngine(script *Script, x *index, now func() time.Time) (*engine, error) {
	e := &engine{seed: script.Seed, index: x, now: now, limits: make(map[string]exhausted)}
	targets := make(map[string]bool)
	for i, r := range script.Rules {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		if r.Match.Repo != "" && !strings.Contains(r.Match.Repo, "*") && x.named(r.Match.Repo) == nil {
			return nil, fmt.Errorf("rule %d: match.repo: the hub has no %s", i+1, r.Match.Repo)
		}
		if to := strings.ToLower(r.Do.RenameTo); to != "" {
			if targets[to] || x.named(to) != nil {
				return nil, fmt.Errorf("rule %d: do.rename_to: %s is taken", i+1, r.Do.RenameTo)
			}
			targets[to] = true
		}
		e.rules = append(e.rules, &compiled{
			Rule: r, number: i, path: glob(r.Match.Path, ""), repo: glob(r.Match.Repo, "(?i)"), seen: make(map[string]int),
		})
	}
	for _, r := range e.rules {
		e.applyAtOnce(r)
	}
	return e, nil
}

// glob compiles a pattern in which `*` is any run of characters; an empty one gives nil.
func glob(pattern, flags string) *regexp.Regexp {
	if pattern == "" {
		return nil
	}
	return regexp.MustCompile(flags + "^(?s:" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + ")$")
}

func (e *engine) applyAtOnce(r *compiled) {
	m := r.Match
	if r.Do.states() == 0 || m.Host != "" || m.Path != "" || m.Method != "" || len(m.Nth) > 0 || m.Every > 0 {
		return
	}
	for _, repo := range e.index.repos {
		if (r.repo == nil || r.repo.MatchString(repo.Repo)) && e.drawn(r, strings.ToLower(repo.Repo), 0) {
			e.apply(r.Do, repo)
		}
	}
}

// fire counts a request against all rules and returns what is to be done with it, nil for nothing. While a host's
// limit is exhausted no rule sees its requests.
func (e *engine) fire(host string, r *http.Request, t target) *Action {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l, ok := e.limits[host]; ok && e.now().Before(l.until) {
		return l.action
	}
	key := r.Method + " " + host + " " + r.URL.RequestURI()
	var action *Action
	for _, rule := range e.rules {
		if !rule.matches(host, r, t) {
			continue
		}
		rule.seen[key]++
		switch n := rule.seen[key]; {
		case !rule.counted(n):
		case rule.Do.states() > 0:
			if t.repo != nil && e.drawn(rule, strings.ToLower(t.repo.Repo), 0) {
				e.apply(rule.Do, t.repo)
			}
		case action == nil && e.drawn(rule, key, n):
			action = &rule.Do
		}
	}
	if action != nil && action.Limit != nil {
		e.limits[host] = exhausted{action: action, until: e.now().Add(action.Limit.Reset)}
	}
	return action
}

func (c *compiled) matches(host string, r *http.Request, t target) bool {
	m := c.Match
	name := t.asked
	if t.repo != nil {
		name = t.repo.Repo
	}
	address := r.URL.Path
	if strings.Contains(m.Path, "?") {
		address = r.URL.RequestURI()
	}
	return (m.Host == "" || m.Host == host) &&
		(m.Method == "" || m.Method == r.Method) &&
		(c.repo == nil || name != "" && c.repo.MatchString(name)) &&
		(c.path == nil || c.path.MatchString(address))
}

// counted reports whether the n-th request of its kind is one that the rule means.
func (c *compiled) counted(n int) bool {
	return (len(c.Match.Nth) == 0 || slices.Contains(c.Match.Nth, n)) && (c.Match.Every == 0 || n%c.Match.Every == 0)
}

// drawn decides by the rule's probability. The draw depends on nothing but seed, rule, key and count.
func (e *engine) drawn(c *compiled, key string, n int) bool {
	if c.Match.Probability == 0 {
		return true
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%s\x00%d", e.seed, c.number, key, n))
	const bits = 53 // a float64's
	return float64(binary.BigEndian.Uint64(sum[:8])>>(64-bits))/(1<<bits) < c.Match.Probability
}

func (e *engine) apply(a Action, r *repository) {
	if a.RenameTo != "" {
		e.index.rename(r, a.RenameTo)
		return
	}
	r.change(func(s *state) {
		s.vanished = s.vanished || a.Vanish
		s.empty = s.empty || a.Empty
		if a.Block != "" {
			s.blocked = a.Block
		}
	})
}

// limited is a host's answer while a limit is exhausted.
func (e *engine) limited(s *server, r *http.Request, l Limit) answer {
	e.mu.Lock()
	until := e.limits[s.name].until
	e.mu.Unlock()
	left := max(0, until.Sub(e.now()))
	var reply answer
	if own, ok := s.host.(refuser); ok {
		reply = own.refuse(r, l, until, left)
	} else {
		reply = plain(http.StatusTooManyRequests, "Too Many Requests")
		reply.header = map[string]string{"Retry-After": seconds(left)}
	}
	if l.Silent {
		reply.header = nil
	}
	reply.status = cmp.Or(l.Status, reply.status)
	return reply
}
