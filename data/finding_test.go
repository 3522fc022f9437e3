package data_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	fence, key := data.Finding{Rule: "markdown.unclosed-fence"}, data.Finding{Rule: "frontmatter.duplicate-key"}
	for name, tt := range map[string]struct{ parsed, audited, want []data.Finding }{
		"the audit tells it":   {[]data.Finding{fence, key}, []data.Finding{{Rule: "unclosed-fence"}}, []data.Finding{key}},
		"no audit":             {[]data.Finding{fence, key}, nil, []data.Finding{fence, key}},
		"another file":         {[]data.Finding{{Rule: "archive.link", File: "a"}}, []data.Finding{{Rule: "unbundled-file", File: "b"}}, []data.Finding{{Rule: "archive.link", File: "a"}}},
		"the same file":        {[]data.Finding{{Rule: "archive.link", File: "a"}}, []data.Finding{{Rule: "unbundled-file", File: "a"}}, []data.Finding{}},
		"in other words":       {[]data.Finding{{Rule: "frontmatter.missing-name"}}, []data.Finding{{Rule: "empty-name"}}, []data.Finding{}},
		"another audit's rule": {[]data.Finding{fence}, []data.Finding{{Rule: "empty-body"}}, []data.Finding{fence}},
	} {
		if diff := cmp.Diff(tt.want, data.Once(tt.parsed, tt.audited)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
