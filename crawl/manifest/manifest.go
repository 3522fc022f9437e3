// Package manifest reads what repositories declare of plugins: the marketplace.json and plugin.json of Claude Code, and
// Codex's of the same shape.
//
// It looks at bytes alone, fetches nothing and never lets a path lead out of its repository. Package discover asks it
// which skills a plugin names, and the marketplace source which plugins a marketplace has.
package manifest

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Where a marketplace is declared, from a repository's root, in the order in which they are looked for.
const (
	ClaudeMarketplace = ".claude-plugin/marketplace.json"
	CodexMarketplace  = ".agents/plugins/marketplace.json"
	CodexPlugin       = ".codex-plugin/marketplace.json"
)

// The kinds of a plugin's source. Any other word is what the manifest says.
const (
	Local     = "local" // in the marketplace's own repository
	GitHub    = "github"
	URL       = "url"
	GitSubdir = "git-subdir"
	NPM       = "npm"
	Pip       = "pip"
)

// Marketplace is a declared list of plugins.
type Marketplace struct {
	Name    string
	Plugins []Plugin // those that can be understood
	Odd     []string // what is wrong with the others, one line each
}

// Plugin is one plugin of a marketplace.
type Plugin struct {
	Name        string
	Description string
	Author      string
	Tags        []string // its category first
	Source      Source
	Skills      []string // directories of the skills it names, in the source's repository, without those outside it
}

// Source says where a plugin lies.
type Source struct {
	Kind    string
	Repo    string // owner/repo, or a URL
	Path    string // the plugin's directory in its repository; empty is the root
	Ref     string // branch or tag
	Commit  string
	Package string // of a registry
}

// Paths is a list of paths that may be written as one path.
type Paths []string

// UnmarshalJSON reads a text or a list of texts; anything else is an empty list.
func (p *Paths) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*p = Paths{one}
		return nil
	}
	var many []string
	if json.Unmarshal(text, &many) == nil {
		*p = many
	}
	return nil
}

// Within returns the directories that paths of a plugin mean, from the repository's root; those outside are left out.
func (p Paths) Within(root string) []string {
	var all []string
	for _, name := range p {
		if dir, ok := Inside(root, name); ok {
			all = append(all, dir)
		}
	}
	return all
}

// Inside resolves a path that begins with `./` against a directory of the repository, the root being empty. It reports
// false for one that leads outside.
func Inside(base, name string) (string, bool) {
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

// Read reads a marketplace. The error says that the whole is no such JSON; a plugin that can't be understood is left out.
func Read(text []byte) (Marketplace, error) {
	var file struct {
		Name     plainText `json:"name"`
		Metadata struct {
			PluginRoot *string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []json.RawMessage `json:"plugins"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return Marketplace{}, fmt.Errorf("read marketplace.json: %w", err)
	}
	market := Marketplace{Name: string(file.Name)}
	base, rooted := "", true
	if root := file.Metadata.PluginRoot; root != nil {
		base, rooted = Inside("", *root)
	}
	for i, entry := range file.Plugins {
		plugin, why := readPlugin(entry, base, rooted)
		if why != "" {
			market.Odd = append(market.Odd, fmt.Sprintf("plugin %d (%.60q): %s", i+1, plugin.Name, why))
			continue
		}
		market.Plugins = append(market.Plugins, plugin)
	}
	return market, nil
}

// plainText is a text; a value of another type is an empty one.
type plainText string

// UnmarshalJSON reads a text.
func (t *plainText) UnmarshalJSON(text []byte) error {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		*t = plainText(plain)
	}
	return nil
}

func readPlugin(text []byte, base string, rooted bool) (plugin Plugin, why string) {
	var entry struct {
		Name        plainText       `json:"name"`
		Description plainText       `json:"description"`
		Author      author          `json:"author"`
		Category    plainText       `json:"category"`
		Tags        Paths           `json:"tags"`
		Source      json.RawMessage `json:"source"`
		Skills      Paths           `json:"skills"`
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		return plugin, "is no object"
	}
	plugin = Plugin{Name: string(entry.Name), Description: string(entry.Description), Author: string(entry.Author), Tags: entry.Tags}
	if entry.Category != "" {
		plugin.Tags = append([]string{string(entry.Category)}, entry.Tags...)
	}
	if plugin.Source, why = readSource(entry.Source, base, rooted); why != "" {
		return plugin, why
	}
	plugin.Skills = entry.Skills.Within(plugin.Source.Path)
	return plugin, ""
}

// author is a name, or an object with one.
type author string

// UnmarshalJSON reads either; anything else is nobody.
func (a *author) UnmarshalJSON(text []byte) error {
	var named struct {
		Name string `json:"name"`
	}
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		*a = author(plain)
	} else if json.Unmarshal(text, &named) == nil {
		*a = author(named.Name)
	}
	return nil
}

// readSource reads a source: a path in the marketplace's repository, or an object that names its kind.
func readSource(text []byte, base string, rooted bool) (source Source, why string) {
	name := "./"
	if len(text) == 0 || json.Unmarshal(text, &name) == nil {
		return local(base, name, rooted)
	}
	var entry struct {
		Kind    string `json:"source"`
		Repo    string `json:"repo"`
		URL     string `json:"url"`
		Path    string `json:"path"`
		Ref     string `json:"ref"`
		Commit  string `json:"sha"`
		Package string `json:"package"`
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		return Source{}, "its source cannot be read"
	}
	source = Source{Kind: entry.Kind, Repo: entry.Repo, Ref: entry.Ref, Commit: entry.Commit, Package: entry.Package}
	switch entry.Kind {
	case Local:
		return local(base, entry.Path, rooted)
	case GitHub:
	case URL, GitSubdir:
		source.Repo = entry.URL
	case NPM, Pip:
		if source.Package == "" {
			return source, "its source names no package"
		}
		return source, ""
	default:
		return source, fmt.Sprintf("its source is of a kind that is not known, %.40q", entry.Kind)
	}
	if source.Repo == "" {
		return source, "its source names no repository"
	}
	if entry.Path != "" {
		dir, ok := Inside("", "./"+strings.TrimPrefix(entry.Path, "./"))
		if !ok {
			return source, "its path leads out of the repository"
		}
		source.Path = dir
	}
	return source, ""
}

func local(base, name string, rooted bool) (source Source, why string) {
	dir, ok := Inside(base, name)
	if !ok || !rooted {
		return Source{}, "its path leads out of the repository, or does not begin with ./"
	}
	return Source{Kind: Local, Path: dir}, ""
}
