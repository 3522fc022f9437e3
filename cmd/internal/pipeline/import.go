package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl"
	"skillcorpus/data"
	"skillcorpus/store"
)

// Input is one stream of records in the corpus format.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Import stores the skills of every input.
func (p *Pipeline) Import(ctx context.Context, inputs []Input) error {
	started, counter := p.Now(), new(store.Counter)
	summary := Summary{Type: "summary", Stage: "import"}
	if err := p.importAll(ctx, inputs, counter, &summary); err != nil {
		return err
	}
	work := context.WithoutCancel(ctx)
	counts, err := p.Corpus.Counts(work)
	if err != nil {
		return err
	}
	summary.Skills, summary.TookMS = counts.Skills, p.Now().Sub(started).Milliseconds()
	summary.Outcomes = map[data.Outcome]int{data.OutcomeOK: int(summary.Done), data.OutcomeMalformed: summary.Refused}
	end := p.end(ctx, summary)
	if err := p.finish(work, started, summary, end); err != nil {
		return err
	}
	line := fmt.Sprintf("import: %s in %s; the corpus has %s", terminal.Count(summary.Done, "skill"), took(summary.TookMS), terminal.Count(int64(summary.Skills), "skill"))
	if summary.Refused > 0 {
		line += fmt.Sprintf("; %s refused", terminal.Count(int64(summary.Refused), "line"))
	}
	return errors.Join(p.tell(summary, line), end, nothing(summary))
}

// nothing is the failure of an import that found no record at all: the wrong file, most likely.
func nothing(summary Summary) error {
	if summary.Done == 0 && summary.Refused > 0 {
		return errors.New("nothing was imported: no line is a record of the corpus format (docs/json.md)")
	}
	return nil
}

func (p *Pipeline) importAll(ctx context.Context, inputs []Input, counter *store.Counter, summary *Summary) error {
	defer p.Terminal.Progress("import", p.tally(counter))()
	for _, input := range inputs {
		if ctx.Err() != nil {
			return nil
		}
		stored, refused, err := p.importOne(ctx, input, counter)
		summary.Done += int64(stored)
		summary.Refused += refused
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Pipeline) importOne(ctx context.Context, input Input, counter *store.Counter) (stored, refused int, err error) {
	reader, err := input.Open()
	if err != nil {
		return 0, 0, fmt.Errorf("import %s: %w", input.Name, err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return crawl.Import(context.WithoutCancel(ctx), p.Corpus, input.Name, reader, crawl.ImportOptions{
		Counter: counter,
		Stop:    ctx.Done(),
		Warn:    func(message string) { p.Terminal.Warn("%s", message) },
	})
}
