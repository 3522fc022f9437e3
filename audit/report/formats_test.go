package report_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

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

// sarifRules are what the schema of SARIF 2.1.0 demands of the parts that are written here (sections 3.13 to 3.30): for each
// object its properties, those with a `!` required.
func sarifRules() map[string][]string {
	return map[string][]string{
		"":                 {"$schema", "version!", "runs!"},
		"runs":             {"tool!", "results"},
		"tool":             {"driver!"},
		"driver":           {"name!", "version", "rules"},
		"rules":            {"id!", "shortDescription", "fullDescription", "help", "defaultConfiguration"},
		"shortDescription": {"text!"}, "fullDescription": {"text!"}, "help": {"text!"},
		"defaultConfiguration": {"level"},
		"results":              {"ruleId", "ruleIndex", "level", "message!", "locations", "partialFingerprints"},
		"message":              {"text!"},
		"locations":            {"physicalLocation"},
		"physicalLocation":     {"artifactLocation", "region"},
		"artifactLocation":     {"uri"},
		"region":               {"startLine"},
	}
}

// holdSARIF compares one object, and all below it, with the rules for its property's name.
func holdSARIF(t *testing.T, name string, value any) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			holdSARIF(t, name, one)
		}
	case map[string]any:
		if name == "partialFingerprints" {
			return
		}
		rules := sarifRules()[name]
		for _, rule := range rules {
			if key, required := strings.CutSuffix(rule, "!"); required && value[key] == nil {
				t.Errorf("%q lacks %q", name, key)
			}
		}
		for key, below := range value {
			if !slices.Contains(rules, key) && !slices.Contains(rules, key+"!") {
				t.Errorf("%q has %q", name, key)
			}
			holdSARIF(t, key, below)
		}
	case float64:
		if least := map[string]float64{"startLine": 1}[name]; value < least || value != float64(int(value)) {
			t.Errorf("%s is %v", name, value)
		}
	case string:
		if name == "level" && !slices.Contains([]string{"none", "note", "warning", "error"}, value) || name == "version" && value == "" {
			t.Errorf("%s is %q", name, value)
		}
		if u, err := url.Parse(value); name == "uri" && (err != nil || u.IsAbs()) {
			t.Errorf("URI %q: %v", value, err)
		}
	}
}

// TestSARIF holds the log against what the standard demands.
func TestSARIF(t *testing.T) {
	t.Parallel()
	for _, skills := range [][]report.Skill{nil, {hostile(), {ID: "o/r/t", Findings: hostile().Findings[:1]}}} {
		var out bytes.Buffer
		if err := report.SARIF(&out, "v1", skills); err != nil {
			t.Fatal(err)
		}
		var whole map[string]any
		if err := json.Unmarshal(out.Bytes(), &whole); err != nil {
			t.Fatal(err)
		}
		holdSARIF(t, "", whole)
		var log struct {
			Version string
			Runs    []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID    string
					RuleIndex int
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := json.Unmarshal(out.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		if log.Version != "2.1.0" || len(log.Runs) != 1 {
			t.Fatalf("version %s, %d runs", log.Version, len(log.Runs))
		}
		run := log.Runs[0]
		for _, r := range run.Results {
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("%s points to rule %d", r.RuleID, r.RuleIndex)
			}
		}
		if len(skills) == 0 {
			continue
		}
		if len(run.Tool.Driver.Rules) != 3 || len(run.Results) != 4 || run.Results[3].RuleIndex != 0 {
			t.Errorf("%d rules, %d results", len(run.Tool.Driver.Rules), len(run.Results))
		}
		if uri := run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "a%20b/100%25/c,d:e/SKILL.md" {
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
