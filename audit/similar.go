package audit

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"skillcorpus/audit/similar"
	"skillcorpus/store"
)

// Similar brings the near-copies of the corpus up to date: signatures of new texts first, then their pairs. Texts
// that are paired already are not compared with each other again, and a run that was cut off goes on. workers 0
// stands for one for each processor.
func Similar(ctx context.Context, corpus *store.Store, workers int) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := corpus.ForgetSimilar(ctx); err != nil {
		return err
	}
	if err := signTexts(ctx, corpus, workers); err != nil {
		return err
	}
	return pairTexts(ctx, corpus, workers)
}

// similarBatch is how many texts are in memory, and committed, at a time.
const similarBatch = 512

func signTexts(ctx context.Context, corpus *store.Store, workers int) error {
	for after := ""; ; {
		digests, err := corpus.Unsigned(ctx, similar.Version, after, similarBatch)
		if err != nil || len(digests) == 0 {
			return err
		}
		after = digests[len(digests)-1]
		texts := make([]store.SignedText, len(digests))
		err = inParallel(ctx, workers, len(digests), func(ctx context.Context, i int) error {
			set, err := shingles(ctx, corpus, digests[i])
			texts[i] = store.SignedText{SHA256: digests[i], Signature: similar.Sign(set).Bytes()}
			return err
		})
		if err != nil {
			return err
		}
		if err := corpus.CommitSignatures(ctx, similar.Version, texts); err != nil {
			return err
		}
	}
}

func shingles(ctx context.Context, corpus *store.Store, digest string) (similar.Shingles, error) {
	text, _, err := corpus.Content(ctx, digest)
	return similar.Cut(string(text)), err
}

func pairTexts(ctx context.Context, corpus *store.Store, workers int) error {
	texts, err := corpus.Signatures(ctx, similar.Version)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(texts), func(t store.SignedText) bool { return t.Paired })
	if len(fresh) == 0 {
		return nil
	}
	index, unpaired := similar.NewIndex(), make(map[string]bool, len(fresh))
	for _, t := range fresh {
		unpaired[t.SHA256] = true
	}
	for _, t := range texts {
		index.Add(t.SHA256, similar.Read(t.Signature))
	}
	for batch := range slices.Chunk(fresh, similarBatch) {
		found := make([][]store.SimilarPair, len(batch))
		err := inParallel(ctx, workers, len(batch), func(ctx context.Context, i int) error {
			pairs, err := pairsOf(ctx, corpus, batch[i].SHA256, candidates(index, batch[i], unpaired))
			found[i] = pairs
			return err
		})
		if err != nil {
			return err
		}
		names := make([]string, len(batch))
		for i, t := range batch {
			names[i] = t.SHA256
		}
		if err := corpus.CommitSimilar(ctx, names, slices.Concat(found...)); err != nil {
			return err
		}
	}
	return nil
}

// candidates returns what a text is to be compared with. Of two new texts the lesser digest, whose turn comes first,
// meets the other one.
func candidates(index *similar.Index, text store.SignedText, unpaired map[string]bool) []string {
	return slices.DeleteFunc(index.Candidates(text.SHA256, similar.Read(text.Signature)), func(other string) bool {
		return unpaired[other] && other < text.SHA256
	})
}

// pairsOf compares a text with others, word by word.
func pairsOf(ctx context.Context, corpus *store.Store, text string, others []string) ([]store.SimilarPair, error) {
	if len(others) == 0 {
		return nil, nil
	}
	own, err := shingles(ctx, corpus, text)
	if err != nil {
		return nil, err
	}
	var pairs []store.SimilarPair
	for _, other := range others {
		theirs, err := shingles(ctx, corpus, other)
		if err != nil {
			return nil, err
		}
		if jaccard := similar.Jaccard(own, theirs); jaccard >= similar.Threshold {
			pairs = append(pairs, store.SimilarPair{A: text, B: other, Jaccard: jaccard})
		}
	}
	return pairs, nil
}

// inParallel calls work for every number below count.
func inParallel(ctx context.Context, workers, count int, work func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := range count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return work(ctx, i)
		})
	}
	return group.Wait()
}
