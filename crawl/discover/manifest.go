package discover

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// Where plugins are declared, below the directory that they are about.
const (
	marketplaceFile = ".claude-plugin/marketplace.json"
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

// paths is a list of paths that may be written as one path.
type paths []string

// UnmarshalJSON reads a text or a list of texts; anything else is an empty list.
func (p *paths) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*p = paths{one}
		return nil
	}
	var many []string
	if json.Unmarshal(text, &many) == nil {
		*p = many
	}
	return nil
}

// plugins reads the manifests of a repository, the root's first. A plugin of a marketplace counts if it lies in this
// repository. Paths that don't begin with `./` or lead outside are dropped, as is what is no JSON.
func plugins(manifests map[string][]byte) []plugin {
	var all []plugin
	var market struct {
		Metadata struct {
			PluginRoot *string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []struct {
			Source json.RawMessage `json:"source"`
			Skills paths           `json:"skills"`
		} `json:"plugins"`
	}
	if json.Unmarshal(manifests[marketplaceFile], &market) == nil {
		base, ok := "", true
		if root := market.Metadata.PluginRoot; root != nil {
			base, ok = inside("", *root)
		}
		for _, declared := range market.Plugins {
			source := "./"
			if len(declared.Source) > 0 && json.Unmarshal(declared.Source, &source) != nil {
				continue // an object names another repository
			}
			if root, local := inside(base, source); ok && local {
				all = append(all, newPlugin(root, declared.Skills))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		if name != pluginFile && !strings.HasSuffix(name, "/"+pluginFile) {
			continue
		}
		var declared struct {
			Skills paths `json:"skills"`
		}
		if json.Unmarshal(manifests[name], &declared) == nil {
			all = append(all, newPlugin(strings.TrimSuffix(strings.TrimSuffix(name, pluginFile), "/"), declared.Skills))
		}
	}
	return all[:min(len(all), maxPlugins)]
}

func newPlugin(root string, declared paths) plugin {
	p := plugin{root: root}
	for _, name := range declared {
		if dir, ok := inside(root, name); ok {
			p.skills = append(p.skills, dir)
		}
	}
	return p
}

// inside resolves a path that begins with `./` against a directory of the repository.
func inside(base, name string) (string, bool) {
	if !strings.HasPrefix(name, "./") && name != "." {
		return "", false
	}
	dir := path.Join(base, name)
	if dir == ".." || strings.HasPrefix(dir, "../") {
		return "", false
	}
	if dir == "." {
		dir = ""
	}
	return dir, true
}
