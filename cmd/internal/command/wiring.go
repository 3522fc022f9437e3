package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/dir"
	"skillcorpus/crawl/source/list"
	"skillcorpus/crawl/source/skillsmp"
	"skillcorpus/data/sample"
)

// wiring is what a crawl is made of, by flags and settings.
type wiring struct {
	sources []source.Source
	github  *github.Client
	dirs    []*dir.Source
	hub     *fakehub.Hub // the sample marketplace, if it is asked for
}

// The hosts that a crawl asks; settings of the same names change them.
type hosts struct{ api, codeload, skillsmp string }

func (e *environment) wire(ctx context.Context, settings crawlSettings) (*wiring, error) {
	if settings.workers < 1 || settings.maxArchive < 1 || settings.pace < 0 || settings.maxAge < 0 || settings.maxWait < 0 {
		return nil, usageError{fmt.Errorf("--workers and --max-archive must be positive, --requests-per-second, --max-age and --max-wait not negative")}
	}
	w := &wiring{}
	at := hosts{
		api:      e.setting("GITHUB_API_URL", github.DefaultAPIURL),
		codeload: e.setting("CODELOAD_URL", github.DefaultCodeloadURL),
		skillsmp: e.setting("SKILLSMP_URL", skillsmp.DefaultURL),
	}
	for _, text := range settings.sources {
		if text == "sample" {
			if len(settings.sources) > 1 {
				return nil, usageError{fmt.Errorf("--source sample plays GitHub itself: it goes with no other source")}
			}
			var err error
			if at, err = w.startSample(ctx); err != nil {
				return nil, err
			}
		}
	}
	for _, text := range settings.sources {
		src, err := e.source(w, text, at, settings.pace)
		if err != nil {
			w.close()
			return nil, err
		}
		w.sources = append(w.sources, src)
	}
	var err error
	w.github, err = github.New(github.Config{
		APIURL: at.api, CodeloadURL: at.codeload, Token: cmp.Or(e.setting("GITHUB_TOKEN", ""), e.getenv("GITHUB_TOKEN")),
		UserAgent: e.userAgent(), RequestsPerSecond: pace(at.api, settings.pace), Now: e.now, Logger: e.logger(),
	})
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (e *environment) source(w *wiring, text string, at hosts, requests float64) (source.Source, error) {
	name, argument, given := strings.Cut(text, ":")
	warn := func(line string) { e.Warn("%s", line) }
	switch {
	case (name == "skillsmp" || name == "sample") && !given:
		return skillsmp.New(skillsmp.Config{
			BaseURL: at.skillsmp, Key: e.setting("SKILLSMP_KEY", ""), UserAgent: e.userAgent(),
			RequestsPerSecond: pace(at.skillsmp, requests), Now: e.now, Warn: warn, Logger: e.logger(),
		})
	case name == "list" && argument == "-":
		return list.New("list:-", func() (io.ReadCloser, error) { return io.NopCloser(e.stdin), nil }, warn), nil
	case name == "list" && argument != "":
		return list.File(argument, warn), nil
	case name == "dir" && argument != "":
		local, err := dir.New(argument)
		if err == nil {
			w.dirs = append(w.dirs, local)
		}
		return local, err
	}
	return nil, usageError{fmt.Errorf("--source %q: want skillsmp, list:FILE, dir:PATH or sample", text)}
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

// startSample serves the embedded marketplace.
func (w *wiring) startSample(ctx context.Context) (hosts, error) {
	hub, err := fakehub.New(fakehub.Config{Hub: sample.FS()})
	if err != nil {
		return hosts{}, fmt.Errorf("sample marketplace: %w", err)
	}
	if err := hub.Start(ctx); err != nil {
		return hosts{}, fmt.Errorf("sample marketplace: %w", err)
	}
	w.hub = hub
	urls := hub.URLs()
	return hosts{api: urls["api"], codeload: urls["codeload"], skillsmp: urls["skillsmp"]}, nil
}

func (w *wiring) locate(name string) (path string, archived, ok bool) {
	for _, local := range w.dirs {
		if path, archived, ok := local.Locate(name); ok {
			return path, archived, ok
		}
	}
	return "", false, false
}

func (w *wiring) close() {
	if w.hub != nil {
		w.hub.Close()
	}
}
