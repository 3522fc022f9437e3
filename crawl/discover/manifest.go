package discover

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"skillcorpus/crawl/manifest"
)

// Where plugins are declared, below the directory that they are about.
const (
	marketplaceFile = manifest.ClaudeMarketplace
	pluginFile      = ".claude-plugin/plugin.json"
)

// maxPlugins bounds what is read of declarations; the largest known repository declares 92.
const maxPlugins = 1000

// isManifest reports whether a path is that of a plugin's or marketplace's declaration.
func isManifest(name string) bool {
	return name == marketplaceFile || name == pluginFile || strings.HasSuffix(name, "/"+pluginFile)
}

// plugin is one plugin that a repository declares: its directory, and the skills that it names beside those in its
// folder `skills`.
type plugin struct {
	root   string
	skills []string
}

// plugins reads the manifests of a repository, the root's first. A plugin of a marketplace counts if it lies in this
// repository. Paths that don't begin with `./` or lead outside are dropped, as is what is no JSON.
func plugins(manifests map[string][]byte) []plugin {
	var all []plugin
	if market, err := manifest.Read(manifests[marketplaceFile]); err == nil {
		for _, declared := range market.Plugins {
			if declared.Source.Kind == manifest.Local {
				all = append(all, plugin{declared.Source.Path, declared.Skills})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		if name != pluginFile && !strings.HasSuffix(name, "/"+pluginFile) {
			continue
		}
		var declared struct {
			Skills manifest.Paths `json:"skills"`
		}
		if json.Unmarshal(manifests[name], &declared) == nil {
			root := strings.TrimSuffix(strings.TrimSuffix(name, pluginFile), "/")
			all = append(all, plugin{root, declared.Skills.Within(root)})
		}
	}
	return all[:min(len(all), maxPlugins)]
}
