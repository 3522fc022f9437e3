package command

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"skillcorpus/audit"
	"skillcorpus/audit/facts"
	"skillcorpus/audit/license"
	"skillcorpus/audit/report"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl/discover"
	"skillcorpus/data"
	"skillcorpus/parse"
)

// gate is what --fail-on asks for.
type gate struct {
	floor      data.Severity
	incomplete bool
}

func newGate(values []string) (gate, error) {
	g := gate{floor: never}
	for _, text := range values {
		switch s := data.Severity(strings.ToLower(text)); s {
		case data.SeverityError, data.SeverityWarning, data.SeverityInfo:
			g.floor = s
		case "none", never:
		case "incomplete":
			g.incomplete = true
		default:
			return gate{}, fmt.Errorf("--fail-on %q: want error, warning, info, incomplete or none", text)
		}
	}
	return g, nil
}

func (g gate) fails(s report.Skill) bool {
	return g.incomplete && !s.Verdict.RunnableComplete || anyAtLeast(s.Findings, g.floor)
}

// lint audits skills on this machine.
func (e *environment) lint(ctx context.Context, s auditSettings, places []string) error {
	skills, unread := auditPlaces(ctx, places)
	if len(skills) == 0 && unread != nil {
		return unread
	}
	var err error
	failed := false
	for i := range skills {
		skills[i].Findings = s.rules.Of(skills[i].Findings)
		failed = failed || s.gate.fails(skills[i])
	}
	switch {
	case e.JSON && s.format == "text":
		for _, skill := range skills {
			err = errors.Join(err, e.Object(auditedSkill{skill.ID, skill.Verdict, orEmpty(skill.Findings)}))
		}
	case s.format == "sarif":
		err = report.SARIF(e.Out(), e.version, skills)
	case s.format == "github":
		err = report.Annotations(e.Out(), skills)
	default:
		e.printLint(skills, s.remedy)
	}
	if err = errors.Join(err, unread); err == nil && failed {
		return errFinding
	}
	return err
}

// auditPlaces audits every skill of some files and directories, each once, in the order in which they were named. The
// error is about what could not be read; the rest is audited all the same.
func auditPlaces(ctx context.Context, places []string) ([]report.Skill, error) {
	var local []localSkill
	var unread error
	seen := map[string]bool{}
	for _, place := range places {
		skills, err := skillsAt(ctx, place)
		unread = errors.Join(unread, err)
		for _, skill := range skills {
			if !seen[skill.Place] {
				seen[skill.Place] = true
				local = append(local, skill)
				unread = errors.Join(unread, unreadOf(skill))
			}
		}
	}
	var licenses license.Cache
	audited, next := make([]report.Skill, len(local)), make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				audited[i] = auditLocal(local[i], &licenses)
			}
		})
	}
	for i := range local {
		next <- i
	}
	close(next)
	workers.Wait()
	return audited, unread
}

// unreadOf returns the error of the bundled files that this machine may not read.
func unreadOf(skill localSkill) (err error) {
	for _, f := range skill.Findings {
		if f.Rule == discover.RuleUnread {
			err = errors.Join(err, fmt.Errorf("%s: %s", skill.Place, f.Message))
		}
	}
	return err
}

func auditLocal(skill localSkill, licenses *license.Cache) report.Skill {
	document := parse.Document(skill.SkillMD, skill.ID, skill.SkillFile)
	input := facts.Input{Bundle: skill.Bundle, Document: document, SkillMD: skill.SkillMD, Content: skill.Content, Partial: !skill.whole}
	// No error: the contents of what was found are all there.
	input.Licenses, _ = licenses.Files(skill.Licenses, func(sha256 string) ([]byte, error) { return skill.contents[sha256], nil })
	if skill.tree != nil {
		input.InRepo = func(path string) bool { return skill.tree[path] }
	}
	verdict, findings := audit.Judge(input)
	return report.Skill{
		ID: skill.ID, Repo: skill.RepoID, Name: document.Name, Place: skill.Place, Verdict: verdict,
		Findings: slices.Concat(data.Once(slices.Concat(skill.Findings, document.Findings), findings), findings),
	}
}

// printLint prints each skill with its findings file by file, then one line on them all.
func (e *environment) printLint(skills []report.Skill, remedy bool) {
	told := map[string]bool{} // rules whose remedy was given
	if !remedy {
		told = nil
	}
	complete, counts := 0, map[data.Severity]int{}
	for _, skill := range skills {
		e.Printf("%s\n", e.Bold(terminal.Quote(skill.Place)))
		e.printVerdict(skill.Verdict)
		e.printByFile(skill.Findings, skill.Open, told)
		e.Printf("\n")
		if skill.Verdict.RunnableComplete {
			complete++
		}
		for _, f := range skill.Findings {
			counts[f.Severity]++
		}
	}
	e.Printf("%s, %d runnable-complete; %s, %s, %d worth knowing\n", terminal.Count(int64(len(skills)), "skill"), complete,
		terminal.Count(int64(counts[data.SeverityError]), "error"), terminal.Count(int64(counts[data.SeverityWarning]), "warning"), counts[data.SeverityInfo])
}

func (e *environment) printVerdict(verdict data.Verdict) {
	without := ""
	if n := len(verdict.Unread); n > 0 {
		without = ", but for " + terminal.Count(int64(n), "file") + " that could not be read"
	}
	e.Printf("  %s, %s; licence %s; judged by %s%s\n", verdict.Tier, describeRunnable(verdict), terminal.Quote(describeLicense(verdict)), verdict.Basis, without)
	for _, need := range []struct {
		what  string
		names []string
	}{
		{"needs", verdict.Requires.Executables},
		{"needs packages", verdict.Requires.Packages},
		{"needs variables", verdict.Requires.Environment},
		{"talks to", verdict.Requires.Hosts},
	} {
		if len(need.names) > 0 {
			e.Printf("  %s %s\n", need.what, terminal.Shorten(terminal.Quote(strings.Join(need.names, ", ")), e.Width()-len(need.what)-3))
		}
	}
}

// describeLicense says under which licence a skill is, and where that was read.
func describeLicense(verdict data.Verdict) string {
	switch verdict.LicenseSource {
	case data.LicenseFromAuthor:
		return verdict.License + " from its frontmatter"
	case data.LicenseFromBundle:
		return verdict.License + " from its " + verdict.LicenseFile
	case data.LicenseFromRepository:
		return verdict.License + " from " + verdict.LicenseFile + " of the repository"
	case data.LicenseFromHost:
		return verdict.License + " as its host says"
	}
	return verdict.License
}

// describeRunnable says whether a skill is runnable-complete, and if not, which of the three parts lack.
func describeRunnable(verdict data.Verdict) string {
	if verdict.RunnableComplete {
		return "runnable-complete"
	}
	return "not runnable-complete: " + terminal.Quote(report.Lacks(verdict))
}
