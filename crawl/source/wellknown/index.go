package wellknown

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// Where an index lies (FACTS.md 3.4), and what one may hold.
const (
	indexPath    = "/.well-known/agent-skills/index.json"
	oldIndexPath = "/.well-known/skills/index.json"
	schemaPrefix = "https://schemas.agentskills.io/discovery/"
	schema       = schemaPrefix + "0.2.0/schema.json"

	mostOfIndex = 4 << 20 // bytes
	mostRows    = 10_000
	mostFiles   = 1_000 // of one skill of version 0.1.0
	freshFor    = 10 * time.Minute
)

// The types of version 0.2.0.
const (
	typeSkill   = "skill-md"
	typeArchive = "archive"
)

// entry is one skill of an index.
type entry struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	URL         string   `json:"url"`
	Digest      string   `json:"digest"`
	Files       []string `json:"files"` // version 0.1.0
}

// index is what a site publishes.
type index struct {
	at      *url.URL // where it was found: URLs are relative to it
	names   []string // in its order
	entries map[string]entry
	skipped []string // a line for each row that is not taken
	more    bool     // rows past the bound are not read
}

// site is a site's index as it was last asked for.
type site struct {
	mu    sync.Mutex // held while it is asked for, so that this happens once
	index *index
	err   error
	until time.Time
}

// index returns the index of a site. It, or why there is none, counts for ten minutes, so that the repositories of a
// site don't ask for it one by one.
func (c *Client) index(ctx context.Context, base string) (*index, error) {
	c.mu.Lock()
	s, ok := c.sites[base]
	if !ok {
		s = &site{}
		c.sites[base] = s
	}
	c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := c.now()
	if now.Before(s.until) && s.until.Sub(now) <= freshFor {
		return s.index, s.err
	}
	found, err := c.ask(ctx, base)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.index, s.err, s.until = found, err, now.Add(freshFor)
	if item, ok := errors.AsType[*data.ItemError](err); ok && item.Outcome.Temporary() {
		s.until = now // polite keeps limits itself, and trouble may be over
	}
	return s.index, s.err
}

// ask reads the index of version 0.2.0, else that of 0.1.0. Many sites answer every path with a page, so that an
// answer that is no JSON counts as none.
func (c *Client) ask(ctx context.Context, base string) (*index, error) {
	var none error
	for _, at := range []string{indexPath, oldIndexPath} {
		response, err := c.get(ctx, base, base+at, nil)
		if err == nil {
			var text []byte
			text, err = polite.ReadAll(response.Body, mostOfIndex)
			_ = response.Body.Close() // nothing of a read body is at stake
			if err == nil {
				var found *index
				if found, err = parse(text, response.Request.URL); err == nil {
					return found, nil
				}
			}
		}
		err = polite.Cause(ctx, err)
		switch item, ok := errors.AsType[*data.ItemError](err); {
		case ok && item.Outcome == data.OutcomeGone, errors.Is(err, errNoJSON):
			if none == nil || errors.Is(err, errNoJSON) {
				none = err
			}
		default:
			return nil, named(base, err)
		}
	}
	if errors.Is(none, errNoJSON) {
		return nil, none
	}
	return nil, &data.ItemError{Outcome: data.OutcomeGone, Reason: base + " has no " + indexPath + ", nor one of version 0.1.0"}
}

// named tells which site an error is about.
func named(base string, err error) error {
	item, ok := errors.AsType[*data.ItemError](err)
	if !ok {
		return err
	}
	_, host, _ := strings.Cut(base, "://")
	return &data.ItemError{Outcome: item.Outcome, Reason: base + ": " + strings.TrimPrefix(item.Reason, host+": "), RetryAt: item.RetryAt, Err: item.Err}
}

// get asks for an address on behalf of the site with that base URL.
func (c *Client) get(ctx context.Context, base, address string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "the index names an address that is none", Err: err}
	}
	for name, values := range header {
		req.Header[name] = values
	}
	c.mu.Lock()
	local := c.named[base]
	c.mu.Unlock()
	if local {
		return c.local.Do(req)
	}
	if req.URL.Scheme != "https" || !IsPublicName(req.URL.Hostname()) {
		return nil, &data.ItemError{Outcome: data.OutcomeForbidden, Reason: "not an https address of a public host: " + req.URL.Host}
	}
	return c.public.Do(req)
}

