package data

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Record is one line of the corpus format: a skill with its text and a listing of its other files. `import`
// reads it, `export --format jsonl` writes it with further fields of its own.
type Record struct {
	Repo       string       `json:"repo"`
	Origin     string       `json:"origin"`
	Commit     string       `json:"commit"`
	Path       string       `json:"path"`
	File       string       `json:"file"`
	License    string       `json:"license"`
	UpdatedAt  string       `json:"updated_at"`
	Files      []RecordFile `json:"files"`
	Stars      int          `json:"stars"`
	SkillMD    *string      `json:"skill_md,omitempty"`
	SkillMDB64 []byte       `json:"skill_md_b64,omitempty"` // in place of skill_md where the bytes are not UTF-8

	// Written by `export --with-files` for skills whose files' bytes were read; then the basis is contents. All are by
	// path: the kept contents, the SHA-256 of every file, and why a file is not bundled. Findings are those of the crawl.
	Contents map[string][]byte `json:"contents,omitzero"`
	Digests  map[string]string `json:"digests,omitempty"`
	Notes    map[string]string `json:"notes,omitempty"`
	Findings []Finding         `json:"findings,omitempty"`

	// Licenses are the texts of the licence files of the nearest folder above the skill's, by path from the repository's
	// root; an empty one is not kept. Written by `export --with-files` too.
	Licenses map[string][]byte `json:"licenses,omitempty"`
}

// SetText stores a SKILL.md's bytes in the field that can carry them unchanged.
func (r *Record) SetText(content []byte) {
	if utf8.Valid(content) {
		text := string(content)
		r.SkillMD, r.SkillMDB64 = &text, nil
		return
	}
	r.SkillMD, r.SkillMDB64 = nil, content
}

// Text returns the SKILL.md's bytes, and false if the record carries none.
func (r *Record) Text() ([]byte, bool) {
	if r.SkillMD != nil {
		return []byte(*r.SkillMD), true
	}
	return r.SkillMDB64, r.SkillMDB64 != nil
}

// RecordFile is a bundled file in the corpus format: the array [path, bytes, git mode].
type RecordFile struct {
	Path string
	Size int64
	Mode string
}

// MarshalJSON writes the array form.
func (f RecordFile) MarshalJSON() ([]byte, error) { return json.Marshal([]any{f.Path, f.Size, f.Mode}) }

// UnmarshalJSON reads the array form.
func (f *RecordFile) UnmarshalJSON(text []byte) error {
	parts := []any{&f.Path, &f.Size, &f.Mode}
	if err := json.Unmarshal(text, &parts); err != nil {
		return fmt.Errorf("file entry %s: want [path, bytes, mode]: %w", text, err)
	}
	if len(parts) != 3 {
		return fmt.Errorf("file entry %s: want [path, bytes, mode]", text)
	}
	return nil
}

// Bundle returns the skill that the record describes, and the contents to keep: SKILL.md first. Without
// Contents the basis is a listing, whatever the listing holds.
func (r *Record) Bundle() (Bundle, [][]byte, error) {
	text, ok := r.Text()
	switch {
	case !ok:
		return Bundle{}, nil, errors.New("record has neither skill_md nor skill_md_b64")
	case strings.Trim(r.Repo, "/") == "":
		return Bundle{}, nil, errors.New("record has no repo")
	}
	if err := r.check(); err != nil {
		return Bundle{}, nil, err
	}
	b := Bundle{
		ID: SkillID(r.Repo, r.Path), RepoID: r.Repo, Path: CleanDir(r.Path), SkillFile: cmp.Or(r.File, SkillFile),
		SkillSHA256: SHA256Hex(text), Origin: r.Origin, Commit: r.Commit, License: r.License, UpdatedAt: r.UpdatedAt,
		Stars: r.Stars, Basis: BasisListing, Findings: r.Findings,
	}
	contents := [][]byte{text}
	for _, f := range r.Files {
		file := File{Path: f.Path, Mode: f.Mode, Size: f.Size, SHA256: r.Digests[f.Path], Note: r.Notes[f.Path]}
		if content, ok := r.Contents[f.Path]; ok {
			file.SHA256, file.Kept = SHA256Hex(content), true
			contents = append(contents, content)
		}
		b.Files = append(b.Files, file)
	}
	slices.SortFunc(b.Files, func(x, y File) int { return cmp.Compare(x.Path, y.Path) })
	b.Files = slices.CompactFunc(b.Files, func(x, y File) bool { return x.Path == y.Path })
	for _, path := range slices.Sorted(maps.Keys(r.Licenses)) {
		license := LicenseFile{Path: path}
		if text := r.Licenses[path]; len(text) > 0 {
			license.SHA256 = SHA256Hex(text)
			contents = append(contents, text)
		}
		b.Licenses = append(b.Licenses, license)
	}
	if r.Contents != nil {
		b.Basis, b.Digest = BasisContents, BundleDigest(b.SkillFile, b.SkillSHA256, b.Files)
	}
	return b, contents, nil
}

// check refuses what could not come out of a repository, so that no record passes for another skill's.
func (r *Record) check() error {
	name := r.Repo
	if _, after, ok := strings.Cut(name, "://"); ok {
		name = after
	}
	switch {
	case !isPath(name):
		return fmt.Errorf("repo %q is no name", r.Repo)
	case r.Path != "" && !isPath(r.Path):
		return fmt.Errorf("path %q is no path inside a repository", r.Path)
	case strings.Contains(r.File, "/") || r.File != "" && !isPath(r.File):
		return fmt.Errorf("file %q is no file name", r.File)
	case r.Stars < 0:
		return fmt.Errorf("%d stars", r.Stars)
	}
	for path := range r.Licenses {
		if !isPath(path) {
			return fmt.Errorf("licence file %q is no path inside a repository", path)
		}
	}
	for _, f := range r.Files {
		content, kept := r.Contents[f.Path]
		switch {
		case !isPath(f.Path):
			return fmt.Errorf("bundled file %q is no path inside the skill", f.Path)
		case f.Size < 0 || kept && f.Size != int64(len(content)):
			return fmt.Errorf("bundled file %q of %d bytes: that is not its size", f.Path, f.Size)
		case kept && r.Digests[f.Path] != "" && r.Digests[f.Path] != SHA256Hex(content):
			return fmt.Errorf("bundled file %q has another digest than its content", f.Path)
		}
	}
	return nil
}

// isPath reports whether text is a relative slash-separated path that leads nowhere else.
func isPath(text string) bool {
	if text == "" || strings.ContainsRune(text, 0) {
		return false
	}
	for part := range strings.SplitSeq(text, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
