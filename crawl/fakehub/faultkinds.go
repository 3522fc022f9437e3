package fakehub

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// anyFault draws among all kinds that fit a request.
const anyFault = "any"

// faultKind is one way in which a request fails at the real hosts.
type faultKind struct {
	name string
	fits func(host, endpoint string) bool
	make func(faultOrder) Action
}

// faultOrder is what a rule leaves to the kind.
type faultOrder struct {
	wait time.Duration // until a limit's reset
	hold time.Duration // of a stalled answer
	now  time.Time
	draw uint32
	host string
}

// What a rule's fault does where the rule says nothing: short, so that a test of thousands of requests ends.
const (
	defaultWait = 2 * time.Second
	defaultHold = 3 * time.Second
)

func everywhere(_, _ string) bool          { return true }
func atAPI(host, _ string) bool            { return host == "api" }
func atREST(host, endpoint string) bool    { return host == "api" && endpoint != endpointGraphQL }
func atGraphQL(host, endpoint string) bool { return host == "api" && endpoint == endpointGraphQL }
func statusFault(name string) func(faultOrder) Action {
	status, _ := strconv.Atoi(name)
	return func(faultOrder) Action {
		return Action{Status: status, Body: "<html><body><h1>" + name + " " + http.StatusText(status) + "</h1></body></html>"}
	}
}

// faultKinds is the catalogue. A 404 that passes is not in it: no client can tell it from a repository that is gone.
func faultKinds() []faultKind {
	return []faultKind{
		{"500", everywhere, statusFault("500")},
		{"502", everywhere, statusFault("502")},
		{"503", everywhere, statusFault("503")},
		{"429-retry-after", everywhere, func(o faultOrder) Action {
			return Action{Status: http.StatusTooManyRequests, Body: "Too Many Requests", Headers: plainHeaders("Retry-After", seconds(o.wait))}
		}},
		{"429-bare", everywhere, func(faultOrder) Action {
			return Action{Status: http.StatusTooManyRequests, Headers: plainHeaders()}
		}},
		{"429-body", atAPI, func(o faultOrder) Action {
			return Action{Limit: &Limit{Kind: limitSecondary, Reset: o.wait, Silent: true, Undocumented: true, Status: http.StatusTooManyRequests}}
		}},
		{"403-primary", atREST, func(o faultOrder) Action { return Action{Limit: &Limit{Kind: limitPrimary, Reset: o.wait}} }},
		{"403-secondary", atAPI, func(o faultOrder) Action { return Action{Limit: &Limit{Kind: limitSecondary, Reset: o.wait}} }},
		{"403-secondary-bare", atAPI, func(o faultOrder) Action {
			return Action{Limit: &Limit{Kind: limitSecondary, Reset: o.wait, Silent: true, Undocumented: true}}
		}},
		{"reset", everywhere, func(faultOrder) Action { return Action{Tear: true} }},
		{"timeout", everywhere, func(o faultOrder) Action { return Action{Tear: true, Delay: o.hold} }},
		{"cut", everywhere, func(o faultOrder) Action { return Action{CutAfter: o.place()} }},
		{"stall", everywhere, func(o faultOrder) Action { return Action{CutAfter: o.place(), Hold: o.hold} }},
		{"html", everywhere, func(faultOrder) Action {
			return Action{Status: http.StatusOK, Body: "<!DOCTYPE html><html><body>We are having a moment. Please reload.</body></html>"}
		}},
		{"graphql-rate-limited", atGraphQL, func(o faultOrder) Action { return Action{Limit: &Limit{Kind: limitPrimary, Reset: o.wait}} }},
		{"graphql-rate-limit", atGraphQL, newRateLimit},
		{"graphql-partial", atGraphQL, func(faultOrder) Action { return Action{Partial: true} }},
	}
}

// place is where a body is cut: in its first bytes, or somewhere in the first pages of an archive.
func (o faultOrder) place() *int64 {
	most := uint32(64)
	if o.host == "codeload" {
		most = 4096
	}
	at := int64(o.draw % most)
	return &at
}

// newRateLimit is the form that GitHub has used since 2026: another type, and headers that still count something left.
func newRateLimit(o faultOrder) Action {
	return Action{
		Status: http.StatusOK,
		Body:   `{"errors":[{"type":"RATE_LIMIT","code":"graphql_rate_limit","message":"API rate limit already exceeded for user ID 1."}]}`,
		Headers: map[string]string{
			"Content-Type": "application/json; charset=utf-8", "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4",
			"X-RateLimit-Reset": strconv.FormatInt(o.now.Add(o.wait+time.Second-1).Unix(), 10), "X-RateLimit-Resource": resourceGraphQL,
		},
	}
}

func plainHeaders(more ...string) map[string]string {
	headers := map[string]string{"Content-Type": "text/plain; charset=utf-8"}
	for i := 0; i+1 < len(more); i += 2 {
		headers[more[i]] = more[i+1]
	}
	return headers
}

// knownFault reports whether a name is in the catalogue.
func knownFault(name string) bool {
	return name == anyFault || slices.ContainsFunc(faultKinds(), func(k faultKind) bool { return k.name == name })
}

// fault makes the action of a rule that orders a fault by its name, nil where none fits the request.
func (e *engine) fault(c *compiled, host string, t target, key string, n int) *Action {
	var fitting []faultKind
	for _, k := range faultKinds() {
		if (c.Do.Fault == anyFault || c.Do.Fault == k.name) && k.fits(host, t.endpoint) {
			fitting = append(fitting, k)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	draw := e.draw(c, key, n)
	order := faultOrder{
		wait: cmp.Or(c.Do.Wait, defaultWait), hold: cmp.Or(c.Do.Hold, defaultHold), now: e.now(),
		draw: draw.place, host: host,
	}
	action := fitting[draw.kind%uint32(len(fitting))].make(order)
	return &action
}
