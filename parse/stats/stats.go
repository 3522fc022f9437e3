// Package stats owns the figures of many parsed SKILL.md files: which frontmatter keys, languages and structures
// they use, how large they are, and what had to be repaired. It reads documents only and judges nothing.
// `parse --stats` calls it.
package stats

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"skillcorpus/data"
	"skillcorpus/parse/rule"
)

// Stats are the figures. Lists are sorted by Skills, then Uses, then name, the largest first.
type Stats struct {
	Skills     int                      `json:"skills"`
	Binary     int                      `json:"binary"`
	Recovered  int                      `json:"recovered"`  // skills whose frontmatter its own parser refused
	Bytes      Sizes                    `json:"bytes"`      // of a SKILL.md
	Sections   map[data.SectionKind]int `json:"sections"`   // bytes of each kind in all
	Formats    []Count                  `json:"formats"`    // of frontmatter; `none` without a block
	Fields     []Count                  `json:"fields"`     // of data.Document that are filled
	Keys       []Count                  `json:"keys"`       // of frontmatter at the top level, as spelled
	Metadata   []Count                  `json:"metadata"`   // keys below `metadata`, as spelled
	Languages  []Count                  `json:"languages"`  // of fenced code by Linguist's names; `(none)` without a word, `(other)` unknown
	Structure  []Count                  `json:"structure"`  // headings, links, images and data.Block kinds
	Recoveries []Count                  `json:"recoveries"` // by what the format's own parser complained of
	Findings   []Count                  `json:"findings"`   // by rule
}

// Count is how often something occurs: in how many skills, and how often in all.
type Count struct {
	Name   string `json:"name"`
	Skills int    `json:"skills"`
	Uses   int    `json:"uses"`
}

// Sizes are the quantiles of the sizes of files, in bytes.
type Sizes struct {
	Total  int `json:"total"`
	Min    int `json:"min"`
	Median int `json:"median"`
	P90    int `json:"p90"`
	P99    int `json:"p99"`
	Max    int `json:"max"`
}

// Collector gathers figures document by document. Its zero value is ready; it is not for use by several
// goroutines at once.
type Collector struct {
	stats Stats
	sizes []int
	lists map[string]map[string]*tally
}

type tally struct{ skills, uses, last int }

// Add counts one document of a file of so many bytes.
func (c *Collector) Add(doc data.Document, bytes int) {
	if c.lists == nil {
		c.lists = make(map[string]map[string]*tally)
		c.stats.Sections = make(map[data.SectionKind]int)
	}
	c.stats.Skills++
	c.sizes = append(c.sizes, bytes)
	if doc.Binary {
		c.stats.Binary++
	}
	if doc.Frontmatter.Recovered {
		c.stats.Recovered++
	}
	c.addFrontmatter(doc)
	c.addSections(doc)
	for _, f := range doc.Findings {
		c.count("findings", f.Rule)
		if f.Rule == rule.Recovered {
			c.count("recoveries", complaint(f.Message))
		}
	}
}

func (c *Collector) addFrontmatter(doc data.Document) {
	c.count("formats", cmp.Or(doc.Frontmatter.Format, "none"))
	for _, f := range doc.Frontmatter.Fields {
		c.count("keys", f.Key)
		if f.Key == "metadata" {
			for _, below := range f.Value.Map {
				c.count("metadata", below.Key)
			}
		}
	}
	for name, filled := range map[string]bool{
		"description": doc.Description != "", "tags": len(doc.Fields.Tags) > 0, "triggers": len(doc.Fields.Triggers) > 0,
		"license": doc.Fields.License != "", "allowed-tools": len(doc.Fields.AllowedTools) > 0, "version": doc.Fields.Version != "",
		"compatibility": doc.Fields.Compatibility != "", "author": doc.Fields.Author != "",
	} {
		if filled {
			c.count("fields", name)
		}
	}
}

func (c *Collector) addSections(doc data.Document) {
	for _, s := range doc.Sections {
		c.stats.Sections[s.Kind] += s.End - s.Start
		if s.Kind != data.SectionCode || !s.Fenced {
			continue
		}
		switch {
		case s.Language != "":
			c.count("languages", s.Language)
		case s.Lang != "":
			c.count("languages", "(other)")
		default:
			c.count("languages", "(none)")
		}
	}
	for range doc.Headings {
		c.count("structure", "heading")
	}
	for _, l := range doc.Links {
		if l.Image {
			c.count("structure", "image")
		} else {
			c.count("structure", "link")
		}
	}
	for _, b := range doc.Blocks {
		c.count("structure", string(b.Kind))
	}
}

func (c *Collector) count(list, name string) {
	if c.lists[list] == nil {
		c.lists[list] = make(map[string]*tally)
	}
	t := c.lists[list][name]
	if t == nil {
		t = new(tally)
		c.lists[list][name] = t
	}
	t.uses++
	if t.last != c.stats.Skills {
		t.skills++
		t.last = c.stats.Skills
	}
}

// Stats returns the figures of what was added so far.
func (c *Collector) Stats() Stats {
	s := c.stats
	s.Bytes = sizes(c.sizes)
	s.Formats, s.Fields = c.sorted("formats"), c.sorted("fields")
	s.Keys, s.Metadata = c.sorted("keys"), c.sorted("metadata")
	s.Languages, s.Structure = c.sorted("languages"), c.sorted("structure")
	s.Recoveries, s.Findings = c.sorted("recoveries"), c.sorted("findings")
	return s
}

func (c *Collector) sorted(list string) []Count {
	counts := make([]Count, 0, len(c.lists[list]))
	for name, t := range c.lists[list] {
		counts = append(counts, Count{name, t.skills, t.uses})
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Skills, a.Skills), cmp.Compare(b.Uses, a.Uses), cmp.Compare(a.Name, b.Name))
	})
	return counts
}

// sizes gives quantiles by the nearest rank.
func sizes(all []int) Sizes {
	if len(all) == 0 {
		return Sizes{}
	}
	sorted := slices.Sorted(slices.Values(all))
	at := func(percent int) int { return sorted[(len(sorted)*percent+99)/100-1] }
	s := Sizes{Min: sorted[0], Median: at(50), P90: at(90), P99: at(99), Max: sorted[len(sorted)-1]}
	for _, size := range sorted {
		s.Total += size
	}
	return s
}

var detail = regexp.MustCompile(` \(value: \d+\)`)

// complaint returns the part of a recovery's message that the format's own parser gave, without figures.
func complaint(message string) string {
	_, text, _ := strings.Cut(message, ": ")
	text, _, _ = strings.Cut(text, "; the keys")
	return detail.ReplaceAllString(text, "")
}
