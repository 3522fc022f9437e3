package clawhub

import (
	"encoding/json"
	"net/url"
	"testing"

	"skillcorpus/data"
)

func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"slug":"a","displayName":"A","topics":["x"],"tags":{"latest":"1"},"stats":{"stars":1e99},"updatedAt":1700000000000,"latestVersion":{"version":"1"}}`))
	f.Add([]byte(`{"slug":"a b"}`))
	f.Add([]byte(`null`))
	base, err := url.Parse(DefaultURL)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &Client{base: base, warn: func(string) {}, latest: map[string]string{}}
		for _, row := range c.rows([]json.RawMessage{text}) {
			if row.Repo == "" || row.Host != data.HostClawHub || row.Stars < 0 || row.Installs < 0 {
				t.Errorf("%s: %+v", text, row)
			}
		}
	})
}

func FuzzDetails(f *testing.F) {
	f.Add([]byte(`{"skill":{"slug":"a"},"latestVersion":{"version":"1"},"owner":{"handle":"k"},"moderation":{"verdict":"clean"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var d details
		if json.Unmarshal(text, &d) != nil || d.Skill == nil || d.Owner == nil {
			return
		}
		repo := facts(d, "k/a", data.Repo{})
		for _, alias := range repo.Aliases {
			if alias == repo.ID {
				t.Errorf("%+v", repo)
			}
		}
	})
}
