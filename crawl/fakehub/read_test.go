package fakehub_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/fakehub"
)

func TestReadScript(t *testing.T) {
	t.Parallel()
	got, err := fakehub.ReadScript(strings.NewReader(`# everything there is
seed: 42
quotas:
  github_hour: {anonymous: 10, keyed: none}
  skillsmp_day: {anonymous: 5}
  skillsmp_minute: {keyed: 3}
rules:
  - match: {host: api, path: /repos/*, repo: a/b, method: GET, nth: [1, 2], every: 2, probability: 0.5}
    do: {status: 500, headers: {X: ""}, body: b, delay: 1s, cut_after: 0}
  - do: {limit: {kind: secondary, reset: 2m, silent: true, status: 429}}
  - do: {vanish: true}
  - do: {empty: true}
  - do: {block: tos}
  - match: {repo: a/b}
    do: {rename_to: c/d}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &fakehub.Script{
		Seed: 42,
		Quotas: fakehub.Quotas{
			GitHubHour:     fakehub.Quota{Anonymous: 10, Keyed: 0},
			SkillsMPDay:    fakehub.Quota{Anonymous: 5},
			SkillsMPMinute: fakehub.Quota{Keyed: 3},
		},
		Rules: []fakehub.Rule{
			{
				Match: fakehub.Match{Host: "api", Path: "/repos/*", Repo: "a/b", Method: "GET", Nth: []int{1, 2}, Every: 2, Probability: 0.5},
				Do:    fakehub.Action{Status: 500, Headers: map[string]string{"X": ""}, Body: "b", Delay: time.Second, CutAfter: new(int64)},
			},
			{Do: fakehub.Action{Limit: &fakehub.Limit{Kind: "secondary", Reset: 2 * time.Minute, Silent: true, Status: 429}}},
			{Do: fakehub.Action{Vanish: true}},
			{Do: fakehub.Action{Empty: true}},
			{Do: fakehub.Action{Block: "tos"}},
			{Match: fakehub.Match{Repo: "a/b"}, Do: fakehub.Action{RenameTo: "c/d"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadScriptNamesTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"seed: 1\nsede: 2\n":               `line 2: unknown field "sede"`,
		"seed: 1\nseed: 2\n":               `2`, // yaml's own message or ours
		"seed: -1\n":                       "line 1",
		"rules:\n  - do: {status: many}\n": "line 2",
		"rules:\n  - match: {hots: api}\n    do: {status: 500}\n":            `line 2: unknown field "hots"`,
		"rules:\n  - match: {host: web}\n    do: {status: 500}\n":            "line 2: rule 1: match.host",
		"rules:\n  - do: {status: 600}\n":                                    "do.status",
		"rules:\n  - do: {status: 100}\n":                                    "do.status",
		"rules:\n  - do: {body: x}\n":                                        "do.body",
		"rules:\n  - do: {}\n":                                               "nothing to do",
		"rules:\n  -\n    match: {}\n":                                       "nothing to do",
		"rules:\n  - do: {vanish: false}\n":                                  "want true",
		"rules:\n  - do: {vanish: true, status: 500}\n":                      "stands alone",
		"rules:\n  - do: {block: court}\n":                                   "do.block",
		"rules:\n  - do: {rename_to: a/b}\n":                                 "rename_to",
		"rules:\n  - do: {limit: {kind: primary}}\n":                         "limit.reset",
		"rules:\n  - do: {limit: {kind: third, reset: 1s}}\n":                "limit.kind",
		"rules:\n  - do: {limit: {kind: primary, reset: 1s, status: 500}}\n": "limit.status",
		"rules:\n  - do:\n      delay: soon\n":                               "line 3",
		"rules:\n  - do: {delay: -1s}\n":                                     "do.delay",
		"rules:\n  - do: {cut_after: -1}\n":                                  "do.cut_after",
		"rules:\n  - do: {headers: {'a b': c}}\n":                            "do.headers",
		"rules:\n  - do: {headers: {Content-Length: '3'}}\n":                 "do.headers",
		"rules:\n  - match: {nth: [0]}\n    do: {status: 500}\n":             "line 2",
		"rules:\n  - match: {nth: 1}\n    do: {status: 500}\n":               "line 2: want a list",
		"rules:\n  - match: {every: 0}\n    do: {status: 500}\n":             "line 2",
		"rules:\n  - match: {probability: NaN}\n    do: {status: 500}\n":     "line 2",
		"rules:\n  - match: {probability: 1.5}\n    do: {status: 500}\n":     "line 2",
		"rules:\n  - match: {method: get}\n    do: {status: 500}\n":          "match.method",
		"rules:\n  - match: {path: repos}\n    do: {status: 500}\n":          "match.path",
		"rules:\n  - match: {repo: ann}\n    do: {status: 500}\n":            "match.repo",
		"quotas: {github_hour: {anonymous: 0}}\n":                            "line 1",
		"rules: &r\n  - do: {status: 500}\nquotas: *r\n":                     "line 3: want a mapping",
		"": "", "- a\n": "line 1", "a: [": "", "seed: 1\n---\nseed: 2\n": "",
	} {
		script, err := fakehub.ReadScript(strings.NewReader(text))
		if err == nil {
			t.Errorf("%q was accepted: %+v", text, script)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := fakehub.ReadScript(strings.NewReader(strings.Repeat("#", 1<<20+1))); err == nil {
		t.Error("a script over the limit was accepted")
	}
}

// FuzzReadScript: whatever the text, the reader ends without a panic, and a script that it accepts runs.
func FuzzReadScript(f *testing.F) {
	f.Add("seed: 1\nrules:\n  - match: {host: api, nth: [1]}\n    do: {status: 500, headers: {A: b}}\n")
	f.Add("rules: [{match: {path: '/a*?b', probability: 0.1}, do: {limit: {kind: primary, reset: 1s}}}]")
	f.Add("rules: [{match: {repo: 'a*/(b'}, do: {vanish: true}}, {match: {repo: Ann/Tools}, do: {rename_to: a/b}}]")
	f.Add("a: &a [*a, *a]\nb: <<")
	f.Add("quotas: {skillsmp_day: {anonymous: none, keyed: 1}}")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := fakehub.ReadScript(strings.NewReader(text))
		if err != nil {
			return
		}
		hub, err := fakehub.New(fakehub.Config{Hub: smallHub(t), Faults: script})
		if err != nil {
			if !strings.Contains(err.Error(), "rule ") {
				t.Errorf("%v", err)
			}
			return
		}
		if err := hub.Close(); err != nil {
			t.Error(err)
		}
	})
}
