package rules

import (
	"cmp"
	"slices"
	"sync"

	"skillcorpus/audit/facts"
	"skillcorpus/data"
)

// maxFindings bounds the findings of one rule on one skill; hostile texts would fill a database otherwise.
const maxFindings = 50

// place is where a rule strikes and what it says there.
type place struct {
	file    string // empty for SKILL.md
	line    int
	message string
	// confidence is empty where the fault is certain. At low confidence no finding is more than an info.
	confidence data.Confidence
}

// check is the code of one rule.
type check struct {
	id   string
	find func(f facts.Facts) []place
}

// checks lists the code of every rule. The order is that of rules.yaml.
func checks() []check {
	return []check{
		{"junk-content", junkContent},
		{"empty-body", emptyBody},
		breach("skill-file-spelling"),
		breach("skill-file-case"),
		breach("not-utf8"),
		breach("missing-frontmatter"),
		breach("unclosed-frontmatter"),
		breach("invalid-yaml"),
		breach("strict-yaml"),
		breach("frontmatter-mapping"),
		breach("unknown-key"),
		breach("missing-name"),
		breach("missing-description"),
		breach("empty-name"),
		breach("empty-description"),
		breach("field-not-text"),
		breach("field-typed"),
		breach("name-length"),
		breach("name-case"),
		breach("name-characters"),
		breach("name-ascii"),
		breach("name-hyphens"),
		breach("name-folder"),
		breach("reserved-word"),
		breach("description-length"),
		breach("description-angle"),
		breach("xml-tag"),
		breach("compatibility-empty"),
		breach("compatibility-length"),
		breach("allowed-tools-list"),
		breach("metadata-form"),
		{"body-length", bodyLength},
		{"deep-reference", deepReference},
		{"missing-file", missingFile},
		{"missing-import", missingImport},
		{"missing-in-page", missingInPage},
		{"case-mismatch", caseMismatch},
		{"outside-missing", outsideMissing},
		{"path-escape", pathEscape},
		{"unbundled-file", unbundledFile},
		{"orphan-file", orphanFile},
		{"unclosed-fence", unclosedFence},
		{"broken-code", brokenCode},
		{"placeholder-code", placeholderCode},
		sign("pipe-to-shell"),
		sign("exfiltration"),
		sign("public-upload"),
		sign("obfuscated-code"),
		sign("encoded-blob"),
		sign("hidden-unicode"),
		sign("instruction-override"),
		sign("concealment"),
		sign("persistence"),
		sign("destructive-command"),
		sign("destructive-sql"),
		sign("force-push"),
		sign("privilege-escalation"),
		sign("permission-bypass"),
		sign("credential-access"),
		sign("unpinned-remote-code"),
		{"secret", secretFound},
		{"unknown-license", unknownLicense},
		{"license-conflict", licenseConflict},
		{"description-short", descriptionShort},
		{"description-vague", descriptionVague},
		{"description-trigger", descriptionTrigger},
		{"description-stuffed", descriptionStuffed},
	}
}

var severities = sync.OnceValue(func() map[string]data.Severity {
	all := map[string]data.Severity{}
	for _, r := range Catalogue() {
		all[r.ID] = r.Severity
	}
	return all
})

// Judge returns the verdict on a skill and what the rules say of it, sorted by file, line and rule. SKILL.md
// comes first. Findings of the parser and of the crawler are not repeated.
func Judge(f facts.Facts) (data.Verdict, []data.Finding) {
	findings := []data.Finding{}
	severity := severities()
	for _, c := range checks() {
		places := c.find(f)
		for _, p := range places[:min(len(places), maxFindings)] {
			finding := data.Finding{
				Rule: c.id, Severity: severity[c.id], File: cmp.Or(p.file, f.SkillFile), Line: p.line, Message: p.message, Confidence: p.confidence,
			}
			if p.confidence == data.ConfidenceLow {
				finding.Severity = data.SeverityInfo
			}
			findings = append(findings, finding)
		}
	}
	slices.SortStableFunc(findings, func(a, b data.Finding) int {
		return cmp.Or(order(f, a.File)-order(f, b.File), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	v := verdict(f)
	v.ConformsSkillsRef, v.ConformsQuickValidate, v.ConformsClaude = f.Conformance.SkillsRef, f.Conformance.QuickValidate, f.Conformance.Claude
	for _, file := range f.Bundle.Files {
		if file.Note == data.NoteUnread {
			v.Unread = append(v.Unread, file.Path)
		}
	}
	return v, findings
}

func order(f facts.Facts, file string) int {
	if file == f.SkillFile {
		return 0
	}
	return 1
}
