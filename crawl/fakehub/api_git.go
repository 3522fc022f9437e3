package fakehub

import (
	"encoding/base64"
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
	t, err := r.list()
	if err != nil {
		return failure(err)
	}
	id, folder, ok := t.root, "", r.resolve(sha)
	if !ok {
		id = sha
		if folder, ok = t.folders[sha]; !ok {
			return notFound()
		}
	}
	entries := t.below(folder, req.URL.Query().Has("recursive"))
	git := a.repoURL(r) + "/git/"
	for i := range entries {
		entries[i].URL = git + entries[i].Type + "s/" + entries[i].SHA
	}
	entries, truncated := truncate(entries, maxTreeEntries, maxTreeBytes)
	return jsonAnswer(http.StatusOK, map[string]any{
		"sha": id, "url": git + "trees/" + id, "tree": entries, "truncated": truncated,
	})
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
	t, err := r.list()
	if err != nil {
		return failure(err)
	}
	entry, ok := t.blobs[sha]
	if !ok {
		return notFound()
	}
	content, err := r.file(entry.Path)
	if err != nil {
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
	if ref != "" && !r.resolve(ref) {
		return message(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	t, err := r.list()
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
	}
	content, err := r.file(name)
	if err != nil {
		return failure(err)
	}
	if accepts(req, "raw") {
		return rawAnswer(content)
	}
	value := a.contentValue(r, *entry)
	switch {
	case entry.Mode == "120000":
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
	kind := map[string]string{"120000": "symlink", "040000": "dir"}[e.Mode]
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
