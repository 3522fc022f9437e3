// Package rules owns the judgement: a list of pure rules over the facts of a skill, whose text lies in
// rules.yaml, and the verdict that follows from the same facts.
//
// It never reads a file and keeps no state: the same facts give the same findings and the same verdict.
// The audit stage calls it.
package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"skillcorpus/data"
)

//go:embed rules.yaml
var catalogue []byte

//go:embed intro.md
var intro string

// Rule is the text of one rule.
type Rule struct {
	ID       string        `yaml:"id"`
	Severity data.Severity `yaml:"severity"`
	Group    string        `yaml:"group"` // what family of faults it belongs to
	// Profiles name the rule books that hold the rule: agentskills, skills-ref, quick-validate, claude. A rule of the
	// project's own has none.
	Profiles []string `yaml:"profiles"`
	Short    string   `yaml:"short"`
	Why      string   `yaml:"why"`
	Remedy   string   `yaml:"remedy"`
}

// Catalogue returns the text of every rule in the order of reports. It panics if the embedded file cannot be
// read, which a test rules out.
func Catalogue() []Rule {
	var rules []Rule
	if err := yaml.Unmarshal(catalogue, &rules); err != nil {
		panic(fmt.Sprintf("rules.yaml: %v", err))
	}
	return rules
}

// Markdown returns the catalogue as the page that docs/rules.md holds.
func Markdown() string {
	var page strings.Builder
	page.WriteString(intro + "| rule | severity | group | profiles | finding |\n|---|---|---|---|---|\n")
	for _, r := range Catalogue() {
		fmt.Fprintf(&page, "| [%s](#%s) | %s | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Group, strings.Join(r.Profiles, ", "), r.Short)
	}
	for _, r := range Catalogue() {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n- Severity: %s\n- Why: %s\n- Remedy: %s\n", r.ID, r.Short, r.Severity, r.Why, r.Remedy)
	}
	return page.String()
}
