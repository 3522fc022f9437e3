// Package discover finds every skill of a repository and reads its bundle: which files lie below the skill's
// directory, their digests, and the texts that are kept. It also recognises what only stands for content:
// Git LFS pointers and submodules.
//
// It never judges what a skill says, opens no archive itself and stores nothing: package archive gives it the
// tree, and the crawl stage, which calls it, takes the result and the kept contents.
package discover

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// The rules of the findings made here.
const (
	RuleSpelling   = "discover.spelling"       // the main file is not spelled SKILL.md
	RuleTwoFiles   = "discover.two-files"      // one folder holds several spellings, of which one was read
	RuleUnreadable = "discover.unreadable"     // a SKILL.md without content: recorded here, not as a skill
	RuleUnread     = "discover.unread"         // a file that this machine may not read
	RuleDamaged    = "discover.damaged"        // a file's content does not fit its size or checksum
	RulePointer    = "discover.lfs-pointer"    // a file is a Git LFS pointer
	RuleSubmodule  = "discover.submodule"      // files of a submodule are not here
	RuleManyFiles  = "discover.too-many-files" // the bundle's files are not listed
)

// Why a file of a bundle has no content, besides the notes of package archive.
const (
	NotePointer   = "lfs pointer" // the pointer's own size and digest are given
	NoteSubmodule = "submodule"
	NoteDamaged   = "damaged"
)

const (
	// maxSkillFile bounds the one content that is held whatever its size; it is the limit on a whole archive.
	maxSkillFile = 50e6
	// maxListed bounds the files listed for all bundles of a repository together. A file counts once for each
	// skill around it, so hostile nesting could list 100,000 files 64 times.
	maxListed = 1_000_000
)

// Found is everything that one repository gives.
type Found struct {
	Skills []data.Bundle // sorted by directory; their findings name files from the skill's directory
	// Tree has every path. A digest is the SHA-256 of what reading the path gives, through a link where it is
	// one; paths without content, and those in vendored folders, have none.
	Tree       []data.TreeEntry
	Submodules []Submodule // sorted by path: further repositories, whose skills are not here
	// Manifests are the declarations of plugins by path, for Sights: .claude-plugin/plugin.json in any folder, and
	// marketplace.json at the root.
	Manifests map[string][]byte
	Findings  []data.Finding // what lies in no skill, files named from the repository's root
}

// Keep takes a content that the corpus keeps. It is called once for each distinct digest; content is valid
// only during the call.
type Keep func(sha256 string, content []byte) error

// Read finds the skills of a repository and reads their bundles. A SKILL.md is a skill wherever it lies but in
// vendored folders, in whatever case it is spelled; it is kept byte for byte. Other texts are kept within
// data.MaxKeptFile and, in the order of their paths, data.MaxKeptBundle for each bundle, and so is the nearest licence
// file above a skill. What cannot be read
// becomes a finding; the error is one of keep, of ctx or of the archive as a whole.
func Read(ctx context.Context, repo data.Repo, tree archive.Tree, keep Keep) (Found, error) {
	r := newReading(repo, tree, keep)
	r.chooseSkills()
	r.planReading()
	if err := tree.Contents(ctx, r.isWanted, r.inspect); err != nil {
		return Found{}, fmt.Errorf("read contents of %s: %w", repo.ID, err)
	}
	r.noteContents()
	found := Found{Submodules: r.addSubmodules(), Manifests: r.manifests}
	found.Skills = r.bundles()
	if err := tree.Contents(ctx, r.late, r.inspect); err != nil {
		return Found{}, fmt.Errorf("read contents of %s again: %w", repo.ID, err)
	}
	found.Tree = r.tree()
	found.Findings = r.shareFindings(found.Skills)
	return found, nil
}

