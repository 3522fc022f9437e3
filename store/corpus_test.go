package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"skillcorpus/data"
)

// clock is a settable time.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// corpus is an open store with what tests do to it.
type corpus struct {
	*Store
	t     testing.TB
	clock *clock
}

func newCorpus(t testing.TB) *corpus { return openCorpus(t, t.TempDir(), newClock()) }

func openCorpus(t testing.TB, dir string, clock *clock) *corpus {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Write: true, Command: "test", Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, s.Close()) })
	return &corpus{Store: s, t: t, clock: clock}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns the value of a call that may not fail.
func must[T any](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		check(t, err)
		return value
	}
}

// skill is a skill as short as a test can write it.
type skill struct {
	repo, path, text string
	files            map[string]string
}

func (c *corpus) bundle(s skill) (data.Bundle, []Blob) {
	c.t.Helper()
	contents := map[string][]byte{}
	record := data.Record{Repo: s.repo, Path: s.path, SkillMD: &s.text, Contents: contents}
	for name, text := range s.files {
		contents[name] = []byte(text)
		record.Files = append(record.Files, data.RecordFile{Path: name, Size: int64(len(text)), Mode: data.ModeFile})
	}
	bundle, kept, err := record.Bundle()
	check(c.t, err)
	var blobs []Blob
	for _, content := range kept {
		blobs = append(blobs, c.Pack(content))
	}
	return bundle, blobs
}

func (c *corpus) imports(skills ...skill) {
	c.t.Helper()
	var bundles []data.Bundle
	var blobs []Blob
	for _, s := range skills {
		b, kept := c.bundle(s)
		bundles, blobs = append(bundles, b), append(blobs, kept...)
	}
	check(c.t, c.CommitImport(c.t.Context(), bundles, blobs))
}

// fetch is the result of a crawl that asked for a repository under one name, and found it at a commit under its id.
func (c *corpus) fetch(asked, id, commit string, skills ...skill) FetchedRepo {
	c.t.Helper()
	host, name := data.SplitRepoID(id)
	key := data.RepoKey(asked)
	f := FetchedRepo{
		Asked: key, Changed: true, Attempt: AttemptOf(key, commit, 1, nil),
		Repo: data.Repo{ID: id, Host: host, Name: name, Commit: commit, Tree: []data.TreeEntry{{Path: "README.md", Mode: data.ModeFile}}},
	}
	for _, s := range skills {
		s.repo = id
		b, kept := c.bundle(s)
		b.Commit = commit
		f.Skills, f.Blobs = append(f.Skills, b), append(f.Blobs, kept...)
	}
	return f
}

func (c *corpus) crawled(fetched ...FetchedRepo) {
	c.t.Helper()
	check(c.t, c.CommitRepos(c.t.Context(), fetched))
}

// failed is the result of a crawl that ended with an outcome.
func failed(asked string, outcome data.Outcome) FetchedRepo {
	key := data.RepoKey(asked)
	return FetchedRepo{Asked: key, Attempt: AttemptOf(key, "", 1, &data.ItemError{Outcome: outcome, Reason: "because"})}
}

// list stores rows that name repositories as one whole walk of a source.
func (c *corpus) list(source string, completeness data.Completeness, rows ...data.Listing) {
	c.t.Helper()
	_, err := c.BeginWalk(c.t.Context(), source, nil)
	check(c.t, err)
	check(c.t, c.CommitListings(c.t.Context(), source, rows, []byte(`{"page":1}`)))
	check(c.t, c.EndWalk(c.t.Context(), source, WalkEnd{Completeness: completeness}))
}

func row(id, repo string) data.Listing {
	return data.Listing{ExternalID: id, Host: data.HostGitHub, Repo: repo}
}

// documentOf is a document of one section, with a finding.
func documentOf(content []byte) *data.Document {
	return &data.Document{
		Name: "name", Description: "description",
		Sections: []data.Section{{Kind: data.SectionProse, End: len(content), Line: 1}},
		Findings: []data.Finding{{Rule: "frontmatter.absent", Severity: data.SeverityInfo, File: "SKILL.md", Line: 1, Message: "none"}},
	}
}

