package reference

import (
	"regexp"
	"strings"

	"skillcorpus/data"
)

// FindInPage returns the files that a bundled Markdown page names: what Find returns of a SKILL.md, each path taken
// from the page's folder or from the skill's. Only links and paths below the skill's own folders can be missing.
func FindInPage(page string, text []byte, tree Tree) []Reference {
	scan := newScanner(tree, "")
	scan.page = page
	scan.document(cut(string(text)), text)
	return scan.result()
}

// cut splits a page into prose and fenced code by its fence lines. That is all of Markdown that matters here: pages are
// not judged for their structure.
func cut(text string) data.Document {
	var doc data.Document
	start, startLine, line, fence := 0, 1, 1, ""
	add := func(kind data.SectionKind, end int, info string) {
		if end > start {
			lang, _, _ := strings.Cut(info, " ")
			doc.Sections = append(doc.Sections, data.Section{Kind: kind, Start: start, End: end, Line: startLine, Lang: strings.ToLower(lang)})
		}
	}
	at, info := 0, ""
	for row := range strings.SplitAfterSeq(text, "\n") {
		trimmed := strings.TrimSpace(row)
		switch marks := fenceOf(trimmed); {
		case fence == "" && marks != "":
			add(data.SectionProse, at, "")
			fence, info = marks, strings.TrimSpace(trimmed[len(marks):])
			start, startLine = at+len(row), line+1
		case fence != "" && strings.HasPrefix(marks, fence) && marks == trimmed:
			add(data.SectionCode, at, info)
			fence = ""
			start, startLine = at+len(row), line+1
		case fence == "":
			for _, target := range pageLinks(row) {
				doc.Links = append(doc.Links, data.Link{Line: line, Target: target})
			}
		}
		at += len(row)
		line++
	}
	if fence == "" {
		add(data.SectionProse, at, "")
	} else {
		add(data.SectionCode, at, info)
	}
	return doc
}

// fenceOf returns the run of three or more backticks or tildes that a line starts with.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if marks := line[:len(line)-len(strings.TrimLeft(line, mark))]; len(marks) >= 3 && !strings.Contains(line[len(marks):], "`") {
			return marks
		}
	}
	return ""
}

// quotedWords are words in quotes: what stands there is shown, not said.
var quotedWords = regexp.MustCompile(`"[^"]*\s[^"]*\]\([^"]*"`)

// pageLinks returns the destinations of a row's links, without those that stand in inline code or in quotes.
func pageLinks(row string) []string {
	if !strings.Contains(row, "](") {
		return nil
	}
	row = quotedWords.ReplaceAllString(row, "")
	if strings.Contains(row, "`](") || !strings.Contains(row, "`") {
		_, targets := cutLinks(row)
		return targets
	}
	var targets []string
	for i, part := range strings.Split(row, "`") {
		if i%2 == 0 {
			_, found := cutLinks(part)
			targets = append(targets, found...)
		}
	}
	return targets
}
