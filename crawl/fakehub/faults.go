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
	limits map[limitKey]exhausted
}

// limitKey is what a limit holds for: one caller at one host. A primary one holds for one resource, a secondary one for
// all of them.
type limitKey struct{ host, caller, resource string }

const allResources = "*"

// keysOf are the limits that a request may be under.
func keysOf(host string, r *http.Request, t target) (primary, secondary limitKey) {
	primary = limitKey{host, callerOf(r), resourceCore}
	if t.endpoint == endpointGraphQL {
		primary.resource = resourceGraphQL
	}
	return primary, limitKey{host, primary.caller, allResources}
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
	e := &engine{index: x, now: now}
	return e, e.load(script)
}

// load puts a script in the place of the one before. States that this one has given stay.
func (e *engine) load(script *Script) error {
	rules, err := compile(script, e.index)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seed, e.rules, e.limits = script.Seed, rules, make(map[limitKey]exhausted)
	for _, r := range rules {
		if err := e.applyAtOnce(r); err != nil {
			return fmt.Errorf("rule %d: %w", r.number+1, err)
		}
	}
	return nil
}

func compile(script *Script, x *index) ([]*compiled, error) {
	var rules []*compiled
	targets := make(map[string]bool)
	for i, r := range script.Rules {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		if r.Match.Repo != "" && !strings.Contains(r.Match.Repo, "*") && x.named(r.Match.Repo) == nil {
			return nil, fmt.Errorf("rule %d: match.repo: the hub has no %s", i+1, r.Match.Repo)
		}
		if to := strings.ToLower(r.Do.RenameTo); to != "" && !strings.Contains(to, "{") {
			if taken := x.named(to); targets[to] || taken != nil && taken != x.named(r.Match.Repo) {
				return nil, fmt.Errorf("rule %d: do.rename_to: %s is taken", i+1, r.Do.RenameTo)
			}
			targets[to] = true
		}
		rules = append(rules, &compiled{
			Rule: r, number: i, path: glob(r.Match.Path, ""), repo: glob(r.Match.Repo, "(?i)"), seen: make(map[string]int),
		})
	}
	return rules, nil
}

// glob compiles a pattern in which `*` is any run of characters; an empty one gives nil.
func glob(pattern, flags string) *regexp.Regexp {
	if pattern == "" {
		return nil
	}
	return regexp.MustCompile(flags + "^(?s:" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + ")$")
}

// applyAtOnce gives the states of a rule that waits for no request.
func (e *engine) applyAtOnce(r *compiled) error {
	if !r.given() {
		return nil
	}
	var meant []*repository
	for _, repo := range e.index.repos {
		if (r.repo == nil || r.repo.MatchString(repo.Repo)) && e.drawn(r, strings.ToLower(repo.Repo), 0) {
			meant = append(meant, repo)
		}
	}
	if r.Match.Pick > 0 {
		meant = e.pick(r, meant)
	}
	for _, repo := range meant {
		if err := e.apply(r.Do, repo); err != nil {
			return err
		}
	}
	return nil
}

// pick draws some of the repositories that have no state yet; for padding only those where it can lie outside a skill.
func (e *engine) pick(r *compiled, list []*repository) []*repository {
	list = slices.DeleteFunc(list, func(repo *repository) bool {
		return !repo.current().none() || r.Do.Pad > 0 && repo.skillAtRoot()
	})
	order := func(repo *repository) float64 { return e.draw(r, strings.ToLower(repo.Repo), 0).share }
	slices.SortFunc(list, func(a, b *repository) int { return cmp.Compare(order(a), order(b)) })
	return list[:min(r.Match.Pick, len(list))]
}

// fire counts a request against all rules and returns what is to be done with it, nil for nothing. While a host's
// limit is exhausted no rule sees its requests.
func (e *engine) fire(host string, r *http.Request, t target) *Action {
	e.mu.Lock()
	defer e.mu.Unlock()
	primary, secondary := keysOf(host, r, t)
	for _, key := range []limitKey{primary, secondary} {
		if l, ok := e.limits[key]; ok && e.now().Before(l.until) {
			return l.action
		}
	}
	key := r.Method + " " + host + " " + r.URL.RequestURI() + t.body
	var action *Action
	for _, rule := range e.rules {
		if rule.given() || !rule.matches(host, r, t) {
			continue
		}
		rule.seen[key]++
		switch n := rule.seen[key]; {
		case !rule.counted(n):
		case rule.Do.states() > 0:
			if t.repo != nil && e.drawn(rule, strings.ToLower(t.repo.Repo), 0) {
				_ = e.apply(rule.Do, t.repo) // only an edit can fail, and none waits for a request
			}
		case action == nil && e.drawn(rule, key, n):
			action = &rule.Do
			if rule.Do.Fault != "" {
				action = e.fault(rule, host, t, key, n)
			}
		}
	}
	if action != nil && action.Limit != nil {
		held := primary
		if action.Limit.Kind == limitSecondary {
			held = secondary
		}
		e.limits[held] = exhausted{action: action, until: e.now().Add(action.Limit.Reset)}
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

// given reports that the rule's states wait for no request: they are given as the script is loaded.
func (c *compiled) given() bool { return c.Do.states() > 0 && c.Match.always() }

// counted reports whether the n-th request of its kind is one that the rule means.
func (c *compiled) counted(n int) bool {
	return (len(c.Match.Nth) == 0 || slices.Contains(c.Match.Nth, n)) && (c.Match.Every == 0 || n%c.Match.Every == 0)
}

// drawn decides by the rule's probability.
func (e *engine) drawn(c *compiled, key string, n int) bool {
	return c.Match.Probability == 0 || e.draw(c, key, n).share < c.Match.Probability
}

// chance is what a draw decides about one request or repository.
type chance struct {
	share float64 // 0..1, to compare with a probability
	kind  uint32
	place uint32
}

// draw depends on nothing but seed, rule, key and count.
func (e *engine) draw(c *compiled, key string, n int) chance {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%s\x00%d", e.seed, c.number, key, n))
	const bits = 53 // a float64's
	return chance{
		share: float64(binary.BigEndian.Uint64(sum[:8])>>(64-bits)) / (1 << bits),
		kind:  binary.BigEndian.Uint32(sum[8:12]),
		place: binary.BigEndian.Uint32(sum[12:16]),
	}
}

// apply gives a repository a state.
func (e *engine) apply(a Action, r *repository) error {
	if a.RenameTo != "" {
		to := filledName(a.RenameTo, r.Repo)
		if taken := e.index.named(to); taken != nil && taken != r {
			return fmt.Errorf("do.rename_to: %s is taken", to)
		}
		e.index.rename(r, to)
		return nil
	}
	var edited string
	if a.Edit {
		var err error
		if edited, err = r.edited(); err != nil {
			return err
		}
	}
	r.change(func(s *state) {
		s.vanished = s.vanished || a.Vanish
		s.empty = s.empty || a.Empty
		s.padding = cmp.Or(a.Pad, s.padding)
		s.blocked = cmp.Or(a.Block, s.blocked)
		if edited != "" {
			s.edits = append(s.edits[:len(s.edits):len(s.edits)], edited)
		}
	})
	return nil
}

// limited is a host's answer while a limit is exhausted.
func (e *engine) limited(s *server, r *http.Request, t target, l Limit) answer {
	primary, secondary := keysOf(s.name, r, t)
	if l.Kind == limitSecondary {
		primary = secondary
	}
	e.mu.Lock()
	until := e.limits[primary].until
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
