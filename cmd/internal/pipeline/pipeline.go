// Package pipeline owns how stages run one after another on one corpus: each with its progress, its summary for
// people or scripts, and its place in the run history.
//
// It knows no flags and does no stage's work. The commands call it.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"skillcorpus/audit"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl"
	"skillcorpus/data"
	"skillcorpus/index"
	"skillcorpus/index/embed"
	"skillcorpus/parse"
	"skillcorpus/store"
)

// How a run can end that is no failure of ours. Commands turn them into exit codes 3 and 130.
var (
	ErrIncomplete = errors.New("finished, but some items wait for another try")
	ErrStopped    = errors.New("stopped before the end: run the same command again to go on")
)

// Pipeline runs stages on one corpus. The end of a stage's context stops it softly: what is in flight is finished
// and stored, and the stage ends with ErrStopped.
type Pipeline struct {
	Corpus   *store.Store
	Terminal *terminal.Terminal
	Now      func() time.Time
	Log      *slog.Logger

	NoSummary bool                       // the caller prints something else on stdout
	Waits     func(now time.Time) string // what a crawl's hosts are waited for, for its progress; nil: unknown
}

// Summary is what one stage did: one JSON object, and one line for people.
type Summary struct {
	Type     string               `json:"type"` // always summary
	Stage    string               `json:"stage"`
	Done     int64                `json:"done"`     // items processed in this run
	Waiting  int                  `json:"waiting"`  // items that wait for another try
	Outcomes map[data.Outcome]int `json:"outcomes"` // of all items of the stage, this run's and earlier ones'
	TookMS   int64                `json:"took_ms"`
	Crawl    *crawl.Summary       `json:"crawl,omitempty"`
	Skills   int                  `json:"skills,omitempty"` // live skills after a crawl, import or index build
	Refused  int                  `json:"refused,omitempty"`
	Built    *bool                `json:"built,omitempty"` // index: false if it was up to date
}

// Parse parses every skill that is due.
func (p *Pipeline) Parse(ctx context.Context) error {
	return p.stage(ctx, store.StageParse, "skill", func(work context.Context, counter *store.Counter, _ *Summary) error {
		return parse.Run(work, p.Corpus, parse.Options{Counter: counter, Stop: ctx.Done()})
	})
}

// Audit audits every skill that is due.
func (p *Pipeline) Audit(ctx context.Context) error {
	return p.stage(ctx, store.StageAudit, "skill", func(work context.Context, counter *store.Counter, _ *Summary) error {
		return audit.Run(work, p.Corpus, audit.Options{Counter: counter, Stop: ctx.Done()})
	})
}

// stage runs one stage over items with progress (a crawl says itself what they are), and tells and stores what it did.
func (p *Pipeline) stage(ctx context.Context, stage store.Stage, item string, run func(context.Context, *store.Counter, *Summary) error) error {
	started, counter := p.Now(), new(store.Counter)
	summary := Summary{Type: "summary", Stage: string(stage)}
	stop := p.Terminal.Progress(string(stage), p.tally(counter))
	work := context.WithoutCancel(ctx)
	err := run(work, counter, &summary)
	stop()
	if err != nil {
		return err
	}
	summary.Done, summary.TookMS = counter.Done.Load(), p.Now().Sub(started).Milliseconds()
	if summary.Outcomes, err = p.Corpus.Outcomes(work, stage); err != nil {
		return err
	}
	if _, summary.Waiting, err = p.Corpus.NextRetry(work, stage); err != nil {
		return err
	}
	end := p.end(ctx, summary)
	if err := p.finish(work, started, summary, end); err != nil {
		return err
	}
	items := terminal.Count(summary.Done, item)
	if summary.Crawl != nil {
		items = Places(summary.Crawl.Tried)
	}
	line := fmt.Sprintf("%s: %s in %s", stage, items, took(summary.TookMS))
	if summary.Done == 0 {
		line = fmt.Sprintf("%s: nothing was due%s", stage, yet(summary.Waiting))
	}
	if others := p.others(summary.Outcomes); others != "" {
		line += "; in all not ok: " + others + " (see `skillcorpus status --failed`)"
	}
	return errors.Join(p.tell(summary, line), end)
}

// end returns the error that a finished stage leaves: what remains to be done, or nil. It is ErrIncomplete only if
// waiting helps something.
func (p *Pipeline) end(ctx context.Context, summary Summary) error {
	if ctx.Err() != nil {
		return ErrStopped
	}
	var waiting string
	crawled := summary.Crawl
	switch {
	case summary.Waiting > 0 && crawled == nil:
		waiting = waits(summary.Waiting, "skill")
	case summary.Waiting > 0:
		waiting = fmt.Sprintf("%s, come back after %s", wait(crawled.WaitingAt), crawled.RetryAt.Local().Format(time.RFC3339))
	case crawled != nil && crawled.Incomplete():
		waiting = unread(*crawled)
		if again := sourceRetry(*crawled); !again.IsZero() {
			waiting += ", come back after " + again.Local().Format(time.RFC3339)
		}
	}
	broken := unmended(crawled)
	if waiting != "" {
		return fmt.Errorf("%w: %s", ErrIncomplete, strings.Join(append([]string{waiting}, broken...), "\n"))
	}
	if len(broken) > 0 {
		return errors.New(strings.Join(broken, "\n"))
	}
	return nil
}

