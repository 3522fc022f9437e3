package pipeline

import (
	"context"
	"fmt"
	"io"

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
	stop := p.Terminal.Progress("import", tally(counter))
	err := func() error {
		defer stop()
		for _, input := range inputs {
			stored, refused, err := p.importOne(ctx, input, counter)
			summary.Done += int64(stored)
			summary.Refused += refused
			if err != nil {
				return err
			}
		}
		return nil
	}()
	if err != nil {
		return err
	}
	counts, err := p.Corpus.Counts(ctx)
	if err != nil {
		return err
	}
	summary.Skills, summary.TookMS = counts.Skills, p.Now().Sub(started).Milliseconds()
	summary.Outcomes = map[data.Outcome]int{data.OutcomeOK: int(summary.Done), data.OutcomeMalformed: summary.Refused}
	end := p.end(summary)
	if err := p.finish(ctx, started, summary, end); err != nil {
		return err
	}
	line := fmt.Sprintf("import: %s in %s; the corpus has %s", count(summary.Done, "skill"), took(summary.TookMS), count(int64(summary.Skills), "skill"))
	if summary.Refused > 0 {
		line += fmt.Sprintf("; %s refused", count(int64(summary.Refused), "line"))
	}
	if err := p.tell(summary, line); err != nil {
		return err
	}
	return end
}

func (p *Pipeline) importOne(ctx context.Context, input Input, counter *store.Counter) (stored, refused int, err error) {
	select {
	case <-p.Stop:
		return 0, 0, nil
	default:
	}
	reader, err := input.Open()
	if err != nil {
		return 0, 0, fmt.Errorf("import %s: %w", input.Name, err)
	}
	defer reader.Close()
	return crawl.Import(ctx, p.Corpus, input.Name, reader, crawl.ImportOptions{
		Counter: counter,
		Stop:    p.Stop,
		Warn:    func(message string) { p.Terminal.Warn("%s", message) },
	})
}
