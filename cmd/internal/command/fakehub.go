package command

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skillcorpus/crawl/fakehub"
	"skillcorpus/data/sample"
)

func (e *environment) fakehub() *cobra.Command {
	var folder, corpus, faults, listen, envFile string
	var listings []string
	command := &cobra.Command{
		Use:   "fakehub",
		Short: "Play GitHub and a marketplace on loopback, with faults to order",
		Long: `Serve repositories as GitHub and the marketplaces would, on loopback alone, to try a
crawler without the network: packed ones (--hub), those that a corpus of skills
describes (--corpus: each SKILL.md as it is, the other files filled with bytes of the
listed size), or both. Without either it serves the sample marketplace.
docs/fakehub.md describes the folders, the fault script, /_stats and /_script.`,
		Example: `  skillcorpus fakehub --hub ./hub --env-file hub.env &
  set -a; . ./hub.env; set +a
  skillcorpus crawl --source skillsmp
  curl "$SKILLCORPUS_GITHUB_API_URL/_stats"

  skillcorpus fakehub --corpus ./corpus --faults faults.yaml`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config := fakehub.Config{Listings: listings, Listen: listen, Logger: e.logger(), Now: e.now}
			if folder != "" {
				config.Hub = os.DirFS(folder)
			}
			if corpus != "" {
				config.Corpus = os.DirFS(corpus)
			}
			if folder == "" && corpus == "" {
				config.Hub = sample.FS()
			}
			if faults != "" {
				script, err := readScript(faults)
				if err != nil {
					return err
				}
				config.Faults = script
			}
			return e.serveHub(command.Context(), config, envFile)
		},
	}
	flags := command.Flags()
	flags.StringVar(&folder, "hub", "", "folder with index.json and the archives (default: the sample marketplace)")
	flags.StringVar(&corpus, "corpus", "", "folder of skills-*.jsonl.gz, each line one skill of a repository")
	flags.StringArrayVar(&listings, "listings", nil, "file of listing rows for SkillsMP in place of the hub's skills (repeatable)")
	flags.StringVar(&faults, "faults", "", "fault script")
	flags.StringVar(&listen, "listen", "127.0.0.1:0", "loopback address of the API host; the others take free ports")
	flags.StringVar(&envFile, "env-file", "", "file to write the hosts' addresses to, as settings")
	return command
}

func readScript(name string) (script *fakehub.Script, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return fakehub.ReadScript(file)
}

// ready is what `fakehub --json` prints once it answers (docs/json.md).
type ready struct {
	Type string            `json:"type"` // always ready
	URLs map[string]string `json:"urls"`
}

// serveHub serves until the first signal.
func (e *environment) serveHub(ctx context.Context, config fakehub.Config, envFile string) (err error) {
	hub, err := fakehub.New(config)
	if err != nil {
		return err
	}
	if err := hub.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.Close()) }()
	if envFile != "" {
		if err := writeWhole(envFile, hub.Env()); err != nil {
			return err
		}
	}
	urls := hub.URLs()
	if e.JSON {
		if err := e.Object(ready{"ready", urls}); err != nil {
			return err
		}
	} else {
		var others strings.Builder
		for _, name := range slices.Sorted(maps.Keys(urls)) {
			if name != "api" {
				others.WriteString(", " + name + " " + urls[name])
			}
		}
		e.Printf("ready: GitHub API %s%s\n", urls["api"], others.String())
	}
	<-ctx.Done()
	return nil
}

// writeWhole writes a file that others may be waiting for: it appears with all its text.
func writeWhole(name, text string) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), name)
}
