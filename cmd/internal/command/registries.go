package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skillcorpus/crawl"
	"skillcorpus/crawl/source"
	"skillcorpus/crawl/source/clawhub"
	"skillcorpus/crawl/source/skillssh"
	"skillcorpus/crawl/source/wellknown"
	"skillcorpus/data"
)

// registries are the clients of those that keep skills themselves. Each is a source and a host, so that what a listing
// told need not be asked again.
type registries struct {
	clawhub   *clawhub.Client
	wellknown *wellknown.Client
}

func (e *environment) registries(w *wiring, at hosts, settings crawlSettings) (r registries, err error) {
	for _, name := range settings.ignoreRobots {
		if !slices.Contains([]string{skillssh.Name, wellknown.Name}, name) {
			return r, usageError{fmt.Errorf("--ignore-robots %q: want %s or %s; no other source asks for robots.txt", name, skillssh.Name, wellknown.Name)}
		}
	}
	warn := func(line string) { e.Warn("%s", line) }
	r.clawhub, err = clawhub.New(clawhub.Config{
		BaseURL: at.clawhub, Key: e.setting("CLAWHUB_KEY", ""), UserAgent: e.userAgent(),
		RequestsPerSecond: pace(cmp.Or(at.clawhub, clawhub.DefaultURL), settings.pace), Limited: w.waits.add, Now: e.now, Warn: warn, Logger: e.logger(),
	})
	if err != nil {
		return r, err
	}
	r.wellknown, err = wellknown.New(wellknown.Config{
		UserAgent: e.userAgent(), RequestsPerSecond: settings.pace, IgnoreRobots: slices.Contains(settings.ignoreRobots, wellknown.Name),
		Limited: w.waits.add, Now: e.now, Warn: warn, Logger: e.logger(),
	})
	return r, err
}

func (r registries) hosts() crawl.Hosts {
	return crawl.Hosts{data.HostClawHub: r.clawhub, "https://": r.wellknown, "http://": r.wellknown}
}

// registrySource returns the source of that name, and nil if it is none of a registry.
func (e *environment) registrySource(w *wiring, text string, at hosts, settings crawlSettings) (source.Source, error) {
	name, argument, given := strings.Cut(text, ":")
	switch {
	case name == skillssh.Name && !given:
		return skillssh.New(skillssh.Config{
			BaseURL: at.skillssh, Key: e.setting("SKILLSSH_KEY", ""), UserAgent: e.userAgent(),
			RequestsPerSecond: pace(at.skillssh, settings.pace), IgnoreRobots: slices.Contains(settings.ignoreRobots, skillssh.Name),
			Limited: w.waits.add, Now: e.now, Warn: func(line string) { e.Warn("%s", line) }, Logger: e.logger(),
		})
	case name == clawhub.Name && !given:
		return w.registries.clawhub, nil
	case name == wellknown.Name && argument != "":
		site, err := w.registries.wellknown.Source(argument)
		if err != nil {
			return nil, usageError{err}
		}
		return site, nil
	}
	return nil, nil
}
