package command

import (
	"slices"
	"strings"
	"sync"
	"time"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
)

// waits are the limits that hosts have told of, for the progress of a crawl. It is safe for concurrent use.
type waits struct {
	mu     sync.Mutex
	limits map[string]time.Time // by reason, which begins with the host
}

func (w *waits) add(limit *data.ItemError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limits == nil {
		w.limits = map[string]time.Time{}
	}
	w.limits[limit.Reason] = limit.RetryAt
}

// describe says what is waited for now and until when.
func (w *waits) describe(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts []string
	for reason, until := range w.limits {
		if !until.After(now) {
			delete(w.limits, reason)
			continue
		}
		parts = append(parts, "until "+until.Local().Format(time.TimeOnly)+" for "+terminal.Quote(reason))
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return "; waits " + strings.Join(parts, ", ")
}
