package code

import (
	"regexp"
	"strings"
)

// lenient reports whether a language's own syntax has dots, braces and angle brackets, so that only the narrow marks
// of explained tell why its parser refuses a text.
func lenient(lang string) bool {
	return lang == "python" || lang == "javascript" || lang == "typescript"
}

// The marks were read off 150 blocks of the reference corpus that parsers refuse.
var (
	// Something left out or to be filled in, prompts, diff lines, slash commands, trees of files.
	partial = regexp.MustCompile(`…|\.\.\.\s*[,;)\]}>]|[^\w\])]\.\.\.\s*$|(?m:^\s*\.\.\.|\.\.\.\s*$)|(?:#|//|/\*|--)\s*\.\.\.|(?::|=>?)\s*/\*[^*]*\*/\s*[,;)}]|` +
		`\{\{|\}\}|\{%|<%|#\{|\{[\w-]+\}\w|/\{[\w-]+\}|<[a-z]+[-_ ][A-Za-z_ "\[\]-]*>|<[A-Z][A-Z0-9_ -]+>|\[[A-Z][A-Z_ -]{2,}\]|\[[A-Za-z]+ [^\]\n"']*\]|` +
		`%[A-Z_]+%|\bYOUR[_-]|\w<[A-Z]\w*>\w|(?m:^\s*<[a-z]+>\??:)|\w\{[A-Z]\w*\}|\(\s*/\*[^*]*\*/\s*\)|\[[A-Za-z]+\][A-Z]|[├└]|\s→\s|(?m:^\s*[$>❯] |^[+-] |^[+-]{3} |^/[a-z][\w:-]* )`)
	pythonBlank = regexp.MustCompile(`<[A-Za-z_][\w ]*>|\$[A-Z_]+\b|^[ \t]*@[\w.]+(?:\(.*\))?\s*$`)
	// Elements and decorated methods that stand alone.
	looseParts = regexp.MustCompile(`(?m)^// (?:Python|Java|Ruby|Go|Rust|Kotlin|Swift|PHP)\b|^<[A-Za-z]|^@\w+\(.*\)\s*\n(?:async |\w+\()|^async \w[\w.]*\(|^constructor\(|^interface \w+\.|^@\w+ op |^@\w+\([^)]*>\)`)
	// A comment that announces a text in another language, and the first words of some.
	foreign = regexp.MustCompile(`(?mi)^\s*(?:#|//|/\*).*(?:\b(?:sql|terraform|prisma|html|css|json|yaml|toml|bash|shell|terminal|cron(?:tab)?|cli|command line|pseudo(?:-?code)?|fastfile|output|result|returns?|format|usage)\b|` +
		`\.env\b|\.\w*rc\b|\.(?:ini|cfg|conf|pbtxt|md|sh|txt)\b)|^\s*(?:<script|<template|<style|<!--|<!doctype|CREATE |SELECT |INSERT |ALTER |GET |POST |PUT |PATCH |DELETE /|---$)`)
	// Lines that are prose, a command, an entry of a list or table, or a signature in no language's syntax.
	notCode  = regexp.MustCompile(`^\s*(?:[^\x00-\x7F]|\d+\.\s|[|>%]|#{1,6} |\[[A-Z][\w -]*\]:|\(\)\s*=> *\w+ \w+|\w+="[^"]*$|\w+: \*|\* \w|[\w-]+="[^"]*"$|\w+='\[?$|/[a-z][\w/]*$|@(?:if|for|switch|reasoning)\b.*|\.[\w./]*/|\.\. |-- |mcp__|"[^"]*"\s*:|\w+: (?:\w+ \w|['"])|\w+::?\s*$|.*:\w+:|\w+ \w+=|r?"""|\w+: \{|[\w./-]+ +-{1,2}\w|[\w./-]+ +[\w./-]+(?:\s|$|[:,])|\w+\(.*\) -> )`)
	optional = regexp.MustCompile(`\(\w*\?\)|, \w+\?\)`) // `get(key, options?)` in a description of a call
	keyword  = regexp.MustCompile(`^\s*(?:def|class|if|elif|else|for|while|return|import|from|with|async|await|raise|del|assert|not|lambda|except|try|print|` +
		`global|nonlocal|yield|finally|const|let|var|function|export|new|throw|switch|case|default|type|interface|enum|declare|public|private|` +
		`protected|static|readonly|get|set|do|typeof|delete|abstract|namespace)\b`)
)

// excerpt is the most lines, less one, of a block that shows how a statement begins and no more.
const excerpt = 3

// explained reports whether a block of a lenient language carries marks of what was left out, is to be filled in, or is
// in another language than the one that it names; the line of the fault tells most.
func explained(text, lang string, at *fault) bool {
	if partial.MatchString(text) || foreign.MatchString(text) {
		return true
	}
	line := row(text, at.line)
	if startsCommand(strings.TrimSpace(line)) || optional.MatchString(line) || notCode.MatchString(line) && !keyword.MatchString(line) {
		return true
	}
	if lang == "python" {
		return pythonBlank.MatchString(line) || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	}
	if strings.Contains(at.message, "end of file") && strings.Count(strings.TrimSpace(text), "\n") < excerpt {
		return true
	}
	// A colon, brace or semicolon where none can be ends a label or a signature: a part of a type or an object.
	for _, found := range []string{`found ":"`, `found "?"`, `";" but found "{"`, `"{" but found ";"`} {
		if strings.Contains(at.message, found) {
			return true
		}
	}
	return looseParts.MatchString(text)
}

// row returns the nth line of a text, from 1.
func row(text string, n int) string {
	for ; n > 1; n-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}
