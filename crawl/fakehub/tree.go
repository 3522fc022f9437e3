package fakehub

import (
	"cmp"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"sync"
)

// tree is a repository's listing with git's object ids.
type tree struct {
	root    string                // id of the top folder
	entries []treeEntry           // everything below it, in git's order
	folders map[string]string     // path of each folder by its id
	byPath  map[string]*treeEntry // the same entries
	blobs   map[string]*treeEntry // one path of each content by its id
}

// treeEntry is one file or folder.
type treeEntry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"` // blob, tree or commit (a submodule)
	SHA  string `json:"sha"`
	Size *int64 `json:"size,omitempty"` // nil for folders and submodules
	URL  string `json:"url"`
}

// list reads all files of a version once to compute the ids, and keeps the result.
func (r *repository) list(v version) (*tree, error) {
	r.mu.Lock()
	build, ok := r.trees[v]
	if !ok {
		build = sync.OnceValues(func() (*tree, error) { return r.buildTree(v) })
		r.trees[v] = build
	}
	r.mu.Unlock()
	return build()
}

func (r *repository) buildTree(v version) (*tree, error) {
	a, err := r.openArchive(v)
	if err != nil {
		return nil, err
	}
	defer a.close()
	children := map[string][]treeEntry{"": nil} // by folder
	for _, m := range a.members {
		id, err := m.id()
		if err != nil {
			return nil, err
		}
		entry := treeEntry{Path: m.path, Mode: m.mode, Type: "blob", SHA: id, Size: &m.size}
		if m.mode == modeSubmodule {
			entry.Type, entry.Size = "commit", nil
		}
		addChild(children, entry)
	}
	t := &tree{folders: make(map[string]string), byPath: make(map[string]*treeEntry), blobs: make(map[string]*treeEntry)}
	t.root = t.hash("", children)
	t.walk("", children)
	for i := range t.entries {
		e := &t.entries[i]
		t.byPath[e.Path] = e
		if e.Type == "blob" {
			t.blobs[e.SHA] = e
		}
	}
	return t, nil
}

// addChild files an entry under its folder, and every folder above under its own.
func addChild(children map[string][]treeEntry, entry treeEntry) {
	for {
		folder := parent(entry.Path)
		_, known := children[folder]
		children[folder] = append(children[folder], entry)
		if known {
			return
		}
		entry = treeEntry{Path: folder, Mode: modeFolder, Type: "tree"}
	}
}

func parent(name string) string { return strings.TrimSuffix(path.Dir("/" + name)[1:], "/") }

// hash fills in the ids of all folders below a folder and returns its own.
func (t *tree) hash(folder string, children map[string][]treeEntry) string {
	list := children[folder]
	slices.SortFunc(list, func(a, b treeEntry) int { return cmp.Compare(a.sortKey(), b.sortKey()) })
	var object []byte
	for i := range list {
		e := &list[i]
		if e.Type == "tree" {
			e.SHA = t.hash(e.Path, children)
		}
		id, _ := hex.DecodeString(e.SHA) // ids are hex by construction
		object = append(object, strings.TrimPrefix(e.Mode, "0")+" "+path.Base(e.Path)+"\x00"...)
		object = append(object, id...)
	}
	id := objectID("tree", object)
	t.folders[id] = folder
	return id
}

// sortKey orders a folder as git does: as if its name ended in a slash.
func (e treeEntry) sortKey() string {
	if e.Type == "tree" {
		return e.Path + "/"
	}
	return e.Path
}

func (t *tree) walk(folder string, children map[string][]treeEntry) {
	for _, e := range children[folder] {
		t.entries = append(t.entries, e)
		if e.Type == "tree" {
			t.walk(e.Path, children)
		}
	}
}

// below returns the entries below a folder, with paths from there: all of them, or its own only.
func (t *tree) below(folder string, recursive bool) []treeEntry {
	found := []treeEntry{}
	for _, e := range t.entries {
		inside := e.Path
		if folder != "" {
			var ok bool
			if inside, ok = strings.CutPrefix(e.Path, folder+"/"); !ok {
				continue
			}
		}
		if recursive || !strings.Contains(inside, "/") {
			e.Path = inside
			found = append(found, e)
		}
	}
	return found
}
