// Package marketplace owns the plugin marketplaces that repositories declare (.claude-plugin/marketplace.json, and
// Codex's): each plugin that lies in a repository at GitHub is a row, and so is each skill that a plugin names.
//
// It reads the one file, never the plugins' repositories. The crawl stage calls it as a source.
package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"skillcorpus/crawl/github"
	"skillcorpus/crawl/manifest"
	"skillcorpus/crawl/polite"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

const (
	prefix     = "marketplace:"
	mostOfFile = 8 << 20 // bytes
	version    = 1
)

// Hosts of packages that are listed and that no crawl fetches.
const (
	HostNPM = "npm"
	HostPip = "pypi"
)

// Config says where repositories' files are and how they are asked for. Now and Warn must be set.
type Config struct {
	RawURL            string // empty is github.DefaultRawURL
	UserAgent         string
	RequestsPerSecond float64 // 0 is polite.DefaultRequestsPerSecond
	RetryWait         time.Duration
	Transport         http.RoundTripper
	Now               func() time.Time
	Warn              func(string) // gets a line for each plugin that cannot be listed
	Logger            *slog.Logger
}

// Source is one marketplace as a source.Source.
type Source struct {
	name string
	repo string // in which `./` paths lie; empty for a file on this machine
	read func(ctx context.Context) ([]byte, error)
	warn func(string)
}

// New returns the marketplace of a repository at GitHub, as owner/repo or its URL.
func New(repo string, config Config) (*Source, error) {
	at, err := github.ParseURL(repo)
	if err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	address := cmp.Or(config.RawURL, github.DefaultRawURL)
	if _, err := polite.Origin(address); err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	client, err := polite.NewClient(polite.Config{
		UserAgent: config.UserAgent, RequestsPerSecond: config.RequestsPerSecond, RetryWait: config.RetryWait,
		Transport: config.Transport, Now: config.Now, Logger: config.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("marketplace: %w", err)
	}
	host := &rawHost{client, base}
	return &Source{
		name: prefix + at.Repo, repo: at.Repo, warn: config.Warn,
		read: func(ctx context.Context) ([]byte, error) { return host.declared(ctx, at.Repo) },
	}, nil
}

// File returns the marketplace in a file on this machine. Its plugins with paths of their own repository are left out,
// since a file doesn't say which that is.
func File(name string, warn func(string)) FileSource {
	return FileSource{&Source{name: prefix + name, warn: warn, read: func(context.Context) ([]byte, error) { return readFile(name) }}}
}

// FileSource is a marketplace whose file is on this machine.
type FileSource struct{ *Source }

// Local marks it as one that asks no host.
func (FileSource) Local() {}

func readFile(name string) (text []byte, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return polite.ReadAll(file, mostOfFile)
}

// rawHost gives single files of repositories.
type rawHost struct {
	http *http.Client
	base *url.URL
}

// declared returns the first declaration of a marketplace that a repository has.
func (h *rawHost) declared(ctx context.Context, repo string) ([]byte, error) {
	for _, name := range []string{manifest.ClaudeMarketplace, manifest.CodexMarketplace, manifest.CodexPlugin} {
		text, err := h.file(ctx, repo, name)
		if item, ok := errors.AsType[*data.ItemError](err); ok && item.Outcome == data.OutcomeGone {
			continue
		}
		return text, err
	}
	return nil, &data.ItemError{Outcome: data.OutcomeGone, Reason: repo + " has no marketplace.json, or is not there"}
}

func (h *rawHost) file(ctx context.Context, repo, name string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.base.JoinPath(repo, "HEAD", name).String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask for %s of %s: %w", name, repo, err)
	}
	text, _, err := polite.Fetch(h.http, req, mostOfFile)
	return text, err
}

// cursor says that the file was read.
type cursor struct {
	Version int  `json:"version"`
	Done    bool `json:"done"`
}

// Name returns marketplace: and the repository or file.
func (s *Source) Name() string { return s.name }

// Enumerate gives all plugins at once; see source.Source.
func (s *Source) Enumerate(ctx context.Context, at json.RawMessage, emit source.Emit) (data.Completeness, error) {
	if err := ctx.Err(); err != nil {
		return data.Interrupted, err
	}
	var c cursor
	if json.Unmarshal(at, &c) == nil && c.Version == version && c.Done {
		return data.Complete, nil
	}
	text, err := s.read(ctx)
	if err != nil {
		return data.Interrupted, err
	}
	market, err := manifest.Read(text)
	if err != nil {
		return data.Interrupted, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "not a list of plugins", Err: err}
	}
	for _, line := range market.Odd {
		s.warn(s.name + " " + line + ": skipped")
	}
	next, err := json.Marshal(cursor{version, true})
	if err != nil {
		return data.Interrupted, fmt.Errorf("write cursor: %w", err)
	}
	if err := emit(s.rows(market.Plugins), next); err != nil {
		return data.Interrupted, err
	}
	return data.Complete, nil
}

// rows lists every skill that a plugin names, or the plugin where it names none. The last of equal rows counts.
func (s *Source) rows(plugins []manifest.Plugin) []data.Listing {
	var all []data.Listing
	for _, plugin := range plugins {
		row, err := s.row(plugin)
		if err != nil {
			s.warn(fmt.Sprintf("%s plugin %.60q skipped: %v", s.name, plugin.Name, err))
			continue
		}
		if len(plugin.Skills) == 0 {
			all = append(all, row)
			continue
		}
		for _, dir := range plugin.Skills {
			row.Path, row.PathKnown, row.ExternalID = dir, true, plugin.Name+"#"+dir
			all = append(all, row)
		}
	}
	return all
}

var errNoRepository = errors.New("a file does not say in which repository ./ is")

// row returns a plugin as a row: where it lies, at the commit that the marketplace pins, or at its branch or tag.
func (s *Source) row(plugin manifest.Plugin) (data.Listing, error) {
	from := plugin.Source
	row := data.Listing{
		Source: s.name, ExternalID: cmp.Or(plugin.Name, from.Repo, from.Package, from.Path), Name: plugin.Name, Description: plugin.Description,
		Author: plugin.Author, Tags: plugin.Tags, Host: data.HostGitHub, Ref: cmp.Or(from.Commit, from.Ref),
		Path: from.Path, PathKnown: from.Path != "", URL: from.Repo,
	}
	switch from.Kind {
	case manifest.NPM:
		row.Host, row.Repo = HostNPM, from.Package
		return row, checkPackage(row.Repo)
	case manifest.Pip:
		row.Host, row.Repo = HostPip, from.Package
		return row, checkPackage(row.Repo)
	case manifest.Local:
		if row.Repo = s.repo; s.repo == "" {
			return row, errNoRepository
		}
		row.URL = "https://github.com/" + s.repo
		return row, nil
	}
	at, err := github.ParseURL(from.Repo)
	if err != nil {
		return row, err
	}
	row.Repo = at.Repo
	if row.URL == at.Repo {
		row.URL = "https://github.com/" + at.Repo
	}
	return row, nil
}

var errPackage = errors.New("no name of a package")

func checkPackage(name string) error {
	for part := range strings.SplitSeq(strings.TrimPrefix(name, "@"), "/") {
		if part == "" || strings.Trim(part, ".") == "" || strings.ContainsFunc(part, func(r rune) bool {
			known := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.~", r)
			return !known
		}) {
			return errPackage
		}
	}
	return nil
}