// parse and audit do what the stages do, with results that say nothing.
func (c *corpus) parse(version int) int {
	c.t.Helper()
	items := must[[]ParseItem](c.t)(c.DueParse(c.t.Context(), version, "", 1000))
	for _, item := range items {
		content, _, err := c.Content(c.t.Context(), item.SHA256)
		check(c.t, err)
		parsed, err := c.PackDocument(documentOf(content), AttemptOf(item.ID, item.SHA256, version, nil))
		check(c.t, err)
		check(c.t, c.CommitParsed(c.t.Context(), []ParsedSkill{parsed}))
	}
	return len(items)
}

func verdictOf() (*data.Verdict, []data.Finding) {
	return &data.Verdict{Tier: data.TierReferenceOnly, Basis: data.BasisContents, License: "MIT"},
		[]data.Finding{{Rule: "missing-file", Severity: data.SeverityWarning, File: "SKILL.md", Line: 2, Message: "a.md is not there"}}
}

func (c *corpus) audit(version int) int {
	c.t.Helper()
	items := must[[]AuditItem](c.t)(c.DueAudit(c.t.Context(), version, "", 1000))
	for _, item := range items {
		verdict, findings := verdictOf()
		check(c.t, c.CommitAudited(c.t.Context(), []AuditedSkill{{Verdict: verdict, Findings: findings, Attempt: AttemptOf(item.ID, item.Input, version, nil)}}))
	}
	return len(items)
}

// ids returns the live skills, each copy with the id of its original.
func (c *corpus) ids() []string {
	c.t.Helper()
	var ids []string
	for s, err := range c.Skills(c.t.Context()) {
		check(c.t, err)
		id := s.ID
		if s.CopyOf != "" {
			id += " = " + s.CopyOf
		}
		ids = append(ids, id)
	}
	return ids
}

func (c *corpus) wantIDs(want ...string) {
	c.t.Helper()
	if got := c.ids(); !slices.Equal(got, want) {
		c.t.Fatalf("live skills %q, want %q", got, want)
	}
}

// exec runs SQL past the store, to make what it cannot be talked into.
func (c *corpus) exec(statement string, arguments ...any) {
	c.t.Helper()
	result, err := c.writer.ExecContext(c.t.Context(), statement, arguments...)
	check(c.t, err)
	if n, _ := result.RowsAffected(); n == 0 {
		c.t.Fatalf("%s: no row", statement)
	}
}

func (c *corpus) number(statement string, arguments ...any) (n int) {
	c.t.Helper()
	check(c.t, c.reader.QueryRowContext(c.t.Context(), statement, arguments...).Scan(&n))
	return n
}

func numbered(n int) (skills []skill) {
	for i := range n {
		skills = append(skills, skill{repo: fmt.Sprintf("owner/repo-%02d", i%20), path: fmt.Sprintf("skills/s-%04d", i), text: fmt.Sprintf("# Skill %d\n", i)})
	}
	return skills
}

func cancelled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A repeated import writes nothing, and a record with a listing alone does not displace known contents.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	bundle, text := data.Bundle{ID: "o/r/a", RepoID: "o/r", Path: "a", SkillFile: data.SkillFile, Basis: data.BasisContents}, []byte("# a")
	bundle.SkillSHA256 = data.SHA256Hex(text)
	bundle.Files = []data.File{{Path: "x.py", Mode: data.ModeFile, Size: 1, SHA256: data.SHA256Hex([]byte("x"))}}
	bundle.Digest = data.BundleDigest(bundle.SkillFile, bundle.SkillSHA256, bundle.Files)
	put := func(b data.Bundle) int64 {
		check(t, c.CommitImport(t.Context(), []data.Bundle{b}, []Blob{c.Pack(text)}))
		var changes int64
		check(t, c.writer.QueryRowContext(t.Context(), `SELECT total_changes()`).Scan(&changes))
		return changes
	}
	first := put(bundle)
	if again := put(bundle); again != first {
		t.Errorf("a repeated import changed %d rows", again-first)
	}
	listing := bundle
	listing.Basis, listing.Digest, listing.Files = data.BasisListing, "", []data.File{{Path: "x.py", Mode: data.ModeFile, Size: 1}}
	if again := put(listing); again != first {
		t.Errorf("a listing of known contents changed %d rows", again-first)
	}
	bundle.Stars = 7
	if again := put(bundle); again == first {
		t.Error("other stars changed nothing")
	}
}
