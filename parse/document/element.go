package document

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"skillcorpus/data"
)

// maxElements bounds the blocks that are told of one file: no real one has over 700.
const maxElements = 5000

func (s *scan) addElement(e data.Block) {
	if len(s.elements) < maxElements {
		s.elements = append(s.elements, e)
	}
}

// addList tells of a list that lies in no other.
func (s *scan) addList(n *ast.List) {
	if n.Parent().Kind() == ast.KindListItem {
		return
	}
	line := s.lineAt(n.Pos())
	list := data.Block{Kind: data.BlockList, Line: line, End: s.lastLine(n, line), Ordered: n.IsOrdered()}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		list.Items++
		if s.isTask(item.FirstChild()) {
			list.Tasks++
		}
	}
	s.addElement(list)
}

// isTask reports whether an item's first paragraph begins with a box to tick, `[ ]` or `[x]`.
func (s *scan) isTask(n ast.Node) bool {
	if n == nil || n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() == 0 {
		return false
	}
	box := s.source[n.Lines().At(0).Start:]
	return len(box) > 3 && box[0] == '[' && (box[1] == ' ' || box[1]|0x20 == 'x') && box[2] == ']' && (box[3] == ' ' || box[3] == '\t')
}

// lastLine returns the last line of a block that begins on a line: the last before what follows it that is not blank,
// quote marks apart.
func (s *scan) lastLine(n ast.Node, line int) int {
	end := len(s.starts)
	for up := n; up != nil; up = up.Parent() {
		if next := up.NextSibling(); next != nil {
			end = s.lineAt(next.Pos())
			break
		}
	}
	for end--; end > line; end-- {
		if len(bytes.Trim(s.source[s.starts[end]:s.endOf(end)], "> \t\r\n")) > 0 {
			return end
		}
	}
	return line
}

func (s *scan) endOf(line int) int {
	if line+1 < len(s.starts) {
		return s.starts[line+1]
	}
	return len(s.source)
}

var delimiterCell = regexp.MustCompile(`^[ \t]*:?-+:?[ \t]*$`)

// addTables tells of the table in a paragraph: as in GFM, the first line of dashes and bars below a line with as many
// cells, and all lines after it.
func (s *scan) addTables(lines *text.Segments) {
	for i := 1; i < lines.Len(); i++ {
		line, head := lines.At(i), lines.At(i-1)
		columns := delimiterColumns(s.source[line.Start:line.Stop])
		if columns == 0 || columns != len(cells(s.source[head.Start:head.Stop])) {
			continue
		}
		s.addElement(data.Block{
			Kind: data.BlockTable, Line: s.lineAt(head.Start), End: s.lineAt(lines.At(lines.Len() - 1).Start),
			Items: lines.Len() - i - 1, Columns: columns,
		})
		return
	}
}

// delimiterColumns returns the number of columns that a line of dashes and bars makes, 0 for any other line.
func delimiterColumns(line []byte) int {
	if bytes.IndexByte(line, '-') < 0 || bytes.IndexByte(line, '|') < 0 || len(bytes.Trim(line, "|-: \t\r\n")) > 0 {
		return 0
	}
	row := cells(line)
	for _, cell := range row {
		if !delimiterCell.Match(cell) {
			return 0
		}
	}
	return len(row)
}

// cells cuts a row at its bars, but for those behind a backslash and those at its ends.
func cells(line []byte) [][]byte {
	line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte{'|'})
	var row [][]byte
	from := 0
	for i, c := range line {
		if c == '|' && (i == 0 || line[i-1] != '\\') {
			row = append(row, line[from:i])
			from = i + 1
		}
	}
	if from < len(line) {
		row = append(row, line[from:])
	}
	return row
}

// addHTML tells of a block of raw HTML: as code if it is <pre>, else as comment or HTML with the links in it.
func (s *scan) addHTML(n *ast.HTMLBlock) {
	lines := text.NewSegments()
	lines.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
	if n.HasClosure() {
		lines.Append(n.ClosureLine)
	}
	if lines.Len() == 0 {
		return
	}
	html := s.textOf(lines)
	first := strings.TrimLeft(html, " ")
	if n.HTMLBlockType == ast.HTMLBlockType1 && len(first) >= 4 && strings.EqualFold(first[:4], "<pre") {
		s.addLines(lines)
		return
	}
	block := data.Block{Kind: data.BlockHTML, Line: s.lineAt(lines.At(0).Start), End: s.lineAt(lines.At(lines.Len() - 1).Start)}
	if n.HTMLBlockType == ast.HTMLBlockType2 {
		block.Kind = data.BlockComment
		s.addElement(block)
		return
	}
	s.addElement(block)
	s.addHTMLLinks(html, block.Line)
}

// addRawHTML tells of HTML inside a paragraph: comments and links only, since `<name>` is mostly a placeholder.
func (s *scan) addRawHTML(n *ast.RawHTML) {
	if n.Segments.Len() == 0 {
		return
	}
	html, line := string(n.Segments.Value(s.source)), s.lineAt(n.Segments.At(0).Start)
	if strings.HasPrefix(html, "<!--") {
		end := s.lineAt(n.Segments.At(n.Segments.Len() - 1).Start)
		s.addElement(data.Block{Kind: data.BlockComment, Line: line, End: end})
		return
	}
	s.addHTMLLinks(html, line)
}
