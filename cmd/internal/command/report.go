package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skillcorpus/audit"
	"skillcorpus/audit/report"
	"skillcorpus/audit/statistics"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/store"
)

// reportSettings are the flags of report.
type reportSettings struct {
	format, output string
	where, compare string
	as             string
	options        audit.ReportOptions
}

func (e *environment) report() *cobra.Command {
	var s reportSettings
	command := &cobra.Command{
		Use:   "report",
		Short: "Figures of the audit: shares, structure, licences, what is broken",
		Long: `Tell of the audited skills of the corpus, beside the figures of the SkillFlow paper: as
text, JSON, Markdown, or one HTML page that holds all it needs and asks nothing of the
network. --compare sets them against other skills: of another data folder, of this
corpus by another selection, or FOLDER,FIELD=VALUE for both.

--where takes ` + report.SelectionHelp + `.`,
		Example: `  skillcorpus report
  skillcorpus report --format html --output audit.html
  skillcorpus report --sample 300 --seed 42 --as skillflow
  skillcorpus report --where copy=false,stars=100 --compare stars=0
  skillcorpus report --compare ../other-data`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := s.check(command.Flags(), e.JSON); err != nil {
				return usageError{err}
			}
			return e.read(command.Context(), func(corpus *store.Store) error { return e.runReport(command.Context(), corpus, s) })
		},
	}
	flags := command.Flags()
	flags.StringVar(&s.format, "format", "text", "text, json, md or html")
	flags.StringVarP(&s.output, "output", "o", "", `file to write, as md where --format does not say (default "-", stdout)`)
	flags.StringVar(&s.where, "where", "", "only these skills (see above)")
	flags.StringVar(&s.compare, "compare", "", "other skills to set them against (see above)")
	flags.StringVar(&s.as, "as", "", "text: only the counts by the paper's rules (skillflow) or by the document's structure (corrected)")
	flags.IntVar(&s.options.Sample, "sample", 0, "draw so many skills, in proportion by whether they bundle scripts")
	flags.Uint64Var(&s.options.Seed, "seed", defaultSeed, "of --sample")
	return command
}

func (s *reportSettings) check(flags *pflag.FlagSet, json bool) (err error) {
	var given []string
	if s.options.Sample > 0 {
		given = []string{"--sample"}
	}
	if err := cmp.Or(empty(flags, "compare", "output"), misplaced(flags, map[string][]string{"seed": {"--sample"}}, given...)); err != nil {
		return err
	}
	switch {
	case json && flags.Changed("format") && s.format != "json":
		return fmt.Errorf("--json and --format %s are two forms: give one of them", s.format)
	case json:
		s.format = "json"
	case s.format == "text" && s.output != "" && s.output != "-":
		if s.as != "" || flags.Changed("format") {
			return errors.New("a file holds --format json, md or html: text is for the terminal")
		}
		s.format = "md"
	}
	switch {
	case s.format != "text" && s.format != "json" && s.format != "md" && s.format != "html":
		return fmt.Errorf("--format %q: want text, json, md or html", s.format)
	case s.as != "" && s.as != asSkillflow && s.as != "corrected":
		return fmt.Errorf("--as %q: want skillflow or corrected", s.as)
	case s.as != "" && s.format != "text":
		return errors.New("--as goes with --format text: the others show both")
	case s.options.Sample < 0:
		return errors.New("--sample must not be negative")
	}
	if s.output == "-" {
		s.output = ""
	}
	s.options.Where, err = report.ParseSelection(s.where)
	return err
}

func (e *environment) runReport(ctx context.Context, corpus *store.Store, s reportSettings) error {
	figures, err := audit.Report(ctx, corpus, s.options)
	if err != nil {
		return err
	}
	if figures.Skills == 0 {
		return errors.New("no audited skill is selected: run `skillcorpus audit`, or choose others with --where")
	}
	if s.compare != "" {
		if err := e.compareWith(ctx, corpus, s, figures); err != nil {
			return err
		}
	}
	if s.format == "text" && s.output == "" {
		e.printFigures(figures, s.as)
		return nil
	}
	return writeOutput(e.Out(), s.output, func(out io.Writer) error {
		switch s.format {
		case "html":
			return report.HTML(out, figures)
		case "json":
			return report.JSON(out, figures)
		}
		return report.Markdown(out, figures)
	})
}

