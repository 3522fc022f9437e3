package index

import (
	"time"

	"skillcorpus/data"
	"skillcorpus/index/lexical"
	"skillcorpus/index/rank"
)

// Bounds of a search.
const (
	DefaultK = 10
	MaxK     = 1000
	// depth is how many candidates every list gives, whatever the page asked for: so a shorter answer is
	// always the beginning of a longer one.
	depth = 3000
)

// Request is one search.
type Request struct {
	ID         string      // of the query, given back with every hit
	Text       string      // words, a whole task description, an id or a name
	Prefix     string      // instead of Text: list all skills whose name (with a slash or colon: id) begins so
	Mode       Mode        // which lists are asked; "" is ModeHybrid where it can be had, else ModeLexical
	Fusion     rank.Fusion // of the sections' vectors; "" is DefaultFusion
	K          int         // hits wanted, up to MaxK; 0 is DefaultK
	Offset     int         // hits to skip
	Filters    Filters
	Explain    bool // fill Stages
	KeepCopies bool // rank every record, copies included, ties by id alone
}

// Mode says which lists a search asks.
type Mode string

// The modes. What an index can't do is replaced by ModeLexical, and Result.Degraded says why.
const (
	ModeLexical Mode = "lexical" // by words
	ModeVector  Mode = "vector"  // by meaning
	ModeHybrid  Mode = "hybrid"  // by both
)

// Filters restrict what is searched, before anything is cut off. Each condition that is set must hold; a
// list holds if one of its values does.
type Filters struct {
	Licenses     []string // SPDX ids, letter case ignored
	Tiers        []data.Tier
	Sources      []string
	Repo         string
	MinStars     int
	RunnableOnly bool
}

// Result is the answer to one search.
type Result struct {
	Hits     []Hit
	Mode     Mode          // what made the order
	Degraded []Degradation // what could not run, and why
	Took     time.Duration // of the whole search
	Hint     string        // what to try where there are no hits
}

// Hit is one found skill. Its JSON form is documented in docs/json.md.
type Hit struct {
	QueryID     string `json:"query_id"`
	Rank        int    `json:"rank"` // from 1
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Score orders hits of one query below its pins and near-ties; it says nothing across indices.
	Score float64 `json:"score"`
	// Confidence is 1 for a skill named by the whole query or by its id within it. Otherwise it is the share
	// of the greatest score that any text could have for the query's words, or the cosine of its closest section
	// with the query, whichever is greater of those that the mode asks for: from 0 to 1, and no probability.
	Confidence       float64   `json:"confidence"`
	Why              string    `json:"why"`
	Copies           []string  `json:"copies,omitempty"` // ids of the other places of the same bytes
	CopyOf           string    `json:"copy_of,omitempty"`
	Repo             string    `json:"repo"`
	License          string    `json:"license"`
	Tier             data.Tier `json:"tier"`
	RunnableComplete bool      `json:"runnable_complete"`
	Stars            int       `json:"stars"`
	Installs         int       `json:"installs"`
	Stages           []Stage   `json:"stages,omitempty"`
}

// Stage is what one list or step made of a hit.
type Stage struct {
	Name    string                     `json:"name"` // lexical, a section, vector, fused, pin, popularity
	Rank    int                        `json:"rank,omitempty"`
	Score   float64                    `json:"score,omitempty"`
	Note    string                     `json:"note,omitempty"`
	Matched map[lexical.Field][]string `json:"matched,omitempty"` // by field, the words found there
}

// Summary closes the answer to a query in the JSON output.
type Summary struct {
	Type     string   `json:"type"` // always summary
	QueryID  string   `json:"query_id"`
	Hits     int      `json:"hits"`
	Mode     Mode     `json:"mode"`
	Degraded []Reason `json:"degraded"`
	Notes    []string `json:"notes,omitempty"` // of each reason in Degraded: what it was, and what mends it
	TookMS   float64  `json:"took_ms"`
	Hint     string   `json:"hint,omitempty"`
}

// Summary returns the closing object for the query with the given id.
func (r Result) Summary(queryID string) Summary {
	summary := Summary{
		Type: "summary", QueryID: queryID, Hits: len(r.Hits), Mode: r.Mode, Degraded: []Reason{},
		TookMS: float64(r.Took.Microseconds()) / 1000, Hint: r.Hint,
	}
	for _, d := range r.Degraded {
		summary.Degraded, summary.Notes = append(summary.Degraded, d.Reason), append(summary.Notes, d.Text)
	}
	return summary
}
