// Package judge owns the second opinion: a language model behind any OpenAI-compatible endpoint is asked what the audit
// concludes by rules, so that people see how far the two agree. Answers are kept by what was asked, so that nothing is
// paid for twice.
//
// It changes no verdict, follows no redirect, and sends nothing but the text and the list of files of a skill. The audit
// stage calls it where the user names an endpoint.
package judge

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"skillcorpus/data"
)

// Config says who is asked and how much it may cost.
type Config struct {
	URL      string // base of the API: /chat/completions is added
	Model    string
	Key      string // bearer token; empty sends none. With one the URL must be https or on this machine
	Cache    string // folder of the answers; it is created
	Budget   int    // tokens that this run may spend, each request counted beforehand by an estimate; 0: no limit
	Workers  int
	Timeout  time.Duration         // of one request
	Wait     time.Duration         // before a request is sent again after a connection error or a 5xx, doubled once
	Patience time.Duration         // the longest Retry-After that is waited for; a longer one ends the run
	Waiting  func(until time.Time) // is told of each such wait; may be nil
	Client   http.RoundTripper     // nil: the default transport
	Now      func() time.Time
}

// Answer is what the model says of one skill.
type Answer struct {
	CodeSound      bool      `json:"code_sound"`
	MissingFiles   bool      `json:"missing_files"`
	Missing        []string  `json:"missing"`
	PurposeAligned bool      `json:"purpose_aligned"`
	Tier           data.Tier `json:"tier"`
	Reason         string    `json:"reason"`
}

// Summary is what a run did.
type Summary struct {
	Answers    map[string]Answer    // by skill id
	Outcomes   map[data.Outcome]int // of the skills; those that are left are in none
	Cached     int                  // answered without asking
	Unreadable int                  // of the skills: the model answered, and twice nothing that could be read; another run asks again
	Tokens     int                  // spent by this run
	Left       int                  // not asked, since the budget was spent or a trouble would have met them, too
	RetryAt    time.Time            // when the endpoint wants to be asked again; zero if it set no limit
	Trouble    Trouble              // the first one; empty if there was none
	Reason     string               // of it, for people
}

// How often a run asks about one case: once more after an answer that cannot be read, and again after each wait for a
// limit.
const (
	mostAnswers = 2
	mostWaits   = 3
)

// mostInARow is how many cases may go without an answer, one after the other, before the run ends: the next would as well.
const mostInARow = 20

// Run asks about every case that no earlier run has an answer to. Trouble with single cases is counted by outcome; the
// error is of the cache's folder or the end of the context, which ends requests and waits at once. What was answered
// until then is kept.
func Run(ctx context.Context, config Config, cases []Case) (Summary, error) {
	client, err := newClient(config)
	if err != nil {
		return Summary{}, err
	}
	r := &run{client: client, config: config, summary: Summary{Answers: map[string]Answer{}, Outcomes: map[data.Outcome]int{}}}
	next, workers := make(chan Case), sync.WaitGroup{}
	for range max(config.Workers, 1) {
		workers.Go(func() {
			for c := range next {
				r.one(ctx, c)
			}
		})
	}
	sent := 0
	for sent < len(cases) && ctx.Err() == nil {
		select {
		case next <- cases[sent]:
			sent++
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	r.summary.Left += len(cases) - sent
	return r.summary, errors.Join(r.failed, ctx.Err())
}

// run is the state that workers share.
type run struct {
	client *client
	config Config

	mu       sync.Mutex // guards the rest
	reserved int        // tokens that requests in flight may cost
	inARow   int        // cases without an answer
	stopped  bool       // nothing more is asked
	until    time.Time  // the endpoint wants to be left alone
	summary  Summary
	failed   error
}

func (r *run) one(ctx context.Context, c Case) {
	prompt := c.prompt()
	kept, known, err := r.client.cache.load(prompt)
	if known || err != nil {
		r.note(c, kept, err, true)
		return
	}
	var last reply
	for range mostAnswers {
		reply, asked, err := r.patiently(ctx, prompt, last)
		switch {
		case err != nil:
			r.fail(ctx, c, err)
			return
		case !asked && last.fault == "":
			r.leave()
			return
		case !asked:
			r.fail(ctx, c, unreadable(last))
			return
		case reply.Answer != nil:
			r.note(c, reply, r.client.cache.store(prompt, reply), false)
			return
		}
		last = reply
	}
	r.fail(ctx, c, unreadable(last))
}

func unreadable(r reply) *failure {
	return &failure{&data.ItemError{Outcome: data.OutcomeMalformed, Reason: "its answer cannot be read: " + r.fault}, Unreadable, false}
}

// patiently asks, and again after the limits that are short. asked is false if the budget or the end of the run forbade it.
func (r *run) patiently(ctx context.Context, prompt string, before reply) (answer reply, asked bool, err error) {
	cost := estimate(prompt+before.text) + maxAnswer
	for waits := 0; ; waits++ {
		if err := r.wait(ctx); err != nil || !r.reserve(cost) {
			return reply{}, false, err
		}
		answer, err = r.client.ask(ctx, prompt, before)
		r.mu.Lock()
		r.reserved -= cost
		r.summary.Tokens += answer.Tokens
		r.mu.Unlock()
		if f, ok := errors.AsType[*failure](err); !ok || waits == mostWaits || !r.pause(f) {
			return answer, true, err
		}
	}
}

// pause notes a limit that is short enough to be waited for.
func (r *run) pause(f *failure) bool {
	if f.trouble != Limited || !f.wait || f.RetryAt.Sub(r.config.Now()) > r.config.Patience {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.RetryAt.After(r.until) {
		r.until = f.RetryAt
		if r.config.Waiting != nil {
			r.config.Waiting(r.until)
		}
	}
	return true
}

// wait returns when no limit forbids to ask, or with the error of the context.
func (r *run) wait(ctx context.Context) error {
	for {
		r.mu.Lock()
		left := r.until.Sub(r.config.Now())
		r.mu.Unlock()
		if left <= 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// reserve reports whether the run goes on and its budget allows another request of about that cost, and counts it if so.
func (r *run) reserve(cost int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.config.Budget > 0 && r.summary.Tokens+r.reserved+cost > r.config.Budget {
		return false
	}
	r.reserved += cost
	return true
}

func (r *run) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Left++
}

func (r *run) note(c Case, kept reply, err error, cached bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failed, r.stopped = errors.Join(r.failed, err), true
		return
	}
	if cached {
		r.summary.Cached++
	} else {
		r.inARow = 0
	}
	r.summary.Outcomes[data.OutcomeOK]++
	r.summary.Answers[c.ID] = *kept.Answer
}

func (r *run) fail(ctx context.Context, c Case, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil { // nothing is known of the case
		r.summary.Left++
		return
	}
	r.summary.Outcomes[data.OutcomeOf(err)]++
	r.inARow++
	r.stopped = r.stopped || r.inARow >= mostInARow
	f, ok := errors.AsType[*failure](err)
	if !ok {
		r.failed, r.stopped = errors.Join(r.failed, err), true
		return
	}
	if r.summary.Reason == "" {
		r.summary.Trouble, r.summary.Reason = f.trouble, c.ID+": "+f.reason()
	}
	if f.trouble == Limited {
		r.summary.RetryAt = f.RetryAt
	}
	if f.trouble == Unreadable {
		r.summary.Unreadable++
	}
	r.stopped = r.stopped || f.trouble.ends()
}
