package command

import (
	"context"
	"fmt"
	"os"
	"strings"

	"skillcorpus/audit/report"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/store"
)

// explain tells why a skill's verdict is as it is: of a place on this machine if there is one, else of the corpus.
func (e *environment) explain(ctx context.Context, s auditSettings, what string) error {
	if _, err := os.Stat(what); err == nil {
		skills, unread := auditPlaces(ctx, []string{what})
		for _, skill := range skills {
			if err := e.explainSkill(skill, s.rules); err != nil {
				return err
			}
		}
		return unread
	}
	return e.read(ctx, func(corpus *store.Store) error {
		skill, found, err := corpus.Skill(ctx, strings.Trim(what, "/ "))
		switch {
		case err != nil:
			return err
		case !found:
			return fmt.Errorf("no file or folder %q, and no skill of that id in this corpus: find ids with `skillcorpus search`", what)
		case skill.Verdict == nil:
			return fmt.Errorf("%s is not audited yet: run `skillcorpus audit`", skill.ID)
		}
		return e.explainSkill(report.Skill{ID: skill.ID, Verdict: *skill.Verdict, Findings: skill.AllFindings()}, s.rules)
	})
}

func (e *environment) explainSkill(skill report.Skill, rules report.RuleSet) error {
	skill.Findings = rules.Of(skill.Findings)
	if e.JSON {
		return e.Object(auditedSkill{skill.ID, skill.Verdict, orEmpty(skill.Findings)})
	}
	name := skill.Place
	if name == "" {
		name = skill.ID
	}
	e.Printf("%s\n", e.Bold(terminal.Quote(name)))
	e.printVerdict(skill.Verdict)
	e.Printf("\n")
	e.printReasons(skill.Verdict)
	e.printByFile(skill.Findings, skill.Open, map[string]bool{})
	e.Printf("\n")
	return nil
}

// printReasons prints each part of a verdict with what led to it.
func (e *environment) printReasons(v data.Verdict) {
	for _, part := range []struct{ name, title, state string }{
		{"code_bearing", "carries code", yesNo(v.CodeBearing)},
		{"code_sound", "code is complete", yesNo(v.CodeSound)},
		{"missing_files", "files are missing", yesNo(v.MissingFiles)},
		{"purpose_aligned", "fits its purpose", decided(v.PurposeAligned)},
		{"tier", "tier", string(v.Tier)},
	} {
		e.Printf("  %-18s %s\n", part.title, e.Bold(part.state))
		for _, r := range v.Reasons {
			if r.Part != part.name {
				continue
			}
			place := ""
			if r.File != "" {
				place = "  " + r.File
			}
			if r.Line > 0 {
				place += fmt.Sprintf(":%d", r.Line)
			}
			e.Printf("  %18s %s%s\n", "", terminal.Quote(r.Words), e.Dim(terminal.Quote(place)))
		}
	}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func decided(answer *bool) string {
	if answer == nil {
		return "not decided"
	}
	return yesNo(*answer)
}
