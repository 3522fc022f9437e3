package stats_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
	"skillcorpus/parse/document"
	"skillcorpus/parse/stats"
)

func TestStats(t *testing.T) {
	t.Parallel()
	var c stats.Collector
	for _, file := range []string{
		"---\nname: a\ndescription: b: c\nmetadata:\n  version: 1.0\ntags: x\n---\n# A\n\n```sh\nls\n```\n```sh\nls\n```\n- d\n",
		"---\nname: a\n---\n# A\n## B\n[c](d) ![e](f)\n\n```\ng\n```\n```nonsense\nh\n```\n",
		"",
	} {
		c.Add(document.Parse([]byte(file), document.Source{Folder: "x"}), len(file))
	}
	got := c.Stats()
	want := stats.Stats{
		Skills: 3, Recovered: 1,
		Bytes:      stats.Sizes{Total: 171, Min: 0, Median: 69, P90: 102, P99: 102, Max: 102},
		Sections:   map[data.SectionKind]int{"code": 10, "delimiter": 60, "frontmatter": 67, "prose": 34},
		Formats:    []stats.Count{{"yaml", 2, 2}, {"none", 1, 1}},
		Fields:     []stats.Count{{"description", 1, 1}, {"tags", 1, 1}, {"version", 1, 1}},
		Keys:       []stats.Count{{"name", 2, 2}, {"description", 1, 1}, {"metadata", 1, 1}, {"tags", 1, 1}},
		Metadata:   []stats.Count{{"version", 1, 1}},
		Languages:  []stats.Count{{"Shell", 1, 2}, {"(none)", 1, 1}, {"(other)", 1, 1}},
		Structure:  []stats.Count{{"heading", 2, 3}, {"image", 1, 1}, {"link", 1, 1}, {"list", 1, 1}},
		Recoveries: []stats.Count{{"mapping values are not allowed in this context", 1, 1}},
		Findings: []stats.Count{
			{"frontmatter.missing", 1, 1}, {"frontmatter.missing-description", 1, 1}, {"frontmatter.recovered", 1, 1}, {"markdown.empty-body", 1, 1},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	var c stats.Collector
	if got := c.Stats(); got.Skills != 0 || got.Bytes != (stats.Sizes{}) {
		t.Errorf("%+v", got)
	}
}
