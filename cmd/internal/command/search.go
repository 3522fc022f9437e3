package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/index"
	"skillcorpus/index/rank"
	"skillcorpus/store"
)

// searchSettings are the flags of search.
type searchSettings struct {
	request   index.Request
	tiers     []string
	queryFile string
	queries   string
	mode      string
	fusion    string
	model     string
}

// patient is the time for embedding one query where nobody waits for it: a list of queries must not fall back to words
// because the machine is busy.
const patient = time.Minute

func (e *environment) search() *cobra.Command {
	var settings searchSettings
	command := &cobra.Command{
		Use:   "search [QUERY]",
		Short: "Find skills by words, names or a whole task description",
		Long: `Rank skills for a query. The query is plain text: words, a name, an id, or a whole task
description; none of its characters is syntax. Copies of one skill are shown once,
with all their places.`,
		Example: `  skillcorpus search "rotate a PDF"
  skillcorpus search --license MIT --runnable -k 3 "browser automation"
  skillcorpus search --prefix reef-
  skillcorpus search --json --queries tasks.jsonl > hits.jsonl`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return e.runSearch(command.Context(), settings, arguments)
		},
	}
	flags := command.Flags()
	flags.IntVarP(&settings.request.K, "limit", "k", index.DefaultK, fmt.Sprintf("hits wanted, up to %d", index.MaxK))
	flags.IntVar(&settings.request.Offset, "offset", 0, "hits to skip")
	flags.BoolVar(&settings.request.Explain, "explain", false, "every stage's rank and score of each hit")
	flags.StringVar(&settings.mode, "mode", "", "lexical (words), vector (meaning) or hybrid (both; the default where vectors are there)")
	flags.StringVar(&settings.fusion, "fusion", string(index.DefaultFusion), "how the sections' vectors become one list: max, mean, sum_norm or rrf")
	flags.StringVar(&settings.model, "model", e.setting("MODEL", ""), modelHelp)
	flags.StringVar(&settings.request.Prefix, "prefix", "", "list every skill whose name begins so, instead of a query")
	flags.StringVar(&settings.queryFile, "query-file", "", `read the query from a file ("-" is stdin)`)
	flags.StringVar(&settings.queries, "queries", "", `JSON lines {"id", "text"}, ranked one after another, copies included`)
	flags.StringSliceVar(&settings.request.Filters.Licenses, "license", nil, "only under these licences (SPDX ids)")
	flags.StringSliceVar(&settings.tiers, "tier", nil, "only of these tiers: functional, partial, reference_only")
	flags.StringSliceVar(&settings.request.Filters.Sources, "source", nil, "only listed by these sources")
	flags.StringVar(&settings.request.Filters.Repo, "repo", "", "only of this repository")
	flags.IntVar(&settings.request.Filters.MinStars, "min-stars", 0, "only with so many stars or more")
	flags.BoolVar(&settings.request.Filters.RunnableOnly, "runnable", false, "only runnable-complete skills")
	return command
}

func (e *environment) runSearch(ctx context.Context, settings searchSettings, arguments []string) (err error) {
	request, err := e.request(settings, arguments)
	if err != nil {
		return err
	}
	if _, err := os.Stat(store.Path(e.data)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open corpus %s: %w", e.data, store.ErrNoCorpus)
	}
	if settings.model == noModel && (request.Mode == index.ModeVector || request.Mode == index.ModeHybrid) {
		return usageError{fmt.Errorf("--mode %s wants a model, and none is to be used: leave --model and SKILLCORPUS_MODEL out", request.Mode)}
	}
	if request.Mode == index.ModeLexical {
		settings.model = noModel
	}
	var budget time.Duration
	if settings.queries != "" {
		budget = patient
	}
	searcher, closeAll, err := e.searcher(ctx, settings.model, budget)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	if settings.queries == "" {
		return e.answer(ctx, searcher, request)
	}
	return e.eachQuery(settings.queries, func(id, text string) error {
		request.ID, request.Text, request.KeepCopies = id, text, true
		return e.answer(ctx, searcher, request)
	})
}

