package report

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
	"path/filepath"

	"skillcorpus/audit/rules"
	"skillcorpus/data"
)

// The parts of SARIF 2.1.0 that code scanners read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   *sarifText   `json:"shortDescription,omitempty"`
		Full    *sarifText   `json:"fullDescription,omitempty"`
		Help    *sarifText   `json:"help,omitempty"`
		Default *sarifConfig `json:"defaultConfiguration,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId"`
		RuleIndex int               `json:"ruleIndex"`
		Level     string            `json:"level"`
		Message   sarifText         `json:"message"`
		Locations []sarifLocation   `json:"locations"`
		Print     map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes findings as one SARIF 2.1.0 log. Its rules are those that found something; places are relative URIs as
// the skills were named.
func SARIF(w io.Writer, version string, skills []Skill) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "skillcorpus", Version: version, Rules: []sarifRule{}}}, Results: []sarifResult{}}
	texts, index := Texts(), map[string]int{}
	for _, s := range skills {
		for _, f := range s.Findings {
			at, known := index[f.Rule]
			if !known {
				at = len(index)
				index[f.Rule] = at
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f.Rule, texts))
			}
			run.Results = append(run.Results, sarifResultOf(s, f, at))
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func sarifRuleOf(id string, texts map[string]rules.Rule) sarifRule {
	text, ok := texts[id]
	if !ok { // of the crawler or the parser, whose findings speak for themselves
		return sarifRule{ID: id}
	}
	return sarifRule{
		ID: id, Short: &sarifText{text.Short}, Full: &sarifText{text.Why}, Help: &sarifText{text.Remedy},
		Default: &sarifConfig{sarifLevel(text.Severity)},
	}
}

func sarifResultOf(s Skill, f data.Finding, rule int) sarifResult {
	result := sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: sarifLevel(f.Severity), Message: sarifText{f.Message},
		Locations: []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: s.Open(f.File)}).String()}}}},
		// Lines move with every edit above them, so a finding is known by what it says.
		Print: map[string]string{"skillcorpus/v1": data.SHA256Hex([]byte(f.Rule + "\x00" + s.ID + "\x00" + f.File + "\x00" + f.Message))},
	}
	if f.Line > 0 {
		result.Locations[0].Physical.Region = &sarifRegion{f.Line}
	}
	return result
}

func sarifLevel(severity data.Severity) string {
	if severity == data.SeverityInfo {
		return "note"
	}
	return string(severity)
}

// Open returns a file of the skill, slash-separated, as a reader finds it: beside the SKILL.md that was named, or
// below the skill's id.
func (s Skill) Open(file string) string {
	if s.Place == "" {
		return path.Join(s.ID, file)
	}
	return path.Join(path.Dir(filepath.ToSlash(s.Place)), file)
}
