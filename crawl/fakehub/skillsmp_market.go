package fakehub

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Market says how SkillsMP searches, since nobody outside knows. The zero value finds any of a query's words anywhere
// in a row, even inside other words, and always shows the same rows.
type Market struct {
	Words bool // a row must hold every word of the query as a word of its own
	// Shift n: in every run of n searches another hundredth of the rows is away, so that totals and pages shift; and
	// each n-th search gives the page before the one that was asked for. 0 is a market that stands still.
	Shift int
}

func (m *Market) read(n *yaml.Node) error {
	return fields{
		"words": func(n *yaml.Node) error { return parse(n, &m.Words, strconv.ParseBool) },
		"shift": func(n *yaml.Node) error { return parse(n, &m.Shift, parseCount) },
	}.read(n)
}

func (m Market) matches(r *row, words []string) bool {
	if !m.Words {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(r.text, word) })
	}
	for _, word := range words {
		if !strings.Contains(r.words, " "+word+" ") {
			return false
		}
	}
	return true
}

// facets reports whether a row is in the category and language that a query asks for. Groups of categories hold none.
func facets(r *row, query url.Values) bool {
	return (!query.Has("category") || slices.Contains(r.leaves, query.Get("category"))) &&
		(!query.Has("language") || r.ContentLanguage == query.Get("language"))
}

// hides reports whether a row is away while a search is answered.
func (m Market) hides(r *row, call int) bool {
	const away = 100 // one row in so many
	if m.Shift == 0 {
		return false
	}
	return draw(strconv.Itoa(call/m.Shift)+r.GitHubURL+r.Name)%away == 0
}

// turn returns the query with the page that is really given.
func (m Market) turn(query url.Values, call int) url.Values {
	page := number(query.Get("page"), 1)
	if m.Shift == 0 || call%m.Shift != 0 || page < 2 {
		return query
	}
	turned := url.Values{"limit": query["limit"]}
	turned.Set("page", strconv.Itoa(page-1))
	return turned
}

func draw(text string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(text))
	sum.Write([]byte{0}) // else texts that differ in the last letter alone lie close together
	return sum.Sum32()
}

// groups are the leaf categories below the nine categories of the listings file. Their names are like the real ones;
// which leaves a row is in is invented, and one row in five is in two.
func groups() map[string][]string {
	return map[string][]string{
		"data": {
			"llm-ai", "data-analysis", "machine-learning", "data-engineering", "sql-databases", "nosql-databases",
			"database-tools", "scientific-computing", "bioinformatics",
		},
		"design":       {"frontend", "design", "architecture-patterns", "media", "gaming"},
		"testing":      {"testing", "code-quality", "debugging", "full-stack", "framework-internals"},
		"documents":    {"technical-docs", "documents", "knowledge-base", "education", "literature-writing"},
		"devops":       {"cicd", "cloud", "containers", "git-workflows", "monitoring", "scripting"},
		"productivity": {"automation-tools", "productivity-tools", "project-management", "cli-tools", "ide-plugins"},
		"security":     {"security", "smart-contracts"},
		"product":      {"business-apps", "ecommerce"},
		"marketing":    {"sales-marketing", "content-creation"},
	}
}

// leaves invents the leaf categories of a row: the first ones of a group are the fullest.
func leaves(group, key string) []string {
	known := groups()
	all, ok := known[group]
	if !ok {
		all = known[[]string{"data", "design", "testing", "documents", "devops", "productivity", "security", "product", "marketing"}[draw(key+"group")%9]]
	}
	first := leaf(all, key)
	if second := leaf(all, key+"second"); draw(key+"two")%5 == 0 && second != first {
		return []string{first, second}
	}
	return []string{first}
}

func leaf(all []string, key string) string {
	share := float64(draw(key+"leaf")%10_000) / 10_000
	return all[int(share*share*float64(len(all)))]
}
