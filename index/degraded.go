package index

// Reason says in one word why a search could not use all lists.
type Reason string

// The reasons. Scripts rely on these words.
const (
	ReasonNoVectors   Reason = "no_vectors"           // the index has none, or those of another model
	ReasonNoModel     Reason = "no_model"             // the query can't be embedded: no model is at hand
	ReasonUnavailable Reason = "provider_unavailable" // the model failed
	ReasonTimeout     Reason = "timeout"              // the query's embedding took longer than its budget
	ReasonStale       Reason = "stale"                // some skills have changed since their vectors were made
	ReasonDamaged     Reason = "damaged"              // a file of vectors is not as it was written
)

// Degradation is one thing that a search did without.
type Degradation struct {
	Reason Reason
	Text   string // what it was, and what mends it
}

// String returns the reason and its text.
func (d Degradation) String() string { return string(d.Reason) + ": " + d.Text }
