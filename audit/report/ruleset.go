package report

import (
	"fmt"
	"slices"
	"strings"

	"skillcorpus/audit/rules"
	"skillcorpus/data"
)

// Texts returns the text of every audit rule by its id.
func Texts() map[string]rules.Rule {
	texts := map[string]rules.Rule{}
	for _, r := range rules.Catalogue() {
		texts[r.ID] = r
	}
	return texts
}

// RuleSet says of which rules findings are shown. The zero value has them all.
type RuleSet struct {
	profile    string
	only, skip []string
	texts      map[string]rules.Rule
}

// NewRuleSet takes rule ids and names of groups to show alone and to leave out, and the rule book whose rules are
// meant; each may be empty. A group of the crawler's or the parser's rules is what stands before the dot.
func NewRuleSet(only, skip []string, profile string) (RuleSet, error) {
	set := RuleSet{profile: profile, only: only, skip: skip, texts: Texts()}
	var groups, profiles, ids []string
	for id, r := range set.texts {
		ids, groups, profiles = append(ids, id), append(groups, r.Group), append(profiles, r.Profiles...)
	}
	for _, name := range slices.Concat(only, skip) {
		stage, _, _ := strings.Cut(name, ".")
		if !slices.Contains(ids, name) && !slices.Contains(groups, name) && !slices.Contains(stages(), stage) {
			return RuleSet{}, fmt.Errorf("no rule or group %q: docs/rules.md lists the rules; the groups are %s", name, list(append(groups, stages()...)))
		}
	}
	if profile != "" && !slices.Contains(profiles, profile) {
		return RuleSet{}, fmt.Errorf("no profile %q: there are %s", profile, list(profiles))
	}
	return set, nil
}

// stages are the groups of the rules that no catalogue lists.
func stages() []string {
	return []string{"archive", "discover", "encoding", "frontmatter", "markdown"}
}

func list(names []string) string {
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// Of returns the findings whose rules are in the set, in their order.
func (r RuleSet) Of(findings []data.Finding) []data.Finding {
	if len(r.only)+len(r.skip) == 0 && r.profile == "" {
		return findings
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f data.Finding) bool { return !r.has(f.Rule) })
}

func (r RuleSet) has(id string) bool {
	group := r.texts[id].Group
	if group == "" {
		group, _, _ = strings.Cut(id, ".")
	}
	named := func(names []string) bool { return slices.Contains(names, id) || slices.Contains(names, group) }
	switch {
	case named(r.skip):
		return false
	case r.profile != "" && !slices.Contains(r.texts[id].Profiles, r.profile):
		return false
	}
	return len(r.only) == 0 || named(r.only)
}
