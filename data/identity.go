package data

import (
	"path"
	"strings"
)

// HostGitHub is the host whose repositories carry no prefix in ids.
const HostGitHub = "github.com"

// HostDir is the host of local folders and archives: ids `dir:name/path`.
const HostDir = "dir"

// HostClawHub is the registry of that name: ids `clawhub:owner/slug`.
const HostClawHub = "clawhub"

// RepoID returns the id of a repository: `owner/repo` at GitHub, `host:name` elsewhere (`dir:tools`,
// `clawhub:owner/slug`), and the URL itself where the host is one.
func RepoID(host, name string) string {
	switch {
	case host == HostGitHub:
		return name
	case strings.Contains(host, "://"):
		return strings.TrimSuffix(host, "/") + "/" + name
	default:
		return host + ":" + name
	}
}

// SplitRepoID returns the host and the name that RepoID would make this id of.
func SplitRepoID(id string) (host, name string) {
	if scheme, rest, ok := strings.Cut(id, "://"); ok {
		host, name, _ = strings.Cut(rest, "/")
		return scheme + "://" + host, name
	}
	if host, name, ok := strings.Cut(id, ":"); ok && !strings.Contains(host, "/") {
		return host, name
	}
	return HostGitHub, id
}

// RepoKey returns the form of a repository id under which spellings that differ only in letter case meet.
func RepoKey(id string) string { return strings.ToLower(id) }

// SkillID returns the id of the skill whose SKILL.md lies in directory dir of a repository: the
// repository's id for the root directory, else id and directory joined by a slash.
func SkillID(repoID, dir string) string {
	if dir = CleanDir(dir); dir != "" {
		return repoID + "/" + dir
	}
	return repoID
}

// CleanDir returns a slash-separated directory in its shortest form, the root as the empty string.
func CleanDir(dir string) string {
	dir = strings.Trim(path.Clean("/"+dir), "/")
	return dir
}

// IsSkillFile reports whether a file name is SKILL.md in any letter case.
func IsSkillFile(name string) bool { return strings.EqualFold(name, SkillFile) }

// IsLicenseFile reports whether a file name, without folders, is one under which licence texts lie.
func IsLicenseFile(name string) bool {
	stem := strings.ToUpper(name)
	switch path.Ext(stem) {
	case ".MD", ".TXT", ".RST":
		stem = strings.TrimSuffix(stem, path.Ext(stem))
	}
	switch stem {
	case "LICENSE", "LICENCE", "COPYING", "UNLICENSE", "LICENSE-MIT", "LICENSE-APACHE":
		return true
	}
	return false
}

// SkillFile is the exact spelling of a skill's main file.
const SkillFile = "SKILL.md"

// FolderName returns the last part of a skill's directory, or of its repository for a skill at the root:
// the name a skill has when its author gives it none.
func FolderName(skillID string) string {
	name := path.Base(skillID)
	if _, after, ok := strings.Cut(name, ":"); ok && after != "" {
		return after
	}
	return name
}
