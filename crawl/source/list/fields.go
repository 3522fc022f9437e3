package list

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"skillcorpus/crawl/github"
	"skillcorpus/crawl/source"
	"skillcorpus/data"
)

// fields are what a row may say. Absent is not the same as empty only for Path.
type fields struct {
	ID          string
	Repo        string
	Source      string // the repository in some listings, the marketplace in others
	Path        *string
	File        string
	Ref         string
	Name        string
	Description string
	Author      string
	URL         string
	Stars       int
	Installs    int
	Tags        []string
	UpdatedAt   time.Time
}

// columnName folds the spellings of a field's name: githubUrl, github_url and "GitHub URL" are one.
func columnName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

func known(column string) bool {
	var f fields
	return !errors.Is(f.set(column, ""), errUnknown)
}

var errNowhere = errors.New("names no repository")

var errUnknown = errors.New("unknown field")

// set stores one field, told as text. Fields that mean nothing here are errUnknown.
func (f *fields) set(column, text string) (err error) {
	switch column {
	case "id":
		f.ID = text
	case "repo", "repository", "fullname":
		if _, err := github.ParseURL(f.Repo); err != nil {
			f.Repo = cmp.Or(text, f.Repo)
		}
	case "source":
		f.Source = text
	case "path", "directorypath", "skillpath":
		f.Path = &text
	case "file":
		f.File = text
	case "ref", "branch":
		f.Ref = text
	case "name", "skill", "skillname":
		f.Name = cmp.Or(f.Name, text)
	case "description":
		f.Description = text
	case "author", "owner":
		f.Author = cmp.Or(f.Author, text)
	case "githuburl", "sourceurl", "url", "htmlurl":
		if f.URL == "" || column == "githuburl" || column == "sourceurl" {
			f.URL = cmp.Or(text, f.URL)
		}
	case "stars":
		f.Stars, err = count(text)
	case "installs":
		f.Installs, err = count(text)
	case "tags":
		f.Tags = splitTags(text)
	case "updatedat":
		f.UpdatedAt = source.ParseTime(text)
	default:
		return errUnknown
	}
	return err
}

func count(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1<<53 {
		return 0, fmt.Errorf("no count: %.40q", text)
	}
	return int(n), nil
}

func splitTags(text string) []string {
	var tags []string
	for tag := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '|' }) {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// UnmarshalJSON reads an object whose values may be text, numbers or lists of text; other values of fields
// that are not known here do no harm.
func (f *fields) UnmarshalJSON(text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return errors.New("not a JSON object")
		}
		return fmt.Errorf("not JSON: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		column := columnName(key)
		if !known(column) {
			continue
		}
		if err := f.setJSON(column, object[key]); err != nil {
			return fmt.Errorf("field %s: %w", key, err)
		}
	}
	return nil
}

func (f *fields) setJSON(column string, value json.RawMessage) error {
	var word string
	var words []string
	switch {
	case bytes.Equal(value, []byte("null")):
		return nil
	case column == "tags" && json.Unmarshal(value, &words) == nil:
		f.Tags = words
		return nil
	case json.Unmarshal(value, &word) == nil:
		return f.set(column, word)
	case len(value) > 0 && (value[0] == '{' || value[0] == '['):
		return nil // a marketplace's own structure under a name that others use plainly
	}
	return f.set(column, string(value))
}

var notASkill = regexp.MustCompile(`(?i)\.(md[a-z]?|markdown|txt|json|ya?ml|toml)(\.|$)`)

// listing turns a row into what the crawl needs.
func (r row) listing(list string) (data.Listing, error) {
	if r.bad != nil {
		return data.Listing{}, r.bad
	}
	f := r.fields
	at, err := f.location()
	if err != nil {
		return data.Listing{}, err
	}
	ref, file := at.Guess()
	if f.Path != nil && *f.Path != "" {
		file = *f.Path
	}
	if slices.Contains(strings.Split(file, "/"), "..") {
		return data.Listing{}, fmt.Errorf("read path %q: %w", file, github.ErrLeaves)
	}
	if base := path.Base(file); !data.IsSkillFile(base) && notASkill.MatchString(base) {
		return data.Listing{}, fmt.Errorf("%.200q is a file, but no SKILL.md", file)
	}
	l := data.Listing{
		Source: list, Name: f.Name, Description: f.Description, Author: f.Author, Tags: f.Tags,
		Stars: f.Stars, Installs: f.Installs, URL: f.URL, UpdatedAt: f.UpdatedAt,
		Host: data.HostGitHub, Repo: at.Repo, Ref: cmp.Or(f.Ref, ref),
		Path: github.Directory(file), PathKnown: file != "" || f.Path != nil && data.IsSkillFile(f.File),
	}
	l.ExternalID = cmp.Or(f.ID, defaultID(l))
	return l, nil
}

// location returns where the first of the row's fields points that names a repository. A URL that says more
// of the same repository wins over the bare name.
func (f fields) location() (github.Location, error) {
	page, pageErr := github.ParseURL(f.URL)
	at, err := github.ParseURL(f.Repo)
	switch {
	case err == nil && pageErr == nil && strings.EqualFold(page.Repo, at.Repo):
		return page, nil
	case err == nil:
		return at, nil
	case pageErr == nil:
		return page, nil
	}
	if at, sourceErr := github.ParseURL(f.Source); sourceErr == nil {
		return at, nil
	}
	switch {
	case f.Repo == "" && f.URL != "":
		err = pageErr
	case f.Repo == "":
		err = errNowhere
	}
	return github.Location{}, err
}

// defaultID names a row that has no id of its own by where it points.
func defaultID(l data.Listing) string {
	id := l.Repo
	if l.Ref != "" {
		id += "@" + l.Ref
	}
	if l.PathKnown {
		return id + ":" + l.Path
	}
	if l.Name != "" {
		id += "#" + l.Name
	}
	return id
}
