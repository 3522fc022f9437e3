package danger

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"skillcorpus/data"
)

// triggers are the words without which no command below can be dangerous; most text is passed over by them.
func triggers() []string {
	return []string{
		"curl", "wget", "rm -", "mkfs", "dd if", "dd of", "/dev/", "crontab", "launchctl", "LaunchAgents", "systemctl", "rc.local",
		".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".git/hooks", "hooksPath", "CLAUDE.md", "SOUL.md", "AGENTS.md", "MEMORY.md",
		"sudoers", "NOPASSWD", "chmod", "setcap", "usermod", "--privileged", "dangerously", "bypassPermissions", "base64", "xxd", "eval",
		".ssh", ".aws", ".netrc", ".npmrc", ".kube", "gcloud", ".docker/config", "/etc/shadow", "keychain", "find-generic-password", "find-internet-password",
		".git-credentials", ".env", "printenv", "env |", "set |", "git+", "npx", "uvx", "nc ", "ncat", "iwr", "irm", "iex", "Invoke-", "git push", "sudo su", "sudo bash", "sudo -i", "sudo -s",
		"Login Data", "Cookies", "github:", "/:/", "docker.sock",
	}
}

// byFirst holds the triggers by their first byte, so that one pass over a text finds any.
var byFirst = sync.OnceValue(func() *[256][]string {
	var all [256][]string
	for _, word := range triggers() {
		all[word[0]] = append(all[word[0]], word)
	}
	return &all
})

