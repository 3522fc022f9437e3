package audit

import (
	"context"
	"iter"
	"strconv"

	"skillcorpus/audit/report"
	"skillcorpus/audit/statistics"
	"skillcorpus/store"
)

// ReportOptions say which skills a report is about.
type ReportOptions struct {
	Where  report.Selection
	Sample int // draw so many, in proportion by whether they have scripts (PAPER.md, Table 7); 0: all
	Seed   uint64
}

// Audited yields the skills of a corpus that have a verdict and are selected, in id order.
func Audited(ctx context.Context, corpus *store.Store, where report.Selection) iter.Seq2[report.Skill, error] {
	return func(yield func(report.Skill, error) bool) {
		for a, err := range corpus.Audited(ctx) {
			skill := report.Skill{
				ID: a.ID, Repo: a.RepoID, Name: a.Name, CopyOf: a.CopyOf, Stars: a.Stars, Verdict: a.Verdict, Findings: a.Findings,
			}
			if err == nil && !where.Match(skill) {
				continue
			}
			if !yield(skill, err) || err != nil {
				return
			}
		}
	}
}

// Report gathers the figures of the skills that the options select.
func Report(ctx context.Context, corpus *store.Store, options ReportOptions) (*report.Figures, error) {
	collector := report.NewCollector()
	sampled, err := selected(ctx, corpus, options, func(skill report.Skill) { collector.Add(skill) })
	if err != nil {
		return nil, err
	}
	figures := collector.Figures()
	figures.Where, figures.Sample = options.Where.String(), sampled
	return figures, nil
}

// selected calls use with each skill that the options select. A sample takes one pass to draw and one to read.
func selected(ctx context.Context, corpus *store.Store, options ReportOptions, use func(report.Skill)) (*report.Sampled, error) {
	chosen := func(int) bool { return true }
	var sampled *report.Sampled
	if options.Sample > 0 {
		var strata []string
		for skill, err := range Audited(ctx, corpus, options.Where) {
			if err != nil {
				return nil, err
			}
			strata = append(strata, strconv.FormatBool(report.HasScripts(skill.Verdict)))
		}
		drawn := map[int]bool{}
		for _, i := range statistics.Sample(len(strata), options.Sample, func(i int) string { return strata[i] }, options.Seed) {
			drawn[i] = true
		}
		chosen = func(i int) bool { return drawn[i] }
		sampled = &report.Sampled{Size: len(drawn), Of: len(strata), Seed: options.Seed}
	}
	i := 0
	for skill, err := range Audited(ctx, corpus, options.Where) {
		if err != nil {
			return nil, err
		}
		if chosen(i) {
			use(skill)
		}
		i++
	}
	return sampled, nil
}
