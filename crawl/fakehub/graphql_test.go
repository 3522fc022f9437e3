package fakehub_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
)

// graph is an answer of GraphQL.
type graph struct {
	Data   map[string]json.RawMessage `json:"data"`
	Errors []struct {
		Type    string
		Path    []any
		Message string
	} `json:"errors"`
}

// post asks GraphQL with a token, and with variables where there are any.
func (b *box) post(token, query string, variables map[string]any) reply {
	b.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.postBody(token, body)
}

func (b *box) postBody(token string, body []byte) reply {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.hub.URLs()["api"]+"/graphql", bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, header: resp.Header, body: text, err: err}
}

func (b *box) graph(token, query string, variables map[string]any) graph {
	b.t.Helper()
	var g graph
	b.json(b.post(token, query, variables), 200, &g)
	return g
}

const facts = `fragment facts on Repository {
  databaseId id nameWithOwner diskUsage pushedAt updatedAt defaultBranchRef { name target { oid } }
  licenseInfo { spdxId } isArchived isFork isDisabled isEmpty stargazerCount
}`

type graphFacts struct {
	DatabaseID       int64  `json:"databaseId"`
	ID               string `json:"id"`
	NameWithOwner    string `json:"nameWithOwner"`
	DiskUsage        int64  `json:"diskUsage"`
	DefaultBranchRef *struct {
		Name   string
		Target struct{ OID string }
	} `json:"defaultBranchRef"`
	LicenseInfo    *struct{ SPDXID string } `json:"licenseInfo"`
	IsArchived     bool                     `json:"isArchived"`
	IsEmpty        bool                     `json:"isEmpty"`
	StargazerCount int                      `json:"stargazerCount"`
	PushedAt       time.Time                `json:"pushedAt"`
}

func decode[T any](t *testing.T, raw json.RawMessage) (value T) {
	t.Helper()
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return value
}

// TestGraphTellsWhatRESTTells compares the facts of all repositories, asked at once by name and by number.
func TestGraphTellsWhatRESTTells(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	names := []string{"blader/humanizer", "hardikpandya/stop-slop", "lackeyjb/playwright-skill", "neondatabase/agent-skills", "KEPANO/obsidian-skills"}
	var query strings.Builder
	for i, name := range names {
		owner, repo, _ := strings.Cut(name, "/")
		fmt.Fprintf(&query, "r%d: repository(owner: %q, name: %q) { ...facts }\n", i, owner, repo)
	}
	g := b.graph("t", "query { "+query.String()+" rateLimit { cost remaining resetAt } }\n"+facts, nil)
	if len(g.Errors) > 0 || len(g.Data) != len(names)+1 {
		t.Fatalf("%+v", g)
	}
	var ids []string
	for i, name := range names {
		got := decode[graphFacts](t, g.Data[fmt.Sprintf("r%d", i)])
		var want repoAnswer
		b.json(b.get("api", "/repos/"+name), 200, &want)
		commit := b.get("api", "/repos/"+name+"/commits/HEAD", "Accept", "application/vnd.github.sha")
		if got.NameWithOwner != want.FullName || got.DatabaseID != want.ID || got.ID != want.NodeID || got.DiskUsage != *want.Size ||
			got.StargazerCount != *want.Stars || got.IsArchived != *want.Archived || !got.PushedAt.Equal(want.PushedAt) ||
			got.DefaultBranchRef.Name != want.DefaultBranch || got.DefaultBranchRef.Target.OID != string(commit.body) || got.IsEmpty {
			t.Errorf("%+v, want %+v at %s", got, want, commit.body)
		}
		if (got.LicenseInfo == nil) != (want.License == nil) || want.License != nil && got.LicenseInfo.SPDXID != want.License.SPDX {
			t.Errorf("licence %+v, want %+v", got.LicenseInfo, want.License)
		}
		ids = append(ids, got.ID)
	}
	byID := b.graph("t", `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ...facts } }`+facts, map[string]any{"ids": append(ids, "R_x", "other")})
	nodes := decode[[]*graphFacts](t, byID.Data["nodes"])
	if len(nodes) != 7 || nodes[5] != nil || nodes[6] != nil || nodes[1].NameWithOwner != "hardikpandya/stop-slop" {
		t.Errorf("%+v", byID)
	}
	if len(byID.Errors) != 2 || byID.Errors[0].Type != "NOT_FOUND" || fmt.Sprint(byID.Errors[0].Path) != "[nodes 5]" {
		t.Errorf("%+v", byID.Errors)
	}
}

