package data

import "time"

// Repo is one repository at one host, under its canonical name after renames.
type Repo struct {
	ID            string // RepoID of Host and Name in the host's own spelling
	Host          string
	Name          string   // owner/repo
	Aliases       []string // former names and other spellings, as ids
	NumericID     int64    // the host's own id, 0 where it has none
	DefaultBranch string
	Commit        string // head commit that the stored content was read at
	SizeKB        int64  // as the host reports it: whole repository with history, in KB
	License       string // SPDX id as the host reports it, empty if unknown
	Stars         int
	Archived      bool
	Fork          bool
	UpdatedAt     time.Time // of the head commit or the last push
	ETag          string    // of the repository facts, for the next conditional request
	Tree          []TreeEntry
}

// TreeEntry is one path of a repository at a commit. The whole tree is kept so that discovery and
// reference checks never need the network again.
type TreeEntry struct {
	Path   string `json:"path"` // from the repository root, slash-separated
	Mode   string `json:"mode"` // git mode: 100644, 100755, 120000 (link), 160000 (submodule)
	Size   int64  `json:"size"` // bytes of the content
	Digest string `json:"digest,omitempty"`
	Link   string `json:"link,omitempty"` // the target as written, for links
	Note   string `json:"note,omitempty"` // why the content is not there: refused, lfs, submodule URL
}

// Git modes of the entries that matter here.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeLink       = "120000"
	ModeSubmodule  = "160000"
)