// IndexOptions say how an index is built.
type IndexOptions struct {
	Rebuild  bool            // also if nothing changed
	Embedder embed.Embedder  // none: words alone
	Missing  error           // why there is no embedder and what brings one, where one was wanted
	Sections []index.Section // to embed; none: all
}

// Index builds the index if anything changed since the last build. The end of ctx leaves the former one, or the
// new one with the vectors so far.
func (p *Pipeline) Index(ctx context.Context, options IndexOptions) error {
	if options.Missing != nil {
		p.Terminal.Note("index: by words alone: %s", options.Missing)
	}
	started, counter, tokens := p.Now(), new(store.Counter), new(store.Counter)
	stop := p.Terminal.Progress("index", indexTally(counter, tokens))
	manifest, built, err := index.Build(ctx, p.Corpus, index.BuildOptions{
		Name: index.DefaultName, Rebuild: options.Rebuild, Counter: counter,
		Embedder: options.Embedder, Sections: options.Sections, Tokens: tokens,
	})
	stop()
	if ctx.Err() != nil {
		return ErrStopped
	}
	if err != nil {
		return err
	}
	summary := Summary{
		Type: "summary", Stage: "index", Done: counter.Done.Load(), Skills: manifest.Skills, Built: &built,
		TookMS: p.Now().Sub(started).Milliseconds(), Outcomes: map[data.Outcome]int{data.OutcomeOK: manifest.Skills},
	}
	if err := p.finish(ctx, started, summary, nil); err != nil {
		return err
	}
	line := fmt.Sprintf("index: %s in %s", terminal.Count(int64(manifest.Skills), "skill"), took(summary.TookMS))
	if vectors := manifest.Vectors(); len(vectors) > 0 {
		line += fmt.Sprintf("; %s by %s", terminal.Count(countVectors(vectors), "vector"), vectors[0].Embedder)
	}
	if !built {
		line = fmt.Sprintf("index: up to date with %s", terminal.Count(int64(manifest.Skills), "skill"))
	}
	return p.tell(summary, line)
}

// finish appends to the run history.
func (p *Pipeline) finish(ctx context.Context, started time.Time, summary Summary, end error) error {
	text, err := json.Marshal(summary)
	if err != nil {
		return err
	}
	run := store.Run{Command: summary.Stage, StartedAt: started, EndedAt: p.Now(), Summary: text}
	switch {
	case errors.Is(end, ErrStopped):
		run.ExitCode = 130
	case errors.Is(end, ErrIncomplete):
		run.ExitCode = 3
	case end != nil:
		run.ExitCode = 1
	}
	return p.Corpus.AddRun(ctx, run)
}

func (p *Pipeline) tell(summary Summary, line string) error {
	if p.NoSummary {
		return nil
	}
	if p.Terminal.JSON {
		return p.Terminal.Object(summary)
	}
	p.Terminal.Printf("%s\n", line)
	return nil
}

func (p *Pipeline) others(outcomes map[data.Outcome]int) string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		if outcome != data.OutcomeOK {
			parts = append(parts, fmt.Sprintf("%d %s", outcomes[outcome], outcome))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *Pipeline) tally(counter *store.Counter) terminal.Tally {
	return terminal.Tally{
		Total: counter.Total.Load, Done: counter.Done.Load, Failed: counter.Failed.Load, Bytes: counter.Bytes.Load,
		More: func() (text string) {
			if skills := counter.Skills.Load(); skills > 0 {
				text = ", " + terminal.Count(skills, "skill")
			}
			if p.Waits != nil {
				text += p.Waits(p.Now())
			}
			return text
		},
	}
}

// indexTally shows skills while the words are indexed, then tokens, whose number tells the time that is left.
func indexTally(skills, tokens *store.Counter) terminal.Tally {
	pick := func(of func(*store.Counter) int64) func() int64 {
		return func() int64 {
			if tokens.Total.Load() > 0 {
				return of(tokens)
			}
			return of(skills)
		}
	}
	none := func() int64 { return 0 }
	return terminal.Tally{
		Total: pick(func(c *store.Counter) int64 { return c.Total.Load() }),
		Done:  pick(func(c *store.Counter) int64 { return c.Done.Load() }), Failed: none, Bytes: none,
	}
}

func countVectors(lists []index.List) (count int64) {
	for _, l := range lists {
		count += int64(l.Count)
	}
	return count
}

func took(milliseconds int64) string {
	return (time.Duration(milliseconds) * time.Millisecond).Round(10 * time.Millisecond).String()
}

// yet says of a stage that had nothing to do that it has later.
func yet(waiting int) string {
	if waiting > 0 {
		return " yet"
	}
	return ""
}

func were(number int, thing string) string {
	if number == 1 {
		return terminal.Count(1, thing) + " was"
	}
	return terminal.Count(int64(number), thing) + " were"
}

func waits(number int, thing string) string {
	if number == 1 {
		return terminal.Count(1, thing) + " waits"
	}
	return terminal.Count(int64(number), thing) + " wait"
}
