package crawl

import (
	"context"
	"slices"

	"skillcorpus/data"
	"skillcorpus/store"
)

// denied is the takedown list, and the numbers of repositories on it, which keep them under every new name.
type denied struct {
	list    data.Denials
	numbers map[int64]data.Denial
}

func readDenied(ctx context.Context, corpus *store.Store) (denied, error) {
	list, err := corpus.Denials(ctx)
	if err != nil {
		return denied{}, err
	}
	numbers, err := corpus.DeniedNumbers(ctx, list)
	return denied{list, numbers}, err
}

// check returns the outcome of a repository that is denied as a whole, nil for any other.
func (d denied) check(repo data.Repo) error {
	denial, found := d.list.Of(append([]string{repo.ID}, repo.Aliases...)...)
	if !found && repo.Host == data.HostGitHub {
		denial, found = d.numbers[repo.NumericID]
	}
	if !found {
		return nil
	}
	return &data.ItemError{Outcome: data.OutcomeDenied, Reason: denial.Reason}
}

// drop takes denied skills out of a fetched repository, with the contents that no other skill of it has.
func (d denied) drop(fetched *store.FetchedRepo) {
	before := len(fetched.Skills)
	fetched.Skills = slices.DeleteFunc(fetched.Skills, func(b data.Bundle) bool { return d.list.Has(b.ID) })
	if len(fetched.Skills) == before {
		return
	}
	used := map[string]bool{}
	for _, b := range fetched.Skills {
		used[b.SkillSHA256] = true
		for _, f := range b.Licenses {
			used[f.SHA256] = true
		}
		for _, f := range b.Files {
			used[f.SHA256] = used[f.SHA256] || f.Kept
		}
	}
	fetched.Blobs = slices.DeleteFunc(fetched.Blobs, func(b store.Blob) bool { return !used[b.SHA256] })
}
