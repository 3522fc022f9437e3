package command

import (
	"errors"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
)

func (e *environment) index() *cobra.Command {
	var rebuild bool
	var modelID string
	var names []string
	command := &cobra.Command{
		Use:   "index",
		Short: "Build the search index",
		Long: `Build the index that search reads, from every parsed skill: the words, and, where an
embedding model is here, a vector for each section of each skill. An index that is
whole and up to date is left alone. Embedding a large corpus takes a while: the words
can be searched meanwhile, and an interrupted build embeds nothing twice. With
--model none nothing is embedded; vectors that are there and still hold are kept.`,
		Example: `  skillcorpus index
  skillcorpus index --sections description
  skillcorpus index --model none`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			chosen, err := sections(names)
			if err != nil {
				return err
			}
			return e.existing(command.Context(), "index", func(p *pipeline.Pipeline) (err error) {
				embedder, missing, err := e.embedder(modelID)
				if err != nil {
					return err
				}
				if embedder != nil {
					defer func() { err = errors.Join(err, embedder.Close()) }()
				}
				return p.Index(command.Context(), pipeline.IndexOptions{Rebuild: rebuild, Embedder: embedder, Missing: missing, Sections: chosen})
			})
		},
	}
	flags := command.Flags()
	flags.BoolVar(&rebuild, "rebuild", false, "build even if nothing changed")
	flags.StringVar(&modelID, "model", e.setting("MODEL", ""), modelHelp)
	flags.StringSliceVar(&names, "sections", nil, "sections to embed: description, yaml, prose, code (default all)")
	return command
}
