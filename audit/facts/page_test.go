package facts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/facts"
)

func TestPage(t *testing.T) {
	t.Parallel()
	got := collect("You are an expert.\n\n# Tides\n\n## Installation\n\n```bash\ntides a\n```\n\n## 快速开始\n\n```\nPOST https://tides.dev/b\n  GET /c\nGET it\n```\n\n" +
		"## Best Practices\n\n```python\n# Bad: late\nlow()\n# good\nfrom a import b\nb()\n```\n").Page
	want := facts.Page{Headings: 4, Covered: 2, Runnable: len("tides a\n# Bad: late\nlow()\n# good\nfrom a import b\nb()\n")}
	want.Guide = facts.Mark{Count: 1, Line: 4, Words: "you are an"}
	want.Setup = facts.Mark{Count: 2, Line: 8, Words: "Installation"}
	want.Patterns = facts.Mark{Count: 1, Line: 22, Words: "Best Practices"}
	want.Requests = facts.Mark{Count: 2, Line: 17, Words: "POST https://tides.dev/b"}
	want.Bad = facts.Mark{Count: 1, Line: 25, Words: "# Bad: late"}
	want.Undefined = got.Undefined
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(got.Undefined) != 1 || got.Undefined[0].Text != "low" {
		t.Errorf("undefined: %v", got.Undefined)
	}
}

func TestWordsOfAPage(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][4]int{ // guide, setup, patterns, bad
		"Thank you, a the words.\n\n## Reinstall\n\n## Patterned\n":                           {0, 0, 0, 0},
		"Du bist Experte.\n\n## Einrichtungen\n\n## Don'ts\n\n## Paster patterns\n":           {1, 1, 2, 1},
		"Act as a pilot.\n\n## Quick-Start\n\n```js\n// WRONG\nx // wrong\n// Wrongly\n```\n": {1, 1, 0, 2},
	} {
		p := collect(body).Page
		if got := [4]int{p.Guide.Count, p.Setup.Count, p.Patterns.Count, p.Bad.Count}; got != want {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
}
