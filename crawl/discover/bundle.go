package discover

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// below gives the entries of a skill's bundle, its main file among them, in the order of their paths.
func (r *reading) below(s skill) iter.Seq[archive.Entry] {
	return func(yield func(archive.Entry) bool) {
		prefix := s.dir + "/"
		if s.dir == "" {
			prefix = ""
		}
		for _, e := range r.entries[r.position(prefix):] {
			if !strings.HasPrefix(e.Path, prefix) {
				return
			}
			if walked(e) && !yield(e) {
				return
			}
		}
	}
}

// position returns where a path is, or would be, among the entries.
func (r *reading) position(name string) int {
	i, _ := slices.BinarySearchFunc(r.entries, name, func(e archive.Entry, name string) int {
		return strings.Compare(e.Path, name)
	})
	return i
}

// at returns the entry of a path.
func (r *reading) at(name string) (archive.Entry, bool) {
	if i := r.position(name); i < len(r.entries) && r.entries[i].Path == name {
		return r.entries[i], true
	}
	return archive.Entry{}, false
}

// bundles builds all bundles and marks what is still to be kept.
func (r *reading) bundles() []data.Bundle {
	listed := r.listed()
	bundles := make([]data.Bundle, 0, len(r.skills))
	for i, s := range r.skills {
		b := r.bundle(s)
		if !listed[i] {
			b.Findings = append(b.Findings, data.Finding{
				Rule: RuleManyFiles, Severity: data.SeverityError,
				Message: fmt.Sprintf("%d files are not listed: the repository's skills have over %d together", len(b.Files), r.most),
			})
			b.Files = nil
		}
		for _, f := range b.Files {
			if e, _ := r.at(join(s.dir, f.Path)); f.Kept {
				r.later[source(e)] = true
			}
		}
		bundles = append(bundles, b)
	}
	return bundles
}

// listed tells which skills' files are listed: the smallest bundles first, until there are as many as the limit allows.
func (r *reading) listed() []bool {
	sizes, order := make([]int, len(r.skills)), make([]int, len(r.skills))
	for i, s := range r.skills {
		order[i] = i
		for range r.below(s) {
			sizes[i]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	listed, left := make([]bool, len(r.skills)), r.most
	for _, i := range order {
		left -= sizes[i]
		listed[i] = left >= 0
	}
	return listed
}

func (r *reading) bundle(s skill) data.Bundle {
	_, name := split(s.main.Path)
	b := data.Bundle{
		ID: data.SkillID(r.repo.ID, s.dir), RepoID: r.repo.ID, Path: s.dir,
		SkillFile: name, SkillSHA256: r.facts[source(s.main)].digest,
		Commit: cmp.Or(r.commit, r.repo.Commit), License: r.repo.License, Stars: r.repo.Stars,
		Basis: data.BasisContents, Findings: s.findings, Licenses: r.above(s),
	}
	if at := r.repo.UpdatedAt; !at.IsZero() {
		b.UpdatedAt = at.UTC().Format(time.RFC3339)
	}
	room := int64(data.MaxKeptBundle)
	for e := range r.below(s) {
		if e.Path == s.main.Path {
			continue
		}
		file := r.file(e)
		file.Path = strings.TrimPrefix(strings.TrimPrefix(e.Path, s.dir), "/")
		if file.Kept = file.Kept && file.Size <= room; file.Kept {
			room -= file.Size
		}
		b.Files = append(b.Files, file)
	}
	b.Digest = data.BundleDigest(b.SkillFile, b.SkillSHA256, b.Files)
	return b
}

// file says what is known of an entry; Kept is whether its content is of a kind that is kept.
func (r *reading) file(e archive.Entry) data.File {
	fact := r.facts[source(e)]
	file := data.File{Path: e.Path, Mode: e.Mode, Size: e.Size, SHA256: fact.digest, Note: e.Note}
	switch {
	case file.Note != "":
	case errors.Is(fact.damage, fs.ErrPermission):
		file.Note = data.NoteUnread
	case fact.digest == "":
		file.Note = NoteDamaged
	case fact.pointer >= 0:
		file.Note = NotePointer
	default:
		file.Kept = fact.text
	}
	return file
}

// tree returns the whole repository's paths.
func (r *reading) tree() []data.TreeEntry {
	tree := make([]data.TreeEntry, 0, len(r.entries))
	for _, e := range r.entries {
		entry := data.TreeEntry{Path: e.Path, Mode: e.Mode, Size: e.Size, Link: e.Link, Note: e.Note}
		if r.wanted[source(e)] {
			file := r.file(e)
			entry.Digest, entry.Note = file.SHA256, file.Note
		}
		entry.Note = cmp.Or(r.urls[e.Path], entry.Note)
		tree = append(tree, entry)
	}
	return tree
}

// shareFindings gives each bundle the findings on its files, and returns those that lie in no skill.
func (r *reading) shareFindings(bundles []data.Bundle) []data.Finding {
	byDir := make(map[string]*data.Bundle, len(bundles))
	for i := range bundles {
		byDir[bundles[i].Path] = &bundles[i]
	}
	var rest []data.Finding
	for _, f := range r.findings {
		shared := false
		for dir := f.File; dir != "" && !archive.Vendored(f.File); {
			dir, _ = split(dir)
			if b := byDir[dir]; b != nil {
				own := f
				own.File = strings.TrimPrefix(strings.TrimPrefix(f.File, dir), "/")
				b.Findings = append(b.Findings, own)
				shared = true
			}
		}
		if !shared {
			rest = append(rest, f)
		}
	}
	for i := range bundles {
		bundles[i].Findings = archive.Shorten(bundles[i].Findings)
	}
	return archive.Shorten(rest)
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
