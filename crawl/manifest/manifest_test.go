package manifest_test

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/manifest"
)

func TestRead(t *testing.T) {
	t.Parallel()
	market, err := manifest.Read([]byte(`{
	  "name": "tools", "metadata": {"pluginRoot": "./plugins"},
	  "plugins": [
	    {"name": "a", "source": "./a", "skills": ["./skills/one", "../../../x", "./skills/two"], "category": "c", "tags": ["t"], "author": {"name": "ann"}},
	    {"name": "b", "source": {"source": "github", "repo": "o/b", "ref": "v1", "sha": "abc"}, "author": "bob"},
	    {"name": "c", "source": {"source": "git-subdir", "url": "https://github.com/o/c.git", "path": "x/y"}, "skills": "./s"},
	    {"name": "d", "source": {"source": "npm", "package": "@o/d"}},
	    {"name": "e", "source": {"source": "local", "path": "./e"}},
	    {"name": "out", "source": "./../../x"},
	    {"name": "out", "source": {"source": "git-subdir", "url": "u", "path": "../x"}},
	    {"name": "kind", "source": {"source": "ftp"}},
	    {"name": 7, "source": 7},
	    "text"
	  ]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []manifest.Plugin{
		{Name: "a", Author: "ann", Tags: []string{"c", "t"}, Source: manifest.Source{Kind: "local", Path: "plugins/a"}, Skills: []string{"plugins/a/skills/one", "plugins/a/skills/two"}},
		{Name: "b", Author: "bob", Source: manifest.Source{Kind: "github", Repo: "o/b", Ref: "v1", Commit: "abc"}},
		{Name: "c", Source: manifest.Source{Kind: "git-subdir", Repo: "https://github.com/o/c.git", Path: "x/y"}, Skills: []string{"x/y/s"}},
		{Name: "d", Source: manifest.Source{Kind: "npm", Package: "@o/d"}},
		{Name: "e", Source: manifest.Source{Kind: "local", Path: "plugins/e"}},
	}
	if diff := cmp.Diff(want, market.Plugins); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
	if len(market.Odd) != 5 || market.Name != "tools" {
		t.Errorf("%q: %q", market.Name, market.Odd)
	}
	for _, bad := range []string{"", "{", "[]", `{"plugins": 1}`} {
		if _, err := manifest.Read([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"metadata":{"pluginRoot":"./p"},"plugins":[{"name":"x","source":"./../y","skills":["./../../z",7]}]}`))
	f.Add([]byte(`{"plugins":[{"source":{"source":"git-subdir","url":"u","path":"./../x"},"skills":"./../.."}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		market, _ := manifest.Read(text)
		for _, plugin := range market.Plugins {
			for _, dir := range append(plugin.Skills, plugin.Source.Path) {
				if strings.HasPrefix(dir, "/") || dir != "" && path.Clean(dir) != dir || dir == ".." || strings.HasPrefix(dir, "../") {
					t.Errorf("%q leads outside", dir)
				}
			}
		}
	})
}
