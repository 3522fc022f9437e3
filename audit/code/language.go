package code

import (
	"path"
	"strings"
)

// Shell is the canonical name of every shell whose grammar bash covers.
const Shell = "bash"

// Language returns the canonical name of a language as fences name it.
func Language(name string) string {
	switch name {
	case "sh", "shell", "zsh", "bash", "console", "terminal", "shell-session", "shellsession", "ksh", "bash-session":
		return Shell
	case "py", "python3", "py3", "pycon", "python":
		return "python"
	case "js", "node", "mjs", "cjs", "javascript", "jsx":
		return "javascript"
	case "ts", "mts", "cts", "typescript", "tsx":
		return "typescript"
	case "yml", "yaml":
		return "yaml"
	case "golang":
		return "go"
	case "rb":
		return "ruby"
	case "rs":
		return "rust"
	case "ps1", "pwsh", "ps":
		return "powershell"
	case "c++", "cc", "cxx":
		return "cpp"
	case "c#", "cs":
		return "csharp"
	case "kt":
		return "kotlin"
	case "jsonl", "ndjson":
		return "jsonc"
	case "plaintext", "txt", "plain":
		return "text"
	case "md", "mdx":
		return "markdown"
	}
	return name
}

// FileLanguage returns the canonical name of the language of a bundled file, by its suffix or, without one, by its first
// line; zsh is told from the other shells, and the empty string stands for a file in no language that is known.
func FileLanguage(name, text string) string {
	switch suffix := strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")); suffix {
	case "sh", "bash", "py", "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "go", "rb", "rs", "java", "c", "cpp", "cc", "cs", "kt",
		"ps1", "json", "yaml", "yml", "toml", "php", "pl", "r", "lua", "swift", "scala", "sql":
		if suffix == "json" && jsonWithComments(name) {
			return "jsonc"
		}
		return Language(suffix)
	case "zsh":
		return "zsh"
	case "jsonc", "json5":
		return suffix
	case "":
		return interpreter(text)
	}
	return ""
}

// jsonWithComments names the files whose readers allow comments and trailing commas.
func jsonWithComments(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, ".") || base == "settings.json"
}

func interpreter(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return ""
	}
	for _, word := range strings.FieldsFunc(line[2:], func(r rune) bool { return r == ' ' || r == '/' || r == '\t' || r == '\r' }) {
		switch strings.TrimRight(word, "0123456789.") {
		case "bash", "sh", "dash":
			return Shell
		case "python":
			return "python"
		case "node", "bun", "deno":
			return "javascript"
		case "ruby", "perl", "zsh", "php":
			return word
		}
	}
	return ""
}

// isCode reports whether a language is one that people run or feed to a program.
func isCode(lang string) bool { return IsProgram(lang) || IsConfig(lang) }

// IsProgram reports whether a language is run.
func IsProgram(lang string) bool {
	switch lang {
	case Shell, "zsh", "fish", "powershell", "bat", "cmd", "python", "javascript", "typescript", "go", "ruby", "rust", "java", "c", "cpp",
		"csharp", "kotlin", "swift", "php", "perl", "r", "lua", "scala", "julia", "elixir", "dart", "sql", "haskell", "clojure",
		"matlab", "solidity", "groovy", "objective-c", "vue", "svelte", "applescript", "gdscript", "nix", "graphql", "tcl", "verilog":
		return true
	}
	return false
}

// IsConfig reports whether a language is read by a program.
func IsConfig(lang string) bool {
	switch lang {
	case "json", "jsonc", "json5", "yaml", "toml", "ini", "xml", "html", "css", "scss", "hcl", "terraform", "tf", "dockerfile", "docker",
		"makefile", "make", "nginx", "properties", "env", "dotenv", "proto", "protobuf", "cmake", "gradle", "bicep", "latex", "tex", "rego":
		return true
	}
	return false
}

// looksLikeShell reports whether most lines of a block that names no language are command lines.
func looksLikeShell(text string) bool {
	commands, others := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if startsCommand(line) {
			commands++
		} else {
			others++
		}
	}
	return commands > 0 && commands >= others
}

// commands reports whether a block is command lines, whatever language it names.
func commands(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return startsCommand(line)
		}
	}
	return false
}

func startsCommand(line string) bool {
	prompt := strings.HasPrefix(line, "$ ")
	first, rest, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " ")
	switch first {
	case "python", "python3", "pip", "pip3", "uv", "uvx", "node", "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "git", "gh", "curl",
		"wget", "docker", "docker-compose", "kubectl", "helm", "terraform", "aws", "gcloud", "az", "cargo", "brew", "apt", "apt-get", "sudo",
		"bash", "sh", "cd", "mkdir", "cp", "chmod", "export", "source", "jq", "go", "make", "openclaw", "clawhub", "claude", "ssh", "ffmpeg":
		return rest != ""
	}
	return prompt || strings.HasPrefix(first, "./")
}
