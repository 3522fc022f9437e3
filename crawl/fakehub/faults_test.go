package fakehub_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"skillcorpus/crawl/fakehub"
)

// scripted starts a hub over the sample with a fault script.
func scripted(t *testing.T, text string, now func() time.Time) *box {
	t.Helper()
	script, err := fakehub.ReadScript(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return start(t, fakehub.Config{Faults: script, Now: now})
}

func TestStatusHeadersAndNth(t *testing.T) {
	t.Parallel()
	b := scripted(t, `
rules:
  - match: {host: api, repo: BLADER/*, nth: [1, 3]}
    do:
      status: 503
      headers: {Retry-After: "7", Content-Type: text/plain}
      body: out for lunch
  - match: {host: raw, path: "*/LICENSE", every: 2}
    do: {headers: {ETag: '"mine"'}}
`, nil)
	for i, want := range []int{503, 200, 503, 200} {
		if r := b.get("api", "/repos/blader/humanizer"); r.status != want {
			t.Errorf("request %d: %d", i+1, r.status)
		}
	}
	r := b.get("api", "/repos/blader/humanizer/commits/HEAD")
	if r.status != 503 || r.header.Get("Retry-After") != "7" || string(r.body) != "out for lunch" || r.header.Get("Content-Type") != "text/plain" {
		t.Errorf("another request of the rule: %d %v %s", r.status, r.header, r.body)
	}
	if r := b.get("api", "/repos/kepano/obsidian-skills"); r.status != 200 {
		t.Errorf("another repository: %d", r.status)
	}
	first, second := b.get("raw", "/blader/humanizer/HEAD/LICENSE"), b.get("raw", "/blader/humanizer/HEAD/LICENSE")
	if first.header.Get("ETag") == `"mine"` || second.header.Get("ETag") != `"mine"` || second.status != 200 {
		t.Errorf("headers over an answer: %v, %v", first.header, second.header)
	}
}

func TestPathWithQuery(t *testing.T) {
	t.Parallel()
	b := scripted(t, `{rules: [{match: {host: skillsmp, path: "*?*page=2*"}, do: {status: 500}}]}`, nil)
	if one, two := b.get("skillsmp", "/api/v1/skills/search?q=a&page=1"), b.get("skillsmp", "/api/v1/skills/search?q=a&page=2"); one.status != 200 || two.status != 500 {
		t.Errorf("%d, %d", one.status, two.status)
	}
}

func TestCutTearsTheConnection(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5000} {
		b := scripted(t, fmt.Sprintf(`{rules: [{match: {host: codeload, nth: [1]}, do: {cut_after: %d}}, {match: {host: api}, do: {cut_after: %[1]d}}]}`, n), nil)
		for _, kind := range []string{"legacy.zip", "legacy.tar.gz"} {
			r := b.get("codeload", "/blader/humanizer/"+kind+"/HEAD")
			if !errors.Is(r.err, io.ErrUnexpectedEOF) || len(r.body) != n || r.status != 200 {
				t.Errorf("%s cut after %d: %d bytes, %v", kind, n, len(r.body), r.err)
			}
			if r := b.get("codeload", "/blader/humanizer/"+kind+"/HEAD"); r.err != nil || len(r.body) < 10_000 {
				t.Errorf("%s, second time: %d bytes, %v", kind, len(r.body), r.err)
			}
		}
		r := b.get("api", "/repos/blader/humanizer")
		if torn := errors.Is(r.err, io.ErrUnexpectedEOF); torn != (n < 5000) || torn && len(r.body) != n {
			t.Errorf("api cut after %d: %d bytes, %v", n, len(r.body), r.err)
		}
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	b := scripted(t, `{rules: [{match: {nth: [1]}, do: {delay: 30ms, status: 502}}]}`, nil)
	from := time.Now()
	if r := b.get("api", "/repos/blader/humanizer"); r.status != 502 || time.Since(from) < 30*time.Millisecond {
		t.Errorf("%d after %s", r.status, time.Since(from))
	}
}

func TestRepositoryStates(t *testing.T) {
	t.Parallel()
	b := scripted(t, `
rules:
  - {match: {repo: blader/humanizer}, do: {vanish: true}}
  - {match: {repo: kepano/obsidian-skills}, do: {block: dmca}}
  - {match: {repo: neondatabase/agent-skills}, do: {block: tos}}
  - {match: {repo: hardikpandya/stop-slop}, do: {empty: true}}
  - {match: {host: codeload, repo: lackeyjb/playwright-skill, nth: [2]}, do: {vanish: true}}
`, nil)
	for name, want := range map[string][4]int{ // repository, commit, archive, raw
		"blader/humanizer":            {404, 404, 404, 404},
		"kepano/obsidian-skills":      {451, 451, 451, 451},
		"neondatabase/agent-skills":   {403, 403, 403, 403},
		"hardikpandya/stop-slop":      {200, 409, 404, 404},
		"google-gemini/gemini-skills": {200, 200, 200, 200},
	} {
		got := [4]int{
			b.get("api", "/repos/"+name).status, b.get("api", "/repos/"+name+"/commits/HEAD").status,
			b.get("codeload", "/"+name+"/legacy.zip/HEAD").status, b.get("raw", "/"+name+"/HEAD/LICENSE").status,
		}
		if got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for repo, reason := range map[string]string{"kepano/obsidian-skills": "dmca", "neondatabase/agent-skills": "tos"} {
		r := b.get("api", "/repos/"+repo)
		var body struct {
			Message string
			Block   struct {
				Reason, HTMLURL string
				CreatedAt       time.Time `json:"created_at"`
			}
		}
		b.json(r, r.status, &body)
		if body.Message != "Repository access blocked" || body.Block.Reason != reason || body.Block.CreatedAt.IsZero() || r.header.Get("X-RateLimit-Remaining") == "0" {
			t.Errorf("%s: %+v", repo, body)
		}
	}
	const archive, repo = "/lackeyjb/playwright-skill/legacy.zip/HEAD", "/repos/lackeyjb/playwright-skill"
	for i, want := range []int{200, 404, 404} {
		if r := b.get("codeload", archive); r.status != want {
			t.Errorf("archive %d: %d", i+1, r.status)
		}
	}
	if r := b.get("api", repo); r.status != 404 {
		t.Errorf("vanished at codeload only: %d", r.status)
	}
	if found := b.search("q=e"); len(found.Data.Skills) != 13 {
		t.Errorf("the marketplace forgot: %d rows", len(found.Data.Skills))
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	b := scripted(t, `{rules: [{match: {repo: blader/humanizer}, do: {rename_to: Blader/humane}}]}`, nil)
	var renamed repoAnswer
	b.json(b.get("api", "/repos/blader/Humane"), 200, &renamed)
	if renamed.FullName != "Blader/humane" {
		t.Errorf("%+v", renamed)
	}
	for _, rest := range []string{"", "/commits/HEAD", "/zipball/HEAD?x=1"} {
		r := b.get("api", "/repos/blader/humanizer"+rest)
		want := fmt.Sprintf("%s/repositories/%d%s", b.hub.URLs()["api"], renamed.ID, rest)
		if r.status != 301 || r.header.Get("Location") != want {
			t.Errorf("%q: %d %s", rest, r.status, r.header.Get("Location"))
		}
		if next := b.get("", want); next.status != 200 && next.status != 302 {
			t.Errorf("%s: %d", want, next.status)
		}
	}
	for _, name := range []string{"blader/humanizer", "blader/humane"} {
		if r := b.get("codeload", "/"+name+"/legacy.zip/HEAD"); r.status != 200 {
			t.Errorf("codeload %s: %d", name, r.status)
		}
	}
}

func TestExhaustedLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, host, limit string
		status            int
		headers           map[string]string // empty: must be absent
		body              string
	}{
		{"primary", "api", `kind: primary, reset: 90s`, 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1772352090", "Retry-After": ""}, "API rate limit exceeded"},
		{"primary 429", "api", `kind: primary, reset: 90s, status: 429`, 429, map[string]string{"X-RateLimit-Remaining": "0"}, "API rate limit exceeded"},
		{"secondary", "api", `kind: secondary, reset: 90s`, 403, map[string]string{"X-RateLimit-Remaining": "", "Retry-After": "90"}, "secondary rate limit"},
		{"only the body", "api", `kind: secondary, reset: 90s, silent: true`, 403, map[string]string{"X-RateLimit-Remaining": "", "Retry-After": ""}, "You have exceeded a secondary rate limit"},
		{"codeload", "codeload", `kind: primary, reset: 90s`, 429, map[string]string{"Retry-After": "90"}, "Too Many"},
		{"day", "skillsmp", `kind: primary, reset: 90s`, 429, map[string]string{"X-RateLimit-Daily-Remaining": "0", "Retry-After": ""}, "DAILY_QUOTA_EXCEEDED"},
		{"minute", "skillsmp", `kind: secondary, reset: 90s`, 429, map[string]string{"Retry-After": "90"}, "RATE_LIMIT_EXCEEDED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			b := scripted(t, "rules: [{match: {host: "+c.host+", nth: [2]}, do: {limit: {"+c.limit+"}}}]", clock.now)
			path := map[string]string{"api": "/repos/blader/humanizer", "codeload": "/blader/humanizer/legacy.zip/HEAD", "skillsmp": "/api/v1/skills/search?q=a"}[c.host]
			if r := b.get(c.host, path); r.status != 200 {
				t.Fatalf("first: %d", r.status)
			}
			b.get(c.host, path)
			clock.add(30 * time.Second)
			other := strings.Replace(path, "blader/humanizer", "kepano/obsidian-skills", 1)
			r := b.get(c.host, other)
			if r.status != c.status || !strings.Contains(string(r.body), c.body) {
				t.Errorf("%d %s", r.status, r.body)
			}
			for name, want := range c.headers {
				if want == "90" {
					want = "60" // half a minute has passed
				}
				if got := r.header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			clock.add(60 * time.Second)
			if r := b.get(c.host, other); r.status != 200 {
				t.Errorf("after the reset: %d", r.status)
			}
		})
	}
}

// TestDrawsDoNotDependOnOrder asks the same things in two orders, and once with another seed.
func TestDrawsDoNotDependOnOrder(t *testing.T) {
	t.Parallel()
	outcomes := func(seed int, backwards bool) string {
		b := scripted(t, fmt.Sprintf(`{seed: %d, quotas: {github_hour: {anonymous: none}}, rules: [{match: {host: api, probability: 0.4}, do: {status: 500}}]}`, seed), nil)
		got := make([]byte, 80)
		for i := range got {
			n := i
			if backwards {
				n = len(got) - 1 - i
			}
			got[n] = '0' + byte(b.get("api", fmt.Sprintf("/repos/kepano/obsidian-skills/commits/HEAD?n=%d", n)).status/100)
		}
		return string(got)
	}
	first, again, other := outcomes(7, false), outcomes(7, true), outcomes(8, false)
	if first != again {
		t.Errorf("the order matters:\n%s\n%s", first, again)
	}
	if n := strings.Count(first, "5"); first == other || n < 16 || n > 48 {
		t.Errorf("seeds 7 and 8:\n%s\n%s", first, other)
	}
}

func TestStatesAreDrawnByRepository(t *testing.T) {
	t.Parallel()
	gone := func(seed int) (names string) {
		b := scripted(t, fmt.Sprintf(`{seed: %d, rules: [{match: {probability: 0.5}, do: {vanish: true}}]}`, seed), nil)
		for _, name := range []string{"blader/humanizer", "kepano/obsidian-skills", "neondatabase/agent-skills", "hardikpandya/stop-slop", "lackeyjb/playwright-skill"} {
			api, raw := b.get("api", "/repos/"+name).status, b.get("raw", "/"+name+"/HEAD/LICENSE").status
			if api != raw {
				t.Errorf("%s: %d at the API, %d at raw", name, api, raw)
			}
			names += fmt.Sprint(api, " ")
		}
		return names
	}
	all := make(map[string]bool)
	for seed := range 8 {
		all[gone(seed)] = true
	}
	if again := gone(3); !all[again] || len(all) < 3 {
		t.Errorf("draws %v, and again %s", all, again)
	}
}

func TestScriptAgainstHub(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fakehub.Rule{
		"unknown repository": {Match: fakehub.Match{Repo: "no/such"}, Do: fakehub.Action{Vanish: true}},
		"taken name":         {Match: fakehub.Match{Repo: "blader/humanizer"}, Do: fakehub.Action{RenameTo: "Kepano/obsidian-skills"}},
		"nothing to do":      {},
		"bad status":         {Do: fakehub.Action{Status: http.StatusContinue}},
	} {
		script := &fakehub.Script{Rules: []fakehub.Rule{rule}}
		hub, err := fakehub.New(fakehub.Config{Hub: smallHub(t), Faults: script})
		if err == nil || hub != nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
