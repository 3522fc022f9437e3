package command

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/crawl"
	"skillcorpus/crawl/archive"
)

// crawlSettings are the flags of crawl.
type crawlSettings struct {
	sources    []string
	maxArchive size
	maxAge     time.Duration
	maxWait    time.Duration
	workers    int
	pace       float64
	strictSize bool
	deny       string
	plan       bool

	ignoreRobots []string
}

func (e *environment) crawl() *cobra.Command {
	var settings crawlSettings
	command := &cobra.Command{
		Use:   "crawl",
		Short: "Enumerate marketplaces and fetch their repositories",
		Long: `Ask each source what it lists, then fetch every listed repository that is due: once,
under a size cap, whatever the number of skills in it. Of a larger repository only what
its skills need is fetched. A crawl that was interrupted goes on where it stopped.
Without --source, only what is already listed is fetched.

Sources:
  skillsmp       the SkillsMP API (a key in SKILLCORPUS_SKILLSMP_KEY raises its limits)
  skills.sh      its sitemaps, and with a key in SKILLCORPUS_SKILLSSH_KEY the installs
  clawhub        ClawHub's API and archives (a key in SKILLCORPUS_CLAWHUB_KEY raises
                 its limits)
  wellknown:HOST skills that a site publishes itself under /.well-known
  marketplace:REPO
                 the plugins of an owner/repo's marketplace.json (Claude Code's or
                 Codex's), or of such a file on this machine
  github[:QUERY] GitHub's search for SKILL.md files and topics; wants a token
  list:FILE      URLs, owner/repo names, JSON lines or CSV; "list:-" is stdin
  dir:PATH       a checkout, an archive, or a folder of them on this machine, each
                 called dir: and its base name
  sample         the marketplace inside this program, served on loopback; it goes
                 with no other source

A GitHub token in SKILLCORPUS_GITHUB_TOKEN (or GITHUB_TOKEN) raises its limit from 60
to 5,000 requests an hour, and lets 100 repositories be asked for at once. Several, with
commas in between, are used in turn. They are sent to the API host alone, and to those in
SKILLCORPUS_GITHUB_TOKEN_HOSTS.

A source that cannot be read does not keep the others from being crawled. The exit code
is 3 if a later run helps (a limit, a host that is down), else 1 if something has to be
mended first (a wrong key or token, a name or file that is not there or no list).`,
		Example: `  skillcorpus crawl --source sample
  skillcorpus crawl --source list:repos.txt --plan
  skillcorpus crawl --source list:repos.txt --max-wait 1h
  skillcorpus crawl --source skillsmp --source dir:./my-skills`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return e.runCrawl(command.Context(), settings)
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&settings.sources, "source", nil, "NAME[:ARG] of a source (repeatable)")
	settings.maxArchive = size(archive.DefaultLimits().Bytes)
	flags.Var(&settings.maxArchive, "max-archive", "size cap of an archive: bytes, or with kB, MB, GB, KiB, MiB or GiB")
	flags.BoolVar(&settings.strictSize, "strict-size", false, "leave out every repository whose whole history is over the cap, as the paper does")
	flags.BoolVar(&settings.plan, "plan", false, "list the sources, then only say how many requests to which host the crawl would take, and how long")
	flags.StringVar(&settings.deny, "deny", "", "file with ids for the takedown list (see skillcorpus deny), one a line, each with its reason")
	flags.StringArrayVar(&settings.ignoreRobots, "ignore-robots", nil, "skills.sh or wellknown: read its pages even where robots.txt asks crawlers not to (repeatable)")
	flags.DurationVar(&settings.maxAge, "max-age", 24*time.Hour, "ask again for repositories fetched, and marketplaces listed, longer ago than this")
	flags.DurationVar(&settings.maxWait, "max-wait", 10*time.Minute, "how long in all to wait for limits to end")
	flags.IntVar(&settings.workers, "workers", 4, "repositories fetched at a time")
	flags.Float64Var(&settings.pace, "requests-per-second", 0, "for each host; 0: 1, or what the host allows, and no pace on loopback")
	return command
}

// memoryGoal is how much memory, in bytes, the collector of garbage aims at. What a crawl holds at once stays below.
const memoryGoal = 300 << 20

func (e *environment) runCrawl(ctx context.Context, settings crawlSettings) (err error) {
	if e.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
	wired, err := e.wire(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, wired.close()) }()
	limits := archive.DefaultLimits()
	limits.Bytes = int64(settings.maxArchive)
	open := e.write
	if len(settings.sources) == 0 {
		open = e.existing
	}
	return open(ctx, "crawl", func(p *pipeline.Pipeline) error {
		if settings.deny != "" {
			if err := e.denyFile(ctx, p.Corpus, settings.deny); err != nil {
				return err
			}
		}
		if err := errors.Join(wired.checkSample(ctx, p.Corpus), wired.checkDirs(ctx, p.Corpus)); err != nil {
			return err
		}
		options := crawl.Options{
			Sources: wired.sources, GitHub: wired.github, Hosts: wired.hosts, Locate: wired.locate, Limits: limits,
			StrictSize: settings.strictSize,
			Workers:    settings.workers, MaxAge: settings.maxAge, ListAge: settings.maxAge, MaxWait: settings.maxWait,
			Pace: wired.pace,
		}
		if settings.plan {
			return p.Plan(ctx, options)
		}
		p.Waits = wired.waits.describe
		return p.Crawl(ctx, options)
	})
}
