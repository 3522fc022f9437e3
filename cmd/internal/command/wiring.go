package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"skillcorpus/crawl"
	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/clawhub"
	"skillcorpus/crawl/source/dir"
	"skillcorpus/crawl/source/githubsearch"
	"skillcorpus/crawl/source/list"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/crawl/source/skillssh"
	"skillcorpus/data/sample"
	"skillcorpus/store"
)

// wiring is what a crawl is made of, by flags and settings.
type wiring struct {
	sources    []source.Source
	github     *github.Client
	hosts      crawl.Hosts
	registries registries
	waits      waits
	pace       float64 // requests a second at GitHub's API; 0 is the default
	dirs       []*dir.Source
	hub        *fakehub.Hub // the sample marketplace, if it is asked for
}

// The hosts that a crawl asks; settings of the same names change them.
type hosts struct{ api, codeload, raw, skillsmp, skillssh, clawhub string }

func (e *environment) wire(ctx context.Context, settings crawlSettings) (*wiring, error) {
	if settings.workers < 1 || settings.maxArchive < 1 || !(settings.pace >= 0) || settings.maxAge < 0 || settings.maxWait < 0 {
		return nil, usageError{errors.New("--workers and --max-archive must be positive, --requests-per-second, --max-age and --max-wait not negative")}
	}
	w := &wiring{}
	at, err := e.hosts()
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(settings.sources, sampleName) && len(settings.sources) > 1:
		return nil, usageError{errors.New("--source sample plays GitHub itself: it goes with no other source")}
	case slices.Contains(settings.sources, sampleName):
		if at, err = w.startSample(ctx); err != nil {
			return nil, err
		}
	}
	if w.registries, err = e.registries(w, at, settings); err != nil {
		return nil, errors.Join(err, w.close())
	}
	for _, text := range settings.sources {
		src, err := e.source(w, text, at, settings)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.sources = append(w.sources, src)
	}
	w.pace = pace(at.api, settings.pace)
	w.github, err = github.New(github.Config{
		APIURL: at.api, CodeloadURL: at.codeload, RawURL: at.raw, Tokens: fields(cmp.Or(e.setting("GITHUB_TOKEN", ""), e.getenv("GITHUB_TOKEN"))),
		Limited: w.waits.add, TokenHosts: fields(e.setting("GITHUB_TOKEN_HOSTS", "")), Warn: func(line string) { e.Warn("%s", line) },
		UserAgent: e.userAgent(), RequestsPerSecond: w.pace, Now: e.now, Logger: e.logger(),
	})
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.hosts = w.registries.hosts()
	return w, nil
}

// fields splits a setting that may hold several values, apart by commas or blanks.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

func (e *environment) hosts() (hosts, error) {
	var faults []error
	address := func(name, fallback string) string {
		text := e.setting(name, fallback)
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			faults = append(faults, usageError{fmt.Errorf("SKILLCORPUS_%s %q: want a URL such as %s", name, text, fallback)})
		}
		return text
	}
	at := hosts{
		api:      address("GITHUB_API_URL", github.DefaultAPIURL),
		codeload: address("CODELOAD_URL", github.DefaultCodeloadURL),
		raw:      address("RAW_URL", github.DefaultRawURL),
		skillsmp: address("SKILLSMP_URL", skillsmp.DefaultURL),
		skillssh: address("SKILLSSH_URL", skillssh.DefaultURL),
		clawhub:  address("CLAWHUB_URL", clawhub.DefaultURL),
	}
	return at, errors.Join(faults...)
}

