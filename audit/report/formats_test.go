package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"skillcorpus/audit/report"
	"skillcorpus/data"
)

// hostile is a skill whose author tries to break out of every format.
func hostile() report.Skill {
	return report.Skill{
		ID: "o/r/<script>alert(1)</script>", Repo: "o/r", Name: "</script><img src=x onerror=alert(1)>", Stars: 9, Place: "a b/100%/c,d:e/SKILL.md",
		Verdict: data.Verdict{
			Tier: data.TierPartial, CodeBearing: true, MissingFiles: true, License: `"><script>alert(2)</script>`, Basis: data.BasisContents,
			Missing:  []string{"x\n::error::y", "</table><script src=https://evil.example/x.js></script>"},
			Requires: data.Requires{Hosts: []string{"<a href=https://evil.example>"}, Executables: []string{"sh", "| a |\n# x"}},
		},
		Findings: []data.Finding{
			{Rule: "missing-file", Severity: data.SeverityError, File: "SKILL.md", Line: 7, Message: "100%\r\n::error::owned <script>alert(3)</script> `|`"},
			{Rule: "archive.refused", Severity: data.SeverityWarning, File: "../x:y,z", Message: "no line"},
			{Rule: "unknown-license", Severity: data.SeverityInfo, File: "SKILL.md", Message: "x"},
		},
	}
}

// TestSARIF holds the log against the official schema, read without any field that the schema does not know.
func TestSARIF(t *testing.T) {
	t.Parallel()
	for _, skills := range [][]report.Skill{nil, {hostile(), {ID: "o/r/t", Findings: hostile().Findings[:1]}}} {
		var out bytes.Buffer
		if err := report.SARIF(&out, "v1", skills); err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(bytes.NewReader(out.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(new(sarif.Report)); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
		log, err := sarif.FromBytes(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range log.Runs { // the library writes what we leave out, with values that its own schema refuses
			run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
		if len(skills) == 0 {
			continue
		}
		run := log.Runs[0]
		if len(run.Tool.Driver.Rules) != 3 || len(run.Results) != 4 || run.Results[3].RuleIndex != 0 {
			t.Errorf("%d rules, %d results", len(run.Tool.Driver.Rules), len(run.Results))
		}
		if uri := *run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "a%20b/100%25/c,d:e/SKILL.md" {
			t.Errorf("URI %s", uri)
		}
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := report.Annotations(&out, []report.Skill{hostile()}); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a b/100%25/c%2Cd%3Ae/SKILL.md,line=7,title=missing-file::100%25%0D%0A::error::owned <script>alert(3)</script> `|`\n" +
		"::warning file=a b/100%25/x%3Ay%2Cz,title=archive.refused::no line\n" +
		"::notice file=a b/100%25/c%2Cd%3Ae/SKILL.md,title=unknown-license::x\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
