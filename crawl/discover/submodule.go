package discover

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// Submodule is another repository that has its place in this one. An archive holds none of its files.
type Submodule struct {
	Path string // from the repository root
	URL  string // https (or http) URL without credentials and `.git`; empty where none can be told
}

// addSubmodules lists the submodules that .gitmodules names and whose files are not here anyway, as in a
// checkout with submodules, and enters them among the paths.
func (r *reading) addSubmodules() []Submodule {
	byPath := make(map[string]Submodule)
	for _, m := range parseModules(r.modules) {
		name, why := archive.DefaultLimits().CheckName(m.Path)
		switch _, again := byPath[name]; {
		case why != "" || name == "" || archive.Vendored(name):
			r.report(RuleSubmodule, ".gitmodules", "submodule path %.100q is not used", m.Path)
		case !again && !r.occupied(name):
			byPath[name] = Submodule{Path: name, URL: resolveURL(repoURL(r.repo), m.URL)}
		}
	}
	all := slices.SortedFunc(maps.Values(byPath), func(a, b Submodule) int { return strings.Compare(a.Path, b.Path) })
	added := slices.Clone(r.entries)
	for _, m := range all {
		r.urls[m.Path] = m.URL
		which := "the repository " + strconv.Quote(m.URL)
		if m.URL == "" {
			which = "another repository, whose URL .gitmodules does not tell"
		}
		r.findings = append(r.findings, data.Finding{
			Rule: RuleSubmodule, Severity: data.SeverityInfo, File: m.Path,
			Message: fmt.Sprintf("%q is a submodule, %s: its files are not here", m.Path, which),
		})
		if _, listed := r.at(m.Path); !listed {
			added = append(added, archive.Entry{Path: m.Path, Mode: data.ModeSubmodule, Note: NoteSubmodule})
		}
	}
	slices.SortFunc(added, func(a, b archive.Entry) int { return strings.Compare(a.Path, b.Path) })
	r.entries = added
	return all
}

// occupied reports whether files lie at, below or in the way of a submodule's path.
func (r *reading) occupied(name string) bool {
	if i := r.position(name + "/"); i < len(r.entries) && strings.HasPrefix(r.entries[i].Path, name+"/") {
		return true
	}
	if e, listed := r.at(name); listed && e.Mode != data.ModeSubmodule {
		return true
	}
	for dir, _ := split(name); dir != ""; dir, _ = split(dir) {
		if _, listed := r.at(dir); listed {
			return true
		}
	}
	return false
}

// parseModules reads the paths and URLs of a .gitmodules file, as far as they can be told.
func parseModules(text []byte) []Submodule {
	var all []Submodule
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			if inside = strings.HasPrefix(strings.ToLower(line), "[submodule"); inside {
				all = append(all, Submodule{})
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || !inside {
			continue
		}
		switch last := &all[len(all)-1]; strings.ToLower(strings.TrimSpace(key)) {
		case "path":
			last.Path = configValue(value)
		case "url":
			last.URL = configValue(value)
		}
	}
	return slices.DeleteFunc(all, func(m Submodule) bool { return m.Path == "" })
}

// configValue reads a value of git's configuration format: quotes hold blanks and comment signs.
func configValue(text string) string {
	var out strings.Builder
	quoted := false
	text = strings.TrimSpace(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			out.WriteByte(text[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(out.String())
		default:
			out.WriteByte(c)
		}
	}
	return strings.TrimSpace(out.String())
}

// repoURL returns the URL that relative submodule URLs count from, empty for repositories that have none.
func repoURL(repo data.Repo) string {
	switch {
	case strings.Contains(repo.Host, "://"):
		return strings.TrimSuffix(repo.Host, "/") + "/" + repo.Name
	case strings.Contains(repo.Host, "."):
		return "https://" + repo.Host + "/" + repo.Name
	default:
		return ""
	}
}

// scpLike is git's short form of an ssh address.
var scpLike = regexp.MustCompile(`^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):([^:]+)$`)

// resolveURL returns where a submodule's URL leads, in the one form in which addresses meet: https unless it
// is http, without credentials, query and `.git`. It returns nothing for other schemes, for local paths, and
// for relative URLs without a base.
func resolveURL(base, text string) string {
	if strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		if base == "" {
			return ""
		}
		text = base + "/" + text
	}
	if short := scpLike.FindStringSubmatch(text); short != nil && !strings.Contains(text, "://") {
		text = "ssh://" + short[1] + "/" + short[2]
	}
	address, err := url.Parse(text)
	if err != nil || address.Hostname() == "" {
		return ""
	}
	clean := url.URL{Scheme: "https", Host: address.Hostname(), Path: path.Clean("/" + address.Path)}
	switch address.Scheme {
	case "http", "https":
		clean.Scheme, clean.Host = address.Scheme, address.Host
	case "ssh", "git":
	default:
		return ""
	}
	if clean.Path = strings.TrimSuffix(clean.Path, ".git"); clean.Path == "/" {
		return ""
	}
	return clean.String()
}
