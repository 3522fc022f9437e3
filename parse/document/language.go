package document

import (
	"strings"

	linguist "github.com/go-enry/go-enry/v2/data"
)

// LanguageName returns the name that Linguist gives the language of an info string, empty if it knows none. Of
// go-enry only the tables are imported: its classifier would cost every command 20 ms at its start.
func LanguageName(info string) string {
	name, known := linguist.LanguageByAlias(firstWord(info))
	if !known {
		name, _ = linguist.LanguageByAlias(Language(info))
	}
	return name
}

func firstWord(info string) string {
	info = strings.TrimLeft(strings.TrimSpace(info), "{ .")
	if end := strings.IndexAny(info, " \t,;{}:="); end >= 0 {
		info = info[:end]
	}
	return info
}

// Language returns the language that an info string declares: its first word in lower case, without braces
// and a leading dot (`{.python}`, `{r, echo=FALSE}`), short names and file suffixes resolved. Dialects that
// are checked differently (`sh`, `bash`, `zsh`, `jsonc`, `tsx`) stay apart.
func Language(info string) string {
	word := strings.ToLower(firstWord(info))
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
