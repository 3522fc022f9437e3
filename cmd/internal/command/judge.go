package command

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"skillcorpus/store"
)

// judgeSettings are the flags of a language model as a second judge.
type judgeSettings struct {
	url, model string
	budget     int
	sample     int
}

func (j *judgeSettings) flags(flags *pflag.FlagSet) {
}

func (j *judgeSettings) check() error {
	return nil
}

func (e *environment) judge(ctx context.Context, corpus *store.Store, s auditSettings) error {
	return errors.New("not there")
}
