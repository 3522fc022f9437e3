package pipeline

import (
	"context"
	"errors"
	"fmt"
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
	until, waiting, err := p.Corpus.NextRetry(ctx, store.StageCrawl)
	if err != nil {
		return err
	}
	if waiting > 0 {
		p.Terminal.Note("crawl: %s for another try, the first until %s: those that are not due yet are no part of this plan",
			waits(waiting, "repository"), until.Local().Format(time.RFC3339))
	}
	end := p.end(ctx, Summary{Crawl: &crawled})
	if p.Terminal.JSON {
		return errors.Join(p.Terminal.Object(Plan{"plan", plan}), end)
	}
	p.Terminal.Printf("%s\n", describePlan(plan))
	return end
}

func describePlan(plan crawl.Plan) string {
	text := fmt.Sprintf("%s due, %d of them to be read", terminal.Count(int64(plan.Repos), "repository"), plan.New)
	parts := make([]string, len(plan.Hosts))
	for i, host := range plan.Hosts {
		parts[i] = fmt.Sprintf("%s to %s", terminal.Count(int64(host.Requests), "request"), terminal.Quote(host.Host))
	}
	if len(parts) > 0 {
		took := time.Duration(plan.Hours * float64(time.Hour)).Round(time.Minute)
		text += fmt.Sprintf(": %s; %.1f hours (%s) at this pace, and more for what has changed or is over the cap", strings.Join(parts, ", "), plan.Hours, took)
	}
	return text
}
