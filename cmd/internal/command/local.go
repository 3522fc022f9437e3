package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/crawl/archive"
	"skillcorpus/crawl/discover"
	"skillcorpus/data"
)

// localSkill is a skill on this machine that no corpus holds.
type localSkill struct {
	data.Bundle
	Place    string // its SKILL.md as a path that the user can open
	SkillMD  []byte
	contents map[string][]byte // by SHA-256
	tree     map[string]bool   // paths, folders included, of the directory that was given
	whole    bool              // that directory is a repository
}

// Content returns a kept bundled file.
func (s localSkill) Content(name string) ([]byte, bool) {
	for _, f := range s.Files {
		if f.Path == name && f.Kept {
			content, ok := s.contents[f.SHA256]
			return content, ok
		}
	}
	return nil, false
}

// documentsAt returns the skills of a directory, or the file that is named as the SKILL.md of one, without a look
// at what lies beside it.
func documentsAt(ctx context.Context, place string) ([]localSkill, error) {
	info, err := os.Stat(place)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return skillsIn(ctx, place)
	}
	return fileAlone(place)
}

// skillsAt returns the skills of a directory, or the one whose file is named: it is taken as a SKILL.md whatever its
// name, and the files beside it as its bundle if the name says so too.
func skillsAt(ctx context.Context, place string) ([]localSkill, error) {
	info, err := os.Stat(place)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return skillsIn(ctx, place)
	}
	if data.IsSkillFile(filepath.Base(place)) {
		skills, err := skillsIn(ctx, filepath.Dir(place))
		if len(skills) == 0 {
			return nil, err
		}
		for _, skill := range skills {
			if skill.Path == "" && skill.SkillFile == filepath.Base(place) {
				skill.Place = place
				return []localSkill{skill}, nil
			}
		}
	}
	return fileAlone(place)
}

func fileAlone(place string) ([]localSkill, error) {
	content, err := readRegular(place)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(place)
	if err != nil {
		return nil, err
	}
	folder := filepath.Base(filepath.Dir(absolute))
	return []localSkill{{
		Bundle: data.Bundle{
			ID: data.RepoID(data.HostDir, folder), RepoID: data.RepoID(data.HostDir, folder), SkillFile: filepath.Base(place),
			SkillSHA256: data.SHA256Hex(content), Basis: data.BasisListing,
		},
		Place: place, SkillMD: content,
	}}, nil
}

// readRegular reads a file that is one, up to the limit on an archive: a pipe might never end.
func readRegular(place string) ([]byte, error) {
	info, err := os.Stat(place)
	limit := archive.DefaultLimits().Bytes
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", terminal.Quote(place))
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %s: at most %s are read", terminal.Quote(place), terminal.Bytes(info.Size()), terminal.Bytes(limit))
	}
	return os.ReadFile(place)
}

// skillsIn returns the skills of a directory. None is an error, and so is a SKILL.md that cannot be read, beside those
// that can.
func skillsIn(ctx context.Context, dir string) (skills []localSkill, err error) {
	tree, err := archive.OpenDir(dir, archive.DefaultLimits())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(absolute)
	repo := data.Repo{ID: data.RepoID(data.HostDir, name), Host: data.HostDir, Name: name}
	contents := map[string][]byte{}
	found, err := discover.Read(ctx, repo, tree, func(sha256 string, content []byte) error {
		contents[sha256] = bytes.Clone(content) // it is ours only during this call
		return nil
	})
	if err != nil {
		return nil, err
	}
	addLicenses(absolute, found.Skills, contents)
	unreadable := unreadableIn(dir, found.Findings)
	if len(found.Skills) == 0 && unreadable == nil {
		return nil, fmt.Errorf("%s: no SKILL.md in it", dir)
	}
	paths := make(map[string]bool, len(found.Tree))
	for _, entry := range found.Tree {
		for place := entry.Path; place != "." && !paths[place]; place = path.Dir(place) {
			paths[place] = true
		}
	}
	_, err = os.Lstat(filepath.Join(dir, ".git"))
	whole := err == nil
	skills = make([]localSkill, len(found.Skills))
	for i, bundle := range found.Skills {
		skills[i] = localSkill{
			Bundle: bundle, Place: filepath.Join(dir, filepath.FromSlash(path.Join(bundle.Path, bundle.SkillFile))),
			SkillMD: contents[bundle.SkillSHA256], contents: contents, tree: paths, whole: whole,
		}
	}
	return skills, unreadable
}

func unreadableIn(dir string, findings []data.Finding) error {
	var all error
	for _, f := range findings {
		if f.Rule == discover.RuleUnreadable {
			all = errors.Join(all, fmt.Errorf("%s: %s", dir, f.Message))
		}
	}
	return all
}
