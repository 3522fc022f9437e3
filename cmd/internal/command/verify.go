package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/index"
	"skillcorpus/store"
)

func (e *environment) verify() *cobra.Command {
	var digest bool
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check every byte of the corpus, or print its digest",
		Long: `Read the whole corpus and its index, and name every fault: damaged pages, contents
that do not have their digest, sections that do not cover their file. Exit code 4 if
there is any.
With --digest: print the SHA-256 over ids, file digests, sections, findings and
verdicts, without times. Two corpora with the same digest hold the same.`,
		Example: `  skillcorpus verify
  skillcorpus verify --digest`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return e.read(command.Context(), func(corpus *store.Store) error {
				if digest {
					return e.printDigest(command.Context(), corpus)
				}
				return e.runVerify(command.Context(), corpus)
			})
		},
	}
	command.Flags().BoolVar(&digest, "digest", false, "print the corpus digest")
	return command
}

// corpusDigest is what `verify --digest --json` prints (docs/json.md).
type corpusDigest struct {
	Type   string `json:"type"` // always digest
	Digest string `json:"digest"`
}

// verified is what `verify --json` prints: the status with what the check found (docs/json.md).
type verified struct {
	Type    string   `json:"type"` // always verify
	OK      bool     `json:"ok"`   // no fault
	Faults  []string `json:"faults"`
	Indexed bool     `json:"indexed"`
	corpusState
}

func (e *environment) printDigest(ctx context.Context, corpus *store.Store) error {
	digest, err := corpus.Digest(ctx)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Object(corpusDigest{"digest", digest})
	}
	e.Printf("%s\n", digest)
	return nil
}

func (e *environment) runVerify(ctx context.Context, corpus *store.Store) error {
	faults, err := corpus.Verify(ctx)
	if err != nil {
		return err
	}
	err = index.Verify(ctx, index.Dir(e.data, index.DefaultName))
	indexed := !errors.Is(err, index.ErrNoIndex)
	if err != nil && indexed {
		faults = append(faults, err.Error())
	}
	for _, fault := range faults {
		if !e.JSON {
			e.Printf("fault: %s\n", terminal.Quote(fault))
		}
	}
	status, err := e.corpusState(ctx, corpus)
	if err != nil && len(faults) == 0 {
		return err // with faults it is one more sign of them
	}
	switch counts := status.Counts; {
	case e.JSON:
		if err := e.Object(verified{"verify", len(faults) == 0, orEmpty(faults), indexed, status}); err != nil {
			return err
		}
	case len(faults) == 0:
		e.Printf("ok: %d skills, %d contents, %d documents, %d verdicts%s\n", counts.Skills, counts.Blobs, counts.Documents, counts.Verdicts,
			map[bool]string{true: ", the index", false: "; no index yet"}[indexed])
	}
	if len(faults) > 0 {
		return errFinding
	}
	return nil
}
