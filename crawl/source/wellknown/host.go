package wellknown

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
	"time"

	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

const (
	mostOfSkillFile = 8 << 20 // bytes of a SKILL.md that comes alone; a bundle keeps no more of its contents
	transferTimeout = 30 * time.Minute
)

// Repository returns the skill called name of the site that is known.Host; see crawl.Host. Its Commit is the digest
// that the index names. Version 0.1.0 has none: Commit is then empty, and the archive's comment tells what changed.
func (c *Client) Repository(ctx context.Context, name string, known data.Repo) (repo data.Repo, unchanged bool, err error) {
	found, err := c.index(ctx, known.Host)
	if err != nil {
		return data.Repo{}, false, err
	}
	e, ok := found.entries[strings.ToLower(name)]
	if !ok {
		return data.Repo{}, false, &data.ItemError{Outcome: data.OutcomeGone, Reason: known.Host + " no longer lists " + name}
	}
	if e.Digest != "" && e.Digest == known.Commit {
		return known, true, nil
	}
	return data.Repo{
		ID: data.RepoID(known.Host, e.Name), Host: known.Host, Name: e.Name, Commit: e.Digest, Aliases: known.Aliases,
	}, false, nil
}

// Requests tells what a skill will take, the index of its site aside: nothing while its digest is the known one, else
// its one file, or in version 0.1.0 each of them; see crawl.Estimator.
func (c *Client) Requests(known data.Repo) int {
	c.mu.Lock()
	s := c.sites[known.Host]
	c.mu.Unlock()
	var found *index
	if s != nil {
		s.mu.Lock()
		found = s.index
		s.mu.Unlock()
	}
	if found == nil {
		if known.Commit == "" {
			return 1
		}
		return 0
	}
	switch e, ok := found.entries[strings.ToLower(known.Name)]; {
	case !ok, e.Digest != "" && e.Digest == known.Commit:
		return 0
	case e.Type == "":
		return len(e.Files)
	}
	return 1
}

// Archive copies the files of a skill to to; see crawl.Host. What does not have the digest of the index is malformed.
func (c *Client) Archive(ctx context.Context, repo data.Repo, to io.Writer, maxBytes int64) error {
	found, err := c.index(ctx, repo.Host)
	if err != nil {
		return err
	}
	e, ok := found.entries[strings.ToLower(repo.Name)]
	if !ok {
		return &data.ItemError{Outcome: data.OutcomeGone, Reason: repo.Host + " no longer lists " + repo.Name}
	}
	if e.Digest != repo.Commit {
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the index changed meanwhile"}
	}
	within, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	target := &writer{to: to}
	switch e.Type {
	case typeSkill:
		err = c.skillFile(within, repo.Host, e.address(found), e.Digest, target)
	case typeArchive:
		err = c.archive(within, repo.Host, e.address(found), e.Digest, target, maxBytes)
	default:
		err = c.files(within, repo.Host, found, e, target, maxBytes)
	}
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

// exact asks for bytes as they lie there, since they are compared with a digest: the transport would expand a
// tarball that is served as a gzip coding.
func (c *Client) exact(ctx context.Context, base, address string) (io.ReadCloser, error) {
	response, err := c.get(ctx, base, address, http.Header{"Accept-Encoding": {"identity"}})
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

func verify(sum hash.Hash, digest string) error {
	if got := "sha256:" + hex.EncodeToString(sum.Sum(nil)); got != digest {
		return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "the content is not what the index names: " + got + ", not " + digest}
	}
	return nil
}

// skillFile packs a SKILL.md that comes alone.
func (c *Client) skillFile(ctx context.Context, base, address, digest string, to io.Writer) error {
	body, err := c.exact(ctx, base, address)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // nothing of a read body is at stake
	content, err := polite.ReadAll(body, mostOfSkillFile)
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write(content)
	if err := verify(sum, digest); err != nil {
		return err
	}
	packed := zip.NewWriter(to)
	member, err := packed.Create(data.SkillFile)
	if err != nil {
		return err
	}
	if _, err := member.Write(content); err != nil {
		return err
	}
	return packed.Close()
}

// archive copies a zip or tar.gz.
func (c *Client) archive(ctx context.Context, base, address, digest string, to io.Writer, maxBytes int64) error {
	body, err := c.exact(ctx, base, address)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // nothing of a read body is at stake
	in := bufio.NewReader(body)
	magic, _ := in.Peek(4) // a short body has no magic, and a cut one fails below
	if !bytes.HasPrefix(magic, []byte{0x1f, 0x8b}) && !bytes.HasPrefix(magic, []byte("PK")) {
		return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: "neither a zip nor a tar.gz"}
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(in, maxBytes))
	if err != nil {
		return err
	}
	if _, err := in.Peek(1); n == maxBytes && err == nil {
		return tooLarge(maxBytes)
	}
	return verify(sum, digest)
}

func tooLarge(most int64) error {
	return &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("files of more than %d bytes", most)}
}

// files packs the files of version 0.1.0, each asked for alone, under a comment that changes with any of them. One
// that is listed and not there is left out, unless it is the SKILL.md.
func (c *Client) files(ctx context.Context, base string, found *index, e entry, to io.Writer, maxBytes int64) error {
	packed := zip.NewWriter(to)
	all, left := sha256.New(), maxBytes
	for _, name := range e.Files {
		body, err := c.exact(ctx, base, e.file(found, name))
		if data.OutcomeOf(polite.Cause(ctx, err)) == data.OutcomeGone && !data.IsSkillFile(name) {
			continue
		}
		if err != nil {
			return err
		}
		n, sum, err := pack(packed, name, body, left)
		if err != nil {
			return err
		}
		if left -= n; left < 0 {
			return tooLarge(maxBytes)
		}
		fmt.Fprintf(all, "%s %s\n", sum, name)
	}
	const commentDigits = 40 // what an archive may tell as its commit
	if err := packed.SetComment(hex.EncodeToString(all.Sum(nil))[:commentDigits]); err != nil {
		return err
	}
	return packed.Close()
}

// pack adds a file of at most most bytes, or one more, and closes it.
func pack(to *zip.Writer, name string, body io.ReadCloser, most int64) (int64, string, error) {
	defer func() { _ = body.Close() }() // nothing of a read body is at stake
	member, err := to.Create(name)
	if err != nil {
		return 0, "", err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(member, sum), io.LimitReader(body, most+1))
	return n, hex.EncodeToString(sum.Sum(nil)), err
}
