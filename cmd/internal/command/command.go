// Package command owns the command line: one file a command, the flags, the wiring of stages to their settings,
// what each exit code means. It is called by cmd/skillcorpus alone, which exits with what Main returns.
//
// No stage's work is done here: a command opens the corpus, calls the pipeline, and prints.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/store"
)

// environment is what every command works with.
type environment struct {
	version string
	stdin   io.Reader
	*terminal.Terminal
	getenv  func(string) string
	now     func() time.Time
	started bool // a command's own code runs: errors are no longer about usage

	data     string
	lockWait time.Duration
	verbose  bool
}

// Main runs one command line and returns its exit code. The first interrupt ends the command's context: a stage
// finishes what is in flight, everything else stops. The second ends the command at once.
func Main(version string, arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	e := &environment{
		version: version, stdin: stdin, Terminal: terminal.New(stdout, stderr, os.Getenv),
		getenv: os.Getenv, now: time.Now,
	}
	root, code := e.root(), make(chan int, 1)
	root.SetArgs(arguments)
	go func() { code <- e.run(ctx, root) }()
	select {
	case c := <-code:
		return c
	case <-signals:
		e.Note("stopping: what is in flight is finished first; once more to stop at once")
		stop()
	}
	select {
	case c := <-code:
		return c
	case <-signals:
		return exitInterrupted
	}
}

func (e *environment) run(ctx context.Context, root *cobra.Command) int {
	root.SetIn(e.stdin)
	root.SetOut(e.Out())
	root.SetErr(e.Stderr())
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = e.Failed()
	}
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	switch {
	case !e.started:
		code = exitUsage
	case code == exitFailure && ctx.Err() != nil:
		code = exitInterrupted
	}
	if message := err.Error(); message != "" {
		e.Error(message + advice(err, code, command.CommandPath()))
	}
	return code
}

func (e *environment) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "skillcorpus",
		Short: "Keep a corpus of agent skills current, audited and searchable",
		Long: `skillcorpus enumerates skill marketplaces, downloads their repositories once each,
cuts every SKILL.md into frontmatter, prose and code, audits each skill, and
searches the result. Everything lies in one data folder.`,
		Example: `  skillcorpus demo
  skillcorpus crawl --source list:repos.txt && skillcorpus parse && skillcorpus audit && skillcorpus index
  skillcorpus search "rotate a PDF"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			e.started = true
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&e.data, "data", e.setting("DATA", "skillcorpus-data"), "data folder (SKILLCORPUS_DATA)")
	flags.DurationVar(&e.lockWait, "lock-wait", 10*time.Second, "how long to wait for another writer")
	flags.BoolVar(&e.JSON, "json", false, "results as JSON, one object a line (docs/json.md)")
	flags.BoolVarP(&e.Quiet, "quiet", "q", false, "nothing on stderr but errors")
	flags.BoolVarP(&e.verbose, "verbose", "v", false, "a line for each request and repository on stderr")
	root.AddCommand(e.demo(), e.crawl(), e.imports(), e.parse(), e.audit(), e.report(), e.index(), e.search(), e.show(), e.model(),
		e.export(), e.deny(), e.prune(), e.status(), e.verify(), e.doctor(), e.versionCommand(), e.fakehub())
	root.SetUsageTemplate(root.UsageTemplate() + exitHelp)
	root.SetHelpCommand(help(root))
	return root
}

// help is cobra's own but for a topic that does not exist, which is wrong usage.
func help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
		Example: "  skillcorpus help crawl",
		RunE: func(_ *cobra.Command, arguments []string) error {
			topic, rest, err := root.Find(arguments)
			if err != nil || len(rest) > 0 {
				return usageError{fmt.Errorf("no command %q", strings.Join(arguments, " "))}
			}
			return topic.Help()
		},
	}
}

// setting reads SKILLCORPUS_NAME from the environment.
func (e *environment) setting(name, fallback string) string {
	if value := e.getenv("SKILLCORPUS_" + name); value != "" {
		return value
	}
	return fallback
}

func (e *environment) logger() *slog.Logger {
	if !e.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(e.Stderr(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// write opens the corpus for writing, creating it if need be, and runs f on a pipeline over it.
func (e *environment) write(ctx context.Context, name string, f func(*pipeline.Pipeline) error) (err error) {
	options := store.Options{Write: true, Command: "skillcorpus " + name, Now: e.now}
	corpus, err := store.Open(ctx, e.data, options)
	if errors.Is(err, store.ErrLocked) && e.lockWait > 0 {
		e.Note("%v\nwaiting up to %s for it", err, e.lockWait)
		options.LockWait = e.lockWait
		corpus, err = store.Open(ctx, e.data, options)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	return f(&pipeline.Pipeline{Corpus: corpus, Terminal: e.Terminal, Now: e.now, Log: e.logger()})
}

// existing is write on a corpus that must be there already.
func (e *environment) existing(ctx context.Context, name string, f func(*pipeline.Pipeline) error) error {
	if _, err := os.Stat(store.Path(e.data)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open corpus %s: %w", e.data, store.ErrNoCorpus)
	}
	return e.write(ctx, name, f)
}

// read opens the corpus for reading.
func (e *environment) read(ctx context.Context, f func(*store.Store) error) (err error) {
	corpus, err := store.Open(ctx, e.data, store.Options{Now: e.now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	return f(corpus)
}
