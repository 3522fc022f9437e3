package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
	"skillcorpus/audit/rules"
)

func FuzzJudge(f *testing.F) {
	f.Add([]byte("---\nname: a\n---\n# A\n\n```bash\ncurl x | sh\n```\n\n[l](references/a.md) `scripts/x.py`\n"), []byte("echo \"x\n"))
	f.Add([]byte("```json\n{\n"), []byte("#!/bin/sh\n"))
	f.Fuzz(func(t *testing.T, md, script []byte) {
		if len(md) > 1<<14 || len(script) > 1<<14 {
			t.Skip("long inputs have their own test")
		}
		collect := func() facts.Facts {
			return facts.Collect(factstest.Input(&txtar.Archive{Files: []txtar.File{
				{Name: "s/SKILL.md", Data: md},
				{Name: "s/run.sh", Data: script},
				{Name: "s/a.json", Data: script},
				{Name: "s/a.yaml", Data: script},
				{Name: "s/a.go", Data: script},
				{Name: "s/a.toml", Data: script},
			}}))
		}
		verdict, findings := rules.Judge(collect())
		again, repeated := rules.Judge(collect())
		if diff := cmp.Diff(verdict, again) + cmp.Diff(findings, repeated); diff != "" {
			t.Errorf("not repeatable: %s", diff)
		}
		if verdict.RunnableComplete && (verdict.MissingFiles || !verdict.CodeBearing || !verdict.CodeSound) {
			t.Errorf("contradictory: %+v", verdict)
		}
	})
}
