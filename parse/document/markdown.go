package document

import (
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"skillcorpus/data"
)

// Limits on what is parsed of a file, since goldmark's time grows with the square of nested quotes, lists
// and brackets. What lies beyond is prose.
const (
	MaxBytes   = 1 << 20
	MaxNesting = 64     // quotes and lists inside each other
	MaxLists   = 50_000 // quotes and lists of a file, so that their tree takes at most 200 MB; real files have under 800
	// A paragraph's links are read only up to this product of its bytes and brackets, and a whole file's only
	// up to the second figure: goldmark needs about 2 ns for each unit in the worst case, `[a](` repeated.
	maxParagraphWork  = 16 << 20
	maxDocumentWork   = 128 << 20
	maxReferenceLines = 1000    // of a paragraph that link references are read from
	maxHeading        = 4 << 10 // bytes of a heading whose text is taken
)

// block is a piece of code: in lines of the scanned text, counted from 0, the end exclusive.
type block struct {
	start, end int
	open       int // line of the opening fence, -1 for indented code and <pre>
	close      int // line of the closing fence, -1 if there is none
	info       string
	text       string
}

// heading is a heading with its text.
type heading struct {
	level int
	line  int
	text  string
}

// link is a link or image.
type link struct {
	line   int
	target string
	text   string
	image  bool
}

// scan is one run of goldmark's block parsers over a text, with what they and the inline parsers found.
// Lines are counted from 0.
type scan struct {
	source []byte
	starts []int // offset of each line

	blocks   []block
	headings []heading
	links    []link
	elements []data.Block // their lines counted from 0
	lists    int          // quotes and lists so far
	deep     int          // first line that is nested too deep, -1 if none is
	unread   int          // first line of a paragraph whose links were not read, -1 if there is none

	fences map[ast.Node]fence
	long   map[ast.Node]string // text of headings that are too long to parse
	work   int
}

type fence struct{ open, close int }

// scanMarkdown parses source, whose lines begin at starts.
func scanMarkdown(source []byte, starts []int) *scan {
	s := &scan{source: source, starts: starts, deep: -1, unread: -1, fences: map[ast.Node]fence{}, long: map[ast.Node]string{}}
	if len(source) == 0 {
		return s
	}
	root := s.parser().Parse(text.NewReader(source))
	s.collect(root)
	slices.SortStableFunc(s.links, func(a, b link) int { return a.line - b.line })
	slices.SortStableFunc(s.elements, func(a, b data.Block) int { return a.Line - b.Line })
	return s
}

// parser returns goldmark's own block parsers, some of them watched, and of its inline parsers those that
// decide what is a link. Tables are no parser of theirs: they change nothing about where code lies, and links in
// them read like others.
func (s *scan) parser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(headingParser{parser.NewSetextHeadingParser(), s}, 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(boundedParser{parser.NewListParser(), s}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(headingParser{parser.NewATXHeadingParser(), s}, 600),
			util.Prioritized(fenceParser{parser.NewFencedCodeBlockParser(), s}, 700),
			util.Prioritized(boundedParser{parser.NewBlockquoteParser(), s}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(referenceBound{parser.LinkReferenceParagraphTransformer, s}, 100),
			util.Prioritized(paragraphBound{s}, 200),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(headingEmphasis{parser.NewEmphasisParser()}, 500),
		),
	)
}

// lineAt returns the line that holds an offset.
func (s *scan) lineAt(offset int) int { return max(0, sort.SearchInts(s.starts, offset+1)-1) }

// fenceParser notes on which lines a fence opens and closes: the tree doesn't say.
type fenceParser struct {
	parser.BlockParser
	scan *scan
}

func (p fenceParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.Position()
	node, state := p.BlockParser.Open(parent, reader, pc)
	if node != nil {
		p.scan.fences[node] = fence{line, -1}
	}
	return node, state
}

func (p fenceParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.Position()
	state := p.BlockParser.Continue(node, reader, pc)
	if state&parser.Close != 0 {
		p.scan.fences[node] = fence{p.scan.fences[node].open, line}
	}
	return state
}

// boundedParser opens no list or quote inside or after too many others.
type boundedParser struct {
	parser.BlockParser
	scan *scan
}

func (p boundedParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, position := reader.Position()
	node, state := p.BlockParser.Open(parent, reader, pc)
	if node == nil {
		return node, state
	}
	if p.scan.lists++; p.scan.lists <= MaxLists && nesting(parent) < MaxNesting {
		return node, state
	}
	reader.SetPosition(line, position)
	if p.scan.deep < 0 {
		p.scan.deep = line
	}
	return nil, parser.NoChildren
}

func nesting(n ast.Node) int {
	depth := 0
	for ; n != nil; n = n.Parent() {
		if n.Kind() == ast.KindList || n.Kind() == ast.KindBlockquote {
			depth++
		}
	}
	return depth
}

// referenceBound keeps goldmark from reading link references out of very long paragraphs: it moves all lines
// for each one that it takes out.
type referenceBound struct {
	parser.ParagraphTransformer
	scan *scan
}

func (b referenceBound) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() <= maxReferenceLines {
		b.ParagraphTransformer.Transform(node, reader, pc)
	} else if linkMarks(b.scan.source[lines.At(0).Start:lines.At(0).Stop]) > 0 {
		b.scan.noteUnread(lines)
	}
}

func (s *scan) noteUnread(lines *text.Segments) {
	if s.unread < 0 {
		s.unread = s.lineAt(lines.At(0).Start)
	}
}

// paragraphBound keeps goldmark's inline parsers off paragraphs that hold no link, and off those that would
// take too long. Such a paragraph keeps one character, since an empty one would change the list around it.
type paragraphBound struct{ scan *scan }

func (b paragraphBound) Transform(node *ast.Paragraph, _ text.Reader, pc parser.Context) {
	isOpen := func(o parser.Block) bool { return o.Node == node }
	if !slices.ContainsFunc(pc.OpenedBlocks(), isOpen) {
		return // it is becoming a setext heading
	}
	b.scan.addTables(node.Lines())
	if !b.scan.admit(node.Lines()) {
		collapse(node)
	}
}

func collapse(node ast.Node) {
	first := node.Lines().At(0)
	lines := text.NewSegments()
	lines.Append(text.NewSegment(first.Start, min(first.Start+1, first.Stop)))
	node.SetLines(lines)
}

// admit reports whether the inline parsers may see these lines.
func (s *scan) admit(lines *text.Segments) bool {
	size, brackets := 0, 0
	for i := range lines.Len() {
		line := lines.At(i)
		size += line.Len()
		brackets += linkMarks(s.source[line.Start:line.Stop])
	}
	if brackets == 0 {
		return false
	}
	work := size * brackets
	if work > maxParagraphWork || s.work+work > maxDocumentWork {
		s.noteUnread(lines)
		return false
	}
	s.work += work
	return true
}

// headingParser keeps the inline parsers off headings that are too long.
type headingParser struct {
	parser.BlockParser
	scan *scan
}

func (p headingParser) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	p.BlockParser.Close(node, reader, pc)
	lines := node.Lines()
	if node.Parent() == nil || lines == nil || lines.Len() == 0 {
		return
	}
	if start, stop := lines.At(0).Start, lines.At(lines.Len()-1).Stop; stop-start > maxHeading {
		p.scan.long[node] = strings.ToValidUTF8(string(p.scan.source[start:start+maxHeading]), "")
		collapse(node)
	}
}

// headingEmphasis reads emphasis in headings only, to keep its marks out of their text.
type headingEmphasis struct{ parser.InlineParser }

func (p headingEmphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if parent.Kind() != ast.KindHeading {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}