// compareWith adds the comparison with other skills: a term of --compare without = names their data folder.
func (e *environment) compareWith(ctx context.Context, corpus *store.Store, s reportSettings, figures *report.Figures) (err error) {
	folder, terms := "", []string{}
	for term := range strings.SplitSeq(s.compare, ",") {
		if strings.Contains(term, "=") {
			terms = append(terms, term)
		} else {
			folder = term
		}
	}
	other := audit.ReportOptions{Sample: s.options.Sample, Seed: s.options.Seed}
	if other.Where, err = report.ParseSelection(strings.Join(terms, ",")); err != nil {
		return usageError{err}
	}
	if folder != "" {
		if corpus, err = store.Open(ctx, folder, store.Options{Now: e.now}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, corpus.Close()) }()
	}
	second, err := audit.Report(ctx, corpus, other)
	if err != nil {
		return err
	}
	if second.Skills == 0 {
		return fmt.Errorf("--compare %s: no audited skill is selected", s.compare)
	}
	first := s.where
	if first == "" {
		first = e.data
	}
	figures.Comparison = report.Compare(figures, second, first, s.compare)
	return nil
}

func (e *environment) printFigures(f *report.Figures, as string) {
	e.Printf("%s in %s, %s", e.Bold(terminal.Count(int64(f.Skills), "audited skill")), terminal.Count(int64(f.Repos), "repository"), terminal.Count(int64(f.Copies), "byte-equal copy"))
	if f.Sample != nil {
		e.Printf("; a sample of %d, seed %d", f.Sample.Of, f.Sample.Seed)
	}
	e.Printf("\n\n")
	share := func(s statistics.Share) string {
		return fmt.Sprintf("%5.1f %% [%4.1f, %4.1f]", 100*s.Share, 100*s.CI[0], 100*s.CI[1])
	}
	rows := [][]any{}
	for _, m := range f.Shares {
		rows = append(rows, columns(as, report.Title(m.Name), share(m.Corrected), share(m.Skillflow), paperShare(m)))
	}
	e.Table(columnNames(as, "share"), rows)
	rows = [][]any{}
	for _, p := range f.Proxies {
		rows = append(rows, columns(as, report.Title(p.Name), report.Centre(p.Name, p.Corrected), report.Centre(p.Name, p.Skillflow), paperCentre(p)))
	}
	e.Printf("\n")
	e.Table(columnNames(as, "median, or share"), rows)
	rows = [][]any{}
	for _, r := range f.Rules[:e.shown(len(f.Rules))] {
		rows = append(rows, []any{r.Rule, r.Severity, r.Skills, r.Findings})
	}
	e.Printf("\n")
	e.Table([]string{"rule", "severity", "skills", "findings"}, rows)
	rows = [][]any{}
	for _, l := range f.Licences[:e.shown(len(f.Licences))] {
		rows = append(rows, []any{l.Name, l.Skills, l.Runnable})
	}
	e.Printf("\n")
	e.Table([]string{"licence", "skills", "runnable-complete"}, rows)
	if f.Comparison != nil {
		e.printComparison(f.Comparison, as)
	}
}

// columns leaves out what --as does not ask for.
func columns(as string, name, corrected, skillflow, paper any) []any {
	switch as {
	case asSkillflow:
		return []any{name, skillflow, paper}
	case "corrected":
		return []any{name, corrected, paper}
	}
	return []any{name, corrected, skillflow, paper}
}

func columnNames(as, what string) []string {
	var names []string
	for _, name := range columns(as, what, "corrected", "paper's rules", "paper") {
		names = append(names, name.(string))
	}
	return names
}

func paperShare(m report.Measure) string {
	switch {
	case m.Paper == nil:
		return ""
	case m.PaperCI == nil:
		return fmt.Sprintf("%.1f %%", 100**m.Paper)
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100**m.Paper, 100*m.PaperCI[0], 100*m.PaperCI[1])
}

func paperCentre(p report.Spread) string {
	if p.Community == nil {
		return ""
	}
	at := func(value float64) string { return report.Centre(p.Name, report.Quantiles{Mean: value, P50: value}) }
	return fmt.Sprintf("%s (oracle %s)", at(*p.Community), at(*p.Oracle))
}

func (e *environment) printComparison(c *report.Comparison, as string) {
	e.Printf("\n%s (%d) against %s (%d)\n", e.Bold(terminal.Quote(c.First.Name)), c.First.Skills, e.Bold(terminal.Quote(c.Second.Name)), c.Second.Skills)
	rows := [][]any{}
	for _, s := range c.Shares {
		rows = append(rows, []any{report.Title(s.Name), fmt.Sprintf("%.1f %%", 100*s.First.Share), fmt.Sprintf("%.1f %%", 100*s.Second.Share), "", ""})
	}
	for _, p := range c.Proxies {
		test := p.Corrected
		if as == asSkillflow {
			test = p.Skillflow
		}
		rows = append(rows, []any{report.Title(p.Name), fmt.Sprintf("%.4g", test.First), fmt.Sprintf("%.4g", test.Second), fmt.Sprintf("%.3g", test.Holm), fmt.Sprintf("%.3f", test.Delta)})
	}
	e.Table([]string{"measure", "first", "second", "p (Holm)", "Cliff's delta"}, rows)
}
