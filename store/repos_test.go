package store

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func TestRepoFacts(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	f := c.fetch("tide-lab/skills", "Tide-Lab/Skills", "c1", skill{path: "a", text: "a"})
	f.Repo.NumericID, f.Repo.DefaultBranch, f.Repo.SizeKB, f.Repo.License, f.Repo.Stars = 9001, "main", 12, "MIT", 7
	f.Repo.Archived, f.Repo.Fork, f.Repo.UpdatedAt, f.Repo.ETag = true, true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), `"e"`
	f.Findings = []data.Finding{{Rule: "archive.refused", Severity: data.SeverityWarning, File: "../x", Message: "outside"}}
	f.Submodules = []Submodule{{Path: "lib", URL: "https://github.com/o/lib"}, {Path: "lib"}}
	c.crawled(f)
	got, ok, err := c.Repo(t.Context(), "TIDE-lab/skills")
	want := f.Repo
	want.Tree = nil
	if diff := cmp.Diff(want, got); !ok || err != nil || diff != "" {
		t.Errorf("%v %v (-want +got)\n%s", ok, err, diff)
	}
	if diff := cmp.Diff(f.Repo.Tree, must[[]data.TreeEntry](t)(c.Tree(t.Context(), "tide-lab/SKILLS"))); diff != "" {
		t.Errorf("tree (-want +got)\n%s", diff)
	}
	counts := must[Counts](t)(c.Counts(t.Context()))
	want2 := Counts{Repos: 1, Skills: 1, RepoFindings: 1, Submodules: 1, Blobs: 1, BlobBytes: 1, StoreBytes: counts.StoreBytes}
	if diff := cmp.Diff(want2, counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
	if _, ok, err := c.Repo(t.Context(), "o/none"); ok || err != nil {
		t.Errorf("a repository that is not there: %v %v", ok, err)
	}
	if tree, err := c.Tree(t.Context(), "o/none"); tree != nil || err != nil {
		t.Errorf("a tree that is not there: %v %v", tree, err)
	}
}

// Facts without content keep skills, findings and tree, and pass on licence and stars.
func TestUnchangedFacts(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	first := c.fetch("o/r", "o/r", "c1", skill{path: "a", text: "a"})
	first.Findings = []data.Finding{{Rule: "archive.refused", Severity: data.SeverityWarning}}
	c.crawled(first)
	facts := c.fetch("o/r", "o/r", "c1")
	facts.Changed, facts.Repo.Stars, facts.Repo.License, facts.Repo.Tree = false, 9, "MIT", nil
	c.crawled(facts)
	c.wantIDs("o/r/a")
	found, _, err := c.Skill(t.Context(), "o/r/a")
	if err != nil || found.Stars != 9 || found.License != "MIT" {
		t.Errorf("%d stars, %s, %v", found.Stars, found.License, err)
	}
	if tree := must[[]data.TreeEntry](t)(c.Tree(t.Context(), "o/r")); len(tree) != 1 {
		t.Errorf("tree: %v", tree)
	}
	if n := must[Counts](t)(c.Counts(t.Context())).RepoFindings; n != 1 {
		t.Errorf("%d findings", n)
	}
}

