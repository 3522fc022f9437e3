package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"skillcorpus/crawl/github"
	"skillcorpus/data"
)

var errNoID = errors.New("want OWNER, OWNER/REPO, the id of a skill or a URL at GitHub")

// denialID returns the id that somebody means: what they wrote, or, of a URL at GitHub, what it is called here. What can
// be no id is refused, since an entry that never applies looks like one that does.
func denialID(text string) (string, error) {
	id := strings.Trim(text, "/ ")
	owner, _, _ := strings.Cut(id, "/")
	if id == "" || !utf8.ValidString(id) || strings.ContainsFunc(owner, unicode.IsSpace) || strings.ContainsFunc(id, unicode.IsControl) {
		return "", fmt.Errorf("%.100q: %w", text, errNoID)
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
	case !strings.Contains(owner, ":"):
		return gitHubID(id)
	}
	return id, nil
}

// gitHubID checks that the owner and the repository of an id are names that GitHub has.
func gitHubID(id string) (string, error) {
	parts := strings.SplitN(id, "/", 3)
	name := parts[0] + "/any"
	if len(parts) > 1 {
		name = parts[0] + "/" + parts[1]
	}
	at, err := github.ParseURL(name)
	if err != nil {
		return "", fmt.Errorf("%.100q: %w", id, errNoID)
	}
	if len(parts) == 1 {
		return id, nil
	}
	return data.SkillID(at.Repo, strings.Join(parts[2:], "/")), nil
}

// denialLine is one entry of a takedown list as text.
type denialLine struct {
	data.Denial
	number int    // of its line, from 1
	text   string // the whole line, where the id ends at the first blank, which it may not
}

const mostDenialFaults = 20 // lines of one file that are told

// readDenials reads a takedown list as text: an id, and after a blank or a tab the reason. An id with blanks stands in
// double quotes, or ends at a tab. Blank lines and those that begin with # say nothing. All lines must be right, so that
// none is left out unseen.
func readDenials(from io.Reader, name string) (all []denialLine, err error) {
	var faults []error
	lines, number := bufio.NewScanner(from), 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		entry, err := readDenial(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s line %d: %w", name, number, err))
			continue
		}
		if entry.Reason == "" {
			entry.Reason = "in " + name
		}
		entry.number = number
		all = append(all, entry)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		faults = append(faults, fmt.Errorf("%s line %d: longer than %d bytes", name, number+1, bufio.MaxScanTokenSize))
	} else if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if more := len(faults) - mostDenialFaults; more > 0 {
		faults = append(faults[:mostDenialFaults], fmt.Errorf("and %d more lines", more))
	}
	if len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	return all, nil
}

// readDenial reads one line that says something.
func readDenial(line string) (entry denialLine, err error) {
	text, reason, tabbed := strings.Cut(line, "\t")
	switch {
	case strings.HasPrefix(line, `"`):
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return entry, errors.New("the quote that it begins with is not closed")
		}
		if text, err = strconv.Unquote(quoted); err != nil {
			return entry, fmt.Errorf("%.100s: %w", quoted, errNoID)
		}
		reason = line[len(quoted):]
	case !tabbed:
		if at := strings.IndexFunc(line, unicode.IsSpace); at >= 0 {
			text, reason, entry.text = line[:at], line[at:], line
		}
	}
	entry.ID, err = denialID(text)
	entry.Reason = strings.TrimSpace(reason)
	return entry, err
}