// reading is the state of one Read.
type reading struct {
	repo     data.Repo
	commit   string
	entries  []archive.Entry // sorted by path
	keep     Keep
	skills   []skill                    // sorted by directory
	licenses map[string][]archive.Entry // licence files by folder
	findings []data.Finding

	wanted map[string]bool    // paths that are read
	must   map[string]bool    // paths kept whatever they hold: main files
	roomy  map[string]bool    // paths kept if they are text: licence files, and those of bundles with room for all
	later  map[string]bool    // paths that only the kinds of their neighbours show to be kept
	facts  map[string]content // by path, what was read
	kept   map[string]bool    // digests given to keep

	manifests map[string][]byte // Found.Manifests

	modules []byte            // the content of .gitmodules
	urls    map[string]string // of submodules, by path
	most    int               // files listed in all bundles
	buffer  bytes.Buffer      // the file that is being read
}

func newReading(repo data.Repo, tree archive.Tree, keep Keep) *reading {
	return &reading{
		repo: repo, commit: tree.Commit(), entries: tree.Entries(), keep: keep,
		findings: slices.Clone(tree.Findings()), licenses: licenseFiles(tree.Entries()),
		wanted: map[string]bool{}, must: map[string]bool{}, roomy: map[string]bool{}, later: map[string]bool{},
		facts: map[string]content{}, most: maxListed, kept: map[string]bool{}, urls: map[string]string{}, manifests: map[string][]byte{},
	}
}

func (r *reading) isWanted(e archive.Entry) bool { return r.wanted[e.Path] }

// skill is one directory that is a skill.
type skill struct {
	dir      string
	main     archive.Entry
	findings []data.Finding
}

func walked(e archive.Entry) bool { return !archive.Vendored(e.Path) }

// chooseSkills finds the directories with a readable main file.
func (r *reading) chooseSkills() {
	spellings := make(map[string][]archive.Entry)
	for _, e := range r.entries {
		if dir, name := split(e.Path); data.IsSkillFile(name) && walked(e) {
			spellings[dir] = append(spellings[dir], e)
		}
	}
	for dir, all := range spellings {
		readable := slices.DeleteFunc(slices.Clone(all), func(e archive.Entry) bool {
			return source(e) == "" || e.Size > maxSkillFile
		})
		if len(readable) == 0 {
			r.unreadable(all[0], describe(all[0]))
			continue
		}
		// Upper case sorts first, so the exact spelling, if it is there, is the first.
		r.skills = append(r.skills, skill{dir: dir, main: readable[0], findings: spelled(readable[0], all)})
	}
	slices.SortFunc(r.skills, func(a, b skill) int { return strings.Compare(a.dir, b.dir) })
}

func describe(main archive.Entry) string {
	if main.Note != "" {
		return main.Note
	}
	return fmt.Sprintf("%d bytes, limit %d", main.Size, int64(maxSkillFile))
}

func (r *reading) unreadable(main archive.Entry, why string) {
	r.findings = append(r.findings, data.Finding{
		Rule: RuleUnreadable, Severity: data.SeverityError, File: main.Path,
		Message: fmt.Sprintf("%q has no content (%s), so it is not recorded as a skill", main.Path, why),
	})
}

// spelled returns what is to be said of the names in a folder from which main was chosen.
func spelled(main archive.Entry, all []archive.Entry) []data.Finding {
	var findings []data.Finding
	_, name := split(main.Path)
	if name != data.SkillFile {
		findings = append(findings, data.Finding{
			Rule: RuleSpelling, Severity: data.SeverityWarning, File: name,
			Message: fmt.Sprintf("spelled %s: case-sensitive agents look for %s", name, data.SkillFile),
		})
	}
	for _, other := range all {
		if _, otherName := split(other.Path); otherName != name {
			findings = append(findings, data.Finding{
				Rule: RuleTwoFiles, Severity: data.SeverityWarning, File: otherName,
				Message: fmt.Sprintf("%s lies beside %s, which was read in its place", otherName, name),
			})
		}
	}
	return findings
}

// source returns the path whose content an entry gives: its own, a link's target, or nothing.
func source(e archive.Entry) string {
	switch {
	case e.Note != "":
		return ""
	case e.Mode == data.ModeLink:
		return e.Target
	default:
		return e.Path
	}
}

// split returns the directory, the root as the empty string, and the name of a path.
func split(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:]
}
