package command

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/crawl"
	"skillcorpus/crawl/archive"
	"skillcorpus/index"
)

// demoData is where the demo lies unless the user says otherwise: never in a corpus of theirs.
const demoData = "skillcorpus-demo"

// demoQueries each find another skill of the sample marketplace.
var demoQueries = []string{"test a web page in a browser", "make AI-generated text sound natural", "notes with wikilinks"}

// demoParaphrase finds a skill that has none of its words, so only by meaning.
const demoParaphrase = "movie footage synthesis"

func (e *environment) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Crawl, parse, audit, index and search a small marketplace that is inside this program",
		Long: `Run every stage on the sample marketplace: six real repositories with permissive
licences, served on loopback. It takes seconds, needs no network, and leaves a corpus in
./` + demoData + ` (or --data) that every other command works on.`,
		Example: "  skillcorpus demo\n  skillcorpus status --data " + demoData,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if !command.Flags().Changed("data") && e.setting("DATA", "") == "" {
				e.data = demoData
			}
			return e.runDemo(command.Context())
		},
	}
}

func (e *environment) runDemo(ctx context.Context) (err error) {
	started := e.now()
	wired, err := e.wire(ctx, crawlSettings{sources: []string{"sample"}, maxArchive: size(archive.DefaultLimits().Bytes), workers: 4})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, wired.close()) }()
	modelID := e.setting("MODEL", "")
	embedder, missing, err := e.embedder(modelID)
	if err != nil {
		return err
	}
	if embedder == nil {
		modelID = noModel // the index has said what is missing; the searches need not
	} else {
		defer func() { err = errors.Join(err, embedder.Close()) }()
	}
	err = e.write(ctx, "demo", func(p *pipeline.Pipeline) error {
		steps := []func(context.Context) error{
			func(ctx context.Context) error { return wired.checkSample(ctx, p.Corpus) },
			func(ctx context.Context) error {
				return p.Crawl(ctx, crawl.Options{
					Sources: wired.sources, GitHub: wired.github, Limits: archive.DefaultLimits(), Workers: 4, MaxAge: 24 * time.Hour,
				})
			},
			p.Parse, p.Audit,
			func(ctx context.Context) error {
				return p.Index(ctx, pipeline.IndexOptions{Embedder: embedder, Missing: missing})
			},
		}
		for _, step := range steps {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.demoSearches(ctx, modelID); err != nil {
		return err
	}
	if !e.JSON {
		e.Printf("\ndone in %s; the corpus lies in %s. Try:\n", e.now().Sub(started).Round(10*time.Millisecond), e.data)
		e.Printf("  skillcorpus search --data %s --explain \"web browser\"\n  skillcorpus status --data %s\n", e.data, e.data)
	}
	return nil
}

func (e *environment) demoSearches(ctx context.Context, modelID string) (err error) {
	searcher, closeAll, err := e.searcher(ctx, modelID, patient)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	queries := slices.Clone(demoQueries)
	if modelID != noModel {
		queries = append(queries, demoParaphrase)
	}
	for _, query := range queries {
		if !e.JSON {
			e.Printf("\nsearch %q\n", query)
		}
		if err := e.answer(ctx, searcher, index.Request{ID: query, Text: query, K: 1}); err != nil {
			return err
		}
	}
	return nil
}
