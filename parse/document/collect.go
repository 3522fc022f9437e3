package document

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// linkMarks counts what the work of reading links grows with: brackets and bare URLs.
func linkMarks(line []byte) int {
	return bytes.Count(line, []byte{'['}) + bytes.Count(line, []byte{'<'}) + bytes.Count(line, []byte("://"))
}

// collect walks the tree in document order.
func (s *scan) collect(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch c := child.(type) {
		case *ast.FencedCodeBlock:
			s.addFence(c)
		case *ast.CodeBlock:
			s.addLines(c.Lines())
		case *ast.HTMLBlock:
			s.addHTML(c)
		case *ast.RawHTML:
			s.addRawHTML(c)
		case *ast.Text:
			s.addURLs(c.Segment)
		case *ast.CodeSpan:
		case *ast.List:
			s.addList(c)
			s.collect(c)
		case *ast.Heading:
			s.addHeading(c)
		case *ast.Link:
			s.addLink(c, string(c.Destination), false)
			s.collectImages(c)
		case *ast.Image:
			s.addLink(c, string(c.Destination), true)
		case *ast.AutoLink:
			s.links = append(s.links, link{line: s.lineAt(c.Pos()), target: string(c.URL(s.source))})
		default:
			s.collect(child)
		}
	}
}

// collectImages walks what is inside a link: no other link can be.
func (s *scan) collectImages(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if image, ok := child.(*ast.Image); ok {
			s.addLink(image, string(image.Destination), true)
		} else {
			s.collectImages(child)
		}
	}
}

func (s *scan) addFence(n *ast.FencedCodeBlock) {
	f := s.fences[n]
	b := block{open: f.open, close: f.close, start: f.open + 1, end: f.close}
	if f.close < 0 {
		b.end = f.open + 1
		if count := n.Lines().Len(); count > 0 {
			b.end = s.lineAt(n.Lines().At(count-1).Start) + 1
		}
	}
	if n.Info != nil {
		b.info = strings.TrimSpace(string(n.Info.Segment.Value(s.source)))
	}
	b.text = s.textOf(n.Lines())
	s.blocks = append(s.blocks, b)
}

func (s *scan) addLines(lines *text.Segments) {
	if lines.Len() == 0 {
		return
	}
	s.blocks = append(s.blocks, block{
		open: -1, close: -1, text: s.textOf(lines),
		start: s.lineAt(lines.At(0).Start), end: s.lineAt(lines.At(lines.Len()-1).Start) + 1,
	})
}

// textOf returns lines without container prefixes and with `\n` line ends.
func (s *scan) textOf(lines *text.Segments) string {
	var out []byte
	for i := range lines.Len() {
		line := lines.At(i)
		line.ForceNewline = false
		out = append(out, line.Value(s.source)...)
	}
	return string(unixLines(out))
}

// unixLines returns text whose lines end with `\n` only, also where an editor left `\r\r\n`.
func unixLines(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
}

func (s *scan) addHeading(n *ast.Heading) {
	if n.Lines() == nil || n.Lines().Len() == 0 {
		return // `#` alone names nothing
	}
	name, long := s.long[n]
	if !long {
		name = s.plain(n)
	}
	line := s.lineAt(n.Lines().At(0).Start)
	s.headings = append(s.headings, heading{n.Level, line, strings.Join(strings.Fields(name), " ")})
	s.collect(n)
}

func (s *scan) addLink(n ast.Node, target string, image bool) {
	s.links = append(s.links, link{
		line: s.lineAt(n.Pos()), target: target, image: image,
		text: strings.Join(strings.Fields(s.plain(n)), " "),
	})
}

// plain returns the text inside a node, without marks.
func (s *scan) plain(n ast.Node) string {
	var out strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch c := child.(type) {
		case *ast.Text:
			out.Write(c.Segment.Value(s.source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.AutoLink:
			out.Write(c.Label(s.source))
		case *ast.RawHTML:
		default:
			out.WriteString(s.plain(child))
		}
	}
	return out.String()
}
