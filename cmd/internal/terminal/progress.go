package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Tally is what progress reads from a running stage. Its functions may be called at any time.
type Tally struct {
	Total, Done, Failed, Bytes func() int64
}

// Intervals of what progress shows.
const (
	redraw    = 100 * time.Millisecond
	plainLine = 10 * time.Second // between lines where stderr is no terminal
)

// Progress shows how far a stage is until the returned function is called, which waits for the last report.
func (t *Terminal) Progress(name string, tally Tally) (stop func()) {
	if t.Quiet {
		return func() {}
	}
	done := make(chan struct{})
	var reporting sync.WaitGroup
	show := t.plain
	if t.bars {
		show = t.bar
	}
	reporting.Go(func() { show(name, tally, done) })
	return sync.OnceFunc(func() { close(done); reporting.Wait() })
}

func (t *Terminal) plain(name string, tally Tally, done <-chan struct{}) {
	started := time.Now()
	ticker := time.NewTicker(plainLine)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			t.Note("%s: %s", name, describe(tally, time.Since(started)))
		}
	}
}

// describe gives counts, and a rate and the time left only where they are known.
func describe(tally Tally, elapsed time.Duration) string {
	done, total := tally.Done(), tally.Total()
	text := fmt.Sprintf("%d done", done)
	if total > 0 {
		text = fmt.Sprintf("%d of %d (%d%%)", done, total, 100*done/total)
	}
	if seconds := elapsed.Seconds(); seconds >= 1 && done > 0 {
		rate := float64(done) / seconds
		text += fmt.Sprintf(", %.1f/s", rate)
		if left := total - done; left > 0 {
			text += fmt.Sprintf(", about %s left", (time.Duration(float64(left)/rate) * time.Second).Round(time.Second))
		}
	}
	if count := tally.Bytes(); count > 0 {
		text += ", " + Bytes(count)
	}
	if failed := tally.Failed(); failed > 0 {
		text += fmt.Sprintf(", %d to be tried again", failed)
	}
	return text
}

func (t *Terminal) bar(name string, tally Tally, done <-chan struct{}) {
	started := time.Now()
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(t.err), progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			bar.Clear()
			return
		case <-ticker.C:
			bar.Describe(name + " " + describe(tally, time.Since(started)))
			bar.ChangeMax64(max(tally.Total(), tally.Done()+1))
			bar.Set64(tally.Done())
		}
	}
}
