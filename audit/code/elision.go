package code

import (
	"regexp"
	"strings"
)

var (
	// A line that says that something belongs here which is not here.
	stubWords = regexp.MustCompile(`(?i)(\b(your|add|insert|put|implement|fill in|more) (\w+ )?(code|logic|implementation)( goes)?( here)?\b|\bimplementation (goes )?here\b|not (yet )?implemented|NotImplementedError|\btodo!\(|\bunimplemented!\(|pass\s+#\s*(implement|todo)|(#|//|--)\s*(TODO|FIXME)\b|^(#|//|--|/\*)\s*implementation( details?| goes here| here| depends on .*| would .*)?[ .…]*$)`)
	// A comment that stands for code: `# ... rest of the function`.
	dotsComment = regexp.MustCompile(`(#|//|--|/\*|<!--|;)\s*(\.\.\.|…)`)
	// A line of nothing but dots, perhaps inside brackets.
	dotsLine = regexp.MustCompile(`^[\s{\[(]*(\.\.\.|…)[\s)\]},;]*$`)
	// An empty body or value that dots stand for: `{ ... }`, `[...]`, `(…)`.
	dotsBody = regexp.MustCompile(`[{\[(]\s*(\.\.\.|…)\s*[}\])]`)

	prompt      = regexp.MustCompile(`(?m)^\s*(\$|>>>|%|>|C:\\.*>|\w[\w-]*(?: \w+\([^)\n]*\))?>|[\w@-]+[:~].*\$)\s`)
	placeholder = regexp.MustCompile(`<[A-Za-z_][^<>\n]{0,60}>|\{\{|\}\}|\{%|\[[A-Z][A-Z _-]{2,}\]|\$\{[^}\n]*\}|\{[a-z_]+\}|%[A-Z_]+%|\bYOUR[_-]`)
)

// elision returns the first words of a text that show that a part was left out, and their line. In a bundled
// script only stub words count: dots have other uses there.
func elision(text string, first int, script bool) (string, int) {
	line := first
	for row := range strings.SplitSeq(text, "\n") {
		if len(row) <= 2000 {
			trimmed := strings.TrimSpace(row)
			if hints(row) && stubWords.MatchString(trimmed) {
				return clip(trimmed), line
			}
			dots := strings.Contains(row, "...") || strings.Contains(row, "…")
			if dots && !script && (dotsComment.MatchString(row) || dotsLine.MatchString(row) || dotsBody.MatchString(row)) {
				return clip(trimmed), line
			}
		}
		line++
	}
	return "", 0
}

// hints is a quick test that spares most lines the expression: every stub holds one of these words.
func hints(row string) bool {
	row = strings.ToLower(row)
	for _, word := range []string{"implement", "todo", "fixme", "code", "logic"} {
		if strings.Contains(row, word) {
			return true
		}
	}
	return false
}

// isTemplate reports whether a text carries marks that explain why a parser refuses it: prompts,
// placeholders, dots, diff lines, trees of files, what a command is to put in.
func isTemplate(text string) bool {
	return strings.Contains(text, "├── ") || strings.Contains(text, "└── ") || strings.HasPrefix(text, "!`") || strings.Contains(text, "...") || strings.Contains(text, "…") || placeholder.MatchString(text) || prompt.MatchString(text) || isDiff(text)
}

func isDiff(text string) bool {
	return strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") && strings.Contains(text, "\n+")
}

// clip shortens words that are quoted in a message.
func clip(text string) string {
	const most = 80
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
