package github_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/github"
	"skillcorpus/data"
)

// graph answers GraphQL queries about repositories by name; a name without text is null with NOT_FOUND.
type graph struct {
	mu     sync.Mutex
	nodes  map[string]string
	before func(w http.ResponseWriter, asked int) bool
	asked  []int // repositories, of each query
	tokens []string
}

var queried = regexp.MustCompile(`(r\d+):repository\(owner:"([^"]*)",name:"([^"]*)"\)`)

func (g *graph) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var body struct{ Query string }
	if r.Method != http.MethodPost || r.URL.Path != "/graphql" || json.Unmarshal(text, &body) != nil {
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
		return
	}
	names := queried.FindAllStringSubmatch(body.Query, -1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, len(names))
	g.tokens = append(g.tokens, r.Header.Get("Authorization"))
	if g.before != nil && g.before(w, len(names)) {
		return
	}
	nodes, faults := []string{}, []string{}
	for _, name := range names {
		text := g.nodes[strings.ToLower(name[2]+"/"+name[3])]
		if text == "" {
			text = "null"
			faults = append(faults, fmt.Sprintf(`{"type":"NOT_FOUND","path":[%q],"message":"Could not resolve to a Repository"}`, name[1]))
		}
		nodes = append(nodes, fmt.Sprintf("%q:%s", name[1], text))
	}
	fmt.Fprintf(w, `{"data":{%s},"errors":[%s]}`, strings.Join(nodes, ","), strings.Join(faults, ","))
}