// cases/30: what a successful fetch no longer shows is removed, whichever way it came; errors change nothing.
func TestCase30Vanished(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(skill{repo: "o/r", path: "imported", text: "x"}, skill{repo: "o/other", path: "kept", text: "y"})
	ebb, sail, wind := skill{path: "ebb-log", text: "e"}, skill{path: "sail-fold", text: "s"}, skill{path: "wind-note", text: "w"}
	stow := skill{path: "sail-stow", text: "st"}
	c.crawled(c.fetch("o/r", "o/r", "c1", ebb, sail, wind))
	c.wantIDs("o/other/kept", "o/r/ebb-log", "o/r/sail-fold", "o/r/wind-note")
	c.parse(1)
	c.crawled(c.fetch("o/r", "o/r", "c2", ebb, stow))
	after := []string{"o/other/kept", "o/r/ebb-log", "o/r/sail-stow"}
	c.wantIDs(after...)
	if due := must[int](t)(c.CountDueParse(t.Context(), 1)); due != 1 {
		t.Errorf("%d skills are due: only the new one should be", due)
	}
	for _, outcome := range []data.Outcome{data.OutcomeUnavailable, data.OutcomeLimited, data.OutcomeInternal, data.OutcomeForbidden, data.OutcomeTooLarge, data.OutcomeMalformed} {
		c.crawled(failed("o/r", outcome))
		c.wantIDs(after...)
	}
	removed, ok, err := c.Skill(t.Context(), "o/r/sail-fold")
	if err != nil || !ok || removed.Live || removed.Document == nil {
		t.Errorf("a removed skill: %v %v %v", removed, ok, err)
	}
	for _, outcome := range []data.Outcome{data.OutcomeGone, data.OutcomeBlocked, data.OutcomeEmpty, data.OutcomeDenied} {
		c.crawled(failed("o/r", outcome))
		c.wantIDs("o/other/kept")
		repo, ok, err := c.Repo(t.Context(), "o/r")
		if err != nil || !ok || repo.Commit != "" || repo.ETag != "" {
			t.Errorf("%s: %+v %v %v", outcome, repo, ok, err)
		}
		// Back at the same commit: it is read again, and everything re-appears.
		c.crawled(c.fetch("o/r", "o/r", "c2", ebb, stow))
		c.wantIDs(after...)
	}
	counts := must[Counts](t)(c.Counts(t.Context()))
	if counts.Skills != 3 || counts.Removed != 3 {
		t.Errorf("%d live, %d removed", counts.Skills, counts.Removed)
	}
	c.parse(1)
	if _, skills, err := c.SearchDigest(t.Context()); err != nil || skills != 3 {
		t.Errorf("%d to search, %v", skills, err)
	}
}

// What an archive that was cut short does not show may be there still.
func TestPartialArchive(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.crawled(c.fetch("o/r", "o/r", "c1", skill{path: "a", text: "a"}, skill{path: "b", text: "b"}))
	partial := c.fetch("o/r", "o/r", "c2", skill{path: "a", text: "a2"}, skill{path: "c", text: "c"})
	partial.Partial = true
	c.crawled(partial)
	c.wantIDs("o/r/a", "o/r/b", "o/r/c")
}

// cases/22: a renamed repository is one, under its new name, with the others as aliases.
func TestCase22Renamed(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	log := skill{path: "tide-log", text: "t"}
	c.list("market", data.Complete,
		data.Listing{ExternalID: "1", Host: data.HostGitHub, Repo: "tide-lab/old-pack", Installs: 120},
		data.Listing{ExternalID: "2", Host: data.HostGitHub, Repo: "Tide-Lab/Skills", Installs: 30},
		row("3", "example-owner/kit"))
	old := c.fetch("tide-lab/old-pack", "tide-lab/old-pack", "c1", log)
	old.Findings = []data.Finding{{Rule: "archive.refused", Severity: data.SeverityWarning}}
	old.Submodules = []Submodule{{Path: "lib"}}
	c.crawled(old, c.fetch("example-owner/kit", "example-owner/kit", "c1", skill{path: "kit-one", text: "k"}))

	renamed := c.fetch("tide-lab/old-pack", "tide-lab/skills", "c1", log)
	renamed.Repo.NumericID, renamed.Repo.Aliases = 9001, []string{"Tide-Lab/Skills", "tide-lab/skills"}
	again := c.fetch("Tide-Lab/Skills", "tide-lab/skills", "c1")
	again.AliasOnly = true
	c.crawled(renamed, again)
	c.wantIDs("example-owner/kit/kit-one", "tide-lab/skills/tide-log")
	c.wantDue(1, c.clock.Now(), time.Hour)
	counts := must[Counts](t)(c.Counts(t.Context()))
	if counts.Repos != 2 || counts.Removed != 1 || counts.RepoFindings != 0 || counts.Submodules != 0 {
		t.Errorf("%+v", counts)
	}
	for _, id := range []string{"tide-lab/skills", "TIDE-LAB/OLD-PACK", "Tide-Lab/Skills"} {
		repo, ok, err := c.Repo(t.Context(), id)
		if err != nil || !ok || repo.ID != "tide-lab/skills" || !slices.Equal(repo.Aliases, []string{"Tide-Lab/Skills", "tide-lab/old-pack"}) {
			t.Errorf("%s: %+v %v %v", id, repo, ok, err)
		}
		found, ok, err := c.Skill(t.Context(), id+"/tide-log")
		if err != nil || !ok || found.ID != "tide-lab/skills/tide-log" || !found.Live {
			t.Errorf("%s: %+v %v %v", id, found.ID, ok, err)
		}
	}
	installs := 0
	for _, l := range must[map[string][]data.Listing](t)(c.Listings(t.Context()))["tide-lab/skills"] {
		installs += l.Installs
	}
	if installs != 150 {
		t.Errorf("%d installs", installs)
	}
	// A former name that is listed or imported again does not bring the old repository back.
	c.list("market", data.Complete, row("1", "tide-lab/old-pack"))
	c.imports(skill{repo: "tide-lab/old-pack", path: "other", text: "o"})
	if n := must[Counts](t)(c.Counts(t.Context())).Repos; n != 2 {
		t.Errorf("%d repositories", n)
	}
}

