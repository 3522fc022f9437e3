package rules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
	"skillcorpus/audit/reference"
	"skillcorpus/audit/rules"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

// readCase reads a folder as the repository of one skill.
func readCase(t *testing.T, dir string) facts.Input {
	t.Helper()
	var archive txtar.Archive
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "expect.txt" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		archive.Files = append(archive.Files, txtar.File{Name: filepath.ToSlash(rel), Data: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return factstest.Input(&archive)
}

func struck(findings []data.Finding, rule string) []int {
	var lines []int
	for _, f := range findings {
		if f.Rule == rule {
			lines = append(lines, f.Line)
		}
	}
	return lines
}

func states(f facts.Facts) map[string]reference.State {
	all := map[string]reference.State{}
	for _, r := range f.References {
		all[r.Path] = r.State
	}
	return all
}

func TestCaseUnclosedFence(t *testing.T) {
	t.Parallel()
	f := facts.Collect(readCase(t, datatest.Shared(t, "cases", "32-unclosed-fence")))
	verdict, findings := rules.Judge(f)
	if got := struck(findings, "unclosed-fence"); !slices.Equal(got, []int{9}) {
		t.Errorf("unclosed fence at %v, want line 9", got)
	}
	if verdict.CodeSound || verdict.RunnableComplete {
		t.Error("a skill with an unclosed fence is sound")
	}
	if diff := cmp.Diff(map[string]reference.State{"references/first-aid.md": reference.Missing, "scripts/sweep.sh": reference.Present}, states(f)); diff != "" {
		t.Error(diff)
	}
	for _, r := range f.References {
		if !r.UnclosedCode {
			t.Errorf("%s is not marked as inside the fence", r.Path)
		}
	}
	if verdict.Corrected.CodeBlockCount != 1 {
		t.Errorf("%d fences, want 1", verdict.Corrected.CodeBlockCount)
	}
}

func TestCaseNotAReference(t *testing.T) {
	t.Parallel()
	f := facts.Collect(readCase(t, datatest.Shared(t, "cases", "33-not-a-reference")))
	verdict, _ := rules.Judge(f)
	if diff := cmp.Diff(map[string]reference.State{"references/field guide.md": reference.Present, "scripts/sort.py": reference.Present}, states(f)); diff != "" {
		t.Error(diff)
	}
	if verdict.MissingFiles || !verdict.RunnableComplete {
		t.Errorf("missing %v, runnable-complete %v", verdict.Missing, verdict.RunnableComplete)
	}
}

func TestCaseMissingFiles(t *testing.T) {
	t.Parallel()
	f := facts.Collect(readCase(t, datatest.Shared(t, "cases", "34-missing-files", "repo")))
	verdict, findings := rules.Judge(f)
	want := map[string]reference.State{
		"scripts/collect.py":     reference.Present,
		"scripts/plot.py":        reference.Missing,
		"scripts/send.sh":        reference.Missing,
		"scripts/tidy.mjs":       reference.Present,
		"REFERENCE.md":           reference.CaseMismatch,
		"../shared/style.md":     reference.Outside,
		"../../../../etc/passwd": reference.Escapes,
	}
	if diff := cmp.Diff(want, states(f)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"scripts/plot.py", "scripts/send.sh"}, verdict.Missing); diff != "" || verdict.RunnableComplete {
		t.Errorf("runnable-complete %v, %s", verdict.RunnableComplete, diff)
	}
	if got := struck(findings, "path-escape"); len(got) != 1 {
		t.Errorf("path-escape at %v", got)
	}
}

func TestCaseSnippets(t *testing.T) {
	t.Parallel()
	f := facts.Collect(readCase(t, datatest.Shared(t, "cases", "36-snippet-false-alarms")))
	verdict, findings := rules.Judge(f)
	if verdict.Corrected.CodeBlockCount != 11 {
		t.Errorf("%d fences, want 11", verdict.Corrected.CodeBlockCount)
	}
	if got := struck(findings, "broken-code"); !slices.Equal(got, []int{48, 53, 57}) {
		t.Errorf("broken at %v, want 48, 53 and 57", got)
	}
	languages := map[int]string{}
	for _, u := range f.Code {
		languages[u.Line] = u.Lang
	}
	if languages[35] != "python" || languages[48] != "python" {
		t.Errorf("languages by line: %v", languages)
	}
}

func TestCaseNestedFences(t *testing.T) {
	t.Parallel()
	_, findings := rules.Judge(facts.Collect(readCase(t, datatest.Shared(t, "cases", "31-nested-fences"))))
	for _, f := range findings {
		if strings.Contains(f.Rule, "code") || strings.Contains(f.Rule, "fence") {
			t.Errorf("false alarm: %+v", f)
		}
	}
}
