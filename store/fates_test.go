package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func TestFates(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.list("market", data.Complete, row("1", "o/ok"), row("2", "O/OK"), row("3", "o/large"), row("4", "o/gone"), row("5", "o/blocked"),
		row("6", "o/limited"), row("7", "o/new"), row("8", "o/old"), row("9", "o/denied"))
	c.list("other", data.Complete, row("1", "o/ok"))
	renamed := c.fetch("o/old", "o/renamed", "c1", skill{path: "b", text: "# b"})
	renamed.Repo.Aliases = []string{"o/old"}
	ok := c.fetch("o/ok", "o/ok", "c1", skill{path: "a", text: "# a"})
	ok.Findings = []data.Finding{{Rule: "archive.too-large", Severity: data.SeverityWarning, File: "big/SKILL.md", Message: "too large"}}
	c.crawled(ok, failed("o/large", data.OutcomeTooLarge), failed("o/gone", data.OutcomeGone), failed("o/blocked", data.OutcomeBlocked),
		failed("o/limited", data.OutcomeLimited), renamed, failed("o/denied", data.OutcomeDenied))
	want := Fates{
		Advertised: 10, Pending: 2, Processed: 8, TooLarge: 1, Dead: 2, Refused: 1, Downloaded: 4, Repos: 2, Skills: 2, SkillsTooLarge: 1,
	}
	if diff := cmp.Diff(want, must[Fates](t)(c.Fates(t.Context()))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