func (g *graph) client(t *testing.T, change ...func(*github.Config)) *github.Client {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	config := github.Config{
		APIURL: server.URL, CodeloadURL: server.URL, Tokens: []string{"t1"}, RequestsPerSecond: 1e6, RetryWait: time.Microsecond,
		Now: func() time.Time { return clock },
	}
	for _, c := range change {
		c(&config)
	}
	client, err := github.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func nodeOf(name string, id int) string {
	return fmt.Sprintf(`{"databaseId":%d,"nameWithOwner":%q,"diskUsage":7,"pushedAt":"2026-01-02T03:04:05Z","stargazerCount":3,`+
		`"licenseInfo":{"spdxId":"MIT"},"defaultBranchRef":{"name":"trunk","target":{"oid":%q}}}`, id, name, sha)
}

func knownAs(names ...string) (known []data.Repo) {
	for _, name := range names {
		known = append(known, data.Repo{ID: name, Host: data.HostGitHub, Name: name})
	}
	return known
}

func TestRepositories(t *testing.T) {
	t.Parallel()
	g := &graph{nodes: map[string]string{
		"o/plain":    nodeOf("o/plain", 1),
		"o/old":      nodeOf("O/New", 2), // a rename is followed
		"o/empty":    `{"databaseId":3,"nameWithOwner":"o/empty","isEmpty":true,"defaultBranchRef":null}`,
		"o/disabled": strings.Replace(nodeOf("o/disabled", 4), "{", `{"isDisabled":true,`, 1),
		"o/headless": `{"databaseId":5,"nameWithOwner":"o/headless","defaultBranchRef":null}`,
		"o/strange":  `{"databaseId":6,"nameWithOwner":"../../x","defaultBranchRef":{"name":"m","target":{"oid":"` + sha + `"}}}`,
		"o/same":     strings.Replace(nodeOf("o/same", 8), "MIT", "NOASSERTION", 1),
		"o/other":    nodeOf("o/other", 9),
	}}
	c := g.client(t)
	known := knownAs("o/plain", "o/old", "o/empty", "o/disabled", "o/headless", "o/strange", "o/gone", "bad name", `o/"}evil`, "o/same", "o/other")
	for i := range known {
		if name := known[i].Name; name == "o/same" || name == "o/other" {
			known[i].Commit, known[i].NumericID, known[i].ETag, known[i].Aliases = sha, 8, `"e"`, []string{"o/former"}
		}
	}
	got, err := c.Repositories(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	plain := data.Repo{
		ID: "o/plain", Host: data.HostGitHub, Name: "o/plain", NumericID: 1, DefaultBranch: "trunk", Commit: sha, SizeKB: 7,
		License: "MIT", Stars: 3, UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Aliases: []string{},
	}
	renamed := plain
	renamed.ID, renamed.Name, renamed.NumericID, renamed.Aliases = "O/New", "O/New", 2, []string{"o/old"}
	same := plain
	same.ID, same.Name, same.NumericID, same.License, same.ETag, same.Aliases = "o/same", "o/same", 8, "", `"e"`, []string{"o/former"}
	other := plain // another repository under the name of one that is known
	other.ID, other.Name, other.NumericID = "o/other", "o/other", 9
	want := map[string]github.Facts{"o/plain": {Repo: plain}, "o/old": {Repo: renamed}, "o/same": {Repo: same, Unchanged: true}, "o/other": {Repo: other}}
	if empty := got["o/empty"]; data.OutcomeOf(empty.Err) != data.OutcomeEmpty {
		t.Errorf("o/empty: %+v", empty)
	}
	delete(got, "o/empty")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(g.asked) != 1 || g.asked[0] != 9 {
		t.Errorf("queries about %v repositories, want one about 9", g.asked)
	}
}

func TestRepositoriesInPages(t *testing.T) {
	t.Parallel()
	g := &graph{nodes: map[string]string{}}
	var names []string
	for i := range 250 {
		names = append(names, fmt.Sprintf("o/r%d", i))
		g.nodes[names[i]] = nodeOf(names[i], i+1)
	}
	got, err := g.client(t).Repositories(t.Context(), knownAs(names...))
	if err != nil || len(got) != 250 || !cmp.Equal(g.asked, []int{100, 100, 50}) {
		t.Errorf("%d told in %v, %v", len(got), g.asked, err)
	}
	if got, err := g.client(t, func(c *github.Config) { c.Tokens = nil }).Repositories(t.Context(), knownAs(names...)); err != nil || len(got) != 0 || len(g.asked) != 3 {
		t.Errorf("without a token: %d told in %v, %v", len(got), g.asked, err)
	}
	// Too much at a time for the host: halved once.
	g.asked, g.before = nil, func(w http.ResponseWriter, asked int) bool {
		if asked > 60 {
			w.WriteHeader(http.StatusBadGateway)
		}
		return asked > 60
	}
	got, err = g.client(t).Repositories(t.Context(), knownAs(names[:100]...))
	if err != nil || len(got) != 100 || !cmp.Equal(g.asked, []int{100, 100, 100, 50, 50}) {
		t.Errorf("%d told in %v, %v", len(got), g.asked, err)
	}
}

// A limit that GraphQL tells under 200 closes its budget, or the host, for this token; the other one goes on.
func TestGraphQLLimits(t *testing.T) {
	t.Parallel()
	reset := fmt.Sprint(clock.Add(time.Hour).Unix())
	for name, test := range map[string]struct {
		body   string
		header map[string]string
		until  time.Time
		rest   data.Outcome // of the other API, with the same token
	}{
		"primary": {
			`{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}`,
			map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset},
			clock.Add(time.Hour + time.Second), data.OutcomeGone,
		},
		"primary in other words": {
			`{"data":null,"errors":[{"type":"RATE_LIMIT","code":"graphql_rate_limit","message":"API rate limit already exceeded"}]}`,
			nil, clock.Add(time.Minute + time.Second), data.OutcomeLimited,
		},
		"secondary": {
			`{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs.github.com/graphql"}`,
			map[string]string{"Retry-After": "90"},
			clock.Add(91 * time.Second), data.OutcomeLimited,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &graph{nodes: map[string]string{"o/a": nodeOf("o/a", 1)}}
			limited := "Bearer t1"
			g.before = func(w http.ResponseWriter, _ int) bool {
				if g.tokens[len(g.tokens)-1] != limited {
					return false
				}
				for key, value := range test.header {
					w.Header().Set(key, value)
				}
				_, _ = io.WriteString(w, test.body)
				return true
			}
			one := g.client(t)
			for range 2 {
				_, err := one.Repositories(t.Context(), knownAs("o/a"))
				item, _ := errors.AsType[*data.ItemError](err)
				if item == nil || item.Outcome != data.OutcomeLimited || !item.RetryAt.Equal(test.until) {
					t.Fatalf("%v, want limited until %v", err, test.until)
				}
			}
			if len(g.asked) != 1 {
				t.Errorf("asked %d times", len(g.asked))
			}
			if _, _, err := one.Repository(t.Context(), "o/a", data.Repo{}); data.OutcomeOf(err) != test.rest {
				t.Errorf("the other API: %v, want %s", err, test.rest)
			}
			two := g.client(t, func(c *github.Config) { c.Tokens = []string{"t1", "t2"} })
			for range 3 {
				if got, err := two.Repositories(t.Context(), knownAs("o/a")); err != nil || len(got) != 1 {
					t.Errorf("with two tokens: %v, %v", got, err)
				}
			}
		})
	}
}

// What looks like a limit inside the data is none.
func TestGraphQLText(t *testing.T) {
	t.Parallel()
	g := &graph{nodes: map[string]string{"o/rate-limit": strings.Replace(nodeOf("o/rate-limit", 1), "trunk", "rate limit exceeded", 1)}}
	if got, err := g.client(t).Repositories(t.Context(), knownAs("o/rate-limit")); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	for _, body := range []string{`{"errors":[{"message":"Something went wrong"}]}`, `[]`, `{"data":{"r0":7}}`, `{"data":{"r0":{"databaseId":"x"}}}`, ``} {
		g.before = func(w http.ResponseWriter, _ int) bool {
			_, _ = io.WriteString(w, body)
			return true
		}
		if got, err := g.client(t).Repositories(t.Context(), knownAs("o/rate-limit")); len(got) != 0 || data.OutcomeOf(err) == data.OutcomeLimited {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
}
