package command

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
)

func (e *environment) imports() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE...",
		Short: "Take in skills in the corpus format",
		Long: `Store skills from JSON lines in the corpus format (docs/json.md), plain or gzip; "-" is
stdin. A line that is no record is told and skipped. What is there already under
the same id is replaced, so an import can be repeated after an interruption.`,
		Example: `  skillcorpus import skills-*.jsonl.gz
  ssh host skillcorpus export --format jsonl | skillcorpus import -`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return errors.New("give at least one FILE, or - for stdin")
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			inputs := make([]pipeline.Input, len(arguments))
			for i, name := range arguments {
				if err := readable(name); err != nil {
					return err
				}
				inputs[i] = e.input(name)
			}
			return e.write(command.Context(), "import", func(p *pipeline.Pipeline) error {
				return p.Import(command.Context(), inputs)
			})
		},
	}
}

// readable tells of a wrong name before a corpus is made for it.
func readable(name string) error {
	if name == "-" {
		return nil
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder: name the files in it", name)
	}
	return err
}

func (e *environment) input(name string) pipeline.Input {
	if name == "-" {
		return pipeline.Input{Name: "stdin", Open: func() (io.ReadCloser, error) { return io.NopCloser(e.stdin), nil }}
	}
	return pipeline.Input{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}
