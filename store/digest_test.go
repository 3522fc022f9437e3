package store

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"skillcorpus/data"
)

// filled is a corpus with two repositories, a copy, a removed skill and a listing, after all stages.
func filled(t testing.TB, order *rand.Rand) *corpus {
	t.Helper()
	c := newCorpus(t)
	c.clock.add(time.Duration(order.IntN(1e6)) * time.Second)
	c.list("market", data.Complete, data.Listing{ExternalID: "1", Host: data.HostGitHub, Repo: "o/a", Installs: 5})
	steps := []func(){
		func() {
			c.crawled(c.fetch("o/a", "o/a", "c1", skill{path: "s", text: "same"}, skill{path: "t", text: "text", files: map[string]string{"run.sh": "run"}}))
		},
		func() {
			c.crawled(c.fetch("o/b", "o/b", "c1", skill{path: "s", text: "same"}, skill{path: "gone", text: "g"}))
		},
		func() { c.imports(skill{repo: "o/i", path: "x", text: "x"}, skill{repo: "o/i", path: "y", text: "y"}) },
	}
	order.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, step := range steps {
		step()
		c.clock.add(time.Minute)
		if order.IntN(2) == 0 {
			c.parse(1)
			c.audit(1)
		}
	}
	etag := c.fetch("o/b", "o/b", "c2", skill{path: "s", text: "same"})
	etag.Repo.ETag = time.Now().String()
	c.crawled(etag)
	c.parse(1)
	if order.IntN(2) == 0 { // a failure on the way
		check(t, c.CommitAudited(t.Context(), []AuditedSkill{{Attempt: AttemptOf("o/a/s", "", 0, errors.New("oh"))}}))
	}
	c.audit(1)
	return c
}

func digests(c *corpus) (corpus, search string) {
	c.t.Helper()
	search, _, err := c.SearchDigest(c.t.Context())
	check(c.t, err)
	return must[string](c.t)(c.Digest(c.t.Context())), search
}

func TestDigestIgnoresHistory(t *testing.T) {
	t.Parallel()
	wantCorpus, wantSearch := "", ""
	for seed := range uint64(12) {
		corpus, search := digests(filled(t, rand.New(rand.NewPCG(seed, 1))))
		if seed == 0 {
			wantCorpus, wantSearch = corpus, search
		}
		if corpus != wantCorpus || search != wantSearch {
			t.Errorf("seed %d: %s %s, want %s %s", seed, corpus, search, wantCorpus, wantSearch)
		}
	}
}

func TestDigestSeesEveryChange(t *testing.T) {
	t.Parallel()
	reparsed := func(c *corpus, change func(*data.Document)) {
		document := documentOf([]byte("text"))
		change(document)
		parsed := must[ParsedSkill](c.t)(c.PackDocument(document, AttemptOf("o/a/t", data.SHA256Hex([]byte("text")), 1, nil)))
		check(c.t, c.CommitParsed(c.t.Context(), []ParsedSkill{parsed}))
	}
	audited := func(c *corpus, change func(*data.Verdict, []data.Finding)) {
		verdict, findings := verdictOf()
		change(verdict, findings)
		check(c.t, c.CommitAudited(c.t.Context(), []AuditedSkill{{Verdict: verdict, Findings: findings, Attempt: AttemptOf("o/a/t", "", 1, nil)}}))
	}
	tests := []struct {
		name           string
		change         func(*corpus)
		corpus, search bool // which digest changes
	}{
		{"nothing", func(*corpus) {}, false, false},
		{"time passes", func(c *corpus) { c.clock.add(time.Hour); c.parse(2); c.audit(2) }, false, false},
		{"a section", func(c *corpus) {
			reparsed(c, func(d *data.Document) { d.Sections[0].Kind = data.SectionCode })
		}, true, true},
		{"a finding of parse", func(c *corpus) {
			reparsed(c, func(d *data.Document) { d.Findings[0].Line = 7 })
		}, true, false},
		{"a finding of audit", func(c *corpus) {
			audited(c, func(_ *data.Verdict, f []data.Finding) { f[0].Message = "another" })
		}, true, false},
		{"a figure of the verdict", func(c *corpus) {
			audited(c, func(v *data.Verdict, _ []data.Finding) { v.Proxies.WordCount++ })
		}, true, false},
		{"a tier", func(c *corpus) {
			audited(c, func(v *data.Verdict, _ []data.Finding) { v.Tier = data.TierPartial })
		}, true, true},
		{"a bundled file", func(c *corpus) {
			c.crawled(c.fetch("o/a", "o/a", "c2", skill{path: "s", text: "same"}, skill{path: "t", text: "text", files: map[string]string{"run.sh": "RUN"}}))
		}, true, false},
		{"a text of the same length", func(c *corpus) {
			c.imports(skill{repo: "o/i", path: "x", text: "X"})
			c.parse(1)
			c.audit(1)
		}, true, true},
		{"a skill more", func(c *corpus) { c.imports(skill{repo: "o/i", path: "z", text: "z"}); c.parse(1) }, true, true},
		{"a skill less", func(c *corpus) { c.crawled(failed("o/b", data.OutcomeGone)) }, true, true},
		{"stars", func(c *corpus) { c.exec(`UPDATE skills SET stars = 77 WHERE id = 'o/a/t'`) }, false, true},
		{"a listing", func(c *corpus) {
			c.list("market", data.Complete, data.Listing{ExternalID: "1", Host: data.HostGitHub, Repo: "o/a", Installs: 6})
		}, false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, rand.New(rand.NewPCG(1, 1)))
			corpus, search := digests(c)
			test.change(c)
			gotCorpus, gotSearch := digests(c)
			if (gotCorpus != corpus) != test.corpus || (gotSearch != search) != test.search {
				t.Errorf("digest changed: %v, want %v; for search: %v, want %v", gotCorpus != corpus, test.corpus, gotSearch != search, test.search)
			}
		})
	}
}