// request checks the flags of a search and puts the query together.
func (e *environment) request(settings searchSettings, arguments []string) (index.Request, error) {
	request := settings.request
	for _, text := range settings.tiers {
		switch tier := data.Tier(text); tier {
		case data.TierFunctional, data.TierPartial, data.TierReferenceOnly:
			request.Filters.Tiers = append(request.Filters.Tiers, tier)
		default:
			return request, usageError{fmt.Errorf("--tier %q: want functional, partial or reference_only", text)}
		}
	}
	switch request.Mode = index.Mode(settings.mode); request.Mode {
	case "", index.ModeLexical, index.ModeVector, index.ModeHybrid:
	default:
		return request, usageError{fmt.Errorf("--mode %q: want lexical, vector or hybrid", settings.mode)}
	}
	switch request.Fusion = rank.Fusion(settings.fusion); request.Fusion {
	case rank.FusionMax, rank.FusionMean, rank.FusionSumNorm, rank.FusionRRF:
	default:
		return request, usageError{fmt.Errorf("--fusion %q: want max, mean, sum_norm or rrf", settings.fusion)}
	}
	if request.K < 1 || request.K > index.MaxK || request.Offset < 0 {
		return request, usageError{fmt.Errorf("-k must lie between 1 and %d, --offset not below 0", index.MaxK)}
	}
	given := 0
	for _, way := range []bool{len(arguments) > 0, settings.queryFile != "", settings.queries != "", request.Prefix != ""} {
		if way {
			given++
		}
	}
	if given != 1 {
		return request, usageError{errors.New("give one of a QUERY, --query-file, --queries or --prefix")}
	}
	request.Text = strings.Join(arguments, " ")
	if settings.queryFile != "" {
		text, err := e.readFile(settings.queryFile)
		request.Text = string(text)
		return request, err
	}
	return request, nil
}

func (e *environment) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(e.stdin)
	}
	return os.ReadFile(name)
}

// eachQuery calls answer for every line of a file of queries.
func (e *environment) eachQuery(name string, answer func(id, text string) error) error {
	text, err := e.readFile(name)
	if err != nil {
		return err
	}
	queries, err := readQueries(name, text)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if err := answer(q.ID, *q.Text); err != nil {
			return fmt.Errorf("query %s: %w", q.ID, err)
		}
	}
	return nil
}

// query is one line of --queries.
type query struct {
	ID   string  `json:"id"` // by default the number of the line
	Text *string `json:"text"`
}

// readQueries reads all lines before the first is answered, so that a wrong one is no half answer.
func readQueries(name string, text []byte) ([]query, error) {
	var queries []query
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		q := query{ID: strconv.Itoa(number)}
		err := json.Unmarshal(line, &q)
		if err == nil && q.Text == nil {
			err = errors.New("it has no text")
		}
		if err != nil {
			return nil, fmt.Errorf("%s line %d: want {\"id\": …, \"text\": …}: %w", name, number, err)
		}
		queries = append(queries, q)
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("%s holds no query: want lines {\"id\": …, \"text\": …}", name)
	}
	return queries, nil
}

func (e *environment) answer(ctx context.Context, searcher *index.Searcher, request index.Request) error {
	result, err := searcher.Search(ctx, request)
	if err != nil {
		return err
	}
	if e.JSON {
		for _, hit := range result.Hits {
			if err := e.Object(hit); err != nil {
				return err
			}
		}
		return e.Object(result.Summary(request.ID))
	}
	for _, reason := range result.Degraded {
		e.Warn("%s", reason)
	}
	for _, hit := range result.Hits {
		e.printHit(hit)
	}
	if len(result.Hits) == 0 {
		e.Printf("no hits%s\n", prefixed(": ", terminal.Quote(result.Hint)))
	}
	return nil
}

func (e *environment) printHit(hit index.Hit) {
	e.Printf("%2d  %s  %s\n", hit.Rank, e.Bold(terminal.Quote(hit.Name)), e.Dim(terminal.Quote(hit.ID)))
	e.Printf("    %s\n", terminal.Shorten(terminal.Quote(hit.Description), e.Width()-4))
	facts := []string{string(hit.Tier), terminal.Quote(hit.License)}
	if hit.Tier == "" {
		facts[0] = "not audited"
	}
	if hit.RunnableComplete {
		facts = append(facts, "runnable-complete")
	}
	if hit.Stars > 0 {
		facts = append(facts, fmt.Sprintf("%d stars", hit.Stars))
	}
	if len(hit.Copies) > 0 {
		facts = append(facts, "also in "+terminal.Count(int64(len(hit.Copies)), "other place"))
	}
	e.Printf("    %s\n", e.Dim(strings.Join(facts, ", ")+"; "+terminal.Quote(hit.Why)))
	for _, stage := range hit.Stages {
		e.Printf("      %s\n", describeStage(stage))
	}
}

func describeStage(stage index.Stage) string {
	text := stage.Name
	if stage.Rank > 0 {
		text += fmt.Sprintf(" rank %d", stage.Rank)
	}
	if stage.Score > 0 {
		text += fmt.Sprintf(", score %.3f", stage.Score)
	}
	text += prefixed(": ", terminal.Quote(stage.Note))
	for _, field := range sortedKeys(stage.Matched) {
		text += fmt.Sprintf("; %s: %s", field, terminal.Quote(strings.Join(stage.Matched[field], " ")))
	}
	return text
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