func TestGraphOfTroubledRepositories(t *testing.T) {
	t.Parallel()
	b := scripted(t, `
rules:
  - {match: {repo: blader/humanizer}, do: {rename_to: blader/humane}}
  - {match: {repo: hardikpandya/stop-slop}, do: {vanish: true}}
  - {match: {repo: lackeyjb/playwright-skill}, do: {block: tos}}
  - {match: {repo: neondatabase/agent-skills}, do: {empty: true}}
`, nil)
	g := b.graph("t", `{
  renamed: repository(owner: "blader", name: "humanizer") { nameWithOwner }
  strict: repository(owner: "blader", name: "humanizer", followRenames: false) { nameWithOwner }
  gone: repository(owner: "hardikpandya", name: "stop-slop") { nameWithOwner }
  never: repository(owner: "no", name: "body") { nameWithOwner }
  blocked: repository(owner: "lackeyjb", name: "playwright-skill") { nameWithOwner }
  empty: repository(owner: "neondatabase", name: "agent-skills") { isEmpty defaultBranchRef { name } diskUsage }
}`, nil)
	for alias, want := range map[string]string{
		"renamed": `{"nameWithOwner":"blader/humane"}`, "strict": "null", "gone": "null", "never": "null", "blocked": "null",
		"empty": `{"isEmpty":true,"defaultBranchRef":null,"diskUsage":0}`,
	} {
		if got := string(g.Data[alias]); got != want {
			t.Errorf("%s: %s, want %s", alias, got, want)
		}
	}
	kinds := make(map[any]string)
	for _, e := range g.Errors {
		kinds[e.Path[0]] = e.Type
	}
	if len(kinds) != 4 || kinds["gone"] != "NOT_FOUND" || kinds["strict"] != "NOT_FOUND" || kinds["never"] != "NOT_FOUND" || kinds["blocked"] != "FORBIDDEN" {
		t.Errorf("%v", kinds)
	}
}

func TestGraphRefusesWhatGitHubWould(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	if r := b.post("", "{ viewer { login } }", nil); r.status != 401 {
		t.Errorf("without a token: %d", r.status)
	}
	if r := b.postBody("t", []byte("{")); r.status != 400 {
		t.Errorf("no JSON: %d", r.status)
	}
	ids := make([]string, 101)
	for query, want := range map[string]string{
		"":                                  "query attribute",
		"{":                                 "Expected",
		"{ stars }":                         `"stars"`,
		"mutation { addStar { id } }":       "mutation",
		"{ repository(owner: \"a\") {id} }": "name",
		"query ($ids: [ID!]!) { nodes(ids: $ids) { id } }":                                  "100 node ids",
		strings.Repeat("#", 10) + "\n{" + strings.Repeat(" viewer { login }", 20_000) + "}": "limit",
	} {
		g := b.graph("t", query, map[string]any{"ids": ids})
		if len(g.Errors) == 0 || !strings.Contains(g.Errors[0].Message, want) {
			t.Errorf("%.60s: %+v, want %s", query, g.Errors, want)
		}
	}
}

func TestGraphSelections(t *testing.T) {
	t.Parallel()
	b := start(t, fakehub.Config{})
	r := b.post("t", `query A($yes: Boolean! = true) {
  repository(owner: "blader", name: "humanizer") {
    __typename n: name
    ... on Node { id @skip(if: $yes) }
    owner { login }
    owner { ... on User { kind: __typename } }
    url @include(if: false)
  }
  node(id: "x") { id }
}`, nil)
	want := `{"data":{"repository":{"__typename":"Repository","n":"humanizer","owner":{"login":"blader","kind":"User"}},"node":null},`
	if !strings.HasPrefix(string(r.body), want) {
		t.Errorf("%s\nwant %s", r.body, want)
	}
}

// TestEachTokenHasItsBudget spends one token's points and requests; the other's are untouched.
func TestEachTokenHasItsBudget(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := scripted(t, `{quotas: {graphql_hour: {keyed: 2}, github_hour: {keyed: 2}}}`, func() time.Time { return now })
	const query = `{ viewer { login } rateLimit { cost remaining resetAt } }`
	for range 2 {
		if g := b.graph("one", query, nil); len(g.Errors) != 0 {
			t.Errorf("%+v", g.Errors)
		}
		if r := b.get("api", "/repos/blader/humanizer", "Authorization", "token one"); r.status != 200 {
			t.Errorf("%d", r.status)
		}
	}
	r := b.post("one", query, nil)
	if !strings.Contains(string(r.body), `"type":"RATE_LIMITED"`) || r.status != 200 || r.header.Get("X-RateLimit-Remaining") != "0" ||
		r.header.Get("X-RateLimit-Resource") != "graphql" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	if r := b.get("api", "/repos/blader/humanizer", "Authorization", "Bearer one"); r.status != 403 {
		t.Errorf("%d", r.status)
	}
	g := b.graph("two", query, nil)
	if got := string(g.Data["rateLimit"]); got != `{"cost":1,"remaining":1,"resetAt":"2026-01-02T04:04:05Z"}` {
		t.Errorf("%s", got)
	}
	if r := b.get("api", "/repos/blader/humanizer", "Authorization", "Bearer two"); r.status != 200 {
		t.Errorf("%d", r.status)
	}
}
