package code

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"skillcorpus/data"
)

// installs returns the packages that a command line installs, or fetches to run.
func installs(words []string) []data.Dependency {
	if manager, rest := runner(words); manager != "" {
		for _, word := range rest {
			if !strings.HasPrefix(word, "-") {
				return dependency(manager, word)
			}
		}
		return nil
	}
	manager, rest := installer(words)
	if manager == "" {
		return nil
	}
	var found []data.Dependency
	skip := false
	for _, word := range rest {
		switch {
		case skip:
			skip = false
		case strings.HasPrefix(word, "-"):
			skip = takesValue(word)
		default:
			found = append(found, dependency(manager, word)...)
		}
	}
	return found
}

// runner tells which package manager fetches the program that a command line runs, and the words after the verb.
func runner(words []string) (manager string, rest []string) {
	switch tool := path.Base(words[0]); {
	case tool == "npx", tool == "bunx":
		if len(words) > 1 && words[1] == "tsc" { // TypeScript's own command; the package of that name is another
			return "npm", []string{"typescript"}
		}
		return "npm", words[1:]
	case tool == "uvx":
		return "pip", words[1:]
	case (tool == "pnpm" || tool == "yarn") && len(words) > 2 && words[1] == "dlx":
		return "npm", words[2:]
	case tool == "pipx" && len(words) > 2 && words[1] == "run":
		return "pip", words[2:]
	}
	return "", nil
}

// installer tells which package manager a command line calls to install, and the words after the verb.
func installer(words []string) (manager string, rest []string) {
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	after := func(i int) []string { return words[min(i, len(words)):] }
	switch tool := path.Base(words[0]); tool {
	case "pip", "pip3", "pipx":
		if at(1) == "install" {
			return "pip", after(2)
		}
	case "python", "python3":
		if at(1) == "-m" && at(2) == "pip" && at(3) == "install" {
			return "pip", after(4)
		}
	case "uv":
		switch {
		case at(1) == "pip" && at(2) == "install", at(1) == "tool" && at(2) == "install":
			return "pip", after(3)
		case at(1) == "add":
			return "pip", after(2)
		}
	case "npm", "pnpm", "yarn", "bun":
		verb := at(1)
		if verb == "global" {
			verb, words = at(2), after(1)
		}
		if verb == "add" || (tool != "yarn" && (verb == "install" || verb == "i")) {
			return "npm", after(2)
		}
	case "go":
		if at(1) == "install" || at(1) == "get" {
			return "go", after(2)
		}
	case "apt", "apt-get":
		rest = after(1)
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0] == "install" {
			return "apt", rest[1:]
		}
	case "cargo":
		if at(1) == "install" || at(1) == "add" {
			return "cargo", after(2)
		}
	case "composer":
		if at(1) == "require" {
			return "composer", after(2)
		}
	case "apk":
		if at(1) == "add" {
			return "apk", after(2)
		}
	case "dnf", "yum":
		if at(1) == "install" || at(2) == "install" {
			return "dnf", slices.DeleteFunc(slices.Clone(after(1)), func(word string) bool { return word == "install" })
		}
	case "conda", "mamba", "micromamba":
		if at(1) == "install" {
			return "conda", after(2)
		}
	case "brew", "gem":
		if at(1) == "install" {
			return tool, after(2)
		}
	}
	return "", nil
}

// takesValue reports whether an option of an installer is followed by its value.
func takesValue(option string) bool {
	switch option {
	case "-r", "--requirement", "-e", "--editable", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "--target", "-t",
		"--registry", "--prefix", "--python", "-f", "--find-links", "--features", "--git", "--path", "--version", "-v", "--channel",
		"--filter", "--cwd", "--from", "--with", "-n", "--name":
		return true
	}
	return false
}

var (
	packageForm = regexp.MustCompile(`^[@A-Za-z0-9][\w./+@-]*$`)
	versionForm = regexp.MustCompile(`^[<>=!~^ ]*v?\d[\w.*+!-]*(?:\s*,\s*[<>=!~^ ]*\d[\w.*+!-]*)*$`)
)

// dependency reads a package as a manager's command line or manifest names it; none for a path, an address or a
// placeholder.
func dependency(manager, word string) []data.Dependency {
	if strings.HasPrefix(word, ".") || strings.HasPrefix(word, "/") || strings.Contains(word, "://") || standsForAny(word) {
		return nil
	}
	name, version := word, ""
	switch manager {
	case "pip":
		name, version = cutAt(word, "=<>!~;@ ")
		name, _ = cutAt(name, "[")
		name = pipName(name)
		version, _, _ = strings.Cut(version, ";")
	case "npm", "cargo", "brew":
		if at := strings.LastIndexByte(word, '@'); at > 0 {
			name, version = word[:at], word[at+1:]
		}
	case "go":
		name, version, _ = strings.Cut(word, "@")
		if !strings.Contains(name, ".") {
			return nil
		}
	case "apt", "apk", "conda":
		name, version = cutAt(word, "=<>~")
	case "composer", "gem":
		name, version, _ = strings.Cut(word, ":")
	}
	if !packageForm.MatchString(name) || standsForAny(name) {
		return nil
	}
	version = strings.TrimLeft(strings.TrimSpace(version), "=@ ")
	if !versionForm.MatchString(version) {
		version = "" // `latest`, a branch, a variable
	}
	return []data.Dependency{{Manager: manager, Name: name, Version: version}}
}

// standsForAny reports whether a name stands for any other.
func standsForAny(name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "@"))
	for _, start := range [...]string{"your-", "your_", "your/", "my-", "my_", "some-", "some_", "package-name", "placeholder", "example", "foo", "packagename"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return strings.Contains(name, "/your") || strings.Contains(name, "/example/")
}

// pipName is a distribution's name in the one form that all spellings of it share (PEP 503).
func pipName(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-"))
}

func cutAt(word, stops string) (before, after string) {
	if at := strings.IndexAny(word, stops); at >= 0 {
		return word[:at], word[at:]
	}
	return word, ""
}
