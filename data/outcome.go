package data

import (
	"errors"
	"fmt"
	"time"
)

// Outcome says how the last attempt at an item ended. Errors about an item are stored as outcomes and the
// run goes on; only a failure of our own machine stops a run.
type Outcome string

// The outcomes. Permanent ones are results, temporary ones wait for their retry time, Internal is our fault.
const (
	OutcomeOK Outcome = "ok"

	OutcomeGone      Outcome = "gone"      // the host says it does not exist (404, 410)
	OutcomeBlocked   Outcome = "blocked"   // the host refuses it for everybody (451, 403 tos)
	OutcomeEmpty     Outcome = "empty"     // a repository without commits (409)
	OutcomeTooLarge  Outcome = "too_large" // over a byte, entry or expansion limit
	OutcomeMalformed Outcome = "malformed" // the bytes are not what they claim to be
	OutcomeDenied    Outcome = "denied"    // on the takedown list
	OutcomeForbidden Outcome = "forbidden" // 401, or 403 for lack of rights: until the token changes

	OutcomeLimited     Outcome = "limited"     // a rate limit: not a failure, no attempt is counted
	OutcomeUnavailable Outcome = "unavailable" // network trouble, 5xx, a cut transfer

	OutcomeInternal Outcome = "internal" // a fault of this program, a panic included
)

// Outcomes lists every outcome in the order in which reports show them.
func Outcomes() []Outcome {
	return []Outcome{
		OutcomeOK, OutcomeGone, OutcomeBlocked, OutcomeEmpty, OutcomeTooLarge, OutcomeMalformed,
		OutcomeDenied, OutcomeForbidden, OutcomeLimited, OutcomeUnavailable, OutcomeInternal,
	}
}

// Permanent reports whether the outcome is a result about the item that repeating would not change.
func (o Outcome) Permanent() bool {
	switch o {
	case OutcomeGone, OutcomeBlocked, OutcomeEmpty, OutcomeTooLarge, OutcomeMalformed, OutcomeDenied, OutcomeForbidden:
		return true
	}
	return false
}

// Temporary reports whether the item is to be tried again at its retry time.
func (o Outcome) Temporary() bool { return o == OutcomeLimited || o == OutcomeUnavailable }

// ItemError is an error about one item. It never stops a run: the stage stores its outcome and reason.
type ItemError struct {
	Outcome Outcome
	Reason  string    // one line for people, without secrets
	RetryAt time.Time // when the host asked to be left alone until; zero leaves the wait to the stage's backoff
	Err     error     // the cause, if any
}

// Error returns the outcome, the reason and the cause.
func (e *ItemError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Outcome, e.Reason, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Outcome, e.Reason)
}

// Unwrap returns the cause.
func (e *ItemError) Unwrap() error { return e.Err }

// OutcomeOf returns the outcome of an item that ended with err: ok for nil, the class of the first ItemError
// in the chain, internal for everything else.
func OutcomeOf(err error) Outcome {
	if err == nil {
		return OutcomeOK
	}
	if item, ok := errors.AsType[*ItemError](err); ok {
		return item.Outcome
	}
	return OutcomeInternal
}
