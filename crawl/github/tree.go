package github

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's own ids, not a signature
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/polite"
	"skillcorpus/data"
)

// Bounds of a listing.
const (
	mostOfTree      = 64 << 20 // bytes of one answer: 100,000 entries of 300 and more
	mostTreeQueries = 2000     // folders asked one by one, of a tree that one answer does not hold
)

// Tree returns every file, link and submodule of repo at its Commit. A tree that the host cuts short is walked folder
// by folder, without the vendored ones; cut says that even so a part is missing. Errors are *data.ItemError
// (too_large over archive.MostListed paths), or ctx's own.
func (c *Client) Tree(ctx context.Context, repo data.Repo) (paths []archive.Listed, cut bool, err error) {
	owner, name, ok := splitName(repo.Name)
	if !ok || repo.Commit == "" {
		return nil, false, &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%q at %q has no tree", repo.Name, repo.Commit)}
	}
	w := treeWalk{client: c, base: "repos/" + owner + "/" + name + "/git/trees/"}
	if err := w.folder(ctx, "", repo.Commit); err != nil {
		return nil, false, polite.Cause(ctx, err)
	}
	return w.paths, w.cut, nil
}

// treeWalk is one listing on its way.
type treeWalk struct {
	client  *Client
	base    string
	paths   []archive.Listed
	cut     bool
	queries int
}

// treeEntry is one entry as the API gives it.
type treeEntry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"` // blob, tree or commit
	Size int64  `json:"size"`
	SHA  string `json:"sha"`
}

// folder lists everything below a folder: at once, or, where that is cut short, its own entries and then each of its
// folders.
func (w *treeWalk) folder(ctx context.Context, dir, sha string) error {
	before := len(w.paths)
	truncated, err := w.ask(ctx, sha, true, func(e treeEntry) error { return w.add(dir, e) })
	if err != nil || !truncated {
		return err
	}
	w.paths = w.paths[:before]
	var folders []treeEntry
	truncated, err = w.ask(ctx, sha, false, func(e treeEntry) error {
		if e.Type == "tree" {
			folders = append(folders, e)
		}
		return w.add(dir, e)
	})
	if err != nil {
		return err
	}
	w.cut = w.cut || truncated
	for _, e := range folders {
		if below := path.Join(dir, e.Path); !archive.Vendored(below) {
			if err := w.folder(ctx, below, e.SHA); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *treeWalk) add(dir string, e treeEntry) error {
	if e.Type == "tree" {
		return nil
	}
	if len(w.paths) >= archive.MostListed {
		return &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("more than %d files", archive.MostListed)}
	}
	name := e.Path
	if dir != "" {
		name = dir + "/" + name // not joined, which would clean what has to be judged
	}
	w.paths = append(w.paths, archive.Listed{Path: name, Mode: e.Mode, Size: e.Size, ID: e.SHA})
	return nil
}

// ask reads one answer entry by entry, so that it is never held as a whole.
func (w *treeWalk) ask(ctx context.Context, sha string, recursive bool, each func(treeEntry) error) (truncated bool, err error) {
	if w.queries++; w.queries > mostTreeQueries {
		return false, &data.ItemError{Outcome: data.OutcomeTooLarge, Reason: fmt.Sprintf("a tree of more than %d folders that the host does not list at once", mostTreeQueries)}
	}
	address := w.base + url.PathEscape(sha)
	if recursive {
		address += "?recursive=1"
	}
	req, err := w.client.api.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	response, err := w.client.http.Do(req.WithContext(ctx))
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	body := polite.Capped(response.Body, mostOfTree)
	truncated, err = readTree(body, each)
	if _, isItem := errors.AsType[*data.ItemError](err); err != nil && !isItem {
		err = &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: "the answer is not a tree", Err: polite.Unreadable(err)}
	}
	return truncated, err
}

// readTree reads the object of a tree. One without entries is none.
func readTree(from io.Reader, each func(treeEntry) error) (truncated bool, err error) {
	in, listed := json.NewDecoder(from), false
	if err := expect(in, '{'); err != nil {
		return false, err
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return false, err
		}
		switch key {
		case "tree":
			listed = true
			if err := expect(in, '['); err != nil {
				return false, err
			}
			for in.More() {
				var e treeEntry
				if err := in.Decode(&e); err != nil {
					return false, err
				}
				if err := each(e); err != nil {
					return false, err
				}
			}
			err = expect(in, ']')
		case "truncated":
			err = in.Decode(&truncated)
		default:
			var skipped json.RawMessage
			err = in.Decode(&skipped)
		}
		if err != nil {
			return false, err
		}
	}
	if !listed {
		return false, errors.New("no entries")
	}
	return truncated, expect(in, '}')
}

func expect(in *json.Decoder, want json.Delim) error {
	token, err := in.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v in place of %v", token, want)
	}
	return err
}

// File copies the content of one file of repo at its Commit to to: from the raw host, which draws on no API quota, or,
// where that does not have it, through the API. Only bytes whose id is that of the listing end without an error.
// Errors are *data.ItemError, ctx's own, or those of to.
func (c *Client) File(ctx context.Context, repo data.Repo, file archive.Listed, to io.Writer) error {
	owner, name, ok := splitName(repo.Name)
	if !ok {
		return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: fmt.Sprintf("%q is no owner/name", repo.Name)}
	}
	parts := []string{owner, name, repo.Commit}
	for part := range strings.SplitSeq(file.Path, "/") {
		parts = append(parts, url.PathEscape(part))
	}
	err := c.copyBlob(ctx, c.raw.JoinPath(parts...).String(), file, to)
	if item, isItem := errors.AsType[*data.ItemError](err); isItem && item.Outcome == data.OutcomeGone {
		err = c.copyBlob(ctx, c.api.BaseURL.JoinPath("repos", owner, name, "git", "blobs", file.ID).String(), file, to)
	}
	return err
}

func (c *Client) copyBlob(ctx context.Context, address string, file archive.Listed, to io.Writer) error {
	within, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/vnd.github.raw+json")
	response, err := c.http.Do(req)
	if err != nil {
		return polite.Cause(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing of a read body is at stake
	target, sum := &writer{to: to}, blobSum(file)
	n, err := io.Copy(io.MultiWriter(target, sum), io.LimitReader(response.Body, file.Size+1))
	switch {
	case target.err != nil:
		return fmt.Errorf("write %s of %s: %w", file.Path, repoPath(address), target.err)
	case err != nil:
		return polite.Cause(ctx, err)
	case n != file.Size || hex.EncodeToString(sum.Sum(nil)) != file.ID:
		return &data.ItemError{Outcome: data.OutcomeUnavailable, Reason: fmt.Sprintf("%.100q does not come as it is listed", file.Path)}
	}
	return nil
}

func repoPath(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Path
	}
	return ""
}

// blobSum returns the hash by which git knows a content, in the format of the repository's ids.
func blobSum(file archive.Listed) hash.Hash {
	sum := sha1.New() //nolint:gosec // as above
	if len(file.ID) == hex.EncodedLen(sha256.Size) {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", file.Size)
	return sum
}

// IsContent reports whether content is what the id of a listed file stands for.
func IsContent(file archive.Listed, content []byte) bool {
	if int64(len(content)) != file.Size {
		return false
	}
	sum := blobSum(file)
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil)) == file.ID
}
