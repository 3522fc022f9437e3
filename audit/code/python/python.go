// Package python owns what tree-sitter's grammar makes of a Python text: whether it takes it, and where not.
//
// It never executes anything and knows nothing of skills or Markdown. Package code calls it, and keeps texts from it
// that nest too deep.
package python

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
	grammar "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// Result is what the grammar makes of a text.
type Result struct {
	Whole   bool   // no fault
	GaveUp  bool   // it would take too long; nothing is known
	Line    int    // of the first fault, from 1
	Message string // what is wrong there
}

// Limits of one parse, in what the parser itself counts, so that the same text always gives the same result.
const (
	chunk      = 2 << 10 // bytes given at a time: each piece is copied, and again whenever the parser looks back
	maxReads   = 8       // of the whole text
	spareReads = 256
)

// Check reads a text as a module.
func Check(text string) Result {
	line := 0
	for _, piece := range windows(text) {
		result := check(piece)
		if !result.Whole {
			result.Line += line
			return result
		}
		line += strings.Count(piece, "\n")
	}
	return Result{Whole: true}
}

func check(text string) Result {
	if len(text) > maxWindow {
		return Result{GaveUp: true}
	}
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(sitter.NewLanguage(grammar.Language())); err != nil {
		return Result{GaveUp: true}
	}
	in := input{text: []byte(text), reads: spareReads + maxReads*(len(text)/chunk)}
	tree := parser.ParseWithOptions(in.read, nil, nil)
	if tree == nil {
		return Result{GaveUp: true}
	}
	defer tree.Close()
	root := tree.RootNode()
	switch {
	case in.reads < 0:
		return Result{GaveUp: true}
	case !root.HasError():
		return Result{Whole: true}
	}
	return locate(root, text)
}

// input is a text under its limits.
type input struct {
	text  []byte
	reads int // that are left
}

// read gives the parser the next piece, and the end of the text once too much was asked for.
func (in *input) read(at int, _ sitter.Point) []byte {
	if at >= len(in.text) || in.reads < 0 {
		return nil
	}
	in.reads--
	return in.text[at:min(len(in.text), at+chunk)]
}

// locate tells the first fault of a tree that has one. A bracket that nothing closes spoils all that follows, so
// it is told in the place of what the parser stumbles over later.
func locate(root *sitter.Node, text string) Result {
	fault := Result{Line: 1, Message: "syntax error"}
	cursor := root.Walk()
	defer cursor.Close()
	for {
		node := cursor.Node()
		if node.IsMissing() || node.IsError() {
			fault = describe(node, text)
			break
		}
		if node.HasError() && cursor.GotoFirstChild() {
			continue
		}
		if !next(cursor) {
			break
		}
	}
	if line, bracket := unclosed(root, text); line > 0 && line >= fault.Line {
		fault.Line, fault.Message = line, "`"+bracket+"` is never closed"
	}
	return fault
}

// next goes on after a node whose children are done or of no interest.
func next(cursor *sitter.TreeCursor) bool {
	for !cursor.GotoNextSibling() {
		if !cursor.GotoParent() {
			return false
		}
	}
	return true
}

func describe(node *sitter.Node, text string) Result {
	line := int(node.StartPosition().Row) + 1
	if node.IsMissing() {
		return Result{Line: line, Message: "`" + node.Kind() + "` is missing"}
	}
	return Result{Line: line, Message: "cannot read `" + firstLine(node, text) + "`"}
}

func firstLine(node *sitter.Node, text string) string {
	from, to := node.ByteRange()
	line, _, _ := strings.Cut(strings.TrimSpace(text[from:to]), "\n")
	const most = 60
	if len(line) > most {
		return strings.ToValidUTF8(line[:most], "") + "…"
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}

// unclosed returns the innermost bracket that the end of the text leaves open, with its line; 0 for none.
func unclosed(root *sitter.Node, text string) (int, string) {
	type bracket struct {
		line int
		kind string
	}
	var open []bracket
	cursor := root.Walk()
	defer cursor.Close()
	for {
		node := cursor.Node()
		if node.ChildCount() == 0 && !node.IsMissing() {
			from, to := node.ByteRange()
			switch kind := text[from:to]; kind {
			case "(", "[", "{":
				open = append(open, bracket{int(node.StartPosition().Row) + 1, kind})
			case ")", "]", "}":
				if len(open) > 0 {
					open = open[:len(open)-1]
				}
			}
		} else if cursor.GotoFirstChild() {
			continue
		}
		if !next(cursor) {
			break
		}
	}
	if len(open) == 0 {
		return 0, ""
	}
	last := open[len(open)-1]
	return last.line, last.kind
}
