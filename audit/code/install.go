package code

import (
	"path"
	"regexp"
	"strings"
)

// installs returns the packages that a command line installs, as `manager:name` without versions.
func installs(words []string) []string {
	manager, rest := installer(words)
	if manager == "" {
		return nil
	}
	var found []string
	skip := false
	for _, word := range rest {
		switch {
		case skip:
			skip = false
		case strings.HasPrefix(word, "-"):
			skip = takesValue(word)
		default:
			if name := packageName(manager, word); name != "" {
				found = append(found, manager+":"+name)
			}
		}
	}
	return found
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
	case "brew":
		if at(1) == "install" {
			return "brew", after(2)
		}
	}
	return "", nil
}

// takesValue reports whether an option of an installer is followed by its value.
func takesValue(option string) bool {
	switch option {
	case "-r", "--requirement", "-e", "--editable", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "--target", "-t",
		"--registry", "--prefix", "--python", "-f", "--find-links":
		return true
	}
	return false
}

var packageForm = regexp.MustCompile(`^[@A-Za-z0-9][\w./+@-]*$`)

func packageName(manager, word string) string {
	if strings.HasPrefix(word, ".") || strings.HasPrefix(word, "/") || strings.Contains(word, "://") || word == "placeholder" {
		return ""
	}
	switch manager {
	case "pip":
		word = word[:cutAt(word, "=<>!~[;@ ")]
		word = strings.ToLower(word)
	case "npm":
		if at := strings.LastIndexByte(word, '@'); at > 0 {
			word = word[:at]
		}
	case "go":
		word, _, _ = strings.Cut(word, "@")
		if !strings.Contains(word, ".") || strings.HasPrefix(word, ".") {
			return ""
		}
	case "apt":
		word = word[:cutAt(word, "=")]
	}
	if !packageForm.MatchString(word) {
		return ""
	}
	return word
}

func cutAt(word, stops string) int {
	if at := strings.IndexAny(word, stops); at >= 0 {
		return at
	}
	return len(word)
}
