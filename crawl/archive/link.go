package archive

import (
	"path"
	"slices"
	"strings"

	"skillcorpus/data"
)

const (
	maxHops = 16 // links on the way of one link; Linux allows 40
	// maxSteps bounds the work of resolving all links of one archive: 20 path parts for each of 100,000.
	maxSteps = 2_000_000
)

// index is the members of an archive sorted by path.
type index []member

// find returns the member of that path, which is not a folder that only others' paths imply.
func (x index) find(name string) (*member, bool) {
	i, ok := slices.BinarySearchFunc(x, name, func(m member, name string) int { return strings.Compare(m.Path, name) })
	if !ok {
		return nil, false
	}
	return &x[i], true
}

// isFolder reports whether anything lies below the path, or a folder is listed there.
func (x index) isFolder(name string) bool {
	if name == "" {
		return true
	}
	at := func(m member, name string) int { return strings.Compare(m.Path, name) }
	i, _ := slices.BinarySearchFunc(x, name, at)
	for ; i < len(x) && x[i].Path == name; i++ {
		if x[i].folder {
			return true
		}
	}
	i, _ = slices.BinarySearchFunc(x, name+"/", at)
	return i < len(x) && strings.HasPrefix(x[i].Path, name+"/")
}

// resolve gives every link its target, or a note why it has none.
func (c *collector) resolve() {
	all, steps := index(c.members), maxSteps
	for i := range all {
		m := &all[i]
		if m.Mode != data.ModeLink {
			continue
		}
		if m.Size = int64(len(m.Link)); m.Note != "" {
			continue
		}
		target, note, why := all.follow(m, &steps)
		if target == nil {
			m.refuse(note, "link to %s %s", quote(m.Link), why)
			continue
		}
		m.Size = target.Size
		if target.Note == NoteUnfetched {
			m.Note = NoteUnfetched
			continue
		}
		if target.Note != "" {
			m.refuse(target.Note, "link to %s: %s", quote(target.Path), target.why)
			continue
		}
		m.Target = target.Path
	}
}

// follow walks a link part by part as a file system would, but only through the members of the archive. It
// returns the member at which the link ends, or the note and the reason for having none.
func (x index) follow(m *member, steps *int) (end *member, note, why string) {
	if m.Link == "" {
		return nil, NoteBroken, "has no target"
	}
	at, rest, hops := parent(m.Path), m.Link, 0
	if m.hard {
		at = ""
	}
	for rest != "" {
		if strings.HasPrefix(rest, "/") {
			return nil, NoteOutside, "leaves the repository"
		}
		if *steps--; *steps < 0 {
			return nil, NoteBroken, "not followed: too many links"
		}
		part, after, _ := strings.Cut(rest, "/")
		rest = strings.TrimLeft(after, "/")
		switch part {
		case ".":
			continue
		case "..":
			if at == "" {
				return nil, NoteOutside, "leaves the repository"
			}
			at = parent(at)
			continue
		}
		at = path.Join(at, part)
		next, there := x.find(at)
		switch {
		case there && next.Mode == data.ModeLink:
			if hops++; hops > maxHops {
				return nil, NoteBroken, "loops"
			}
			if next.Link == "" {
				return nil, NoteBroken, "leads to a link that was refused"
			}
			at, rest = parent(at), strings.TrimSuffix(next.Link+"/"+rest, "/")
		case there && !next.folder:
			if rest != "" {
				return nil, NoteBroken, "leads through a file"
			}
			return next, "", ""
		case !x.isFolder(at):
			return nil, NoteBroken, "leads nowhere"
		}
	}
	return nil, NoteFolder, "is a folder: not expanded"
}

// parent returns the folder of a path, the root as the empty string.
func parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}
