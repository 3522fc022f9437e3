package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "plain text, 漢字 and é", "plain text, 漢字 and é"},
		{"line breaks and odd spaces", "a\nb\r\tc\u00a0d\u3000e\u2028f", "a b  c d e f"},
		{"colour", "\x1b[31mred", `\x1b[31mred`},
		{"title", "\x1b]0;x\a", `\x1b]0;x\a`},
		{"C1 control", "\u009b2J", `\u009b2J`},
		{"bidi override", "a\u202eb\u2066", `a\u202eb\u2066`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"no UTF-8", "a\xffb", "a\ufffdb"},
		{"backspace and delete", "a\bb\x7f", `a\bb\x7f`},
	} {
		if got := Quote(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("\x1b[2J\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		quoted := Quote(text)
		if strings.ContainsAny(quoted, "\x1b\a\b\n\r\u009b\u202e\u2066\u200b") {
			t.Errorf("%q became %q", text, quoted)
		}
		if again := Quote(quoted); again != quoted {
			t.Errorf("quoted again, %q became %q", quoted, again)
		}
	})
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"longer text", 8, "longer…"},
		{"漢字漢字", 8, "漢字漢字"},
		{"漢字漢字", 7, "漢字漢…"},
		{"any", 0, "…"},
	} {
		if got := Shorten(c.in, c.width); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestBytesAndCount(t *testing.T) {
	t.Parallel()
	for count, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 50_000_000: "50.0 MB", 2 << 50: "2251.8 TB"} {
		if got := Bytes(count); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", count, got, want)
		}
	}
	for want, got := range map[string]string{"1 copy": Count(1, "copy"), "0 copies": Count(0, "copy"), "2 skills": Count(2, "skill")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func none(string) string { return "" }

func TestOutputs(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	terminal := New(&out, &errs, none)
	terminal.Printf("%s\n", terminal.Bold("result"))
	terminal.Table([]string{"a", "b"}, [][]any{{"x\x1b[2J", 1}})
	terminal.Note("note %s", "\u202e")
	terminal.Warn("bad")
	terminal.Error("first\nsecond")
	terminal.Quiet = true
	terminal.Note("unheard")
	terminal.Warn("unheard")
	terminal.Error("heard")
	if want := "result\na         b\nx\\x1b[2J  1\n"; out.String() != want {
		t.Errorf("stdout %q, want %q", out.String(), want)
	}
	if want := "note \\u202e\nwarning: bad\nskillcorpus: first\n  second\nskillcorpus: heard\n"; errs.String() != want {
		t.Errorf("stderr %q, want %q", errs.String(), want)
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFailedTellsOfLostResults(t *testing.T) {
	t.Parallel()
	terminal := New(full{}, full{}, none)
	terminal.Note("stderr does not count")
	if err := terminal.Failed(); err != nil {
		t.Errorf("before a result: %v", err)
	}
	terminal.Printf("lost")
	if err := terminal.Failed(); !errors.Is(err, errFull) {
		t.Errorf("%v, want %v", err, errFull)
	}
}

func TestNoteStandsAboveProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &stream{to: &out}
	s.draw("parse 1")
	s.draw("parse 1")
	if _, err := s.Write([]byte("note\n")); err != nil {
		t.Fatal(err)
	}
	s.draw("")
	if want := clearLine + "parse 1" + clearLine + "note\n" + "parse 1" + clearLine; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	var done, total, failed, size int64
	read := func(v *int64) func() int64 { return func() int64 { return *v } }
	p := &pace{Tally: Tally{Total: read(&total), Done: read(&done), Failed: read(&failed), Bytes: read(&size)}}
	at := time.Unix(0, 0)
	step := func(after time.Duration, count int64) {
		at, done = at.Add(after), count
		p.sample(at)
	}
	step(0, 0)
	if got := p.gauge() + p.describe(); got != "0 done" {
		t.Errorf("with nothing known: %q", got)
	}
	step(100*time.Millisecond, 5)
	step(900*time.Millisecond, 10)
	if got := p.describe(); got != "10 done, 10.0/s" {
		t.Errorf("without a total: %q", got)
	}
	total, failed, size = 110, 2, 3_000_000
	if got, want := p.gauge()+p.describe(), "█░░░░░░░░░░░░░░░░░░░ 10 of 110 (9%), 10.0/s, about 10s left, 3.0 MB, 2 to be tried again"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// After a stand of an hour the rate is the last minute's.
	step(time.Hour, 10)
	for range 60 {
		step(time.Second, done+1)
	}
	if got := p.describe(); !strings.Contains(got, ", 1.0/s, about 40s left") {
		t.Errorf("after a stand: %q", got)
	}
	// A phase that counts other things begins anew.
	step(time.Second, 3)
	step(time.Second, 5)
	if got := p.describe(); !strings.HasPrefix(got, "5 of 110 (4%), 2.0/s, about 53s left") {
		t.Errorf("in another phase: %q", got)
	}
	if len(p.samples) > 100 {
		t.Errorf("%d samples are kept", len(p.samples))
	}
}
