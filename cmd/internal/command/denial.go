package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"skillcorpus/crawl/github"
	"skillcorpus/data"
)

var errNoID = errors.New("want OWNER, OWNER/REPO, the id of a skill or a URL at GitHub")

// denialID returns the id that somebody means: what they wrote, or, of a URL at GitHub, what it is called here. What can
// be no id is refused, since an entry that never applies looks like one that does.
func denialID(text string) (string, error) {
	id := strings.Trim(text, "/ ")
	owner, _, _ := strings.Cut(id, "/")
	if id == "" || strings.ContainsFunc(owner, unicode.IsSpace) || strings.ContainsFunc(id, unicode.IsControl) {
		return "", fmt.Errorf("%q: %w", text, errNoID)
	}
	lower := strings.ToLower(id)
	_, afterScheme, hasScheme := strings.Cut(lower, "://")
	host, rest, _ := strings.Cut(strings.TrimPrefix(afterScheme, "www."), "/")
	switch {
	case hasScheme && host == "github.com" && !strings.Contains(rest, "/") && rest != "":
		return id[len(id)-len(rest):], nil // an owner's page
	case hasScheme && (host == "github.com" || host == "raw.githubusercontent.com"),
		strings.HasPrefix(lower, "git@github.com:"), strings.HasPrefix(lower, "github.com/"), strings.HasPrefix(lower, "www.github.com/"):
		at, err := github.ParseURL(id)
		if err != nil {
			return "", fmt.Errorf("%w: %w", err, errNoID)
		}
		_, file := at.Guess()
		return data.SkillID(at.Repo, github.Directory(file)), nil
	}
	return id, nil
}

// readDenials reads a takedown list as text: an id, and after a blank the reason. Blank lines and those that begin with
// # say nothing.
func readDenials(from io.Reader, name string) (data.Denials, error) {
	var all data.Denials
	lines := bufio.NewScanner(from)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, reason := line, ""
		if at := strings.IndexFunc(line, unicode.IsSpace); at >= 0 {
			text, reason = line[:at], strings.TrimSpace(line[at:])
		}
		id, err := denialID(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("%s line %d: %w", name, number, err)}
		}
		if reason == "" {
			reason = "in " + name
		}
		all = append(all, data.Denial{ID: id, Reason: reason})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return all, nil
}
