package archive

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName returns a member's name in its shortest form, empty for the root itself, or why it is refused.
func (l Limits) CheckName(name string) (clean, why string) {
	switch {
	case len(name) > l.Name:
		return "", fmt.Sprintf("name of %d bytes, limit %d", len(name), l.Name)
	case !utf8.ValidString(name):
		return "", "name is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", "control character in the name"
	case strings.Contains(name, `\`):
		return "", "backslash in the name"
	case strings.HasPrefix(name, "/"):
		return "", "absolute path"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", "path with `..`"
	}
	if clean = path.Clean(name); clean == "." {
		return "", ""
	}
	if depth := strings.Count(clean, "/") + 1; depth > l.Depth {
		return "", fmt.Sprintf("path of %d parts, limit %d", depth, l.Depth)
	}
	return clean, ""
}

// quote makes a hostile text safe to show, and short.
func quote(text string) string {
	const most = 100
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}

// Vendored reports whether a path lies in, or is, a folder that discovery never walks: `.git`,
// `node_modules` and `__pycache__` (DESIGN.md 2).
func Vendored(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".git" || part == "node_modules" || part == "__pycache__" {
			return true
		}
	}
	return false
}
