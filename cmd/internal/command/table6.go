package command

import (
	"context"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/store"
)

// table6 is what `status --table6 --json` prints (docs/json.md).
type table6 struct {
	Type string `json:"type"` // always table6
	store.Fates
	Indexed int `json:"indexed"` // skills in the index
}

// printTable6 prints the paper's Table 6 of this corpus.
func (e *environment) printTable6(ctx context.Context, corpus *store.Store) error {
	fates, err := corpus.Fates(ctx)
	if err != nil {
		return err
	}
	built, err := indexState(ctx, corpus)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Object(table6{Type: "table6", Fates: fates, Indexed: built.Skills})
	}
	hosts, err := corpus.Hosts(ctx)
	if err != nil {
		return err
	}
	e.Table([]string{"listings", "count"}, [][]any{
		{"advertised", fates.Advertised},
		{"not tried yet, or waiting", fates.Pending},
		{"processed", fates.Processed},
		{"  excluded by size", fates.TooLarge},
		{"  dead or inaccessible", fates.Dead},
		{"  refused", fates.Refused},
		{"  downloaded", fates.Downloaded},
	})
	e.Printf("%s read; live in them: %s; excluded for their own size: %d; indexed: %d\n", places(hosts, func(h store.HostCount) int { return h.Read }),
		terminal.Count(int64(fates.Skills), "skill"), fates.SkillsTooLarge, built.Skills)
	return nil
}
