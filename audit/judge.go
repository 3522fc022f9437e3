package audit

import (
	"context"
	"errors"
	"fmt"

	"skillcorpus/audit/judge"
	"skillcorpus/audit/report"
	"skillcorpus/store"
)

// SecondOpinion is what a language model says of some skills, and how far the audit agrees with it.
type SecondOpinion struct {
	judge.Summary
	Agreement report.Agreement // over the skills that it answered
}

// AskJudge asks a language model about the skills that the options select. At the end of the context it returns at once,
// with that error and the answers until then, which are kept.
func AskJudge(ctx context.Context, corpus *store.Store, options ReportOptions, config judge.Config) (SecondOpinion, error) {
	var skills []report.Skill
	if _, err := selected(ctx, corpus, options, func(skill report.Skill) { skills = append(skills, skill) }); err != nil {
		return SecondOpinion{}, err
	}
	if len(skills) == 0 {
		return SecondOpinion{}, errors.New("no audited skill is selected: run `skillcorpus audit`, or choose others with --where")
	}
	cases := make([]judge.Case, len(skills))
	for i, s := range skills {
		skill, _, err := corpus.Skill(ctx, s.ID)
		if err != nil {
			return SecondOpinion{}, err
		}
		text, kept, err := corpus.Content(ctx, skill.SkillSHA256)
		if err == nil && !kept {
			err = fmt.Errorf("%s: its SKILL.md is not there: run `skillcorpus verify`", s.ID)
		}
		if err != nil {
			return SecondOpinion{}, err
		}
		cases[i] = judge.Case{ID: s.ID, SkillMD: text, Files: skill.Files}
	}
	summary, err := judge.Run(ctx, config, cases)
	opinion := SecondOpinion{Summary: summary}
	if err != nil {
		return opinion, err
	}
	var pairs []report.Pair
	for _, s := range skills {
		if a, ok := summary.Answers[s.ID]; ok {
			pairs = append(pairs, report.Pair{Verdict: s.Verdict, Judged: report.Judged{
				Repo: s.ID, Tier: a.Tier, CodeSound: a.CodeSound, MissingFiles: a.MissingFiles, Missing: a.Missing, Reason: a.Reason,
			}})
		}
	}
	opinion.Agreement = report.Agree(pairs, nil, options.Seed)
	return opinion, nil
}
