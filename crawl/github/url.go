package github

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skillcorpus/data"
)

// The classes of URLs and rows that name no place in a repository.
var (
	ErrNotRepository = errors.New("not a repository")
	ErrBadEscape     = errors.New("bad percent escape")
	ErrLeaves        = errors.New("path leaves the repository")
	ErrNoRef         = errors.New("no such ref")
)

// Location is what a GitHub URL names.
type Location struct {
	Repo string // owner/repo as spelled
	// Tail holds what follows /tree/ or /blob/, each part decoded once: a ref, which may have slashes, and a
	// path. Only the repository's refs tell where one ends; see Resolve.
	Tail []string
	Path string // of `owner/repo/path`, which names no ref, as written
}

// ParseURL reads a GitHub URL in any of the forms that listings use: with or without scheme and www,
// owner/repo[/path] alone, git@github.com:owner/repo.git, /tree/, /blob/ and raw file URLs. Query and
// fragment are dropped. The error's chain holds ErrNotRepository, ErrBadEscape or ErrLeaves.
func ParseURL(raw string) (Location, error) {
	host, rest := splitHost(strings.TrimSpace(raw))
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	parts, err := decode(rest)
	if err != nil {
		return Location{}, fmt.Errorf("read %.200q: %w", raw, err)
	}
	if len(parts) < 2 {
		return Location{}, fmt.Errorf("read %.200q: %w", raw, ErrNotRepository)
	}
	name := parts[0] + "/" + strings.TrimSuffix(parts[1], ".git")
	if owner, _, ok := splitName(name); !ok || host != "" && reserved(owner) {
		return Location{}, fmt.Errorf("read %.200q: %w", raw, ErrNotRepository)
	}
	at := Location{Repo: name}
	switch rest := parts[2:]; {
	case host == "raw.githubusercontent.com":
		at.Tail = rest
	case host != "" && host != "github.com":
		return Location{}, fmt.Errorf("read %.200q: %w", raw, ErrNotRepository)
	case len(rest) > 0 && slices.Contains([]string{"tree", "blob", "raw", "blame", "edit"}, rest[0]):
		at.Tail = rest[1:]
	case host == "":
		at.Path = strings.Join(rest, "/")
	}
	return at, nil
}

// splitHost returns the lower-case host, empty for a bare owner/repo, and what follows it.
func splitHost(raw string) (host, rest string) {
	if after, ok := strings.CutPrefix(raw, "git@github.com:"); ok {
		return "github.com", after
	}
	scheme, after, found := strings.Cut(raw, "://")
	if !found {
		first, tail, _ := strings.Cut(raw, "/")
		if known := bareHost(first); known == "github.com" || known == "raw.githubusercontent.com" {
			return known, tail
		}
		return "", raw
	}
	if !slices.Contains([]string{"https", "http", "git", "ssh", "git+https", "git+ssh"}, strings.ToLower(scheme)) {
		return "unknown", ""
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	authority := after[:end]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	return bareHost(authority), strings.TrimPrefix(after[end:], "/")
}

func bareHost(host string) string {
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	return strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":22")
}

// decode splits an escaped path and decodes each part once. Empty and dot parts go; a part that climbs is an
// error, also where an escaped slash hides it.
func decode(escaped string) ([]string, error) {
	var parts []string
	for part := range strings.SplitSeq(escaped, "/") {
		plain, err := url.PathUnescape(part)
		if err != nil || !utf8.ValidString(plain) || strings.ContainsFunc(plain, unicode.IsControl) {
			return nil, ErrBadEscape
		}
		if slices.Contains(strings.Split(plain, "/"), "..") {
			return nil, ErrLeaves
		}
		if plain = strings.Trim(plain, "/"); plain != "" && plain != "." {
			parts = append(parts, plain)
		}
	}
	return parts, nil
}

// splitName cuts owner/repo, and reports false for anything that cannot be one.
func splitName(name string) (owner, repo string, ok bool) {
	owner, repo, ok = strings.Cut(name, "/")
	ok = ok && wellFormed(owner, 39+10, "-_") && wellFormed(repo, 100, "-_.") && repo != "." && repo != ".."
	return owner, repo, ok
}

func wellFormed(text string, most int, extra string) bool {
	return text != "" && len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune(extra, r)
	})
}

// reserved reports whether a first path part belongs to github.com itself and to no owner.
func reserved(owner string) bool {
	return slices.Contains([]string{
		"about", "apps", "collections", "customer-stories", "enterprise", "events", "explore", "features", "login",
		"marketplace", "notifications", "orgs", "organizations", "pricing", "search", "security", "settings",
		"site", "sponsors", "stars", "topics", "trending", "users",
	}, strings.ToLower(owner))
}

// Resolve cuts a tail into ref and directory by the repository's refs, the longest that fits first. An empty
// tail is the default branch: no ref and no path. The error's chain holds ErrNoRef.
func Resolve(tail, refs []string) (ref, dir string, err error) {
	if len(tail) == 0 {
		return "", "", nil
	}
	whole := strings.Join(tail, "/")
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		whole = strings.TrimPrefix(whole, prefix)
	}
	found := false
	for _, candidate := range refs {
		if candidate != "" && len(candidate) > len(ref) && (whole == candidate || strings.HasPrefix(whole, candidate+"/")) {
			ref, found = candidate, true
		}
	}
	if !found {
		return "", "", fmt.Errorf("resolve %q: %w", whole, ErrNoRef)
	}
	return ref, Directory(strings.TrimPrefix(whole[len(ref):], "/")), nil
}

// Guess cuts the tail after its first part, which is right for refs without a slash: what a reader can say
// who does not know the refs. Ref is empty where the URL names none; path is as written, see Directory.
func (l Location) Guess() (ref, path string) {
	if len(l.Tail) == 0 {
		return "", l.Path
	}
	return l.Tail[0], strings.Join(l.Tail[1:], "/")
}

// Directory returns the skill's directory that a path means: SKILL.md in any letter case names its folder.
func Directory(path string) string {
	dir, last := "", path
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		dir, last = path[:slash], path[slash+1:]
	}
	if data.IsSkillFile(last) {
		path = dir
	}
	return data.CleanDir(path)
}
