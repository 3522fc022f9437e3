// Package encoding owns the way from a file's bytes to UTF-8 text, and from places in that text back to the
// file. It never looks at what the text means. parse/document calls it first, on every file.
package encoding

import (
	"bytes"
	"sort"
	"unicode/utf16"
	"unicode/utf8"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

// Text is a decoded file.
type Text struct {
	// Bytes is valid UTF-8 without byte order mark. Every line ends with `\n` or `\r\n`.
	Bytes []byte
	// BOM is the length of the byte order mark in the file, in bytes.
	BOM int
	// Binary says that the file is not text; then Bytes is nil.
	Binary   bool
	Findings []data.Finding

	lines   []int // offset of each line in Bytes
	origins []int // offset of each line in the file; nil where it is that in Bytes plus BOM
	size    int   // of the file
}

// Decode reads a file as UTF-8, or as UTF-16 where a byte order mark says so. Bytes that are not text become
// U+FFFD, with one finding that names the first one's offset. It never fails.
func Decode(file []byte) Text {
	mark, order := byteOrder(file)
	t := Text{BOM: mark, size: len(file)}
	if reason := binary(file, order != nil); reason != "" {
		t.Binary = true
		t.Findings = []data.Finding{rule.Finding(rule.Binary, 0, "binary, not text: %s", reason)}
		return t
	}
	body := file[mark:]
	switch {
	case order != nil:
		t.transcode(body, "UTF-16", func(b []byte) (rune, int) { return runeUTF16(b, order) })
	case utf8.Valid(body):
		t.Bytes = oldMac(body)
		t.lines = lineStarts(t.Bytes)
	default:
		t.transcode(oldMac(body), "UTF-8", runeUTF8)
	}
	if at := bytes.IndexByte(t.Bytes, 0); at >= 0 {
		t.Findings = append(t.Findings, rule.Finding(rule.NULBytes, t.LineAt(at)+1, "the text holds NUL bytes"))
	}
	return t
}

// Lines returns the number of lines. A last line without line end counts.
func (t Text) Lines() int { return len(t.lines) }

// LineStart returns the offset of a line in Bytes, counted from 0; past the last line it is len(Bytes).
func (t Text) LineStart(line int) int {
	if line >= len(t.lines) {
		return len(t.Bytes)
	}
	return t.lines[line]
}

// LineAt returns the line, counted from 0, that holds an offset of Bytes.
func (t Text) LineAt(offset int) int {
	return max(0, sort.SearchInts(t.lines, offset+1)-1)
}

// Origin returns the offset of a line in the file as it lies there; past the last line it is the file's size.
func (t Text) Origin(line int) int {
	switch {
	case line >= len(t.lines):
		return t.size
	case t.origins != nil:
		return t.origins[line]
	default:
		return t.lines[line] + t.BOM
	}
}

// oldMac gives text whose only line ends are `\r` the ends that everything else here knows.
func oldMac(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 || bytes.IndexByte(text, '\n') >= 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
}

func lineStarts(text []byte) []int {
	starts := make([]int, 0, bytes.Count(text, []byte{'\n'})+1)
	for at := 0; at < len(text); {
		starts = append(starts, at)
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	return starts
}

// transcode writes text of another encoding, or with bytes that are none, as UTF-8. next reads one character,
// -1 for bytes that are none.
func (t *Text) transcode(body []byte, name string, next func([]byte) (rune, int)) {
	out := make([]byte, 0, len(body)+len(body)/8)
	bad, first := 0, 0
	newLine := true
	for at := 0; at < len(body); {
		if newLine {
			t.lines, t.origins = append(t.lines, len(out)), append(t.origins, at+t.BOM)
		}
		r, size := next(body[at:])
		if r < 0 {
			r = utf8.RuneError
			if bad++; bad == 1 {
				first = at + t.BOM
			}
		}
		out = utf8.AppendRune(out, r)
		newLine = r == '\n'
		at += size
	}
	t.Bytes = out
	t.invalid(bad, first, name)
}

func (t *Text) invalid(bad, first int, name string) {
	if bad == 0 {
		return
	}
	line := sort.SearchInts(t.origins, first+1)
	t.Findings = append(t.Findings, rule.Finding(rule.InvalidBytes, line,
		"not valid %s at byte offset %d; read as U+FFFD (%d in all)", name, first, bad))
}

// wide reads one 16-bit unit.
type wide func([]byte) uint16

func runeUTF8(body []byte) (rune, int) {
	r, size := utf8.DecodeRune(body)
	if r == utf8.RuneError && size == 1 {
		return -1, 1
	}
	return r, size
}

func runeUTF16(body []byte, order wide) (rune, int) {
	if len(body) < 2 {
		return -1, len(body)
	}
	unit := rune(order(body))
	if !utf16.IsSurrogate(unit) {
		return unit, 2
	}
	if len(body) >= 4 {
		if pair := utf16.DecodeRune(unit, rune(order(body[2:]))); pair != utf8.RuneError {
			return pair, 4
		}
	}
	return -1, 2
}

func byteOrder(file []byte) (mark int, order wide) {
	switch {
	case bytes.HasPrefix(file, []byte("\xEF\xBB\xBF")):
		return 3, nil
	case bytes.HasPrefix(file, []byte("\xFF\xFE\x00\x00")): // UTF-32: left to the count of NUL bytes
		return 0, nil
	case bytes.HasPrefix(file, []byte("\xFF\xFE")):
		return 2, func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
	case bytes.HasPrefix(file, []byte("\xFE\xFF")):
		return 2, func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 }
	}
	return 0, nil
}