func (e *environment) source(w *wiring, text string, at hosts, settings crawlSettings) (source.Source, error) {
	name, argument, given := strings.Cut(text, ":")
	requests := settings.pace
	warn := func(line string) { e.Warn("%s", line) }
	switch {
	case (name == "skillsmp" || name == sampleName) && !given:
		market, err := skillsmp.New(skillsmp.Config{
			BaseURL: at.skillsmp, Key: e.setting("SKILLSMP_KEY", ""), UserAgent: e.userAgent(),
			RequestsPerSecond: pace(at.skillsmp, requests), Now: e.now, Warn: warn, Logger: e.logger(),
		})
		if name == sampleName {
			return sampleSource{market}, err
		}
		return market, err
	case name == "marketplace" && argument != "":
		return e.marketplace(argument, at, requests)
	case name == githubsearch.Name && (argument != "" || !given):
		return e.githubSearch(argument, at, requests)
	case name == "list" && argument == "-":
		return list.New("list:-", func() (io.ReadCloser, error) { return io.NopCloser(e.stdin), nil }, warn), nil
	case name == "list" && argument != "":
		return list.File(argument, warn), readable(argument)
	case name == "dir" && argument != "":
		local, err := dir.New(argument)
		if err != nil {
			return nil, err
		}
		for _, other := range w.dirs {
			if name, _ := local.Shares(other); name != "" {
				return nil, usageError{fmt.Errorf("--source %q: another dir source has a repository called %s too, and both would be dir:%s: rename one, or crawl the folder above them", text, name, name)}
			}
		}
		w.dirs = append(w.dirs, local)
		return local, nil
	}
	if src, err := e.registrySource(w, text, at, settings); src != nil || err != nil {
		return src, err
	}
	return nil, usageError{fmt.Errorf("--source %q: want skillsmp, skills.sh, clawhub, wellknown:HOST, marketplace:OWNER/REPO, github[:QUERY], list:FILE, dir:PATH or sample", text)}
}

// userAgent names the program and, with SKILLCORPUS_CONTACT, somebody whom a host can ask.
func (e *environment) userAgent() string {
	agent := "skillcorpus/" + e.version
	if contact := e.setting("CONTACT", ""); contact != "" {
		agent += " (" + contact + ")"
	}
	return agent
}

// loopbackPace is no pace at all: a host on this machine needs no courtesy.
const loopbackPace = 1e6

func pace(base string, wanted float64) float64 {
	if wanted > 0 {
		return wanted
	}
	if u, err := url.Parse(base); err == nil {
		if address, err := netip.ParseAddr(u.Hostname()); err == nil && address.IsLoopback() || u.Hostname() == "localhost" {
			return loopbackPace
		}
	}
	return 0
}

const sampleName = "sample"

// sampleSource is the sample marketplace under its own name, apart from the one that it plays.
type sampleSource struct{ source.Source }

// Local marks a source that asks no host but this program.
func (sampleSource) Local() {}

// Name is what its rows are stored under.
func (sampleSource) Name() string { return sampleName }

// checkSample keeps the sample out of a corpus of other sources: it would answer for all their repositories that
// they do not exist.
func (w *wiring) checkSample(ctx context.Context, corpus *store.Store) error {
	if w.hub == nil {
		return nil
	}
	sources, err := corpus.Sources(ctx)
	for _, s := range sources {
		if s.Name != sampleName {
			return usageError{fmt.Errorf("the corpus in %s holds %s: give the sample a folder of its own with --data", corpus.Dir(), s.Name)}
		}
	}
	return err
}

// checkDirs refuses folders whose ids the corpus has of others that are still there: the one would silently take the
// place of the other. A folder that was moved keeps its ids.
func (w *wiring) checkDirs(ctx context.Context, corpus *store.Store) error {
	if len(w.dirs) == 0 {
		return nil
	}
	sources, err := corpus.Sources(ctx)
	for _, s := range sources {
		former, ok := dir.Former(s.Name, s.Cursor)
		if !ok {
			continue
		}
		for _, local := range w.dirs {
			if name, there := local.Shares(former); name != "" {
				return usageError{fmt.Errorf("--source %s: the corpus has dir:%s from %s, which is still there, and both would have the same ids: rename one, crawl the folder above them, or keep this one apart with --data", local.Name(), name, there)}
			}
		}
	}
	return err
}

// startSample serves the embedded marketplace. It stays up until close: what is in flight when a crawl is stopped
// has to be finished.
func (w *wiring) startSample(ctx context.Context) (hosts, error) {
	hub, err := fakehub.New(fakehub.Config{Hub: sample.FS()})
	if err != nil {
		return hosts{}, fmt.Errorf("sample marketplace: %w", err)
	}
	if err := hub.Start(context.WithoutCancel(ctx)); err != nil {
		return hosts{}, fmt.Errorf("sample marketplace: %w", err)
	}
	w.hub = hub
	urls := hub.URLs()
	return hosts{api: urls["api"], codeload: urls["codeload"], raw: urls["raw"], skillsmp: urls["skillsmp"]}, nil
}

func (w *wiring) locate(name string) (path string, archived, ok bool) {
	for _, local := range w.dirs {
		if path, archived, ok := local.Locate(name); ok {
			return path, archived, ok
		}
	}
	return "", false, false
}

func (w *wiring) close() error {
	if w.hub == nil {
		return nil
	}
	return w.hub.Close()
}
