package command

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/store"
)

func (e *environment) prune() *cobra.Command {
	var age time.Duration
	var dry bool
	command := &cobra.Command{
		Use:   "prune",
		Short: "Forget skills that were removed, and contents that nothing needs",
		Long: `Forget the skills that have been gone from their repositories, or denied, for longer than
--older-than, with everything that is known of them, and the contents that no other skill
has or stands under as its licence. Their repositories are still asked again weekly, and come back whole.`,
		Example: `  skillcorpus prune --dry-run
  skillcorpus prune --older-than 720h`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if age < 0 {
				return usageError{errors.New("--older-than must not be negative")}
			}
			return e.existing(command.Context(), "prune", func(p *pipeline.Pipeline) error {
				return e.runPrune(command.Context(), p.Corpus, age, dry)
			})
		},
	}
	command.Flags().DurationVar(&age, "older-than", 30*24*time.Hour, "how long a skill must have been gone")
	command.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return command
}

// pruned is what `prune --json` prints (docs/json.md).
type pruned struct {
	Type   string `json:"type"` // always pruned
	DryRun bool   `json:"dry_run"`
	store.Pruned
}

func (e *environment) runPrune(ctx context.Context, corpus *store.Store, age time.Duration, dry bool) error {
	result, err := corpus.Prune(ctx, e.now().Add(-age), dry)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Object(pruned{Type: "pruned", DryRun: dry, Pruned: result})
	}
	verb := "forgot"
	if dry {
		verb = "would forget"
	}
	e.Printf("%s %s and %s (%s)\n", verb, terminal.Count(int64(result.Skills), "skill"), terminal.Count(int64(result.Blobs), "content"), terminal.Bytes(int64(result.Bytes)))
	return nil
}