var errNoJSON = errors.New("no JSON object")

// parse reads an index that was found at an address. Which version it has its $schema says; one without has files.
func parse(text []byte, at *url.URL) (*index, error) {
	var document struct {
		Schema string            `json:"$schema"`
		Skills []json.RawMessage `json:"skills"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: at.Path + " is no index of skills", Err: errors.Join(errNoJSON, err)}
	}
	if document.Schema != "" && document.Schema != schema {
		return nil, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%s has the unknown $schema %.100q: not processed", at.Path, document.Schema)}
	}
	if document.Skills == nil {
		return nil, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: at.Path + " is no index of skills", Err: errNoJSON}
	}
	found := &index{at: at, entries: make(map[string]entry)}
	if found.more = len(document.Skills) > mostRows; found.more {
		document.Skills = document.Skills[:mostRows]
	}
	for i, row := range document.Skills {
		e, err := readEntry(row, document.Schema != "", at)
		key := strings.ToLower(e.Name)
		if _, twice := found.entries[key]; err == nil && twice {
			err = errors.New("the name is there twice")
		}
		if err != nil {
			found.skipped = append(found.skipped, fmt.Sprintf("row %d %.60q skipped: %v", i+1, e.Name, err))
			continue
		}
		found.names = append(found.names, e.Name)
		found.entries[key] = e
	}
	return found, nil
}

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// readEntry reads one row and says what is wrong with it.
func readEntry(row json.RawMessage, withSchema bool, at *url.URL) (entry, error) {
	var e *entry
	if err := json.Unmarshal(row, &e); err != nil || e == nil {
		return entry{}, errors.New("not a skill")
	}
	if !IsSkillName(e.Name) {
		return *e, errors.New("not a name of a skill")
	}
	if !withSchema {
		e.Type, e.URL, e.Digest = "", "", ""
		return *e, checkFiles(e.Files)
	}
	target, err := at.Parse(e.URL)
	switch {
	case e.Type != typeSkill && e.Type != typeArchive:
		return *e, fmt.Errorf("unknown type %.40q", e.Type)
	case !digest.MatchString(e.Digest):
		return *e, fmt.Errorf("no sha256 digest: %.80q", e.Digest)
	case e.URL == "" || err != nil || target.Host == "" || target.User != nil:
		return *e, fmt.Errorf("not a URL: %.80q", e.URL)
	}
	e.Files = nil
	return *e, nil
}

// checkFiles refuses names that lead elsewhere, and a list without a SKILL.md.
func checkFiles(files []string) error {
	if len(files) > mostFiles {
		return fmt.Errorf("more than %d files", mostFiles)
	}
	skill := false
	for _, name := range files {
		skill = skill || data.IsSkillFile(name)
		if name == "" || path.Clean("/"+name) != "/"+name || strings.ContainsFunc(name, func(r rune) bool {
			return r == '\\' || r == unicode.ReplacementChar || unicode.IsControl(r)
		}) {
			return fmt.Errorf("file name %.80q", name)
		}
	}
	if !skill {
		return errors.New("no SKILL.md among its files")
	}
	return nil
}

// address returns where the skill itself lies; of one of several files, its SKILL.md.
func (e entry) address(in *index) string {
	if e.Type == "" {
		for _, name := range e.Files {
			if data.IsSkillFile(name) {
				return e.file(in, name)
			}
		}
	}
	target, err := in.at.Parse(e.URL)
	if err != nil {
		return e.URL
	}
	return target.String()
}

// file returns where one of the files of version 0.1.0 lies: beside the index, in a folder of the skill's name.
func (e entry) file(in *index, name string) string {
	target := *in.at
	target.Path, target.RawPath, target.RawQuery, target.Fragment = path.Join(path.Dir(in.at.Path), e.Name, name), "", "", ""
	return target.String()
}

// IsSkillName reports whether a name can be part of an id: letters, digits, dashes, underscores and dots, 64 at most.
// It is wider than the specification, which sites don't keep to.
func IsSkillName(name string) bool {
	if name == "" || len(name) > 4*64 || len([]rune(name)) > 64 || strings.Trim(name, ".") == "" {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_.", r) || r == unicode.ReplacementChar
	})
}
