package audit_test

import (
	"slices"
	"strings"
	"testing"

	"skillcorpus/audit"
	"skillcorpus/data"
	"skillcorpus/parse"
	"skillcorpus/store"
)

// stages is a corpus in memory that runs its stages.
type stages struct {
	*store.Store
	t *testing.T
}

func newStages(t *testing.T) stages {
	t.Helper()
	corpus, err := store.Open(t.Context(), store.InMemory, store.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := corpus.Close(); err != nil {
			t.Error(err)
		}
	})
	return stages{corpus, t}
}

// imports stores texts as an import does: with no tree of their repository.
func (s stages) imports(texts map[string]string) {
	s.t.Helper()
	for path, text := range texts {
		record := data.Record{Repo: "o/imported", Path: path, SkillMD: &text}
		bundle, contents, err := record.Bundle()
		if err == nil {
			err = s.CommitImport(s.t.Context(), []data.Bundle{bundle}, []store.Blob{s.Pack(contents[0])})
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// fetches stores all skills of a repository as a crawl does, at a commit.
func (s stages) fetches(commit string, texts map[string]string) {
	s.t.Helper()
	fetched := store.FetchedRepo{
		Asked: "o/fetched", Changed: true, Repo: data.Repo{ID: "o/fetched", Host: data.HostGitHub, Name: "fetched", Commit: commit},
		Attempt: store.AttemptOf("o/fetched", commit, 1, nil),
	}
	for path, text := range texts {
		fetched.Repo.Tree = append(fetched.Repo.Tree, data.TreeEntry{Path: path + "/SKILL.md", Mode: data.ModeFile, Size: int64(len(text))})
		fetched.Skills = append(fetched.Skills, data.Bundle{
			ID: "o/fetched/" + path, RepoID: "o/fetched", Path: path, SkillFile: data.SkillFile, Commit: commit,
			SkillSHA256: data.SHA256Hex([]byte(text)), Basis: data.BasisContents, Digest: data.SHA256Hex([]byte(text)),
		})
		fetched.Blobs = append(fetched.Blobs, s.Pack([]byte(text)))
	}
	if err := s.CommitRepos(s.t.Context(), []store.FetchedRepo{fetched}); err != nil {
		s.t.Fatal(err)
	}
}

// audited parses and audits what is due, and returns how many skills that were.
func (s stages) audited() int64 {
	s.t.Helper()
	counter := new(store.Counter)
	err := parse.Run(s.t.Context(), s.Store, parse.Options{Counter: new(store.Counter)})
	if err == nil {
		err = audit.Run(s.t.Context(), s.Store, audit.Options{Workers: 2, Counter: counter})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return counter.Done.Load()
}

func (s stages) rules(id string) []string {
	s.t.Helper()
	skill, found, err := s.Skill(s.t.Context(), id)
	if err != nil || !found || skill.Verdict == nil {
		s.t.Fatalf("%s: %v %v", id, found, err)
	}
	var rules []string
	for _, f := range skill.AllFindings() {
		rules = append(rules, f.Rule)
	}
	return rules
}

// page is a SKILL.md of a body.
func page(body string) string {
	return "---\nname: tide\ndescription: Reads tables of tides. Use when someone asks for a tide.\n---\n" + body + "\n"
}

// Of a path outside the skill nothing is known where the repository's tree is not.
func TestRunWithoutATree(t *testing.T) {
	t.Parallel()
	s := newStages(t)
	texts := map[string]string{"tide": page("Read [the tables](../shared/gone.md)."), "moon": page("See [tide](../tide/SKILL.md).")}
	s.imports(texts)
	s.fetches("1", texts)
	if done := s.audited(); done != 4 {
		t.Errorf("%d audited, want 4", done)
	}
	for id, want := range map[string]bool{"o/imported/tide": false, "o/imported/moon": false, "o/fetched/tide": true, "o/fetched/moon": false} {
		if got := s.rules(id); slices.Contains(got, "outside-missing") != want {
			t.Errorf("%s: outside-missing is %v, want %v: %v", id, !want, want, got)
		}
	}
	if done := s.audited(); done != 0 {
		t.Errorf("%d audited again", done)
	}
}

// isc is the text of the ISC licence, which is short.
const isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`

// A licence file above the skill counts before the host's word, and one that was lost is our fault, not unknown.
func TestLicenseAbove(t *testing.T) {
	t.Parallel()
	s := newStages(t)
	commit := func(path, text string, blobs ...store.Blob) {
		skill := page("Hello.")
		bundle := data.Bundle{
			ID: "o/r/" + path, RepoID: "o/r", Path: path, SkillFile: data.SkillFile, SkillSHA256: data.SHA256Hex([]byte(skill)), License: "MIT",
			Basis: data.BasisContents, Digest: data.SHA256Hex([]byte(skill)), Licenses: []data.LicenseFile{{Path: "COPYING", SHA256: data.SHA256Hex([]byte(text))}},
		}
		blobs = append(blobs, s.Pack([]byte(skill)))
		if err := s.CommitImport(t.Context(), []data.Bundle{bundle}, blobs); err != nil {
			t.Fatal(err)
		}
	}
	commit("a", isc, s.Pack([]byte(isc)))
	commit("b", isc)
	commit("lost", "a text that is not there")
	s.audited()
	for _, id := range []string{"o/r/a", "o/r/b"} {
		skill, _, err := s.Skill(t.Context(), id)
		if err != nil || skill.Verdict == nil {
			t.Fatalf("%s: %v", id, err)
		}
		if v := skill.Verdict; v.License != "ISC" || v.LicenseSource != data.LicenseFromRepository || v.LicenseFile != "COPYING" {
			t.Errorf("%s: %s from %s %s", id, v.License, v.LicenseSource, v.LicenseFile)
		}
	}
	if skill, _, err := s.Skill(t.Context(), "o/r/lost"); err != nil || skill.Verdict != nil {
		t.Errorf("lost: %+v, %v", skill.Verdict, err)
	}
}

// A tide table of so many words, in which one word in a hundred may be another.
func words(count int, other string) string {
	var b strings.Builder
	for i := range count {
		word := "ebb" + strings.Repeat("i", i%17) + strings.Repeat("o", i/17)
		if other != "" && i%100 == 50 {
			word = other
		}
		b.WriteString(word + " ")
	}
	return page(b.String())
}

func TestNearCopiesFollowTheCorpus(t *testing.T) {
	t.Parallel()
	s := newStages(t)
	near := func(id string) string {
		t.Helper()
		found, err := s.Similar(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, n := range found {
			if n.Jaccard < 0.8 || n.Jaccard >= 1 {
				t.Errorf("%s: %+v", id, n)
			}
			ids = append(ids, n.ID)
		}
		return strings.Join(ids, " ")
	}
	texts := map[string]string{"a": words(300, ""), "b": words(300, "flood"), "far": page(strings.Repeat("Nothing here is about water. ", 30))}
	for step, want := range []struct {
		change  func()
		a, b, c string
	}{
		{change: func() {}, a: "o/fetched/b", b: "o/fetched/a"},
		{change: func() { texts["c"] = words(300, "spring") }, a: "o/fetched/b o/fetched/c", b: "o/fetched/a o/fetched/c", c: "o/fetched/a o/fetched/b"},
		{change: func() { texts["b"] = page("Now it is about something else altogether, in a few words.") }, a: "o/fetched/c", c: "o/fetched/a"},
		{change: func() { delete(texts, "a") }},
		{change: func() { texts["a"] = words(300, "") }, a: "o/fetched/c", c: "o/fetched/a"},
	} {
		want.change()
		s.fetches(string(rune('1'+step)), texts)
		s.audited()
		for id, others := range map[string]string{"a": want.a, "b": want.b, "c": want.c, "far": ""} {
			if got := near("o/fetched/" + id); got != others {
				t.Errorf("step %d: near-copies of %s are %q, want %q", step, id, got, others)
			}
		}
	}
}
