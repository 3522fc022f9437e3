package store

import (
	"testing"

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
