package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/index"
	"skillcorpus/store"
)

func (e *environment) deny() *cobra.Command {
	var reason string
	var lift bool
	command := &cobra.Command{
		Use:   "deny [ID]...",
		Short: "Keep skills, repositories or owners out: the takedown list",
		Long: `Put ids on the corpus's takedown list: OWNER, OWNER/REPO or the id of a skill, which stands
for everything below it, with a host prefix where ids have one; a URL at GitHub stands for
the id of what it shows. What is on it is not fetched or imported, and no search or export
shows it, from this moment on. Without an ID, the list is printed. Contents that are stored
already go with ` + "`skillcorpus prune`" + `, 30 days later or at once with --older-than 0s.

A file for ` + "`skillcorpus crawl --deny FILE`" + ` has an id in each line, and after a blank or a tab the
reason. An id with blanks stands in double quotes, or ends at a tab; # begins a comment.`,
		Example: `  skillcorpus deny someone/secrets --reason "asked by its owner, 2026-03-01"
  skillcorpus deny
  skillcorpus deny --lift someone/secrets`,
		RunE: func(command *cobra.Command, arguments []string) error {
			switch {
			case len(arguments) == 0 && (lift || reason != ""):
				return usageError{errors.New("give the IDs that are meant")}
			case len(arguments) == 0:
				return e.read(command.Context(), func(corpus *store.Store) error { return e.printDenials(command.Context(), corpus) })
			case !lift && strings.TrimSpace(reason) == "":
				return usageError{errors.New("give a --reason: it is kept with the list")}
			}
			return e.write(command.Context(), "deny", func(p *pipeline.Pipeline) error {
				return e.changeDenials(command.Context(), p.Corpus, arguments, reason, lift)
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, in one line; shown by status and show")
	command.Flags().BoolVar(&lift, "lift", false, "take the IDs off the list; the next crawl reads them again")
	return command
}

// deniedItem is what `deny --json` prints for each id of the list, or that it changed (docs/json.md).
type deniedItem struct {
	Type string `json:"type"` // always denied, or lifted
	data.Denial
	Hidden int `json:"hidden"` // skills that went out of view by this
}

func (e *environment) printDenials(ctx context.Context, corpus *store.Store) error {
	denials, err := corpus.Denials(ctx)
	if err != nil {
		return err
	}
	rows := [][]any{}
	for _, d := range denials {
		if e.JSON {
			if err := e.Object(deniedItem{Type: "denied", Denial: d}); err != nil {
				return err
			}
			continue
		}
		since := "(its present name)"
		if !d.Added.IsZero() {
			since = d.Added.Format(time.DateOnly)
		}
		rows = append(rows, []any{terminal.Quote(d.ID), since, terminal.Quote(d.Reason)})
	}
	if len(rows) > 0 {
		e.Table([]string{"id", "since", "reason"}, rows)
	} else if !e.JSON {
		e.Printf("nothing is denied\n")
	}
	return nil
}

func (e *environment) changeDenials(ctx context.Context, corpus *store.Store, ids []string, reason string, lift bool) error {
	for _, text := range ids {
		id, err := denialID(text)
		if err != nil {
			return usageError{err}
		}
		item := deniedItem{Type: "denied", Denial: data.Denial{ID: id, Reason: reason, Added: e.now().UTC().Truncate(time.Second)}}
		if lift {
			item.Type = "lifted"
			err = corpus.Lift(ctx, id)
		} else {
			item.Hidden, err = corpus.Deny(ctx, item.Denial)
		}
		switch {
		case err != nil:
			return err
		case e.JSON:
			err = e.Object(item)
		case lift:
			e.Printf("%s is no longer denied: the next crawl reads it again\n", terminal.Quote(id))
		default:
			e.Printf("%s is denied: %s no longer shown\n", terminal.Quote(id), terminal.Count(int64(item.Hidden), "skill"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hideDenied keeps what is denied out of an index that may be older than the takedown list. A damaged corpus, or one of
// an older version, does not keep its index from being searched, but that is said.
func (e *environment) hideDenied(ctx context.Context, searcher *index.Searcher) error {
	err := e.read(ctx, func(corpus *store.Store) error {
		denials, err := corpus.Denials(ctx)
		searcher.Hide(denials.Has)
		return err
	})
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrOlder) {
		e.Warn("the takedown list cannot be read (%v): what was denied since the index was built is shown", err)
		return nil
	}
	return err
}

// denyFile puts the lines of a file on the takedown list, all of them or none.
func (e *environment) denyFile(ctx context.Context, corpus *store.Store, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	denials, err := readDenials(file, name)
	if err != nil {
		return err
	}
	if err := e.checkBlanks(ctx, corpus, name, denials); err != nil {
		return err
	}
	for _, d := range denials {
		if _, err := corpus.Deny(ctx, d.Denial); err != nil {
			return err
		}
	}
	return nil
}

// checkBlanks refuses a list in which an id was most likely meant to go on after the blank that ended it: the corpus has
// a skill of the longer id.
func (e *environment) checkBlanks(ctx context.Context, corpus *store.Store, name string, denials []denialLine) error {
	var faults []error
	for _, d := range denials {
		if d.text == "" {
			continue
		}
		longer, found, err := corpus.LongerID(ctx, d.ID, d.text)
		if err != nil {
			return err
		}
		if found {
			faults = append(faults, fmt.Errorf("%s line %d: no skill is called %s, but one is called %q: put an id with blanks in quotes, or a tab behind it", name, d.number, d.ID, longer))
		}
	}
	if len(faults) > 0 {
		return usageError{errors.Join(faults...)}
	}
	return nil
}