func TestAliasOfAlias(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	a := skill{path: "a", text: "a"}
	c.crawled(c.fetch("o/one", "o/one", "c1", a))
	c.crawled(c.fetch("o/one", "o/two", "c1", a))
	c.crawled(c.fetch("o/two", "o/three", "c1", a))
	want := func(canonical string, aliases ...string) {
		t.Helper()
		for _, id := range append(aliases, canonical) {
			repo, ok, err := c.Repo(t.Context(), id)
			if err != nil || !ok || repo.ID != canonical || !slices.Equal(repo.Aliases, aliases) {
				t.Errorf("%s: %+v %v %v", id, repo, ok, err)
			}
		}
		c.wantIDs(canonical + "/a")
	}
	want("o/three", "o/one", "o/two")
	// Renamed back to its first name, that is no alias any more.
	c.crawled(c.fetch("o/three", "o/one", "c1", a))
	want("o/one", "o/three", "o/two")
	if found, ok, err := c.Skill(t.Context(), "o/two/a"); err != nil || !ok || found.ID != "o/one/a" {
		t.Errorf("%s %v %v", found.ID, ok, err)
	}
}

// An alias may be known before the repository that it leads to.
func TestAliasFirst(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.list("market", data.Complete, row("1", "o/former"))
	alias := c.fetch("o/former", "O/New", "c1")
	alias.AliasOnly = true
	c.crawled(alias)
	c.wantDue(1, c.clock.Now(), time.Hour, "o/new")
	same := c.fetch("o/new", "O/New", "c1")
	same.AliasOnly = true
	c.crawled(same)
	c.wantDue(1, c.clock.Now(), time.Hour, "o/new")
}

func TestSkillIsFound(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.crawled(c.fetch("Owner/Repo", "Owner/Repo", "c1", skill{path: "Skills/A", text: "a"}, skill{text: "root"}),
		c.fetch("owner/twins", "owner/twins", "c1", skill{path: "x", text: "x"}, skill{path: "X", text: "X"}))
	for id, want := range map[string]string{
		"Owner/Repo/Skills/A": "Owner/Repo/Skills/A",
		"owner/repo/skills/a": "Owner/Repo/Skills/A",
		"owner/repo":          "Owner/Repo",
		"owner/twins/x":       "owner/twins/x",
		"owner/twins/X":       "owner/twins/X",
		"owner/none":          "",
		"":                    "",
	} {
		found, ok, err := c.Skill(t.Context(), id)
		if err != nil || ok != (want != "") || found.ID != want {
			t.Errorf("%s: %s %v %v, want %s", id, found.ID, ok, err, want)
		}
	}
}

func TestWholeSkill(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	f := c.fetch("o/r", "o/r", "c1", skill{path: "a", text: "text", files: map[string]string{"z.md": "z", "b/run.sh": "run"}})
	f.Skills[0].Findings = []data.Finding{{Rule: "discover.case", Severity: data.SeverityInfo, File: "skill.md"}}
	c.crawled(f)
	c.parse(1)
	c.audit(1)
	got, ok, err := c.Skill(t.Context(), "o/r/a")
	verdict, audited := verdictOf()
	want := Skill{Bundle: f.Skills[0], Live: true, Document: documentOf([]byte("text")), Verdict: verdict, Audit: audited}
	if diff := cmp.Diff(want, got); !ok || err != nil || diff != "" {
		t.Errorf("%v %v (-want +got)\n%s", ok, err, diff)
	}
	if all := got.AllFindings(); len(all) != 3 || all[0].Rule != "discover.case" || all[1].Rule != "frontmatter.absent" || all[2].Rule != "missing-file" {
		t.Errorf("%v", all)
	}
	content, ok, err := c.Content(t.Context(), got.SkillSHA256)
	if string(content) != "text" || !ok || err != nil {
		t.Errorf("%q %v %v", content, ok, err)
	}
	if _, ok, err := c.Content(t.Context(), "none"); ok || err != nil {
		t.Errorf("a content that is not there: %v %v", ok, err)
	}
}
