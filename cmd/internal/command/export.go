package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/index"
	"skillcorpus/store"
)

func (e *environment) export() *cobra.Command {
	var format, output string
	var options index.ExportOptions
	command := &cobra.Command{
		Use:   "export",
		Short: "Write the corpus out as JSON lines",
		Long: `Write every live skill in the corpus format (docs/json.md), in id order. import reads it
back. A file appears under its name only when it is whole.`,
		Example: `  skillcorpus export --format jsonl > skills.jsonl
  skillcorpus export --format jsonl --license MIT --license Apache-2.0 --output permissive.jsonl
  skillcorpus export --format jsonl --with-files --output whole.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if format != "jsonl" {
				return usageError{fmt.Errorf("--format %q: only jsonl is there", format)}
			}
			if output == "-" {
				output = ""
			}
			return e.read(command.Context(), func(corpus *store.Store) error {
				var count int
				err := writeOutput(e.Out(), output, func(out io.Writer) (err error) {
					count, err = index.ExportJSONL(command.Context(), corpus, out, options)
					return err
				})
				if err == nil {
					e.Note("export: %s", terminal.Count(int64(count), "skill"))
				}
				return err
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&format, "format", "jsonl", "output format")
	flags.StringVarP(&output, "output", "o", "", `file to write (default "-", stdout)`)
	flags.BoolVar(&options.WithFiles, "with-files", false, "with the contents of bundled files, where they are known")
	flags.StringSliceVar(&options.Licenses, "license", nil, "only skills under these licences (SPDX id, repeatable)")
	return command
}

// writeOutput lets write fill stdout, or a temporary file that takes the name only when it is whole.
func writeOutput(stdout io.Writer, name string, write func(io.Writer) error) (err error) {
	if name == "" {
		buffered := bufio.NewWriterSize(stdout, 1<<16)
		return errors.Join(write(buffered), buffered.Flush())
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err := errors.Join(write(buffered), buffered.Flush(), file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