func triggered(text string) bool {
	words := byFirst()
	for i := range len(text) {
		for _, word := range words[text[i]] {
			if strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}

// shellSigns returns the signs of shell text.
func shellSigns(text string) []Sign {
	if !triggered(text) {
		return nil
	}
	var signs []Sign
	for _, line := range pipelines(text) {
		signs = append(signs, pipelineSigns(line)...)
		for _, c := range line {
			signs = append(signs, c.signs()...)
		}
	}
	return append(signs, powershell(text)...)
}

// signs returns what one command shows by itself.
func (c *command) signs() []Sign {
	var signs []Sign
	add := func(rule string, confidence data.Confidence) {
		signs = append(signs, Sign{Rule: rule, Line: c.line, Words: c.text(), Confidence: confidence})
	}
	if c.destroys() {
		add("destructive-command", data.ConfidenceHigh)
	}
	if c.name == "git" && len(c.args) > 0 && c.args[0] == "push" && (c.has("--force") || c.short("f")) {
		add("force-push", data.ConfidenceMedium)
	}
	if c.raises() {
		add("privilege-escalation", data.ConfidenceMedium)
	}
	if c.has("--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox", "--yolo") || slices.Contains(c.args, "bypassPermissions") {
		add("permission-bypass", data.ConfidenceMedium)
	}
	if target := c.persists(); target != "" {
		confidence := data.ConfidenceMedium
		if c.name == "echo" && slices.ContainsFunc(c.args, setting.MatchString) {
			confidence = data.ConfidenceLow
		}
		signs = append(signs, Sign{Rule: "persistence", Line: c.line, Words: clip(c.text() + " → " + target), Confidence: confidence})
	}
	if c.readsCredentials() {
		add("credential-access", data.ConfidenceMedium)
	}
	if c.unpinned() {
		add("unpinned-remote-code", data.ConfidenceMedium)
	}
	return signs
}

var (
	wholeTree = regexp.MustCompile(`^(?:/|/\*|~/?|~/\*|\$HOME/?|\$HOME/\*|/(?:etc|usr|var|home|bin|sbin|lib|boot|opt|root|Users|System|Library)(?:/\*?)?|--no-preserve-root)$`)
	rawDevice = regexp.MustCompile(`^/dev/(?:sd[a-zX]|nvme\d|disk\d|hd[a-z]|mmcblk\d|vd[a-z]|rdisk\d)`)
)

// destroys finds what wipes a home, a system folder or a disk.
func (c *command) destroys() bool {
	switch {
	case c.name == "rm":
		return (c.short("r") || c.short("R") || c.has("--recursive")) && slices.ContainsFunc(c.args, wholeTree.MatchString)
	case c.name == "dd":
		return slices.ContainsFunc(c.args, func(a string) bool {
			target, of := strings.CutPrefix(a, "of=")
			return of && rawDevice.MatchString(target)
		})
	case strings.HasPrefix(c.name, "mkfs"), c.name == "wipefs", c.name == "shred":
		return slices.ContainsFunc(c.args, rawDevice.MatchString)
	}
	return slices.ContainsFunc(c.writes, rawDevice.MatchString)
}

var (
	worldMode = regexp.MustCompile(`^0?777$|^a\+rwx$|^ugo\+rwx$`)
	setUID    = regexp.MustCompile(`^[ugoa]*\+[rwx]*s|^[246]7[0-7]{2}$`)
)

// raises finds what gives a user or a container more rights than it had.
func (c *command) raises() bool {
	switch c.name {
	case "chmod":
		return slices.ContainsFunc(c.args, setUID.MatchString) || slices.ContainsFunc(c.args, worldMode.MatchString)
	case "setcap", "visudo":
		return true
	case "usermod", "gpasswd", "adduser":
		return slices.ContainsFunc(c.args, func(a string) bool { return a == "sudo" || a == "wheel" || a == "docker" || a == "root" })
	case "docker", "podman":
		return c.has("--privileged") || slices.ContainsFunc(c.args, func(a string) bool {
			return strings.HasPrefix(a, "/:/") || strings.HasPrefix(a, "/var/run/docker.sock:")
		})
	case "su", "bash", "sh", "zsh":
		return c.sudo && len(c.operands()) == 0 && !c.fed
	case "sudo":
		return len(c.args) > 0 && (c.args[0] == "-i" || c.args[0] == "-s")
	}
	return slices.ContainsFunc(c.writes, sudoers) || c.name == "tee" && slices.ContainsFunc(c.args, sudoers)
}

func sudoers(path string) bool { return strings.HasPrefix(path, "/etc/sudoers") }

// setting is a line for a shell's profile that sets a variable or a name: the usual end of an installation.
var setting = regexp.MustCompile(`^\s*(?:export |alias |set -gx |[A-Z_]+=)`)

var (
	startup = regexp.MustCompile(`(?:^|/)(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|\.zshenv|config\.fish)$|^/etc/(?:cron|profile|rc\.local|systemd/system|init\.d)|/LaunchAgents/|/LaunchDaemons/|\.config/(?:autostart|systemd/user)/|\.git/hooks/(?:[a-z-]+)$`)
	memory  = regexp.MustCompile(`(?:^|/)(?:CLAUDE|SOUL|AGENTS|MEMORY|IDENTITY|GEMINI)\.md$|\.claude/settings(?:\.local)?\.json$`)
)

// persists returns what a command changes so that something runs, or an agent is told something, from then on.
func (c *command) persists() string {
	targets := slices.Clone(c.writes)
	switch c.name {
	case "tee":
		targets = append(targets, c.operands()...)
	case "cp", "mv", "ln", "install":
		if words := c.operands(); len(words) > 1 {
			targets = append(targets, words[len(words)-1])
		}
	case "crontab":
		if c.has("-l", "-e") || len(c.args) == 0 {
			return ""
		}
		return "crontab"
	case "launchctl":
		if len(c.args) > 0 && (c.args[0] == "load" || c.args[0] == "bootstrap" || c.args[0] == "enable") {
			return "launchd"
		}
	case "systemctl":
		if slices.Contains(c.args, "enable") {
			return "systemd"
		}
	case "git":
		if slices.Contains(c.args, "core.hooksPath") && slices.Contains(c.args, "--global") {
			return "git hooks of all repositories"
		}
	}
	for _, target := range targets {
		if startup.MatchString(target) || memory.MatchString(target) || strings.HasSuffix(target, ".git/hooks/") {
			return target
		}
	}
	return ""
}

// credential names files that hold secrets of their owner. Public keys and settings beside them are none.
var credential = regexp.MustCompile(`(?:^|[/=@~])\.ssh/(?:id_[a-z0-9]+|[\w.-]*\.pem|\*)$|\.aws/credentials$|(?:^|/)\.netrc$|(?:^|/)\.git-credentials$|\.kube/config$|\.docker/config\.json$|\.config/gcloud/(?:application_default_credentials\.json|credentials\.db|legacy_credentials)|^/etc/(?:shadow|gshadow)$|/(?:Login Data|Cookies|logins\.json|key4\.db)$|(?:^|/)\.npmrc$|\.config/gh/hosts\.yml$|\.pypirc$`)

// readsCredentials finds commands that read such a file, or ask a key chain for a secret.
func (c *command) readsCredentials() bool {
	switch c.name {
	case "cat", "head", "tail", "less", "more", "base64", "strings", "xxd", "cp", "tar", "zip", "jq", "grep", "awk", "sed", "cut", "sqlite3", "python3", "source", ".", "curl", "scp", "rsync", "nc", "pbcopy", "openssl":
		if c.name == "sed" && c.short("i") || c.name == "grep" && c.short("q") || c.name == "cp" && slices.ContainsFunc(c.args[max(0, len(c.args)-1):], credential.MatchString) {
			return false
		}
		if c.name == "scp" || c.name == "curl" || c.name == "rsync" {
			return c.sends(credential)
		}
		return slices.ContainsFunc(c.args, credential.MatchString) || slices.ContainsFunc(c.reads, credential.MatchString)
	case "security":
		return len(c.args) > 0 && (c.args[0] == "find-generic-password" || c.args[0] == "find-internet-password" || c.args[0] == "dump-keychain") && (c.short("w") || c.args[0] == "dump-keychain" || c.has("-g"))
	}
	return false
}

var gitURL = regexp.MustCompile(`^(?:git\+)?(?:https?|ssh|git)://[^\s]+\.git$|^git\+[^\s@]+(?://[^\s@]*)?$|^github:[\w.-]+/[\w.-]+$`)

// unpinned finds what fetches code at its newest state and runs it, or installs it out of a repository, at once.
func (c *command) unpinned() bool {
	words := c.operands()
	switch c.name {
	case "pip", "pip3", "uv", "pipx":
		return slices.Contains(words, "install") && slices.ContainsFunc(words, func(w string) bool {
			return strings.HasPrefix(w, "git+") && strings.Count(strings.TrimPrefix(w, "git+ssh://git@"), "@") == 0
		})
	case "npm", "pnpm", "yarn", "bun":
		return (slices.Contains(words, "install") || slices.Contains(words, "i") || slices.Contains(words, "add")) &&
			slices.ContainsFunc(words, func(w string) bool { return gitURL.MatchString(w) && !strings.Contains(w, "#") })
	case "npx", "bunx":
		return (c.has("-y", "--yes") || c.name == "bunx") && len(words) > 0 && !pinned(words[0])
	case "uvx":
		return slices.ContainsFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "git+") && strings.Count(a, "@") == 0 })
	}
	return false
}

// pinned reports whether a package names a version: `x@1.2`, `@scope/x@1`, and not `x@latest`.
func pinned(name string) bool {
	at := strings.LastIndex(name, "@")
	return at > 0 && at+1 < len(name) && name[at+1] >= '0' && name[at+1] <= '9' || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/")
}
