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
	URL     string // base of the API: /chat/completions is added
	Model   string
	Key     string // bearer token; empty sends none. With one the URL must be https or on this machine
	Cache   string // folder of the answers; it is created
	Budget  int    // tokens that this run may spend, each request counted beforehand by an estimate; 0: no limit
	Workers int
	Timeout time.Duration     // of one request
	Wait    time.Duration     // before a request is sent again after a connection error or a 5xx, doubled once
	Client  http.RoundTripper // nil: the default transport
	Now     func() time.Time
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
	Answers  map[string]Answer    // by skill id
	Outcomes map[data.Outcome]int // of the skills; those that a limit or the budget left are in none
	Cached   int                  // answered without asking
	Tokens   int                  // spent by this run
	Left     int                  // not asked, since the budget was spent or the endpoint set a limit
	RetryAt  time.Time            // when the endpoint wants to be asked again; zero if it set no limit
	Reason   string               // of the first failure, for people
}

// Run asks about every case that no earlier run has an answer to. Trouble with single cases is counted by outcome; the
// error is of the cache's folder or the end of the context, and what was answered until then is kept.
func Run(ctx context.Context, config Config, cases []Case) (Summary, error) {
	client, err := newClient(config)
	if err != nil {
		return Summary{}, err
	}
	r := &run{client: client, budget: config.Budget, summary: Summary{Answers: map[string]Answer{}, Outcomes: map[data.Outcome]int{}}}
	next, workers := make(chan Case), sync.WaitGroup{}
	for range max(config.Workers, 1) {
		workers.Go(func() {
			for c := range next {
				r.one(ctx, c)
			}
		})
	}
	for _, c := range cases {
		next <- c
	}
	close(next)
	workers.Wait()
	return r.summary, errors.Join(r.failed, ctx.Err())
}

// run is the state that workers share.
type run struct {
	client *client
	budget int

	mu       sync.Mutex // guards the rest
	reserved int        // tokens that requests in flight may cost
	stopped  bool       // a limit was met: nothing more is asked
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
	cost := estimate(prompt) + maxAnswer
	if ctx.Err() != nil || !r.reserve(cost) {
		r.mu.Lock()
		r.summary.Left++
		r.mu.Unlock()
		return
	}
	reply, err := r.client.ask(ctx, prompt)
	r.mu.Lock()
	r.reserved -= cost
	r.summary.Tokens += reply.Tokens
	r.mu.Unlock()
	if err == nil {
		err = r.client.cache.store(prompt, reply)
		r.note(c, reply, err, false)
		return
	}
	r.fail(ctx, c, err)
}

// reserve reports whether the budget allows another request of about that cost, and counts it if so.
func (r *run) reserve(cost int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.budget > 0 && r.summary.Tokens+r.reserved+cost > r.budget {
		return false
	}
	r.reserved += cost
	return true
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
	}
	if kept.Answer == nil {
		r.summary.Outcomes[data.OutcomeMalformed]++
		if r.summary.Reason == "" {
			r.summary.Reason = kept.Fault
		}
		return
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
	outcome := data.OutcomeOf(err)
	r.summary.Outcomes[outcome]++
	if r.summary.Reason == "" {
		r.summary.Reason = c.ID + ": " + err.Error()
	}
	if item, ok := errors.AsType[*data.ItemError](err); ok && outcome == data.OutcomeLimited {
		r.summary.RetryAt = item.RetryAt
	}
	// A limit, a refused key or a host that is down would answer the next case alike.
	r.stopped = r.stopped || outcome == data.OutcomeLimited || outcome == data.OutcomeForbidden || outcome == data.OutcomeUnavailable
}
