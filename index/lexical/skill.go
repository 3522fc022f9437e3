package lexical

import "skillcorpus/data"

// Skill is one skill as the index takes it: what is searched, and what hits and filters need.
type Skill struct {
	ID          string
	Name        string
	Description string
	Triggers    []string // when to use it
	Tags        []string
	Headings    []string
	Prose       string
	Code        string
	YAML        string // the frontmatter as written: searched by meaning alone
	Unread      string // what YAML dropped as a comment: found like the description, never shown
	Repo        string // id of its repository
	License     string // SPDX id, or `unknown`
	Tier        data.Tier
	Runnable    bool     // runnable-complete by the audit
	Sources     []string // names of the sources that list it
	Stars       int
	Installs    int
	CopyOf      string // id of the canonical skill where this is a byte-equal copy of it
}

// Field is one searched part of a skill.
type Field string

// The searched fields. Exact holds the unstemmed words of all fields but prose and code, so that the very
// word counts for more than its plural.
const (
	FieldExact       Field = "exact"
	FieldName        Field = "name"
	FieldTriggers    Field = "triggers"
	FieldTags        Field = "tags"
	FieldDescription Field = "description"
	FieldHeadings    Field = "headings"
	FieldProse       Field = "prose"
	FieldCode        Field = "code"
)

// Fields returns the searched fields in the order of their columns.
func Fields() []Field {
	return []Field{
		FieldExact, FieldName, FieldTriggers, FieldTags, FieldDescription, FieldHeadings, FieldProse, FieldCode,
	}
}

// Weights say how much a word counts in each field.
type Weights map[Field]float64

// DefaultWeights returns the weights of a search.
func DefaultWeights() Weights {
	return Weights{
		FieldExact: 1, FieldName: 10, FieldTriggers: 4, FieldTags: 4, FieldDescription: 5, FieldHeadings: 2,
		FieldProse: 1, FieldCode: 0.5,
	}
}
