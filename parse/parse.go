// Package parse is the second stage: it takes skills whose SKILL.md is due, has parse/document cut it into
// frontmatter, prose and code, and commits the documents.
//
// It never reads the network or other files of a bundle, and judges nothing. The commands call it.
package parse

import (
	"context"
	"errors"
	"runtime"

	"skillcorpus/data"
	"skillcorpus/parse/document"
	"skillcorpus/store"
)

// Version rises whenever the stage's output for the same bytes changes; every skill is then due again.
const Version = 2

// Options say how a run goes about its work.
type Options struct {
	Workers int            // 0: one for each processor
	Counter *store.Counter // progress
	Stop    <-chan struct{}
}

// pages and batches of the stage: items read, and results committed, at a time.
const pageSize, batchSize = 256, 256

// Run parses every skill that is due. It returns the first failure of our own machine.
func Run(ctx context.Context, corpus *store.Store, options Options) error {
	total, err := corpus.CountDueParse(ctx, Version)
	if err != nil {
		return err
	}
	options.Counter.Total.Store(int64(total))
	if options.Workers == 0 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	return store.Loop[store.ParseItem, store.ParsedSkill]{
		Workers: options.Workers,
		Batch:   batchSize,
		Counter: options.Counter,
		Stop:    options.Stop,
		Due: func(ctx context.Context, after string) ([]store.ParseItem, error) {
			return corpus.DueParse(ctx, Version, after, pageSize)
		},
		Key: func(item store.ParseItem) string { return item.ID },
		Work: func(ctx context.Context, item store.ParseItem) (store.ParsedSkill, error) {
			content, kept, err := corpus.Content(ctx, item.SHA256)
			if err == nil && !kept {
				err = errors.New("the content of its SKILL.md is not there: run `skillcorpus verify`")
			}
			if err != nil {
				return store.ParsedSkill{}, err
			}
			options.Counter.Bytes.Add(int64(len(content)))
			return parseSkill(corpus, item, content)
		},
		Failed: func(item store.ParseItem, err error) store.ParsedSkill {
			return store.ParsedSkill{Attempt: store.AttemptOf(item.ID, item.SHA256, Version, err)}
		},
		Commit: corpus.CommitParsed,
	}.Run(ctx)
}

// parseSkill stores a binary SKILL.md as a document too, so that it is exported like any other, and says in
// the due row that it is malformed.
func parseSkill(corpus *store.Store, item store.ParseItem, content []byte) (store.ParsedSkill, error) {
	parsed := Document(content, item.ID, item.SkillFile)
	var malformed error
	if parsed.Binary {
		malformed = &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "SKILL.md is a binary file"}
	}
	return corpus.PackDocument(&parsed, store.AttemptOf(item.ID, item.SHA256, Version, malformed))
}

// Document parses the SKILL.md of the skill with this id without a corpus. file is its name, which findings give.
func Document(content []byte, id, file string) data.Document {
	return document.Parse(content, document.Source{File: file, Folder: data.FolderName(id)})
}
