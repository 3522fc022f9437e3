package command

import (
	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
)

func (e *environment) index() *cobra.Command {
	var rebuild bool
	command := &cobra.Command{
		Use:   "index",
		Short: "Build the search index",
		Long: `Build the index that search reads, from every parsed skill. An index that is whole
and up to date is left alone. The old one answers until the new one is whole.`,
		Example: `  skillcorpus index
  skillcorpus index --rebuild`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return e.existing(command.Context(), "index", func(p *pipeline.Pipeline) error {
				return p.Index(command.Context(), rebuild)
			})
		},
	}
	command.Flags().BoolVar(&rebuild, "rebuild", false, "build even if nothing changed")
	return command
}
