package fakehub

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// version is one state of a repository's files: its own, with padding and with so many edits.
type version struct {
	padding int64 // bytes of files outside all skills
	edits   int
}

// head is the version that the default branch names.
func (r *repository) head() version {
	s := r.current()
	return version{padding: s.padding, edits: len(s.edits)}
}

// versions returns all that there have been, the newest first.
func (r *repository) versions() []version {
	v := r.head()
	all := []version{v}
	for v.edits > 0 {
		v.edits--
		all = append(all, v)
	}
	return all
}

// commitAt returns the id of a version's commit: the folder's own, or one that follows from it and from the changes.
func (r *repository) commitAt(v version) string {
	if v == (version{}) {
		return r.Commit
	}
	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00%s", r.Commit, v.padding, strings.Join(r.current().edits[:v.edits], "\x00"))
	return hex.EncodeToString(sum.Sum(nil))
}

// pushedAt is a version's date: a day later for each edit.
func (r *repository) pushedAt(v version) time.Time { return r.pushed.AddDate(0, 0, v.edits) }

func (r *repository) updatedAt(v version) time.Time { return r.updated.AddDate(0, 0, v.edits) }

// resolve returns the version that a ref names: HEAD, the default branch in any of its spellings, or a commit by at
// least seven digits.
func (r *repository) resolve(ref string) (version, bool) {
	if r.Commit == "" {
		return version{}, false
	}
	if len(ref) >= 7 {
		for _, v := range r.versions() {
			if strings.HasPrefix(r.commitAt(v), strings.ToLower(ref)) {
				return v, true
			}
		}
	}
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "refs/"), "heads/")
	return r.head(), ref == "HEAD" || ref == r.branch
}

// wrapper is an archive's top folder.
func (r *repository) wrapper(v version) string {
	return strings.ReplaceAll(r.Repo, "/", "-") + "-" + r.commitAt(v)[:7]
}

// openArchive opens the repository's files at a version. The caller closes the archive.
func (r *repository) openArchive(v version) (*archive, error) {
	a, err := r.content.open()
	if err != nil {
		return nil, fmt.Errorf("open archive of %s: %w", r.Repo, err)
	}
	if v == (version{}) {
		return a, nil
	}
	a.packed, a.members = nil, slices.Clone(a.members)
	edits := r.current().edits[:v.edits]
	for i := range a.members {
		if m := &a.members[i]; slices.Contains(edits, m.path) {
			if err := m.edit(edits); err != nil {
				a.close()
				return nil, fmt.Errorf("edit %s: %w", r.Repo, err)
			}
		}
	}
	a.members = append(a.members, r.padding(v.padding)...)
	return a, nil
}

// edit gives a member one line more for each edit that names it.
func (m *member) edit(edits []string) error {
	content, err := m.content()
	if err != nil {
		return err
	}
	for i, path := range edits {
		if path == m.path {
			content = fmt.Appendf(content, "\nChanged by edit %d.\n", i+1)
		}
	}
	m.size, m.text = int64(len(content)), nil
	m.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	return nil
}

// edited is the skill that the next edit of a repository changes, empty if it has none. It follows from the
// repository's name and the number of the edit.
func (r *repository) edited() (string, error) {
	a, err := r.content.open()
	if err != nil {
		return "", fmt.Errorf("open archive of %s: %w", r.Repo, err)
	}
	defer a.close()
	var skills []string
	for _, m := range a.members {
		if m.isSkill() {
			skills = append(skills, m.path)
		}
	}
	if len(skills) == 0 {
		return "", nil
	}
	sum := sha1.Sum(fmt.Appendf(nil, "%s %d", r.Repo, len(r.current().edits)))
	return skills[binary.BigEndian.Uint32(sum[:4])%uint32(len(skills))], nil
}

// padding returns files of so many bytes in all, in a top folder that is no skill's.
func (r *repository) padding(bytes int64) []member {
	const most = 8 << 20 // of one file
	var members []member
	for bytes > 0 {
		path := fmt.Sprintf("%s/%03d.bin", paddingFolder, len(members))
		members = append(members, filled(r.Repo, path, modeFile, min(bytes, most)))
		bytes -= most
	}
	return members
}

// skillAtRoot reports whether the whole repository is one skill, or can't be read.
func (r *repository) skillAtRoot() bool {
	a, err := r.content.open()
	if err != nil {
		return true
	}
	defer a.close()
	return slices.ContainsFunc(a.members, func(m member) bool { return m.isSkill() && !strings.Contains(m.path, "/") })
}

const paddingFolder = "fakehub-padding"
