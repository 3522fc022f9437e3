package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// FactsAtATime is how many repositories one query of GraphQL is about. GitHub allows 100 (FACTS.md 4).
const FactsAtATime = 100

// Facts are what is told of one repository: as the results of Repository.
type Facts struct {
	Repo      data.Repo
	Unchanged bool
	Err       error // *data.ItemError: empty
}

// Repositories returns the facts of many repositories at the price of one request, by the names that they have in
// known. What is not in the result has to be asked by Repository: all of it without a token; else what the host does
// not answer here, because it is gone, blocked or otherwise odd, which only the other API tells apart. An error
// leaves what was told before it, and is a *data.ItemError or ctx's own.
func (c *Client) Repositories(ctx context.Context, known []data.Repo) (map[string]Facts, error) {
	told := make(map[string]Facts, len(known))
	if c.tokens == 0 {
		return told, nil
	}
	for len(known) > 0 {
		page := known[:min(FactsAtATime, len(known))]
		known = known[len(page):]
		if err := c.askMany(ctx, page, told); err != nil {
			return told, polite.Cause(ctx, err)
		}
	}
	return told, nil
}

// askMany asks for one page. One that is too much for the host, as it says by 502 and the like, is halved once.
func (c *Client) askMany(ctx context.Context, known []data.Repo, told map[string]Facts) error {
	err := c.query(ctx, known, told)
	if item, ok := errors.AsType[*data.ItemError](err); !ok || item.Outcome != data.OutcomeUnavailable || len(known) < FactsAtATime/2 {
		return err
	}
	for _, half := range [][]data.Repo{known[:len(known)/2], known[len(known)/2:]} {
		if err = c.query(ctx, half, told); err != nil {
			return err
		}
	}
	return nil
}

const repositoryFields = `fragment f on Repository{databaseId nameWithOwner diskUsage pushedAt isArchived isFork isDisabled isEmpty ` +
	`stargazerCount licenseInfo{spdxId} defaultBranchRef{name target{oid}}}`

// node is a repository as GraphQL tells it.
type node struct {
	DatabaseID       int64                    `json:"databaseId"`
	NameWithOwner    string                   `json:"nameWithOwner"`
	DiskUsage        int64                    `json:"diskUsage"` // KB
	PushedAt         time.Time                `json:"pushedAt"`
	IsArchived       bool                     `json:"isArchived"`
	IsFork           bool                     `json:"isFork"`
	IsDisabled       bool                     `json:"isDisabled"`
	IsEmpty          bool                     `json:"isEmpty"`
	StargazerCount   int                      `json:"stargazerCount"`
	LicenseInfo      *struct{ SPDXID string } `json:"licenseInfo"`
	DefaultBranchRef *struct {
		Name   string
		Target struct{ OID string }
	} `json:"defaultBranchRef"`
}

func (c *Client) query(ctx context.Context, known []data.Repo, told map[string]Facts) error {
	var text strings.Builder
	for i, repo := range known {
		// Names of this form hold nothing that a string literal would have to escape.
		if owner, name, ok := splitName(repo.Name); ok {
			fmt.Fprintf(&text, "r%d:repository(owner:%q,name:%q){...f} ", i, owner, name)
		}
	}
	if text.Len() == 0 {
		return nil
	}
	req, err := c.api.NewRequest(http.MethodPost, "graphql", map[string]string{"query": "query{" + text.String() + "}" + repositoryFields})
	if err != nil {
		return err
	}
	var answer struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if _, err := c.api.Do(ctx, req, &answer); err != nil {
		return err
	}
	if answer.Data == nil {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the answer has no data"}
	}
	for i, repo := range known {
		var n *node
		if json.Unmarshal(answer.Data[fmt.Sprintf("r%d", i)], &n) != nil || n == nil {
			continue
		}
		if facts, ok := n.facts(repo); ok {
			told[repo.Name] = facts
		}
	}
	return nil
}

// facts turns a node into facts; false means that it does not say enough.
func (n *node) facts(known data.Repo) (Facts, bool) {
	if _, _, ok := splitName(n.NameWithOwner); !ok || n.DatabaseID == 0 || n.IsDisabled {
		return Facts{}, false
	}
	if n.IsEmpty {
		return Facts{Err: &data.ItemError{Outcome: data.OutcomeEmpty, Reason: "a repository without commits"}}, true
	}
	if n.DefaultBranchRef == nil || !isCommit(n.DefaultBranchRef.Target.OID) {
		return Facts{}, false
	}
	repo := data.Repo{
		ID: data.RepoID(data.HostGitHub, n.NameWithOwner), Host: data.HostGitHub, Name: n.NameWithOwner, NumericID: n.DatabaseID,
		DefaultBranch: n.DefaultBranchRef.Name, Commit: n.DefaultBranchRef.Target.OID, SizeKB: n.DiskUsage, Stars: n.StargazerCount,
		Archived: n.IsArchived, Fork: n.IsFork, UpdatedAt: n.PushedAt.UTC(),
	}
	if n.LicenseInfo != nil && n.LicenseInfo.SPDXID != noLicense {
		repo.License = n.LicenseInfo.SPDXID
	}
	repo.Aliases = aliasesOf(repo, known, known.Name)
	unchanged := repo.Commit == known.Commit && repo.NumericID == known.NumericID
	if unchanged {
		repo.ETag, repo.Tree = known.ETag, known.Tree
	}
	return Facts{Repo: repo, Unchanged: unchanged}, true
}

func isGraphQL(req *http.Request) bool { return path.Base(req.URL.Path) == "graphql" }

// budget names what of a token's hourly budgets a request draws on (FACTS.md 4).
func budget(req *http.Request) string {
	switch {
	case isGraphQL(req):
		return "graphql"
	case strings.Contains(req.URL.Path, "/search/"):
		return "search"
	}
	return "core"
}

// classify knows the limits that GraphQL tells under 200, in its errors alone.
func classify(a polite.Answer) *data.ItemError {
	if item := polite.Classify(a); item != nil || len(a.Body) == 0 {
		return item
	}
	var answer struct {
		Message string
		Errors  []struct{ Type, Message string }
	}
	if json.Unmarshal(a.Body, &answer) != nil {
		return nil
	}
	if polite.SpeaksOfLimit([]byte(answer.Message)) {
		return a.Limit("")
	}
	for _, e := range answer.Errors {
		if e.Type == "RATE_LIMITED" || e.Type == "RATE_LIMIT" || e.Type == "" && polite.SpeaksOfLimit([]byte(e.Message)) {
			return a.Limit(e.Message)
		}
	}
	return nil
}
