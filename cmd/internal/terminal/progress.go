package terminal

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Tally is what progress reads from a running stage. Its functions may be called at any time.
type Tally struct {
	Total, Done, Failed, Bytes func() int64
	More                       func() string // what else is to be said, beginning with a comma; nil or empty: nothing
}

// Intervals of what progress shows.
const (
	redraw    = 100 * time.Millisecond
	plainLine = 10 * time.Second // between lines where stderr is no terminal
	window    = time.Minute      // rates are of the last minute, so that a change of pace shows
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
	reporting.Go(func() { show(name, &pace{Tally: tally}, done) })
	return sync.OnceFunc(func() { close(done); reporting.Wait() })
}

// plain writes a line now and then, and none while nothing moves.
func (t *Terminal) plain(name string, p *pace, done <-chan struct{}) {
	p.sample(time.Now())
	ticker := time.NewTicker(plainLine)
	defer ticker.Stop()
	for last := int64(0); ; {
		select {
		case <-done:
			return
		case now := <-ticker.C:
			p.sample(now)
			if count := p.Done(); count != last {
				t.Note("%s: %s", name, p.describe())
				last = count
			}
		}
	}
}

// bar draws one line again and again.
func (t *Terminal) bar(name string, p *pace, done <-chan struct{}) {
	p.sample(time.Now())
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			t.err.draw("")
			return
		case now := <-ticker.C:
			p.sample(now)
			t.err.draw(Shorten(name+" "+p.gauge()+p.describe(), t.errWidth-1))
		}
	}
}

// pace is a tally with its recent past.
type pace struct {
	Tally
	samples []sample // oldest first, one a second at most, those of the window
}

type sample struct {
	at   time.Time
	done int64
}

func (p *pace) sample(now time.Time) {
	if last := len(p.samples) - 1; last >= 0 && p.Done() < p.samples[last].done {
		p.samples = nil // another phase counts other things
	}
	if last := len(p.samples) - 1; last > 0 && now.Sub(p.samples[last-1].at) < time.Second {
		p.samples = p.samples[:last]
	}
	p.samples = append(p.samples, sample{now, p.Done()})
	for len(p.samples) > 2 && now.Sub(p.samples[1].at) >= window {
		p.samples = p.samples[1:]
	}
}

// rate returns items a second over the window, and 0 where that is not known yet.
func (p *pace) rate() float64 {
	first, last := p.samples[0], p.samples[len(p.samples)-1]
	if elapsed := last.at.Sub(first.at); elapsed >= time.Second {
		return float64(last.done-first.done) / elapsed.Seconds()
	}
	return 0
}

// gaugeCells is how many columns the bar takes.
const gaugeCells = 20

// gauge draws the share that is done, and nothing while the total is unknown.
func (p *pace) gauge() string {
	total := p.Total()
	if total <= 0 {
		return ""
	}
	full := int(min(p.Done(), total) * gaugeCells / total)
	return strings.Repeat("█", full) + strings.Repeat("░", gaugeCells-full) + " "
}

// describe gives counts, and a rate and the time left only where they are known.
func (p *pace) describe() string {
	done, total := p.Done(), p.Total()
	text := fmt.Sprintf("%d done", done)
	if total > 0 {
		text = fmt.Sprintf("%d of %d (%d%%)", done, total, 100*done/total)
	}
	if rate := p.rate(); rate > 0 {
		text += fmt.Sprintf(", %.1f/s", rate)
		if left := total - done; left > 0 {
			text += fmt.Sprintf(", about %s left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
		}
	}
	if count := p.Bytes(); count > 0 {
		text += ", " + Bytes(count)
	}
	if failed := p.Failed(); failed > 0 {
		text += fmt.Sprintf(", %d to be tried again", failed)
	}
	if p.More != nil {
		text += p.More()
	}
	return text
}
