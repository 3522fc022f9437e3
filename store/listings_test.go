package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func (c *corpus) source(name string) SourceState {
	c.t.Helper()
	for _, state := range must[[]SourceState](c.t)(c.Sources(c.t.Context())) {
		if state.Name == name {
			return state
		}
	}
	c.t.Fatalf("no source %s", name)
	return SourceState{}
}

// An interrupted walk goes on at its cursor; a new one begins with what is made of the last one's.
func TestWalks(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	begin := func() string { return string(must[[]byte](t)(rawBytes(c.BeginWalk(t.Context(), "market", nil)))) }
	commit := func(cursor string, rows ...data.Listing) {
		t.Helper()
		check(t, c.CommitListings(t.Context(), "market", rows, []byte(cursor)))
	}
	want := func(state data.Completeness, walk, rows, unlisted int, cursor string) {
		t.Helper()
		got := c.source("market")
		if diff := cmp.Diff([]any{state, walk, rows, unlisted, cursor}, []any{got.Completeness, got.Walk, got.Rows, got.Unlisted, string(got.Cursor)}); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if cursor := begin(); cursor != "" {
		t.Errorf("a first walk begins at %q", cursor)
	}
	want(data.Interrupted, 1, 0, 0, "")
	commit(`{"page":2}`, row("a", "o/a"), row("b", "o/b"))
	want(data.Interrupted, 1, 2, 0, `{"page":2}`)
	// Killed here, or stopped: either way the walk goes on.
	check(t, c.EndWalk(t.Context(), "market", WalkEnd{Completeness: data.Interrupted}))
	if cursor := begin(); cursor != `{"page":2}` {
		t.Errorf("an interrupted walk goes on at %q", cursor)
	}
	commit(`{"page":3}`, row("c", "o/c"))
	check(t, c.EndWalk(t.Context(), "market", WalkEnd{Completeness: data.Complete}))
	want(data.Complete, 1, 3, 0, `{"page":3}`)
	// A new walk; nothing is unlisted before it is complete.
	if cursor := begin(); cursor != "" {
		t.Errorf("a new walk begins at %q", cursor)
	}
	commit(`{"page":2}`, row("a", "o/a"))
	want(data.Interrupted, 2, 3, 0, `{"page":2}`)
	check(t, c.EndWalk(t.Context(), "market", WalkEnd{Completeness: data.Capped}))
	want(data.Capped, 2, 3, 0, `{"page":2}`)
	begin()
	commit(``, row("a", "o/a"))
	check(t, c.EndWalk(t.Context(), "market", WalkEnd{Completeness: data.Complete}))
	want(data.Complete, 3, 3, 2, "")
	// Interrupted before its first page: it begins anew.
	begin()
	check(t, c.EndWalk(t.Context(), "market", WalkEnd{Completeness: data.Interrupted}))
	if cursor := begin(); cursor != "" {
		t.Errorf("a walk without a page goes on at %q", cursor)
	}
}

// What a source makes of a finished walk's cursor is stored before anything is asked.
func TestRenewedWalk(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	renew := func(last json.RawMessage) json.RawMessage { return append([]byte("renewed "), last...) }
	begin := func() string {
		t.Helper()
		return string(must[[]byte](t)(rawBytes(c.BeginWalk(t.Context(), "market", renew))))
	}
	if cursor := begin(); cursor != "" {
		t.Errorf("the first walk begins at %q", cursor)
	}
	check(t, c.CommitListings(t.Context(), "market", nil, []byte("end")))
	check(t, c.EndWalk(t.Context(), "market", WalkEnd{Completeness: data.Complete}))
	for range 2 { // the second is the next process, after a kill
		if cursor := begin(); cursor != "renewed end" {
			t.Errorf("the next walk begins at %q", cursor)
		}
	}
	if state := c.source("market"); state.Walk != 2 || state.Completeness != data.Interrupted {
		t.Errorf("%+v", state)
	}
}

// Why a walk ended stays with its source until the next one begins.
func TestWalkEnds(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for _, end := range []WalkEnd{
		{data.Interrupted, data.OutcomeLimited, "the quota is used up", time.Unix(1_800_000_000, 0).UTC()},
		{data.Interrupted, data.OutcomeMalformed, "no list", time.Time{}},
		{data.Capped, "", "1,000 rows a query", time.Time{}},
		{Completeness: data.Complete},
	} {
		if _, err := c.BeginWalk(t.Context(), "market", nil); err != nil {
			t.Fatal(err)
		}
		if got := c.source("market").WalkEnd; got != (WalkEnd{Completeness: data.Interrupted}) {
			t.Errorf("under way: %+v", got)
		}
		check(t, c.CommitListings(t.Context(), "market", nil, []byte("cursor")))
		check(t, c.EndWalk(t.Context(), "market", end))
		if diff := cmp.Diff(end, c.source("market").WalkEnd); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

func rawBytes[T ~[]byte](raw T, err error) ([]byte, error) { return raw, err }

// cases/27: rows that an inconsistent walk saw and the consistent one did not are unlisted, not deleted.
func TestCase27Unlisted(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	// Another source whose rows are named like the source: they are not counted here.
	c.list("name", data.Complete, data.Listing{ExternalID: "1", Name: "name", Host: data.HostGitHub, Repo: "o/x"})
	var rows []data.Listing
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "j", "z", "d", "i", "h"} {
		l := row(id, "o/"+id)
		l.Unlisted = id == "b" || id == "c"
		rows = append(rows, l)
	}
	c.list("market", data.Complete, rows...)
	if got := c.source("market"); got.Rows != 11 || got.Unlisted != 2 {
		t.Errorf("%d rows, %d unlisted", got.Rows, got.Unlisted)
	}
	if got := c.source("name"); got.Rows != 1 || got.Unlisted != 0 {
		t.Errorf("the other source: %d rows, %d unlisted", got.Rows, got.Unlisted)
	}
	// Nobody fetches for a row that was taken back.
	if got := must[int](t)(c.CountNewRepos(t.Context())); got != 10 {
		t.Errorf("%d new repositories", got)
	}
}

func TestListingFields(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	l := data.Listing{
		ExternalID: "1", Name: "n", Stars: 3, Installs: 4, Host: data.HostGitHub, Repo: "Owner/Repo", Path: "/skills//a/", PathKnown: true,
	}
	root := data.Listing{ExternalID: "2", Host: data.HostGitHub, Repo: "owner/repo", PathKnown: true}
	c.list("market", data.Complete, l, root, row("3", "OWNER/repo"))
	got := must[map[string][]data.Listing](t)(c.Listings(t.Context()))
	want := map[string][]data.Listing{"owner/repo": {
		{Source: "market", ExternalID: "1", Name: "n", Stars: 3, Installs: 4, Path: "skills/a", PathKnown: true},
		{Source: "market", ExternalID: "2", PathKnown: true},
		{Source: "market", ExternalID: "3"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := c.number(`SELECT count(*) FROM listings WHERE tags = '[]'`); n != 3 {
		t.Errorf("tags of %d rows are an array", n)
	}
	// A row moves on with its marketplace.
	l.Repo, l.Installs = "owner/other", 9
	c.list("market", data.Complete, l)
	got = must[map[string][]data.Listing](t)(c.Listings(t.Context()))
	if len(got["owner/repo"]) != 2 || len(got["owner/other"]) != 1 || got["owner/other"][0].Installs != 9 {
		t.Errorf("%+v", got)
	}
	if err := c.CommitListings(t.Context(), "unknown", nil, nil); err == nil {
		t.Error("a page outside a walk was stored")
	}
}
