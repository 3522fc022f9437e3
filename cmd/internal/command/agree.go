package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"skillcorpus/audit/report"
	"skillcorpus/audit/statistics"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/store"
)

// agree compares the corpus's verdicts with a file of judged skills.
func (e *environment) agree(ctx context.Context, corpus *store.Store, s auditSettings) (err error) {
	file, err := os.Open(s.agree)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	judged, err := report.ReadJudged(file)
	if err != nil {
		return fmt.Errorf("%s: %w", s.agree, err)
	}
	var pairs []report.Pair
	var absent []string
	for _, j := range judged {
		skill, found, err := corpus.Skill(ctx, j.ID())
		switch {
		case err != nil:
			return err
		case !found || skill.Verdict == nil:
			absent = append(absent, j.ID())
		default:
			pairs = append(pairs, report.Pair{Judged: j, Verdict: *skill.Verdict})
		}
	}
	if len(pairs) == 0 {
		return fmt.Errorf("%s: the corpus has a verdict on none of its %s", s.agree, terminal.Count(int64(len(judged)), "skill"))
	}
	return e.printAgreement(report.Agree(pairs, absent, s.seed))
}

func (e *environment) printAgreement(a report.Agreement) error {
	if e.JSON {
		return e.Object(a)
	}
	e.Printf("%s", e.Bold(terminal.Count(int64(a.N), "judged skill")))
	if len(a.Absent) > 0 {
		e.Printf(", %d more without a verdict here", len(a.Absent))
	}
	e.Printf("\n")
	for _, l := range a.Labels {
		e.Printf("\n%s: %s\n", e.Bold(l.Label), describeKappa(l.Agreement))
		header, rows := []string{"judged \\ audited"}, [][]any{}
		for i, name := range l.Labels {
			header = append(header, name)
			row := []any{name}
			for _, count := range l.Table[i] {
				row = append(row, count)
			}
			rows = append(rows, row)
		}
		e.Table(header, rows)
	}
	e.Printf("\nmissing files, path by path: precision %s, recall %s\n", describeShare(a.Paths.Precision), describeShare(a.Paths.Recall))
	rows := [][]any{}
	for _, d := range a.Disagreements[:e.shown(len(a.Disagreements))] {
		rows = append(rows, []any{d.Label, d.Judged, d.Audited, terminal.Quote(d.ID)})
	}
	if len(rows) > 0 {
		e.Printf("\n")
		e.Table([]string{"disagreement", "judged", "audited", "skill"}, rows)
	}
	if more := len(a.Disagreements) - len(rows); more > 0 {
		e.Printf("and %d more (--verbose, --json)\n", more)
	}
	return nil
}

// shown returns how many of so many rows people see.
func (e *environment) shown(rows int) int {
	if e.verbose {
		return rows
	}
	return min(rows, shownCounts)
}

func describeKappa(a statistics.Agreement) string {
	if a.Kappa == nil {
		return fmt.Sprintf("%.1f %% equal; no kappa, since chance alone would agree on everything", 100*a.Observed)
	}
	return fmt.Sprintf("kappa %.3f [%.3f, %.3f], %.1f %% equal", *a.Kappa, a.CI[0], a.CI[1], 100*a.Observed)
}

func describeShare(s statistics.Share) string {
	return fmt.Sprintf("%.1f %% [%.1f, %.1f] (%d of %d)", 100*s.Share, 100*s.CI[0], 100*s.CI[1], s.Count, s.N)
}
