package data

import "time"

// Listing is one row as one marketplace gave it. Many listings may point to one skill, and a listing never
// decides whether a skill lives: its repository does.
type Listing struct {
	Source      string // the source's name, as in `crawl --source`
	ExternalID  string // the marketplace's id of the row, unique within the source
	Name        string
	Description string // as listed: often cut short by the marketplace
	Author      string
	Tags        []string
	Stars       int
	Installs    int
	URL         string // the page or repository URL as given
	UpdatedAt   time.Time
	Host        string // the repository's host
	Repo        string // the repository's name at that host (owner/repo), as spelled in the row
	Ref         string // branch, tag or commit the row names; empty is the default branch
	Path        string // the skill's directory; meaningful only with PathKnown
	PathKnown   bool   // false: only the name tells which skill of the repository is meant
	Unlisted    bool   // the source showed the row in this enumeration and then took it back
}

// RepoID returns the id of the repository that the listing points to, as spelled in the row.
func (l Listing) RepoID() string { return RepoID(l.Host, l.Repo) }

// Completeness says how far an enumeration came.
type Completeness string

// The ways in which an enumeration ends.
const (
	Complete    Completeness = "complete"    // every row of the source was seen in one consistent walk
	Capped      Completeness = "capped"      // the source shows no more than a part
	Interrupted Completeness = "interrupted" // stopped before its end; the cursor tells where to go on
)
