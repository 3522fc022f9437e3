package polite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"skillcorpus/data"
)

// UnmarkedWait is the wait after a limit that names none: GitHub asks for at least a minute after a secondary
// limit (FACTS.md 4), and for longer ones when it is met again.
const UnmarkedWait = time.Minute

const clockSlack = time.Second // hosts count whole seconds

// Answer is what a Classifier sees of a response.
type Answer struct {
	Status  int
	Header  http.Header
	Body    []byte // the first 64 KiB; of a good answer none, unless Config.Peek asks for it
	Now     time.Time
	Strikes int // limits in a row before this answer
}

// Classify tells what an answer means by status, headers and body, as GitHub and most others mean it. It
// returns nil for 2xx (but 202) and 304. Waits are as the host asks: Retry-After in both forms, then the
// reset time where nothing remains, else a minute, doubled with every limit in a row.
func Classify(a Answer) *data.ItemError {
	switch {
	case a.Status == http.StatusNotModified,
		a.Status >= 200 && a.Status < 300 && a.Status != http.StatusAccepted:
		return nil
	case a.Status == http.StatusNotFound, a.Status == http.StatusGone:
		return a.is(data.OutcomeGone)
	case a.Status == http.StatusUnavailableForLegalReasons, a.Status == http.StatusForbidden && a.blocked():
		return a.is(data.OutcomeBlocked)
	case a.Status == http.StatusConflict:
		return a.is(data.OutcomeEmpty)
	case a.Status == http.StatusTooManyRequests, a.Status == http.StatusForbidden && a.limited():
		return a.Limit("")
	case a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden:
		return a.is(data.OutcomeForbidden)
	}
	trouble := a.is(data.OutcomeUnavailable)
	trouble.RetryAt, _ = a.retryAfter()
	return trouble
}

// refusal is what the JSON of a refusal may hold.
type refusal struct {
	Message string `json:"message"`
	Block   *struct {
		Reason string `json:"reason"`
		URL    string `json:"html_url"`
	} `json:"block"`
}

func (a Answer) refusal() refusal {
	var r refusal
	if json.Unmarshal(a.Body, &r) != nil {
		return refusal{}
	}
	return r
}

func (a Answer) is(outcome data.Outcome) *data.ItemError {
	reason := fmt.Sprintf("HTTP %d", a.Status)
	r := a.refusal()
	if r.Message != "" {
		reason += ": " + oneLine(r.Message)
	} else if text := http.StatusText(a.Status); text != "" {
		reason += " " + text
	}
	if r.Block != nil {
		reason += " (" + oneLine(cmp.Or(r.Block.Reason, "no reason given")) + ", notice " + oneLine(cmp.Or(r.Block.URL, "none")) + ")"
	}
	return &data.ItemError{Outcome: outcome, Reason: reason}
}

// oneLine keeps a host's text fit for a log and a terminal.
func oneLine(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			return r
		}
		return -1
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func (a Answer) blocked() bool {
	r := a.refusal()
	return r.Block != nil || strings.Contains(strings.ToLower(r.Message), "access blocked")
}

func (a Answer) limited() bool {
	return a.Header.Get("Retry-After") != "" || a.exhausted() || SpeaksOfLimit(a.Body)
}

func (a Answer) exhausted() bool { return a.Header.Get("X-RateLimit-Remaining") == "0" }

// SpeaksOfLimit reports whether a text says that too much was asked: some hosts tell it nowhere else, even
// under status 200.
func SpeaksOfLimit(body []byte) bool {
	text := strings.ToLower(string(body))
	for _, sign := range []string{"rate limit", "ratelimit", "secondary-rate-limit", "abuse-rate-limit", "too many requests", "abuse detection"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// Limit returns the limit that an answer is, with a reason beside its status and message, or without one.
func (a Answer) Limit(reason string) *data.ItemError {
	limit := a.is(data.OutcomeLimited)
	if reason != "" {
		limit.Reason += ": " + oneLine(reason)
	}
	limit.RetryAt = a.limitedUntil()
	return limit
}

func (a Answer) limitedUntil() time.Time {
	if at, ok := a.retryAfter(); ok {
		return at
	}
	if at, ok := a.reset(); ok && a.exhausted() {
		return at
	}
	return a.Now.Add(UnmarkedWait<<min(max(a.Strikes, 0), 6) + clockSlack)
}

// reset reads X-RateLimit-Reset (epoch seconds). One that has passed says nothing: it is a difference of
// clocks, and asking again at once would only prolong the limit.
func (a Answer) reset() (time.Time, bool) {
	seconds, err := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || seconds <= a.Now.Unix() {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0).UTC().Add(clockSlack), true
}

// retryAfter reads Retry-After as seconds or as a date; a date that has passed means now.
func (a Answer) retryAfter() (time.Time, bool) {
	text := strings.TrimSpace(a.Header.Get("Retry-After"))
	if text == "" {
		return time.Time{}, false
	}
	if strings.Trim(text, "0123456789") == "" {
		const forever = int64(1 << 31)
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > forever {
			seconds = forever
		}
		return a.Now.Add(time.Duration(seconds)*time.Second + clockSlack), true
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return time.Time{}, false
	}
	if date.Before(a.Now) {
		date = a.Now
	}
	return date.Add(clockSlack), true
}
