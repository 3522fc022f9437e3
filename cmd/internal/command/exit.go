package command

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/index"
	"skillcorpus/store"
)

// Exit codes (DESIGN.md 8).
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitFinding     = 4
	exitNoCorpus    = 10
	exitLocked      = 11
	exitInterrupted = 130
)

const exitHelp = `
Exit codes:
  0 done   1 failed   2 wrong usage   3 done, but some items wait for another try:
  waiting helps   4 a finding or gate failed   10 no usable corpus or index, or one
  of another version   11 locked by another writer   130 interrupted
`

// errFinding ends a command whose result is bad news: exit code 4, without a message of its own.
var errFinding = errors.New("")

// advice is what a user can do about an error that does not say so itself.
func advice(err error, code int, command string) string {
	switch {
	case code == exitUsage:
		return "\nsee `" + command + " --help`"
	case errors.Is(err, store.ErrNoCorpus):
		return "\nmake one with `skillcorpus crawl`, `import` or `demo`, or name it with --data"
	case errors.Is(err, store.ErrDamaged):
		return "\na copy of corpus.db from before can take its place; else crawl or import again into another --data"
	case errors.Is(err, store.ErrLocked):
		return "\nwait for it, or give --lock-wait more time; reading commands work meanwhile"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EROFS):
		return "\n`skillcorpus doctor` checks the data folder; --data or SKILLCORPUS_DATA name another"
	case errors.Is(err, syscall.ENOSPC):
		return "\nthe disk is full: what was stored before stays; make room and run the same command again"
	}
	return ""
}

// usageError is a wrong combination of arguments that only the command itself can see.
type usageError struct{ error }

func exitCode(err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, pipeline.ErrIncomplete):
		return exitIncomplete
	case errors.Is(err, errFinding):
		return exitFinding
	case errors.Is(err, store.ErrNoCorpus), errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrOlder),
		errors.Is(err, index.ErrNoIndex), errors.Is(err, index.ErrDamaged), errors.Is(err, index.ErrNewer):
		return exitNoCorpus
	case errors.Is(err, store.ErrLocked):
		return exitLocked
	case errors.Is(err, context.Canceled), errors.Is(err, pipeline.ErrStopped):
		return exitInterrupted
	}
	return exitFailure
}
