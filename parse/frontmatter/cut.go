package frontmatter

import (
	"bytes"
	"encoding/json"
)

// The formats of a block, as data.Frontmatter names them.
const (
	YAML = "yaml"
	TOML = "toml"
	JSON = "json"
)

// Block says where a file's frontmatter lies, in offsets of the text. Everything before Body and from
// BodyEnd to End is delimiter: blank lines before the block and the delimiter lines with their line ends.
type Block struct {
	Format  string
	Body    int
	BodyEnd int
	End     int
}

// Cut finds the frontmatter of a text. It opens only on the first line that is not blank, when that line is
// exactly `---` (YAML), `+++` (TOML) or `;;;` (JSON) but for blanks at its end, and closes only on the next
// line that is the same; `...` closes nothing, and the end of the file counts as a line end. A file that
// begins with a line `{` is JSON frontmatter to the next line `}` if that much is valid JSON: such a block
// has no delimiters.
//
// Without a block found is false. unclosed is then the opening line, counted from 1, if there is one that
// nothing closes, and 0 otherwise.
func Cut(text []byte) (block Block, found bool, unclosed int) {
	open, line := 0, 1
	for open < len(text) && isBlank(lineAt(text, open)) {
		open += len(lineAt(text, open))
		line++
	}
	first := lineAt(text, open)
	mark := string(bytes.TrimRight(first, " \t\r\n"))
	if mark == "{" {
		block, found = cutObject(text, open)
		return block, found, 0
	}
	format := formatOf(mark)
	if format == "" {
		return Block{}, false, 0
	}
	body := open + len(first)
	for at := body; at < len(text); {
		row := lineAt(text, at)
		if string(bytes.TrimRight(row, " \t\r\n")) == mark {
			return Block{Format: format, Body: body, BodyEnd: at, End: at + len(row)}, true, 0
		}
		at += len(row)
	}
	return Block{}, false, line
}

func formatOf(mark string) string {
	switch mark {
	case "---":
		return YAML
	case "+++":
		return TOML
	case ";;;":
		return JSON
	}
	return ""
}

func cutObject(text []byte, open int) (Block, bool) {
	for at := open; at < len(text); {
		row := lineAt(text, at)
		at += len(row)
		if string(bytes.TrimRight(row, " \t\r\n")) == "}" {
			if !json.Valid(text[open:min(at, open+MaxBytes+1)]) {
				return Block{}, false
			}
			return Block{Format: JSON, Body: open, BodyEnd: at, End: at}, true
		}
	}
	return Block{}, false
}

// lineAt returns the rest of a line from an offset, with its line end.
func lineAt(text []byte, at int) []byte {
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		return text[at : at+end+1]
	}
	return text[at:]
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }
