package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skillcorpus/audit"
	"skillcorpus/audit/report"
	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/data"
	"skillcorpus/store"
)

// auditSettings are the flags of audit.
type auditSettings struct {
	failOn     []string
	only, skip []string
	profile    string
	format     string
	remedy     bool
	where      string
	explain    string
	agree      string
	seed       uint64
	judge      judgeSettings

	// What the flags say, once they are read.
	gate      gate
	rules     report.RuleSet
	selection report.Selection
}

func (e *environment) audit() *cobra.Command {
	var s auditSettings
	command := &cobra.Command{
		Use:   "audit [FILE|DIR...]",
		Short: "Judge whether skills are runnable-complete, and what they lack",
		Long: `Without arguments: audit every skill of the corpus that is new or changed; with
--json, then print the verdict of every skill, or of those that --where selects.
With files or directories: audit the skills there, without a corpus, as a linter.
A licence file in a folder above counts up to the one that holds .git.
Nothing that a skill holds is ever run. docs/rules.md lists the rules.

--where takes ` + report.SelectionHelp + `.`,
		Example: `  skillcorpus audit
  skillcorpus audit --remedy ./skills/pdf
  skillcorpus audit --json --fail-on warning,incomplete ./skills
  skillcorpus audit --format sarif --profile agentskills ./skills > audit.sarif
  skillcorpus audit --explain blader/humanizer
  skillcorpus audit --agree judged.jsonl
  skillcorpus audit --judge http://127.0.0.1:8000/v1 --judge-model local --judge-budget 200000`,
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := s.read(arguments); err != nil {
				return usageError{err}
			}
			if err := s.misplaced(command.Flags(), arguments, e.JSON); err != nil {
				return usageError{err}
			}
			return e.runAudit(command.Context(), s, arguments)
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&s.failOn, "fail-on", []string{"error"}, "with files: exit 4 on findings of this severity or worse (error, warning, info, none), or on a skill that is not runnable-complete (incomplete)")
	flags.StringSliceVar(&s.only, "rules", nil, "findings of these rules or groups alone")
	flags.StringSliceVar(&s.skip, "skip", nil, "no findings of these rules or groups")
	flags.StringVar(&s.profile, "profile", "", "findings of one rule book alone: agentskills, skills-ref, quick-validate, claude")
	flags.StringVar(&s.format, "format", "text", "with files: text, sarif (2.1.0) or github (annotations)")
	flags.BoolVar(&s.remedy, "remedy", false, "with files, in text: with each rule's first finding, what to do about it")
	flags.StringVar(&s.where, "where", "", "with --judge, or --json over a corpus: only these skills (see above)")
	flags.StringVar(&s.explain, "explain", "", "explain the verdict of one skill, by its id or place, part by part")
	flags.StringVar(&s.agree, "agree", "", "compare the corpus's verdicts with a file of judged skills (docs/json.md)")
	flags.Uint64Var(&s.seed, "seed", defaultSeed, "with --agree or --judge: of samples and bootstrap intervals")
	s.judge.flags(flags)
	return command
}

// defaultSeed is the paper's (PAPER.md, Table 7).
const defaultSeed = 42

// read checks the flags against each other and the arguments.
func (s *auditSettings) read(places []string) (err error) {
	modes := 0
	for _, on := range []bool{len(places) > 0, s.explain != "", s.agree != "", s.judge.url != ""} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return errors.New("FILE or DIR, --explain, --agree and --judge are different things to do: give one of them")
	case s.format != "text" && s.format != "sarif" && s.format != "github":
		return fmt.Errorf("--format %q: want text, sarif or github", s.format)
	}
	if s.gate, err = newGate(s.failOn); err != nil {
		return err
	}
	if s.rules, err = report.NewRuleSet(s.only, s.skip, s.profile); err != nil {
		return err
	}
	s.selection, err = report.ParseSelection(s.where)
	return errors.Join(err, s.judge.check())
}

// What flags of audit go with, beside flags.
const (
	withPlaces  = "a FILE or DIR"
	withText    = "the text of a FILE or DIR"
	withResults = "--json over a corpus"
)

// misplaced refuses flags that do nothing in what is asked for.
func (s *auditSettings) misplaced(flags *pflag.FlagSet, places []string, json bool) error {
	var given []string
	switch {
	case len(places) > 0 && json && s.format != "text":
		return fmt.Errorf("--json and --format %s are two forms: give one of them", s.format)
	case len(places) > 0:
		if given = []string{withPlaces}; !json && s.format == "text" {
			given = append(given, withText)
		}
	case s.explain != "":
		given = []string{"--explain"}
	case s.agree != "":
		given = []string{"--agree"}
	case s.judge.url != "":
		given = []string{"--judge"}
	case json:
		given = []string{withResults}
	}
	findings := []string{withPlaces, "--explain", withResults}
	return cmp.Or(empty(flags, "explain", "agree", "judge"), misplaced(flags, map[string][]string{
		"fail-on": {withPlaces}, "format": {withPlaces}, "remedy": {withText}, "rules": findings, "skip": findings, "profile": findings,
		"where": {"--judge", withResults}, "seed": {"--agree", "--judge"}, "judge-model": {"--judge"}, "judge-budget": {"--judge"}, "judge-sample": {"--judge"},
	}, given...))
}

func (e *environment) runAudit(ctx context.Context, s auditSettings, places []string) error {
	switch {
	case len(places) > 0:
		return e.lint(ctx, s, places)
	case s.explain != "":
		return e.explain(ctx, s, s.explain)
	case s.agree != "":
		return e.read(ctx, func(corpus *store.Store) error { return e.agree(ctx, corpus, s) })
	case s.judge.url != "":
		return e.read(ctx, func(corpus *store.Store) error { return e.judge(ctx, corpus, s) })
	}
	return e.existing(ctx, "audit", func(p *pipeline.Pipeline) error { return e.auditCorpus(ctx, p, s) })
}

// auditedSkill is what `audit --json` prints for each skill (docs/json.md).
type auditedSkill struct {
	ID string `json:"id"`
	data.Verdict
	Findings []data.Finding `json:"findings"`
}

func (e *environment) auditCorpus(ctx context.Context, p *pipeline.Pipeline, s auditSettings) error {
	if !e.JSON {
		return p.Audit(ctx)
	}
	p.NoSummary = true
	if err := p.Audit(ctx); err != nil {
		return err
	}
	for skill, err := range audit.Audited(ctx, p.Corpus, s.selection) {
		if err != nil {
			return err
		}
		if err := e.Object(auditedSkill{skill.ID, skill.Verdict, orEmpty(s.rules.Of(skill.Findings))}); err != nil {
			return err
		}
	}
	return nil
}
