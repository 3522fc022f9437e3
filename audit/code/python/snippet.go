package python

import (
	"regexp"
	"strings"
)

var (
	magic  = regexp.MustCompile(`^(\s*)(%{1,2}[a-z]|[!?][\w./"'{$-])`)
	output = regexp.MustCompile(`^(\s*)(\w[\w.]*|[\w.]+\(.*\))\?{1,2}\s*$`) // `name?`: help in a notebook
)

// Snippet makes of a block what Python itself would read, with every line where it was: the prompts of a session
// and what it answers are blanked out, a notebook's magics too, and a common indent is taken off.
func Snippet(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(text, "\n")
	if strings.HasPrefix(strings.TrimSpace(text), ">>> ") || strings.Contains(text, "\n>>> ") {
		session(lines)
	}
	indent := common(lines)
	for i, line := range lines {
		line = strings.TrimPrefix(line, indent)
		if m := magic.FindStringSubmatch(line); m != nil {
			line = m[1] + "pass"
		} else if m := output.FindStringSubmatch(line); m != nil {
			line = m[1] + "pass"
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// session keeps the statements of an interactive session.
func session(lines []string) {
	for i, line := range lines {
		line = strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(line, ">>> "), strings.HasPrefix(line, "... "):
			lines[i] = line[4:]
		default:
			lines[i] = ""
		}
	}
}

// common returns the white space that every line with text begins with.
func common(lines []string) string {
	indent, found := "", false
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if text == "" {
			continue
		}
		own := line[:len(line)-len(text)]
		if !found {
			indent, found = own, true
			continue
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	return indent
}

// Fragment reads a block that may be a part of a module: the entries of a dictionary, the arguments of a call, a
// branch without its beginning, a decorator without its function. The fault is that of the block as a whole.
func Fragment(text string) Result {
	whole := Check(text)
	if whole.Whole || whole.GaveUp || len(text) > maxFragment {
		return whole
	}
	for _, frame := range frames {
		if part := Check(frame.before + text + frame.after); part.Whole {
			return part
		}
	}
	return whole
}

// maxFragment is the most bytes of a text that is tried as a part.
const maxFragment = 8 << 10

// frames are what fragments are cut out of.
var frames = [...]struct{ before, after string }{
	{"x = {", "\n}"},
	{"x(", "\n)"},
	{"try: pass\n", ""},
	{"if x: pass\n", ""},
	{"", "\ndef x(): pass"},
	{"try: pass\n", "\nfinally: pass"},
	{"", "\n    pass"},
}
