package clawhub

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

const transferTimeout = 30 * time.Minute

// contentLicense is what everything at ClawHub is published under (FACTS.md 3.1).
const contentLicense = "MIT-0"

// Repository returns the facts of a skill, asked by owner/slug or by its slug alone; see crawl.Host. Its Commit is the
// latest version, which never changes its content. Where a page of this run showed that version, nothing is asked.
// A skill that is withheld by moderation is blocked.
func (c *Client) Repository(ctx context.Context, name string, known data.Repo) (repo data.Repo, unchanged bool, err error) {
	short := name[strings.LastIndex(name, "/")+1:]
	if !isSlug(short) {
		return data.Repo{}, false, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%.100q is no owner/slug", name)}
	}
	if known.Commit != "" && strings.Contains(known.Name, "/") && c.shown(short) == known.Commit {
		return known, true, nil
	}
	var found details
	if err := c.ask(ctx, "skills/"+short, nil, &found); err != nil {
		return data.Repo{}, false, err
	}
	switch {
	case found.Skill == nil || !isSlug(found.Skill.Slug) || found.Owner == nil || !isSlug(found.Owner.Handle):
		return data.Repo{}, false, &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "ClawHub: the answer is not a skill with its owner"}
	case found.Moderation.withheld():
		return data.Repo{}, false, &data.ItemError{Outcome: data.OutcomeBlocked, Reason: "ClawHub: withheld by moderation"}
	}
	if found.Skill.Latest = cmpVersion(found.Latest, found.Skill.Latest); found.Skill.version() == "" {
		return data.Repo{}, false, &data.ItemError{Outcome: data.OutcomeEmpty, Reason: "ClawHub: no version is published"}
	}
	repo = facts(found, name, known)
	return repo, repo.Commit == known.Commit && repo.ID == known.ID, nil
}

// Requests tells what a skill will take: its details and its archive where its version is not the known one, its details
// alone where no page of this run has shown its version; see crawl.Estimator.
func (c *Client) Requests(known data.Repo) int {
	shown := c.shown(known.Name[strings.LastIndex(known.Name, "/")+1:])
	switch {
	case known.Commit == "" || shown != "" && shown != known.Commit:
		return 2
	case shown == "":
		return 1
	}
	return 0
}

func cmpVersion(first, second *version) *version {
	if first != nil {
		return first
	}
	return second
}

func (c *Client) shown(slug string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest[strings.ToLower(slug)]
}

func facts(found details, asked string, known data.Repo) data.Repo {
	name := found.Owner.Handle + "/" + found.Skill.Slug
	repo := data.Repo{
		ID: data.RepoID(data.HostClawHub, name), Host: data.HostClawHub, Name: name, Commit: found.Skill.version(),
		License: contentLicense, Stars: found.Skill.stat("stars"), UpdatedAt: found.Skill.updated(), Tree: known.Tree,
	}
	all := append(slices.Clone(known.Aliases), data.RepoID(data.HostClawHub, asked), data.RepoID(data.HostClawHub, found.Skill.Slug))
	if known.Name != "" {
		all = append(all, data.RepoID(data.HostClawHub, known.Name))
	}
	slices.Sort(all)
	repo.Aliases = slices.DeleteFunc(slices.Compact(all), func(id string) bool { return id == repo.ID })
	return repo
}

// Archive copies the zip of a version to to; see crawl.Host.
func (c *Client) Archive(ctx context.Context, repo data.Repo, to io.Writer, maxBytes int64) error {
	within, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	short := repo.Name[strings.LastIndex(repo.Name, "/")+1:]
	response, err := c.get(within, "download", url.Values{"slug": {short}, "version": {repo.Commit}})
	if err != nil {
		return polite.Cause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	if response.ContentLength > maxBytes {
		return tooLarge(maxBytes)
	}
	target := &writer{to: to}
	err = copyZip(target, response.Body, maxBytes)
	if target.err != nil {
		return fmt.Errorf("write archive of %s: %w", repo.ID, target.err)
	}
	return polite.Cause(ctx, err)
}

// writer tells an error of the target, which is ours, from one of the transfer.
type writer struct {
	to  io.Writer
	err error
}

// Write passes on.
func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

func tooLarge(most int64) error {
	return &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("archive of more than %d bytes", most)}
}

// copyZip copies a zip file and nothing else: a page in its place writes nothing.
func copyZip(to io.Writer, from io.Reader, most int64) error {
	body := bufio.NewReader(from)
	magic, err := body.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(magic, []byte("PK\x03\x04")) && !bytes.Equal(magic, []byte("PK\x05\x06")) {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "ClawHub: the answer is not a zip"}
	}
	n, err := io.Copy(to, io.LimitReader(body, most))
	if err != nil {
		return err
	}
	if _, err := body.Peek(1); n == most && err == nil {
		return tooLarge(most)
	}
	return nil
}
