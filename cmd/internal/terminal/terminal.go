// Package terminal owns what people see: results on stdout, everything else on stderr, progress bars where
// stderr is a terminal and plain lines elsewhere, and the quoting of strangers' text so that it cannot move
// the cursor: notes, warnings, errors and table cells are quoted here, what Printf gets is quoted by its caller.
//
// It decides nothing about content or exit codes. Only the commands call it.
package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Terminal is where one command talks to its user.
type Terminal struct {
	out      *stream
	err      *stream
	JSON     bool // one object a line on stdout instead of text
	Quiet    bool // nothing on stderr but errors
	bars     bool
	color    bool
	width    int // of stdout
	errWidth int
}

// New returns a terminal on the two streams. Colour and bars are used only where they are shown to a person,
// and colour not with NO_COLOR set (no-color.org).
func New(stdout, stderr io.Writer, getenv func(string) string) *Terminal {
	t := &Terminal{out: &stream{to: stdout}, err: &stream{to: stderr}, width: pipedWidth, errWidth: pipedWidth}
	dumb := getenv("TERM") == "dumb"
	if width, ok := columns(stderr); ok && !dumb {
		t.bars, t.errWidth = true, width
	}
	if width, ok := columns(stdout); ok {
		t.color, t.width = getenv("NO_COLOR") == "" && !dumb, width
	}
	return t
}

// pipedWidth is the width of lines where nobody's screen sets it.
const pipedWidth = 100

// columns returns how wide a terminal is, and false for anything else.
func columns(to io.Writer) (width int, ok bool) {
	file, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 20 {
		return pipedWidth, true
	}
	return width, true
}

// Width returns how many columns a line of text should take at most.
func (t *Terminal) Width() int { return t.width }

// Printf writes a result to stdout. Whatever a stranger wrote must have gone through Quote; Failed tells of errors.
func (t *Terminal) Printf(format string, arguments ...any) {
	_, _ = fmt.Fprintf(t.out, format, arguments...)
}

// Failed returns the first error of writing to stdout.
func (t *Terminal) Failed() error { return t.out.failed() }

// Stderr returns stderr, for logs.
func (t *Terminal) Stderr() io.Writer { return t.err }

// Out returns stdout, for results that are streams.
func (t *Terminal) Out() io.Writer { return t.out }

// Object writes one JSON object as one line to stdout.
func (t *Terminal) Object(object any) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}

// Note tells people what is going on, on stderr.
func (t *Terminal) Note(format string, arguments ...any) {
	if !t.Quiet {
		t.line("", fmt.Sprintf(format, arguments...))
	}
}

// Warn tells people that something is not as they may think, on stderr.
func (t *Terminal) Warn(format string, arguments ...any) {
	if !t.Quiet {
		t.line("warning: ", fmt.Sprintf(format, arguments...))
	}
}

// Error says why the command failed, on stderr, even when quiet. Further lines are indented.
func (t *Terminal) Error(message string) { t.line("skillcorpus: ", message) }

func (t *Terminal) line(prefix, message string) {
	lines := strings.Split(message, "\n")
	for i, text := range lines {
		lines[i] = Quote(text)
	}
	_, _ = fmt.Fprintf(t.err, "%s%s\n", prefix, strings.Join(lines, "\n  "))
}

// Bold returns text in bold where stdout shows colour.
func (t *Terminal) Bold(text string) string { return t.style("1", text) }

// Dim returns text in a lighter shade where stdout shows colour.
func (t *Terminal) Dim(text string) string { return t.style("2", text) }

func (t *Terminal) style(code, text string) string {
	if !t.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Table writes rows under a header to stdout, in aligned columns. Cells that are text are quoted.
func (t *Terminal) Table(header []string, rows [][]any) {
	writer := table.NewWriter()
	writer.SetOutputMirror(t.out)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	style.Format.Header = 0
	writer.SetStyle(style)
	head := make(table.Row, len(header))
	for i, name := range header {
		head[i] = t.Dim(name)
	}
	writer.AppendHeader(head)
	for _, row := range rows {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			if cells[i] = cell; isText(cell) {
				cells[i] = Quote(fmt.Sprint(cell))
			}
		}
		writer.AppendRow(cells)
	}
	writer.SuppressTrailingSpaces()
	writer.Render()
}

// isText reports whether a cell is a string, whatever its type is named.
func isText(cell any) bool { return cell != nil && reflect.TypeOf(cell).Kind() == reflect.String }

// Quote returns text that a stranger wrote in a form that is safe to print on one line: control and invisible
// characters are shown as escapes, line breaks and other spaces as spaces.
func Quote(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			out.WriteByte(' ')
		case unicode.IsPrint(r):
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return out.String()
}

// Shorten cuts quoted text to at most width columns, with an ellipsis where something was cut.
func Shorten(quoted string, width int) string {
	if text.StringWidth(quoted) <= width {
		return quoted
	}
	return strings.TrimSpace(text.Trim(quoted, max(width-1, 0))) + "…"
}

// Bytes returns a count of bytes for people, in powers of ten.
func Bytes(count int64) string {
	value, unit := float64(count), 0
	for value >= 1000 && unit < 4 {
		value, unit = value/1000, unit+1
	}
	name := []string{"B", "kB", "MB", "GB", "TB"}[unit]
	if unit == 0 {
		return fmt.Sprintf("%d %s", count, name)
	}
	return fmt.Sprintf("%.1f %s", value, name)
}

// Count returns a number with its noun, in the plural where that is right.
func Count(number int64, noun string) string {
	switch {
	case number == 1:
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", number, noun)
}
