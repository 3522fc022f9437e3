package command

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/index"
	"skillcorpus/store"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("disk"), 1},
		{usageError{errors.New("flag")}, 2},
		{pipeline.ErrIncomplete, 3},
		{errFinding, 4},
		{store.ErrNoCorpus, 10},
		{store.ErrNewer, 10},
		{store.ErrOlder, 10},
		{index.ErrNoIndex, 10},
		{index.ErrDamaged, 10},
		{index.ErrNewer, 10},
		{store.ErrLocked, 11},
		{context.Canceled, 130},
		{pipeline.ErrStopped, 130},
	} {
		if got := exitCode(fmt.Errorf("open: %w", c.err)); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}
