package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skillcorpus/audit"
	"skillcorpus/audit/facts"
	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/parse"
)

func (e *environment) audit() *cobra.Command {
	command := &cobra.Command{
		Use:   "audit [FILE|DIR...]",
		Short: "Judge whether skills are runnable-complete, and what they lack",
		Long: `Without arguments: audit every skill of the corpus that is new or changed; with
--json, then print the verdict of every skill.
With files or directories: audit the skills there, without a corpus.
Nothing that a skill holds is ever run. docs/rules.md lists the rules.`,
		Example: `  skillcorpus audit
  skillcorpus audit ./skills/pdf
  skillcorpus audit --json --fail-on warning ./skills`,
		RunE: func(command *cobra.Command, arguments []string) error {
			ctx := command.Context()
			floor, err := severity(command.Flags(), len(arguments) > 0)
			if err != nil {
				return err
			}
			if len(arguments) == 0 {
				return e.existing(ctx, "audit", func(p *pipeline.Pipeline) error { return e.auditCorpus(ctx, p) })
			}
			return e.auditPlaces(ctx, arguments, floor)
		},
	}
	command.Flags().String("fail-on", "error", "with files: exit 4 on findings of this severity or worse (error, warning, info, never)")
	return command
}

// auditedSkill is what `audit --json` prints for each skill (docs/json.md).
type auditedSkill struct {
	ID string `json:"id"`
	data.Verdict
	Findings []data.Finding `json:"findings"`
}

func (e *environment) auditCorpus(ctx context.Context, p *pipeline.Pipeline) error {
	if !e.JSON {
		return p.Audit(ctx)
	}
	p.NoSummary = true
	if err := p.Audit(ctx); err != nil {
		return err
	}
	for skill, err := range p.Corpus.Skills(ctx) {
		if err != nil {
			return err
		}
		if skill.Verdict == nil {
			continue
		}
		if err := e.Object(auditedSkill{skill.ID, *skill.Verdict, orEmpty(skill.AllFindings())}); err != nil {
			return err
		}
	}
	return nil
}

func (e *environment) auditPlaces(ctx context.Context, places []string, floor data.Severity) error {
	failed := false
	for _, place := range places {
		skills, err := skillsAt(ctx, place)
		if err != nil {
			return err
		}
		for _, skill := range skills {
			document := parse.Document(skill.SkillMD, skill.ID, skill.SkillFile)
			input := facts.Input{Bundle: skill.Bundle, Document: document, SkillMD: skill.SkillMD, Content: skill.Content}
			if skill.tree != nil {
				input.InRepo = func(path string) bool { return skill.tree[path] }
			}
			verdict, findings := audit.Judge(input)
			findings = append(append(skill.Findings, document.Findings...), findings...)
			failed = failed || anyAtLeast(findings, floor)
			if err := e.printAudited(skill, verdict, findings); err != nil {
				return err
			}
		}
	}
	if failed {
		return errFinding
	}
	return nil
}

func (e *environment) printAudited(skill localSkill, verdict data.Verdict, findings []data.Finding) error {
	if e.JSON {
		return e.Object(auditedSkill{skill.ID, verdict, orEmpty(findings)})
	}
	e.Printf("%s\n", e.Bold(terminal.Quote(skill.Place)))
	e.printVerdict(verdict)
	e.printFindings(findings)
	return nil
}

func (e *environment) printVerdict(verdict data.Verdict) {
	e.Printf("  %s, %s; licence %s; judged by %s\n", verdict.Tier, describeRunnable(verdict), terminal.Quote(verdict.License), verdict.Basis)
	if len(verdict.Requires.Executables) > 0 {
		e.Printf("  needs %s\n", terminal.Shorten(terminal.Quote(strings.Join(verdict.Requires.Executables, ", ")), e.Width()-8))
	}
}

// describeRunnable says whether a skill is runnable-complete, and if not, which of the three parts lack.
func describeRunnable(verdict data.Verdict) string {
	if verdict.RunnableComplete {
		return "runnable-complete"
	}
	var lacks []string
	if !verdict.CodeBearing {
		lacks = append(lacks, "no code")
	} else if !verdict.CodeSound {
		lacks = append(lacks, "its code is not complete")
	}
	if verdict.MissingFiles {
		lacks = append(lacks, fmt.Sprintf("missing %s", terminal.Quote(strings.Join(verdict.Missing, ", "))))
	}
	return "not runnable-complete: " + strings.Join(lacks, "; ")
}
