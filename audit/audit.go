// Package audit is the third stage: it takes parsed skills that are due, has audit/facts collect what is so and
// audit/rules judge it, and commits findings and verdicts.
//
// It never runs anything that it finds in a skill, and never asks the network. The commands call it.
package audit

import (
	"context"
	"errors"
	"runtime"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/rules"
	"skillcorpus/data"
	"skillcorpus/store"
)

// Version rises whenever the stage's output for the same input changes; every skill is then due again.
const Version = 6

// Options say how a run goes about its work.
type Options struct {
	Workers int            // 0: one for each processor
	Counter *store.Counter // progress
	Stop    <-chan struct{}
}

// pages and batches of the stage: items read, and results committed, at a time.
const pageSize, batchSize = 128, 256

// Run audits every skill that is due, then brings the near-copies up to date. It returns the first failure of our own
// machine.
func Run(ctx context.Context, corpus *store.Store, options Options) error {
	total, err := corpus.CountDueAudit(ctx, Version)
	if err != nil {
		return err
	}
	options.Counter.Total.Store(int64(total))
	if options.Workers == 0 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	shared := &sharedFacts{corpus: corpus}
	err = store.Loop[store.AuditItem, store.AuditedSkill]{
		Workers: options.Workers,
		Batch:   batchSize,
		Counter: options.Counter,
		Stop:    options.Stop,
		Due: func(ctx context.Context, after string) ([]store.AuditItem, error) {
			return corpus.DueAudit(ctx, Version, after, pageSize)
		},
		Key: func(item store.AuditItem) string { return item.ID },
		Work: func(ctx context.Context, item store.AuditItem) (store.AuditedSkill, error) {
			return auditSkill(ctx, shared, item, options.Counter)
		},
		Failed: func(item store.AuditItem, err error) store.AuditedSkill {
			return store.AuditedSkill{Attempt: store.AttemptOf(item.ID, item.Input, Version, err)}
		},
		Commit: corpus.CommitAudited,
	}.Run(ctx)
	if err != nil || options.stopped() {
		return err
	}
	return Similar(ctx, corpus, options.Workers)
}

// stopped reports whether nothing new is to be begun.
func (o Options) stopped() bool {
	select {
	case <-o.Stop:
		return true
	default:
		return false
	}
}

func auditSkill(ctx context.Context, shared *sharedFacts, item store.AuditItem, counter *store.Counter) (store.AuditedSkill, error) {
	corpus := shared.corpus
	skill, _, err := corpus.Skill(ctx, item.ID)
	if err != nil {
		return store.AuditedSkill{}, err
	}
	file, kept, err := corpus.Content(ctx, skill.SkillSHA256)
	if err != nil {
		return store.AuditedSkill{}, err
	}
	if !kept || skill.Document == nil {
		return store.AuditedSkill{}, errors.New("its SKILL.md or document is not there: run `skillcorpus verify`")
	}
	counter.Bytes.Add(int64(len(file)))
	contents, err := keptContents(ctx, corpus, skill.Files)
	if err != nil {
		return store.AuditedSkill{}, err
	}
	inRepo, err := shared.inRepo(ctx, skill.RepoID)
	if err != nil {
		return store.AuditedSkill{}, err
	}
	licenses, err := shared.licensesOf(ctx, skill.Bundle)
	if err != nil {
		return store.AuditedSkill{}, err
	}
	verdict, findings := Judge(facts.Input{
		Bundle:   skill.Bundle,
		Document: *skill.Document,
		SkillMD:  file,
		Content:  func(path string) ([]byte, bool) { content, ok := contents[path]; return content, ok },
		InRepo:   inRepo,
		Licenses: licenses,
	})
	return store.AuditedSkill{
		Verdict:  &verdict,
		Findings: findings,
		Attempt:  store.AttemptOf(item.ID, item.Input, Version, nil),
	}, nil
}

// Judge audits one skill without a corpus.
func Judge(input facts.Input) (data.Verdict, []data.Finding) {
	return rules.Judge(facts.Collect(input))
}

func keptContents(ctx context.Context, corpus *store.Store, files []data.File) (map[string][]byte, error) {
	contents := map[string][]byte{}
	for _, file := range files {
		if !file.Kept {
			continue
		}
		content, ok, err := corpus.Content(ctx, file.SHA256)
		if err != nil {
			return nil, err
		}
		if ok {
			contents[file.Path] = content
		}
	}
	return contents, nil
}
