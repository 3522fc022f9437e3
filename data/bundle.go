package data

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Basis says what is known of a bundle's files.
type Basis string

// The two bases of a bundle and of every verdict on it.
const (
	BasisContents Basis = "contents" // the bundled files' bytes were there
	BasisListing  Basis = "listing"  // only SKILL.md and a listing of the other files
)

// NoteUnread is the note of a file that is there and that this machine may not read: nothing is known of its content.
const NoteUnread = "unread"

// Limits on what of a bundle is kept as content (DESIGN.md 3); of larger files path, size and digest remain.
const (
	MaxKeptFile   = 1 << 20
	MaxKeptBundle = 8 << 20
)

// Bundle is one skill as it lies in its repository: the files below the directory of its SKILL.md.
type Bundle struct {
	ID          string // SkillID of RepoID and Path
	RepoID      string
	Path        string // directory inside the repository, empty for the root
	SkillFile   string // name of the main file as spelled there, `SKILL.md` or another case of it
	SkillSHA256 string
	Origin      string // the repository that the bytes were read from, where it differs from RepoID
	Commit      string
	License     string // of the repository or collection, SPDX where known
	UpdatedAt   string // RFC 3339 as given; kept as text so that an export gives it back unchanged
	Stars       int
	Basis       Basis
	Digest      string // BundleDigest over all files, SKILL.md included; empty with BasisListing
	Files       []File // the other files, sorted by path
	Findings    []Finding
	Licenses    []LicenseFile // of the nearest folder above its own that has any, sorted by path
	Installers  []Installer   // that would see the skill in its repository, in a fixed order; nil where its tree is not known
}

// Installer is a program that finds skills in a repository by rules of its own.
type Installer string

// File is one file of a bundle.
type File struct {
	Path   string // from the skill's directory
	Mode   string // git mode
	Size   int64
	SHA256 string // empty where only a listing is known, and for submodules
	Note   string // why the content is not bundled: `link outside`, `lfs pointer`, `submodule`, `refused`
	Kept   bool   // the content is among the corpus's blobs
}

// LicenseFile is a licence file that lies above a skill in its repository.
type LicenseFile struct {
	Path   string // from the repository's root
	SHA256 string // of its text, which is among the corpus's blobs; empty where that is not kept
}

// BundleDigest returns the SHA-256, in hex, over path, mode and SHA-256 of every file of a bundle, sorted by
// path. The skill's own place in the repository is not part of it, so equal copies have equal digests.
func BundleDigest(skillFile, skillSHA256 string, files []File) string {
	all := append([]File{{Path: skillFile, Mode: ModeFile, SHA256: skillSHA256}}, files...)
	slices.SortFunc(all, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	sum := sha256.New()
	for _, f := range all {
		fmt.Fprintf(sum, "%s\x00%s\x00%s\n", f.Path, f.Mode, cmp.Or(f.SHA256, f.Note))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// CopyKey returns the key under which byte-equal copies of a bundle meet: its digest, or, where only a
// listing is known, a digest over SKILL.md and the listing.
func (b Bundle) CopyKey() string {
	if b.Digest != "" {
		return b.Digest
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "listing\x00%s\n", b.SkillSHA256)
	for _, f := range b.Files {
		fmt.Fprintf(sum, "%s\x00%s\x00%d\n", f.Path, f.Mode, f.Size)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// CanonicalRank orders the copies of one skill: the least is the canonical one. A copy outside hidden
// folders comes before one inside (`skills/x` before `.claude/skills/x`), then the shallower, then the
// shorter, then the id in byte order, so that the choice depends on nothing else.
func (b Bundle) CanonicalRank() string {
	hidden, depth := 0, 0
	if b.Path != "" {
		for part := range strings.SplitSeq(b.Path, "/") {
			depth++
			if strings.HasPrefix(part, ".") {
				hidden = 1
			}
		}
	}
	return fmt.Sprintf("%d/%04d/%05d/%s", hidden, depth, len(b.ID), b.ID)
}

// SHA256Hex returns the SHA-256 of content in hex: the key of a blob.
func SHA256Hex(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// ParseTime reads an RFC 3339 time, and gives the zero time for anything else.
func ParseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
