package document

import "strings"

// Language returns the language that an info string declares: its first word in lower case, without braces
// and a leading dot (`{.python}`, `{r, echo=FALSE}`), short names and file suffixes resolved. Dialects that
// are checked differently (`sh`, `bash`, `zsh`, `jsonc`, `tsx`) stay apart.
func Language(info string) string {
	info = strings.TrimLeft(strings.TrimSpace(info), "{ .")
	if end := strings.IndexAny(info, " \t,;{}:="); end >= 0 {
		info = info[:end]
	}
	word := strings.ToLower(info)
	switch word {
	case "py", "py3", "python3":
		return "python"
	case "js", "node", "mjs", "cjs":
		return "javascript"
	case "ts", "mts", "cts":
		return "typescript"
	case "yml":
		return "yaml"
	case "md":
		return "markdown"
	case "golang":
		return "go"
	case "rb":
		return "ruby"
	case "rs":
		return "rust"
	case "cs", "c#":
		return "csharp"
	case "c++":
		return "cpp"
	case "kt":
		return "kotlin"
	case "ps1", "pwsh":
		return "powershell"
	case "txt", "plaintext", "plain":
		return "text"
	case "docker":
		return "dockerfile"
	case "gql":
		return "graphql"
	case "tf":
		return "hcl"
	}
	return word
}
