package polite_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// tokenNet answers by token and remembers who asked.
type tokenNet struct {
	mu    sync.Mutex
	reply map[string]func() *http.Response // by token; none: 200
	asked map[string]int
}

func (n *tokenNet) RoundTrip(r *http.Request) (*http.Response, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[token]++
	if reply := n.reply[token]; reply != nil {
		return reply(), nil
	}
	return answer(200, "good"), nil
}

func TestTokensAreSpread(t *testing.T) {
	t.Parallel()
	n := &tokenNet{asked: map[string]int{}}
	c := client(t, polite.Config{Token: "a", Tokens: []string{"b", "c", "a"}, TokenOrigins: []string{"https://api.test"}, Transport: n})
	for range 9 {
		if _, err := get(t.Context(), c, "https://api.test/"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 3, "c": 3}, n.asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := get(t.Context(), c, "https://other.test/"); err != nil || n.asked[""] != 1 {
		t.Errorf("another host: %v, %v", err, n.asked)
	}
}

// A limit snoozes its token alone, and when all are spent the host, until the first is free. A refused token is
// not used again.
func TestTokenLimits(t *testing.T) {
	t.Parallel()
	spent := func(after time.Duration) func() *http.Response {
		return func() *http.Response {
			return answer(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(clock.Add(after).Unix()))
		}
	}
	n := &tokenNet{asked: map[string]int{}, reply: map[string]func() *http.Response{
		"a": spent(time.Hour),
		"b": func() *http.Response { return answer(401, `{"message":"Bad credentials"}`) },
	}}
	now, warnings, limits := clock, []string{}, 0
	c := client(t, polite.Config{
		Tokens: []string{"a", "b", "c"}, TokenOrigins: []string{"https://api.test"}, Transport: n, Now: func() time.Time { return now },
		Warn: func(text string) { warnings = append(warnings, text) }, Limited: func(*data.ItemError) { limits++ },
	})
	for range 4 {
		if _, err := get(t.Context(), c, "https://api.test/"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 4}, n.asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "token 2 of 3") || limits != 1 {
		t.Errorf("warnings %q, %d limits", warnings, limits)
	}
	n.reply["c"] = spent(30 * time.Minute)
	_, err := get(t.Context(), c, "https://api.test/")
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok || item.Outcome != data.OutcomeLimited || !item.RetryAt.Equal(clock.Add(30*time.Minute+time.Second)) {
		t.Errorf("all spent: %v", err)
	}
	now = clock.Add(31 * time.Minute)
	delete(n.reply, "c")
	if _, err := get(t.Context(), c, "https://api.test/"); err != nil || n.asked["a"] != 1 {
		t.Errorf("the first is free again: %v, %v", err, n.asked)
	}
	// All refused: that is not a limit.
	n = &tokenNet{asked: map[string]int{}, reply: map[string]func() *http.Response{"b": n.reply["b"]}}
	c = client(t, polite.Config{Tokens: []string{"b"}, TokenOrigins: []string{"https://api.test"}, Transport: n})
	for range 3 {
		if _, err := get(t.Context(), c, "https://api.test/"); data.OutcomeOf(err) != data.OutcomeForbidden {
			t.Errorf("refused: %v", err)
		}
	}
	if n.asked["b"] != 1 || n.asked[""] != 0 {
		t.Errorf("asked %v", n.asked)
	}
}

// A clock that is set back does not prolong a limit, one that is set forward only asks early.
func TestLimitAndClockJump(t *testing.T) {
	t.Parallel()
	n := &tokenNet{asked: map[string]int{}, reply: map[string]func() *http.Response{"": func() *http.Response { return answer(429, "", "Retry-After", "60") }}}
	now := clock
	c := client(t, polite.Config{Transport: n, Now: func() time.Time { return now }})
	until := func() time.Duration {
		_, err := get(t.Context(), c, "https://api.test/")
		item, ok := errors.AsType[*data.ItemError](err)
		if !ok {
			return 0
		}
		return item.RetryAt.Sub(now)
	}
	if got := until(); got != 61*time.Second {
		t.Errorf("limited for %v", got)
	}
	now = clock.Add(-48 * time.Hour)
	if got := until(); got != 61*time.Second || n.asked[""] != 1 {
		t.Errorf("after a jump back limited for %v, asked %v", got, n.asked)
	}
	delete(n.reply, "")
	now = now.Add(62 * time.Second)
	if got := until(); got != 0 {
		t.Errorf("a minute later still limited for %v", got)
	}
}

// A host that cannot be reached is left alone after a few tries, for longer each time, and asked again by itself.
func TestOutage(t *testing.T) {
	t.Parallel()
	now, down, dials := clock, true, 0
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: network is unreachable")}
	c := client(t, polite.Config{Now: func() time.Time { return now }, Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		if dials++; down {
			return nil, refused
		}
		return answer(200, "good"), nil
	})})
	ask := func() *data.ItemError {
		_, err := get(t.Context(), c, "https://api.test/")
		item, _ := errors.AsType[*data.ItemError](err)
		return item
	}
	var outcomes []data.Outcome
	for range 6 {
		outcomes = append(outcomes, ask().Outcome)
	}
	u, l := data.OutcomeUnavailable, data.OutcomeLimited
	if diff := cmp.Diff([]data.Outcome{u, u, l, l, l, l}, outcomes); diff != "" || dials != 8 {
		t.Errorf("%d dials (-want +got)\n%s", dials, diff)
	}
	var waits []time.Duration
	for range 9 {
		item := ask()
		waits = append(waits, item.RetryAt.Sub(now))
		now = item.RetryAt
		_ = ask() // fails again, once
	}
	if waits[0] != 5*time.Second || waits[1] != 10*time.Second || waits[8] != 5*time.Minute {
		t.Errorf("waits %v", waits)
	}
	if dials != 8+9 {
		t.Errorf("%d dials", dials)
	}
	down, now = false, now.Add(time.Hour)
	if item := ask(); item != nil {
		t.Errorf("back again: %v", item)
	}
	down = true
	if item := ask(); item.Outcome != data.OutcomeUnavailable {
		t.Errorf("the count begins anew: %v", item)
	}
}

// A proxy sees where a token goes, never the token.
func TestTokenAndProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%s %s %v", r.Method, r.Host, r.Header))
		http.Error(w, "no way through", http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(address)}
	t.Cleanup(transport.CloseIdleConnections)
	c := client(t, polite.Config{Token: "secret-token", TokenOrigins: []string{"https://api.test"}, Transport: transport})
	if _, err := get(t.Context(), c, "https://api.test/x"); data.OutcomeOf(err) != data.OutcomeUnavailable {
		t.Errorf("%v", err)
	}
	text := strings.Join(seen, "\n")
	if !strings.Contains(text, "CONNECT api.test:443") || strings.Contains(text, "secret") || strings.Contains(text, "Authorization") {
		t.Errorf("the proxy saw\n%s", text)
	}
}
