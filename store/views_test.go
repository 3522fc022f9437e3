package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

// Removed skills and those that no audit has seen are no part of a report; findings of every stage are.
func TestAudited(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(600)...)
	c.parse(1)
	c.audit(1)
	c.imports(skill{repo: "z/new", path: "s"})
	c.exec(`UPDATE skills SET live = 0 WHERE id = (SELECT min(id) FROM skills)`)
	c.exec(`INSERT INTO findings SELECT key, 'crawl', 0, 'archive.refused', 'warning', 'x', 3, 'why', 'low' FROM skills WHERE id = (SELECT max(id) FROM skills WHERE repo_key <> 'z/new')`)
	count, last, found := 0, "", 0
	for a, err := range c.Audited(t.Context()) {
		check(t, err)
		if a.ID <= last || a.RepoID == "" || a.Bytes == 0 || a.Verdict.Tier == "" {
			t.Errorf("%+v after %s", a, last)
		}
		for _, f := range a.Findings {
			if f == (data.Finding{Rule: "archive.refused", Severity: "warning", File: "x", Line: 3, Message: "why", Confidence: "low"}) {
				found++
			}
		}
		count, last = count+1, a.ID
	}
	if count != 599 || found != 1 {
		t.Errorf("%d skills, %d times the finding", count, found)
	}
}

// The views leave out what data.Once leaves out: each fault is told once, wherever one asks.
func TestViewsTellEachFaultOnce(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(skill{repo: "o/r", path: "a"}, skill{repo: "o/r", path: "b"})
	c.parse(1)
	c.audit(1)
	for i, earlier := range []string{
		"archive.link", "archive.too-large", "archive.refused", "discover.damaged", "discover.lfs-pointer", "discover.submodule", "discover.unread", "discover.spelling",
		"encoding.binary", "encoding.invalid", "frontmatter.missing", "frontmatter.unclosed", "frontmatter.not-mapping", "frontmatter.recovered", "frontmatter.missing-name",
		"frontmatter.missing-description", "frontmatter.wrong-type", "markdown.unclosed-fence", "markdown.empty-body", "frontmatter.duplicate-key",
	} {
		stage := StageParse
		if i < 8 {
			stage = StageCrawl
		}
		for j, file := range []string{"x", "y"} {
			c.exec(`INSERT INTO findings SELECT key, ?, ?, ?, 'error', ?, 1, 'why', '' FROM skills`, stage, 2*i+j+100, earlier, file)
		}
	}
	for i, audited := range []string{
		"unbundled-file", "skill-file-spelling", "junk-content", "not-utf8", "missing-frontmatter", "unclosed-frontmatter", "frontmatter-mapping", "invalid-yaml",
		"empty-name", "missing-description", "field-not-text", "unclosed-fence", "empty-body",
	} {
		c.exec(`INSERT INTO findings SELECT key, 'audit', ?, ?, 'error', 'x', 1, 'why', '' FROM skills WHERE id = 'o/r/a'`, i+100, audited)
	}
	for a, err := range c.Audited(t.Context()) {
		check(t, err)
		var rules []string
		errors := 0
		for _, f := range a.Findings {
			rules = append(rules, f.Rule)
			if f.Severity == data.SeverityError {
				errors++
			}
		}
		seen := must[[]string](t)(query(t.Context(), c.reader, value[string],
			`SELECT rule FROM v_findings WHERE id = ?`, a.ID))
		if len(rules) < 20 || len(rules) != len(seen) {
			t.Errorf("%s: %s", a.ID, cmp.Diff(strings.Join(rules, " "), strings.Join(seen, " ")))
		}
		if n := c.number(`SELECT errors FROM v_skills WHERE id = ?`, a.ID); n != errors {
			t.Errorf("%s: %d errors, want %d", a.ID, n, errors)
		}
	}
}
