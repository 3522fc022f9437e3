package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl"
	"skillcorpus/store"
)

// Plan is what a crawl would cost, as one JSON object.
type Plan struct {
	Type string `json:"type"` // always plan
	crawl.Plan
}

// Plan enumerates the sources and prints what fetching everything that is due would cost, without fetching it.
// Options need no counter, clock or logger.
func (p *Pipeline) Plan(ctx context.Context, options crawl.Options) error {
	options.Counter, options.Stop, options.Now, options.Log = new(store.Counter), ctx.Done(), p.Now, p.Log
	options.PlanOnly, options.Listed = true, p.describeSource
	var plan crawl.Plan
	options.Planned = func(made crawl.Plan) { plan = made }
	crawled, err := crawl.Run(context.WithoutCancel(ctx), p.Corpus, options)
	if err != nil {
		return err
	}
	if until := crawled.RetryAt; crawled.Waiting > 0 {
		p.Terminal.Note("crawl: %s for another try, the first until %s: what is not due yet is no part of this plan",
			wait(crawled.WaitingAt), until.Local().Format(time.RFC3339))
	}
	end := p.end(ctx, Summary{Crawl: &crawl.Summary{Sources: crawled.Sources}}) // what else waits is not due, and no part of it
	if p.Terminal.JSON {
		return errors.Join(p.Terminal.Object(Plan{"plan", plan}), end)
	}
	p.Terminal.Printf("%s\n", describePlan(plan))
	return end
}

func describePlan(plan crawl.Plan) string {
	text := fmt.Sprintf("%s due, %d of them to be read", Places(plan.Due), plan.New)
	parts := make([]string, len(plan.Hosts))
	for i, host := range plan.Hosts {
		parts[i] = fmt.Sprintf("%s to %s", terminal.Count(int64(host.Requests), "request"), terminal.Quote(host.Host))
	}
	if len(parts) > 0 {
		text += fmt.Sprintf(": %s; %s at this pace, and more for what has changed or is over the cap", strings.Join(parts, ", "), lasting(plan.Hours))
	}
	return text
}

// lasting tells a time in the unit that fits it.
func lasting(hours float64) string {
	switch d := time.Duration(hours * float64(time.Hour)); {
	case d < time.Second:
		return "less than a second"
	case d < time.Minute:
		return terminal.Count(int64(math.Ceil(d.Seconds())), "second")
	case d < time.Hour:
		return terminal.Count(int64(math.Ceil(d.Minutes())), "minute")
	}
	return fmt.Sprintf("%.1f hours", hours)
}
