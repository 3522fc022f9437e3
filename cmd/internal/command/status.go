package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/audit"
	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/index"
	"skillcorpus/parse"
	"skillcorpus/store"
)

func (e *environment) status() *cobra.Command {
	var failed, findings, table bool
	command := &cobra.Command{
		Use:   "status",
		Short: "Show what the corpus holds, what is due, and how complete it is",
		Example: `  skillcorpus status
  skillcorpus status --failed
  skillcorpus status --findings
  skillcorpus status --table6
  skillcorpus status --json`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return e.read(command.Context(), func(corpus *store.Store) error {
				if table {
					return e.printTable6(command.Context(), corpus)
				}
				if findings {
					return e.printRepoFindings(command.Context(), corpus)
				}
				if failed {
					return e.printFailures(command.Context(), corpus)
				}
				report, err := e.corpusState(command.Context(), corpus)
				if err != nil {
					return err
				}
				if e.JSON {
					return e.Object(report)
				}
				e.printReport(report)
				return nil
			})
		},
	}
	command.Flags().BoolVar(&findings, "findings", false, "list what the archives of repositories showed that belongs to no skill, such as refused members")
	command.Flags().BoolVar(&table, "table6", false, "what became of everything that the sources list, as in the paper's Table 6")
	command.Flags().BoolVar(&failed, "failed", false, "list every item that did not end ok, with its reason")
	return command
}

// corpusState is what `status --json` prints (docs/json.md).
type corpusState struct {
	Type    string                     `json:"type"` // always status
	OK      bool                       `json:"ok"`   // nothing due, nothing failed on our side, every source read to its end, the index fresh
	Counts  store.Counts               `json:"counts"`
	Hosts   map[string]store.HostCount `json:"hosts"` // the repositories of each host
	Stages  map[string]stageReport     `json:"stages"`
	Waits   []store.Wait               `json:"waits"` // why items wait, the most first
	Sources []sourceReport             `json:"sources"`
	Index   indexReport                `json:"index"`
	LastRun *store.Run                 `json:"last_run"`
}

type stageReport struct {
	Due      int                  `json:"due"`
	Waiting  int                  `json:"waiting"`
	Outcomes map[data.Outcome]int `json:"outcomes"`
}

type sourceReport struct {
	Name         string            `json:"source"`
	Completeness data.Completeness `json:"completeness"`
	Rows         int               `json:"rows"`
	Unlisted     int               `json:"unlisted"`
	UpdatedAt    time.Time         `json:"updated_at"`
	Outcome      data.Outcome      `json:"outcome,omitempty"` // of what interrupted it
	Reason       string            `json:"reason,omitempty"`  // why it was interrupted or capped
	RetryAt      time.Time         `json:"retry_at,omitzero"` // when the host said that it may be asked again
}

type indexReport struct {
	State  string `json:"state"` // fresh, stale, none, unusable
	Skills int    `json:"skills"`
	Reason string `json:"reason,omitempty"`
}

func (e *environment) corpusState(ctx context.Context, corpus *store.Store) (corpusState, error) {
	r := corpusState{Type: "status", Stages: map[string]stageReport{}, Sources: []sourceReport{}}
	var err error
	if r.Counts, err = corpus.Counts(ctx); err != nil {
		return r, err
	}
	if r.Hosts, err = corpus.Hosts(ctx); err != nil {
		return r, err
	}
	due := map[store.Stage]func() (int, error){
		store.StageCrawl: func() (int, error) { return corpus.CountNewRepos(ctx) },
		store.StageParse: func() (int, error) { return corpus.CountDueParse(ctx, parse.Version) },
		store.StageAudit: func() (int, error) { return corpus.CountDueAudit(ctx, audit.Version) },
	}
	r.OK = true
	for stage, count := range due {
		s := stageReport{}
		if s.Due, err = count(); err != nil {
			return r, err
		}
		if s.Outcomes, err = corpus.Outcomes(ctx, stage); err != nil {
			return r, err
		}
		if _, s.Waiting, err = corpus.NextRetry(ctx, stage); err != nil {
			return r, err
		}
		r.OK = r.OK && s.Due == 0 && s.Waiting == 0
		r.Stages[string(stage)] = s
	}
	waiting, err := corpus.Waits(ctx)
	if err != nil {
		return r, err
	}
	r.Waits = orEmpty(waiting)
	sources, err := corpus.Sources(ctx)
	if err != nil {
		return r, err
	}
	for _, s := range sources {
		r.Sources = append(r.Sources, sourceReport{s.Name, s.Completeness, s.Rows, s.Unlisted, s.UpdatedAt, s.Outcome, s.Reason, s.RetryAt})
		r.OK = r.OK && s.Completeness != data.Interrupted
	}
	if r.Index, err = indexState(ctx, corpus); err != nil {
		return r, err
	}
	r.OK = r.OK && r.Index.State == "fresh"
	if run, ok, err := corpus.LastRun(ctx); err != nil {
		return r, err
	} else if ok {
		r.LastRun = &run
	}
	return r, nil
}

