// Package rule owns the table of everything that parsing has to say about a file: one row a rule, with its
// severity and what it means. It never decides whether a rule applies. The sub-packages of parse make their
// findings here, and documentation is written from All.
package rule

import (
	"fmt"
	"slices"

	"skillcorpus/data"
)

// The rules of parsing, by the part of the file that they are about.
const (
	Binary       = "encoding.binary"
	InvalidBytes = "encoding.invalid"
	NULBytes     = "encoding.nul"

	Missing            = "frontmatter.missing"
	Unclosed           = "frontmatter.unclosed"
	NotMapping         = "frontmatter.not-mapping"
	Recovered          = "frontmatter.recovered"
	Unreadable         = "frontmatter.unreadable"
	Budget             = "frontmatter.budget"
	DuplicateKey       = "frontmatter.duplicate-key"
	CutByComment       = "frontmatter.comment-cut"
	KeyCase            = "frontmatter.key-case"
	WrongType          = "frontmatter.wrong-type"
	MissingName        = "frontmatter.missing-name"
	MissingDescription = "frontmatter.missing-description"

	UnclosedFence  = "markdown.unclosed-fence"
	CutFence       = "markdown.cut-fence"
	EmptyBody      = "markdown.empty-body"
	TooLarge       = "markdown.too-large"
	TooDeep        = "markdown.too-deep"
	LinksNotParsed = "markdown.links-not-read"
)

// Rule is one row of the table.
type Rule struct {
	ID       string
	Severity data.Severity
	Meaning  string
}

// All returns the table in the order of the constants.
func All() []Rule {
	return []Rule{
		{Binary, data.SeverityError, "the file is not text: a known header, or over 1 % NUL bytes"},
		{InvalidBytes, data.SeverityWarning, "bytes that are not text in the file's encoding were read as U+FFFD"},
		{NULBytes, data.SeverityWarning, "the text holds NUL bytes"},

		{Missing, data.SeverityWarning, "there is no frontmatter: the folder gives the name, and there is no description"},
		{Unclosed, data.SeverityWarning, "the opening delimiter is never closed, so nothing of the file is frontmatter"},
		{NotMapping, data.SeverityWarning, "the frontmatter holds no keys"},
		{Recovered, data.SeverityWarning, "the format's own parser refuses the block; its keys were read one by one"},
		{Unreadable, data.SeverityWarning, "the block cannot be read at all"},
		{Budget, data.SeverityWarning, "the block is larger, deeper or has more nodes than is read; nothing of it was"},
		{DuplicateKey, data.SeverityWarning, "a key is given twice; the last value counts"},
		{CutByComment, data.SeverityWarning, "an unquoted value ends at ` #`: YAML drops the rest as a comment"},
		{KeyCase, data.SeverityWarning, "a key is written in another letter case than the format asks for"},
		{WrongType, data.SeverityWarning, "a value is a list or a mapping where text is asked for, or the reverse"},
		{MissingName, data.SeverityWarning, "no name, or an empty one: the folder's is taken"},
		{MissingDescription, data.SeverityWarning, "no description, or an empty one"},

		{UnclosedFence, data.SeverityWarning, "a fence that the end of the file closes"},
		{CutFence, data.SeverityInfo, "a fence that the end of its list item or quote closes"},
		{EmptyBody, data.SeverityInfo, "there is no text beside the frontmatter"},
		{TooLarge, data.SeverityWarning, "the file is larger than what is parsed; what lies beyond is prose"},
		{TooDeep, data.SeverityWarning, "quotes and lists are nested deeper, or are more, than is parsed; what lies beyond is prose"},
		{LinksNotParsed, data.SeverityInfo, "a paragraph is too large or too full of brackets for its links to be read"},
	}
}

// Finding returns a finding of one of the rules above at a line of the file, counted from 1. Its File is
// empty, since a parser sees bytes only.
func Finding(id string, line int, format string, args ...any) data.Finding {
	rules := All()
	at := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if at < 0 {
		panic("rule not in the table: " + id)
	}
	return data.Finding{Rule: id, Severity: rules[at].Severity, Line: line, Message: fmt.Sprintf(format, args...)}
}
