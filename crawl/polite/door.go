package polite

import (
	"errors"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"skillcorpus/data"
)

// host is what is known of one origin.
type host struct {
	name    string
	limiter *rate.Limiter
	tokens  []string

	mu      sync.Mutex
	doors   []door // one for each token, or the one without any
	next    int    // the door that is tried first
	failed  int    // connections in a row that were not even made
	outages int    // of those that closed the host, in a row
	down    wait   // after them
}

// door is the way into a host with one token, or without any.
type door struct {
	all     wait            // after a limit on all that is asked
	budgets map[string]wait // after one on requests of one kind
	strikes int             // limits in a row
	refused *data.ItemError // what was said of a token that is not accepted
}

// wait is a time for which something is left alone.
type wait struct {
	told, until time.Time
	why         string
}

// over reports whether the wait has ended. A clock that was set back does not prolong it.
func (w *wait) over(now time.Time) bool {
	if now.Before(w.told) {
		w.until, w.told = now.Add(w.until.Sub(w.told)), now
	}
	return !now.Before(w.until)
}

func (w *wait) limit() *data.ItemError {
	return &data.ItemError{Outcome: data.OutcomeLimited, Reason: w.why, RetryAt: w.until}
}

// enter returns the door to take, each in its turn; or, where none is open, the limit that ends first, so that nobody
// asks in vain.
func (h *host) enter(budget string, now time.Time) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	number, err := h.open(budget, now)
	if err == nil {
		h.next = number + 1
	}
	return number, err
}

// closed is enter for somebody who has yet to wait for the host's turn.
func (h *host) closed(budget string, now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.open(budget, now)
	return err
}

func (h *host) open(budget string, now time.Time) (int, error) {
	if !h.down.over(now) {
		return 0, h.down.limit()
	}
	var first, refused *data.ItemError
	for i := range h.doors {
		number := (h.next + i) % len(h.doors)
		switch closed := h.doors[number].closed(budget, now); {
		case h.doors[number].refused != nil:
			refused = h.doors[number].refused
		case closed == nil:
			return number, nil
		case first == nil || closed.RetryAt.Before(first.RetryAt):
			first = closed
		}
	}
	if first != nil {
		return 0, first
	}
	return 0, refused
}

// closed returns the limit that a door is under, nil if there is none.
func (d *door) closed(budget string, now time.Time) *data.ItemError {
	if !d.all.over(now) {
		return d.all.limit()
	}
	if w := d.budgets[budget]; !w.over(now) {
		d.budgets[budget] = w
		return w.limit()
	}
	return nil
}

func (h *host) token(number int) string {
	if len(h.tokens) == 0 {
		return ""
	}
	return h.tokens[number]
}

// A host to which so many connections in a row could not be made is left alone for a while: it, or the network, is
// down, and asking on would only turn repositories into failures. The wait doubles from the first to the longest.
const (
	outageAfter = 8
	outageFirst = 5 * time.Second
	outageMost  = 5 * time.Minute
)

// unreached counts a connection that was not made, and returns the limit that it brought about, if it did.
func (h *host) unreached(err error, now time.Time) *data.ItemError {
	dial, isOp := errors.AsType[*net.OpError](err)
	_, isName := errors.AsType[*net.DNSError](err)
	if !isName && (!isOp || dial.Op != "dial" && dial.Op != "proxyconnect") {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed++
	if h.failed < outageAfter && h.outages == 0 || !h.down.over(now) {
		return nil
	}
	length := min(outageFirst<<min(h.outages, 10), outageMost)
	h.outages++
	h.down = wait{told: now, until: now.Add(length), why: h.name + ": cannot be reached"}
	return h.down.limit()
}

func (h *host) reached() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.outages = 0, 0
}

// visit is one request to a host.
type visit struct {
	*host
	door   int
	budget string
	peek   bool
}

// count returns the limits in a row before an answer. What was in flight when the last one was met meets the same.
func (v visit) count(now time.Time) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := &v.doors[v.door]
	if d.closed(v.budget, now) != nil {
		return max(0, d.strikes-1)
	}
	return d.strikes
}

// answered ends a row of limits. A good answer may be the last that the host gives before its reset.
func (v visit) answered(a Answer, latest time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.doors[v.door].strikes = 0
	if reset, ok := a.reset(); ok && a.exhausted() {
		v.shut(wait{a.Now, earlier(reset, latest), v.name + ": no requests remain until the reset"}, true)
	}
}

// limited remembers a limit, for requests of this kind where only their budget is spent, and returns it.
func (v visit) limited(item *data.ItemError, a Answer) *data.ItemError {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := &v.doors[v.door]
	if d.closed(v.budget, a.Now) == nil {
		d.strikes++
	}
	v.shut(wait{a.Now, item.RetryAt, item.Reason}, a.exhausted() && a.Header.Get("Retry-After") == "")
	return item
}

// shut closes a door, or one of its budgets, for longer than it was.
func (v visit) shut(w wait, budget bool) {
	d := &v.doors[v.door]
	if !budget {
		if w.until.After(d.all.until) {
			d.all = w
		}
		return
	}
	if w.until.After(d.budgets[v.budget].until) {
		if d.budgets == nil {
			d.budgets = map[string]wait{}
		}
		d.budgets[v.budget] = w
	}
}

// retire takes a token out of use.
func (v visit) retire(item *data.ItemError) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.doors[v.door].refused = item
}
