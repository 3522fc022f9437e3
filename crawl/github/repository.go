package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// Repository returns the facts and the head commit of the repository called owner/name, following renames:
// the result bears the host's own spelling and has all others as aliases. known is what is stored of it, or
// the zero Repo; where it has an ETag and a Commit the request is conditional. unchanged means that known's
// content is still the head; the result then is known with fresher facts, its tree included. Commit is
// empty if the host does not tell the head of the default branch.
//
// Errors are *data.ItemError, or ctx's own.
func (c *Client) Repository(ctx context.Context, name string, known data.Repo) (repo data.Repo, unchanged bool, err error) {
	owner, short, ok := splitName(name)
	if !ok {
		return data.Repo{}, false, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%q is no owner/name", name)}
	}
	facts, etag, err := c.facts(ctx, owner, short, known)
	if err != nil {
		return data.Repo{}, false, polite.Cause(ctx, err)
	}
	if facts == nil {
		known.Aliases = aliases(known.Name, known, name)
		return known, true, nil
	}
	repo = repoOf(facts, etag, name, known)
	if repo.Commit, err = c.head(ctx, repo); err != nil {
		return data.Repo{}, false, polite.Cause(ctx, err)
	}
	if repo.Commit != "" && repo.Commit == known.Commit && repo.NumericID == known.NumericID {
		repo.Tree = known.Tree
		return repo, true, nil
	}
	return repo, false, nil
}

// facts asks for the repository; nil facts are unchanged ones.
func (c *Client) facts(ctx context.Context, owner, name string, known data.Repo) (*github.Repository, string, error) {
	req, err := c.api.NewRequest(http.MethodGet, "repos/"+owner+"/"+name, nil)
	if err != nil {
		return nil, "", err
	}
	if known.ETag != "" && known.Commit != "" {
		req.Header.Set("If-None-Match", known.ETag)
	}
	facts := new(github.Repository)
	response, err := c.api.Do(ctx, req, facts)
	if response != nil && response.StatusCode == http.StatusNotModified && known.Commit != "" {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	if facts.GetID() == 0 {
		return nil, "", &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the answer is not a repository"}
	}
	return facts, response.Header.Get("ETag"), nil
}

func repoOf(facts *github.Repository, etag, asked string, known data.Repo) data.Repo {
	name := facts.GetFullName()
	if _, _, ok := splitName(name); !ok {
		name = asked
	}
	license := facts.GetLicense().GetSPDXID()
	if license == noLicense {
		license = ""
	}
	repo := data.Repo{
		ID:            data.RepoID(data.HostGitHub, name),
		Host:          data.HostGitHub,
		Name:          name,
		NumericID:     facts.GetID(),
		DefaultBranch: facts.GetDefaultBranch(),
		SizeKB:        int64(facts.GetSize()),
		License:       license,
		Stars:         facts.GetStargazersCount(),
		Archived:      facts.GetArchived(),
		Fork:          facts.GetFork(),
		UpdatedAt:     facts.GetPushedAt().UTC(),
		ETag:          etag,
	}
	repo.Aliases = aliasesOf(repo, known, asked)
	return repo
}

// noLicense is what the host says of a licence that it does not recognise.
const noLicense = "NOASSERTION"

// aliasesOf returns the other names of a repository that is known under one, and was asked for under one.
func aliasesOf(repo, known data.Repo, asked string) []string {
	if known.NumericID != 0 && known.NumericID != repo.NumericID {
		known = data.Repo{} // the name has passed to another repository, which never had the old ones
	}
	return aliases(repo.Name, known, asked)
}

// aliases returns every spelling but the canonical one, sorted.
func aliases(canonical string, known data.Repo, asked string) []string {
	all := append(slices.Clone(known.Aliases), data.RepoID(data.HostGitHub, asked))
	if known.Name != "" {
		all = append(all, data.RepoID(data.HostGitHub, known.Name))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(id string) bool { return id == data.RepoID(data.HostGitHub, canonical) })
}

// head returns the commit of the default branch, or none where the host does not know it as a commit.
func (c *Client) head(ctx context.Context, repo data.Repo) (string, error) {
	owner, name, _ := splitName(repo.Name)
	branch := repo.DefaultBranch
	if branch == "" {
		branch = "HEAD"
	}
	sha, _, err := c.api.Repositories.GetCommitSHA1(ctx, owner, name, branch, "")
	if item, ok := errors.AsType[*data.ItemError](err); ok && item.Outcome == data.OutcomeGone {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if sha = strings.TrimSpace(sha); isCommit(sha) {
		return sha, nil
	}
	// Servers that do not know the media type answer with the whole commit.
	var commit struct {
		SHA string `json:"sha"`
	}
	if json.Unmarshal([]byte(sha), &commit) == nil && isCommit(commit.SHA) {
		return commit.SHA, nil
	}
	return "", &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the answer is not a commit"}
}

func isCommit(sha string) bool {
	return (len(sha) == 40 || len(sha) == 64) && len(bytes.Trim([]byte(sha), "0123456789abcdef")) == 0
}

// Refs returns the branches and tags whose names begin with prefix, an empty one meaning all. For a tree URL
// the first part of its tail is enough.
func (c *Client) Refs(ctx context.Context, name, prefix string) ([]string, error) {
	owner, short, ok := splitName(name)
	if !ok {
		return nil, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%q is no owner/name", name)}
	}
	var refs []string
	for _, kind := range []string{"heads/", "tags/"} {
		found, err := c.matching(ctx, owner, short, kind, prefix)
		if err != nil {
			return nil, polite.Cause(ctx, err)
		}
		refs = append(refs, found...)
	}
	slices.Sort(refs)
	return slices.Compact(refs), nil
}

// mostRefPages bounds the pages of 100 refs that are read of one kind.
const mostRefPages = 100

func (c *Client) matching(ctx context.Context, owner, name, kind, prefix string) ([]string, error) {
	var refs []string
	options := &github.ReferenceListOptions{Ref: kind + prefix, ListOptions: github.ListOptions{PerPage: 100}}
	for range mostRefPages {
		page, response, err := c.api.Git.ListMatchingRefs(ctx, owner, name, options)
		if err != nil {
			return nil, err
		}
		for _, ref := range page {
			refs = append(refs, strings.TrimPrefix(ref.GetRef(), "refs/"+kind))
		}
		if response.NextPage <= options.Page {
			return refs, nil
		}
		options.Page = response.NextPage
	}
	return refs, nil
}
