package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl"
	"skillcorpus/crawl/discover"
	"skillcorpus/data"
	"skillcorpus/parse"
	"skillcorpus/store"
)

// Crawl enumerates sources and fetches every repository that is due. Options need no counter, clock or logger.
func (p *Pipeline) Crawl(ctx context.Context, options crawl.Options) error {
	return p.stage(ctx, store.StageCrawl, "", func(work context.Context, counter *store.Counter, summary *Summary) error {
		options.Counter, options.Stop, options.Now, options.Log = counter, ctx.Done(), p.Now, p.Log
		options.Describe = describe
		options.Waiting = func(w crawl.Wait) {
			if w.Source != "" {
				p.Terminal.Note("crawl: %s is under a limit; it goes on at %s", w.Source, w.Until.Local().Format(time.TimeOnly))
				return
			}
			p.Terminal.Note("crawl: %s for another try; the first is due at %s", wait(w.Repos), w.Until.Local().Format(time.TimeOnly))
		}
		options.Planned = func(plan crawl.Plan) {
			if plan.Repos > 0 {
				p.Terminal.Note("crawl: %s", describePlan(plan))
			}
		}
		options.Listed = p.describeSource
		crawled, err := crawl.Run(work, p.Corpus, options)
		summary.Crawl = &crawled
		if crawled.Tokenless && crawled.Waiting > 0 {
			p.Terminal.Note("crawl: no token was given: with one in SKILLCORPUS_GITHUB_TOKEN GitHub grants 5,000 requests an hour in place of 60, and what waits for its limit is asked for at once")
		}
		return err
	})
}

// describe lets the crawl know what installers ask of a SKILL.md.
func describe(content []byte, id, file string) discover.Candidate {
	front := parse.Document(content, id, file).Frontmatter
	text := func(v data.Value, ok bool) string {
		if !ok || v.Kind != data.KindScalar || v.Null {
			return ""
		}
		return v.Scalar
	}
	metadata, _ := front.Get("metadata")
	return discover.Candidate{
		Name: text(front.Get("name")), Description: text(front.Get("description")), Internal: text(metadata.Get("internal")) == "true",
	}
}

func (p *Pipeline) describeSource(source crawl.SourceResult) {
	if !source.ListedAt.IsZero() {
		p.Terminal.Note("crawl: %s was listed %s ago (%s): not asked again before --max-age", source.Name,
			p.Now().Sub(source.ListedAt).Round(time.Second), source.Completeness)
		return
	}
	text := fmt.Sprintf("crawl: %s listed %s: %s", source.Name, terminal.Count(int64(source.Rows), "row"), source.Completeness)
	switch {
	case source.Completeness == data.Interrupted:
		p.Terminal.Warn("%s; %s", text, Interruption(source.Outcome, source.Reason, source.RetryAt))
	case source.Reason != "":
		p.Terminal.Note("%s; it %s", text, source.Reason)
	default:
		p.Terminal.Note("%s", text)
	}
}

// Interruption says in one line why a source was not read to its end, and what makes it go on.
func Interruption(outcome data.Outcome, reason string, again time.Time) string {
	text := reason
	if outcome != "" {
		text = fmt.Sprintf("%s: %s", outcome, reason)
	}
	switch {
	case text == "":
		return "the next crawl of it goes on there"
	case outcome.Permanent():
		return text + "; no waiting mends that"
	case again.IsZero():
		return text + "; the next crawl of it goes on there"
	}
	return text + "; a crawl after " + again.Local().Format(time.RFC3339) + " goes on there"
}

// unmended tells what a crawl could not do and no waiting mends, a line each.
func unmended(crawled *crawl.Summary) (lines []string) {
	if crawled == nil {
		return nil
	}
	for _, source := range crawled.Sources {
		if source.Broken() {
			lines = append(lines, fmt.Sprintf("%s was not read to its end (%s: %s), and no waiting mends that: %s", source.Name, source.Outcome, source.Reason, remedy(source.Outcome)))
		}
	}
	if crawled.Refused > 0 {
		lines = append(lines, fmt.Sprintf("GitHub accepts none of the tokens in SKILLCORPUS_GITHUB_TOKEN (or GITHUB_TOKEN), so that %s not asked for: give a good one, or none",
			were(crawled.Refused, "repository")))
	}
	return lines
}

// remedy is what the user of a source can do about an outcome that stays.
func remedy(outcome data.Outcome) string {
	switch outcome {
	case data.OutcomeForbidden:
		return "check the key or token that it is asked with, or see --ignore-robots"
	case data.OutcomeGone, data.OutcomeEmpty:
		return "check its name and address"
	case data.OutcomeMalformed:
		return "check what lies there"
	}
	return "leave it out"
}

// unread names the sources that go on when they are asked again.
func unread(crawled crawl.Summary) string {
	var names []string
	for _, source := range crawled.Sources {
		if source.Waits() {
			names = append(names, source.Name)
		}
	}
	if len(names) == 1 {
		return names[0] + " was not read to its end"
	}
	return strings.Join(names, ", ") + " were not read to their ends"
}

// sourceRetry returns when the first limited source may be asked again; zero if none said.
func sourceRetry(crawled crawl.Summary) (first time.Time) {
	for _, s := range crawled.Sources {
		if !s.RetryAt.IsZero() && (first.IsZero() || s.RetryAt.Before(first)) {
			first = s.RetryAt
		}
	}
	return first
}
