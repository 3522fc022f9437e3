package judge

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"skillcorpus/data"
)

// Trouble is what keeps an endpoint from answering.
type Trouble string

// The troubles, each with something else that a user can do about it.
const (
	Unreachable Trouble = "unreachable" // no connection, or no such host
	Insecure    Trouble = "insecure"    // no TLS, or a certificate that is not trusted
	Slow        Trouble = "slow"        // no whole response within the time of one request
	CutOff      Trouble = "cut off"     // the connection ended within the response
	Failing     Trouble = "failing"     // 5xx
	Limited     Trouble = "limited"     // 429
	KeyRefused  Trouble = "key refused" // 401, 403 and 402
	NotFound    Trouble = "not found"   // 404 and 405: no such address, or no such model
	NoAPI       Trouble = "no api"      // a response that no such API gives: a web page, a redirect
	Refused     Trouble = "refused"     // another 4xx
	TooLong     Trouble = "too long"    // a response over a MiB
	Unreadable  Trouble = "unreadable"  // an answer that is not the JSON object that was asked for
)

// ends reports whether a trouble would meet the next question as well.
func (t Trouble) ends() bool {
	switch t {
	case Refused, TooLong, Unreadable:
		return false
	}
	return true
}

// failure is an error with its trouble.
type failure struct {
	*data.ItemError
	trouble Trouble
	wait    bool // the endpoint said itself when it may be asked again
}

// Unwrap returns the error about the item.
func (f *failure) Unwrap() error { return f.ItemError }

// reason is for people, who need no name of an outcome.
func (f *failure) reason() string {
	if f.Err == nil {
		return f.Reason
	}
	return f.Reason + ": " + f.Err.Error()
}

// unanswered tells why a request got no response, or not the whole of one.
func unanswered(err error, timeout time.Duration) *failure {
	f := &failure{&data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the judge does not answer", Err: err}, Unreachable, false}
	switch network, ok := errors.AsType[net.Error](err); {
	case ok && network.Timeout():
		f.trouble, f.Reason = Slow, fmt.Sprintf("the judge has not answered within %s", timeout)
	case isTLS(err):
		f.trouble, f.Reason, f.Outcome = Insecure, "no secure connection to the judge", data.OutcomeForbidden
	}
	return f
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	_, ok := errors.AsType[tls.AlertError](err)
	return ok || errors.Is(err, http.ErrSchemeMismatch)
}

// refused tells what a response of another status than 200 means.
func (c *client) refused(response *http.Response, text []byte) *failure {
	said := c.said(text)
	f := &failure{&data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("the judge says %d%s", response.StatusCode, said)}, Refused, false}
	switch code := response.StatusCode; {
	case code == http.StatusTooManyRequests:
		f.trouble, f.Outcome = Limited, data.OutcomeLimited
		f.RetryAt, f.wait = c.retryAt(response.Header.Get("Retry-After"))
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusPaymentRequired:
		f.trouble, f.Outcome = KeyRefused, data.OutcomeForbidden
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		f.trouble, f.Outcome = NotFound, data.OutcomeGone
	case code < http.StatusBadRequest:
		f.trouble = NoAPI
	case code >= http.StatusInternalServerError:
		f.trouble, f.Outcome = Failing, data.OutcomeUnavailable
	}
	return f
}

// limitWait is how long a limit without a Retry-After counts (FACTS.md 4), and limitMost the longest that is believed.
const (
	limitWait = time.Minute
	limitMost = 24 * time.Hour
)

// retryAt reads Retry-After, which has seconds or a date. known is false where the endpoint does not say.
func (c *client) retryAt(text string) (at time.Time, known bool) {
	now := c.now()
	if seconds, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && seconds >= 0 {
		return now.Add(time.Duration(min(seconds, int(limitMost/time.Second))) * time.Second), true
	}
	if date, err := http.ParseTime(text); err == nil {
		return now.Add(min(max(date.Sub(now), 0), limitMost)), true
	}
	return now.Add(limitWait), false
}

// maxSaid bounds what is repeated of an endpoint's own words, in characters.
const maxSaid = 200

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// said returns an endpoint's own words about a trouble, in brackets, in one line and without the key.
func (c *client) said(text []byte) string {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	words := ""
	if json.Unmarshal(text, &body) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		var plain, detail string
		_, _, _ = json.Unmarshal(body.Error, &inner), json.Unmarshal(body.Error, &plain), json.Unmarshal(body.Detail, &detail) // each may be absent
		words = cmp.Or(inner.Message, plain, body.Message, detail)
	} else if m := title.FindSubmatch(text); m != nil {
		words = "a web page, " + strings.TrimSpace(string(m[1]))
	}
	if c.key != "" {
		words = strings.ReplaceAll(words, c.key, "…")
	}
	words = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(words, "\uFFFD"), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if words == "" {
		return ""
	}
	if all := []rune(words); len(all) > maxSaid {
		words = string(all[:maxSaid]) + "…"
	}
	return " (" + words + ")"
}
