package fakehub

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// Limits of a recursive tree (GitHub's documentation), and of contents in an answer to /contents.
const (
	maxTreeEntries = 100_000
	maxTreeBytes   = 7 << 20
	maxContent     = 1 << 20
)

func (a *api) tree(req *http.Request, r *repository, sha string) answer {
	if r.current().empty {
		return emptyRepository()
	}
	t, folder, err := r.findFolder(sha)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound()
	case err != nil:
		return failure(err)
	}
	id := sha
	if folder == "" {
		id = t.root
	}
	entries := t.below(folder, req.URL.Query().Has("recursive"))
	git := a.repoURL(r) + "/git/"
	for i := range entries {
		entries[i].URL = git + entries[i].Type + "s/" + entries[i].SHA
	}
	entries, truncated := truncate(entries, a.treeEntries, maxTreeBytes)
	return jsonAnswer(http.StatusOK, map[string]any{
		"sha": id, "url": git + "trees/" + id, "tree": entries, "truncated": truncated,
	})
}

// findFolder returns the tree that a ref, a commit or a folder's id names, and which of its folders is meant.
func (r *repository) findFolder(sha string) (*tree, string, error) {
	if v, ok := r.resolve(sha); ok {
		t, err := r.list(v)
		return t, "", err
	}
	for _, v := range r.versions() {
		t, err := r.list(v)
		if err != nil {
			return nil, "", err
		}
		if folder, ok := t.folders[sha]; ok {
			return t, folder, nil
		}
	}
	return nil, "", fmt.Errorf("tree %s of %s: %w", sha, r.Repo, fs.ErrNotExist)
}

// findBlob returns the content of an id.
func (r *repository) findBlob(sha string) ([]byte, error) {
	for _, v := range r.versions() {
		t, err := r.list(v)
		if err != nil {
			return nil, err
		}
		if entry, ok := t.blobs[sha]; ok {
			return r.file(v, entry.Path)
		}
	}
	return nil, fmt.Errorf("blob %s of %s: %w", sha, r.Repo, fs.ErrNotExist)
}

// truncate cuts a listing at a number of entries and at about a number of bytes of JSON.
func truncate(entries []treeEntry, most, mostBytes int) ([]treeEntry, bool) {
	const fixed = 120 // keys, quotes, mode, type, id and size of an entry
	bytes := 0
	for i, e := range entries {
		bytes += fixed + len(e.Path) + len(e.URL)
		if i == most || bytes > mostBytes {
			return entries[:i], true
		}
	}
	return entries, false
}

func (a *api) blob(req *http.Request, r *repository, sha string) answer {
	if r.current().empty {
		return emptyRepository()
	}
	content, err := r.findBlob(sha)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound()
	case err != nil:
		return failure(err)
	}
	if accepts(req, "raw") {
		return rawAnswer(content)
	}
	return jsonAnswer(http.StatusOK, map[string]any{
		"sha": sha, "size": len(content), "url": a.repoURL(r) + "/git/blobs/" + sha,
		"content": lines64(content), "encoding": "base64",
	})
}

func (a *api) contents(req *http.Request, r *repository, name string) answer {
	if r.current().empty {
		return message(http.StatusNotFound, "This repository is empty.")
	}
	ref := req.URL.Query().Get("ref")
	v, ok := r.resolve(cmp.Or(ref, "HEAD"))
	if !ok {
		return message(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	t, err := r.list(v)
	if err != nil {
		return failure(err)
	}
	name = strings.Trim(name, "/")
	entry, ok := t.byPath[name]
	switch {
	case name == "" || ok && entry.Type == "tree":
		return a.folder(r, t, name)
	case !ok:
		return notFound()
	case entry.Mode == modeSubmodule:
		return jsonAnswer(http.StatusOK, a.contentValue(r, *entry))
	}
	content, err := r.file(v, name)
	if err != nil {
		return failure(err)
	}
	if accepts(req, "raw") {
		return rawAnswer(content)
	}
	value := a.contentValue(r, *entry)
	switch {
	case entry.Mode == modeLink:
		value["target"] = string(content)
	case len(content) > maxContent:
		value["content"], value["encoding"] = "", "none"
	default:
		value["content"], value["encoding"] = lines64(content), "base64"
	}
	return jsonAnswer(http.StatusOK, value)
}

func (a *api) folder(r *repository, t *tree, name string) answer {
	list := []any{}
	for _, e := range t.below(name, false) {
		e.Path = path.Join(name, e.Path)
		list = append(list, a.contentValue(r, e))
	}
	return jsonAnswer(http.StatusOK, list)
}

// contentValue is what files, links and folders have in common.
func (a *api) contentValue(r *repository, e treeEntry) map[string]any {
	kind := map[string]string{modeLink: "symlink", modeFolder: "dir", modeSubmodule: "submodule"}[e.Mode]
	if kind == "" {
		kind = "file"
	}
	value := map[string]any{
		"name": path.Base(e.Path), "path": e.Path, "sha": e.SHA, "type": kind, "size": 0,
		"url":      a.repoURL(r) + "/contents/" + escapePath(e.Path) + "?ref=" + r.branch,
		"git_url":  a.repoURL(r) + "/git/" + e.Type + "s/" + e.SHA,
		"html_url": "https://github.com/" + r.fullName() + "/" + e.Type + "/" + r.branch + "/" + escapePath(e.Path),
	}
	if e.Size != nil {
		value["size"] = *e.Size
		value["download_url"] = a.url("raw") + "/" + r.fullName() + "/" + r.branch + "/" + escapePath(e.Path)
	}
	return value
}

// lines64 is base64 as GitHub sends it: in lines of 60 characters.
func lines64(content []byte) string {
	const width = 60
	text := base64.StdEncoding.EncodeToString(content)
	var out strings.Builder
	for len(text) > width {
		out.WriteString(text[:width] + "\n")
		text = text[width:]
	}
	out.WriteString(text + "\n")
	return out.String()
}

func rawAnswer(content []byte) answer {
	return answer{status: http.StatusOK, contentType: "application/vnd.github.raw; charset=utf-8", body: content}
}

// accepts reports whether a request asks for a media type of GitHub's own: sha or raw.
func accepts(req *http.Request, form string) bool {
	accept := req.Header.Get("Accept")
	return strings.Contains(accept, "application/vnd.github."+form) || strings.Contains(accept, "application/vnd.github.v3."+form)
}