func indexState(ctx context.Context, corpus *store.Store) (indexReport, error) {
	state, manifest, err := index.State(ctx, corpus, index.DefaultName)
	r := indexReport{State: string(state), Skills: manifest.Skills}
	if state == index.StateUnusable && err != nil {
		r.Reason, err = err.Error(), nil
	}
	return r, err
}

func (e *environment) printReport(r corpusState) {
	c := r.Counts
	e.Printf("%s in %s\n", e.Bold(terminal.Count(int64(c.Skills), "skill")), e.data)
	e.Printf("  %s, %s, %d removed, %s, %s of text (%s packed)\n", places(r.Hosts, func(h store.HostCount) int { return h.Repos }),
		terminal.Count(int64(c.Copies), "copy"), c.Removed, terminal.Count(int64(c.Files), "bundled file"),
		terminal.Bytes(int64(c.BlobBytes)), terminal.Bytes(int64(c.StoreBytes)))
	if c.RepoFindings > 0 {
		e.Printf("  %s on repositories as a whole (see `skillcorpus status --findings`)\n", terminal.Count(int64(c.RepoFindings), "finding"))
	}
	if c.Verdicts > 0 {
		e.Printf("  %d of %d audited skills are runnable-complete (%.1f %%)\n", c.Runnable, c.Verdicts, 100*float64(c.Runnable)/float64(c.Verdicts))
	}
	rows := [][]any{}
	for _, stage := range []store.Stage{store.StageCrawl, store.StageParse, store.StageAudit} {
		s := r.Stages[string(stage)]
		rows = append(rows, []any{stage, s.Due, s.Waiting, outcomes(s.Outcomes)})
	}
	e.Table([]string{"stage", "due", "waiting", "outcomes"}, rows)
	for _, w := range r.Waits {
		e.Printf("%s: %s until %s, %s: %s\n", w.Stage, waitingItems(w.Items), w.Until.Format(time.RFC3339), w.Outcome, terminal.Shorten(terminal.Quote(w.Reason), 120))
	}
	if len(r.Sources) > 0 {
		rows = rows[:0]
		for _, s := range r.Sources {
			rows = append(rows, []any{s.Name, s.Completeness, s.Rows, s.Unlisted, s.UpdatedAt.Format(time.RFC3339)})
		}
		e.Table([]string{"source", "listing", "rows", "unlisted", "as of"}, rows)
	}
	for _, s := range r.Sources {
		switch {
		case s.Completeness == data.Interrupted:
			e.Printf("%s is interrupted: %s\n", terminal.Quote(s.Name), terminal.Quote(pipeline.Interruption(s.Outcome, s.Reason, s.RetryAt)))
		case s.Reason != "":
			e.Printf("%s is %s: it %s\n", terminal.Quote(s.Name), s.Completeness, terminal.Quote(s.Reason))
		}
	}
	e.Printf("index: %s, %s%s\n", r.Index.State, terminal.Count(int64(r.Index.Skills), "skill"), prefixed("; ", terminal.Quote(r.Index.Reason)))
	if r.LastRun != nil {
		e.Printf("last run: %s at %s, exit code %d\n", r.LastRun.Command, r.LastRun.EndedAt.Format(time.RFC3339), r.LastRun.ExitCode)
	}
}

func waitingItems(number int) string {
	if number == 1 {
		return "1 item waits"
	}
	return terminal.Count(int64(number), "item") + " wait"
}

// places counts what the hosts have, in words that are right for each.
func places(hosts map[string]store.HostCount, of func(store.HostCount) int) string {
	counts := make(map[string]int, len(hosts))
	for host, count := range hosts {
		counts[host] = of(count)
	}
	return pipeline.Places(counts)
}

func outcomes(counts map[data.Outcome]int) string {
	var parts []string
	for _, outcome := range data.Outcomes() {
		if count := counts[outcome]; count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", outcome, count))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

func (e *environment) printFailures(ctx context.Context, corpus *store.Store) error {
	failures, err := corpus.Failures(ctx)
	if err != nil {
		return err
	}
	rows := [][]any{}
	for _, f := range failures {
		if e.JSON {
			if err := e.Object(f); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []any{f.Stage, f.Item, f.Outcome, f.Attempts, f.RetryAt.Format(time.RFC3339), terminal.Shorten(terminal.Quote(f.Reason), 120)})
	}
	switch {
	case e.JSON:
	case len(rows) == 0:
		e.Printf("every item ended ok\n")
	default:
		e.Table([]string{"stage", "item", "outcome", "attempts", "again at", "reason"}, rows)
	}
	return nil
}

func (e *environment) printRepoFindings(ctx context.Context, corpus *store.Store) error {
	found, err := corpus.RepoFindings(ctx)
	if err != nil {
		return err
	}
	last := ""
	for _, f := range found {
		if e.JSON {
			if err := e.Object(f); err != nil {
				return err
			}
			continue
		}
		if f.Repo != last {
			e.Printf("%s\n", e.Bold(terminal.Quote(f.Repo)))
			last = f.Repo
		}
		e.printFindings([]data.Finding{f.Finding})
	}
	if len(found) == 0 && !e.JSON {
		e.Printf("no repository showed anything beside its skills\n")
	}
	return nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
