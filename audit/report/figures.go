package report

import (
	"cmp"
	"maps"
	"slices"

	"skillcorpus/audit/statistics"
	"skillcorpus/data"
)

// Figures are what a report tells of one group of skills. `report --format json` prints them (docs/json.md).
type Figures struct {
	Type         string            `json:"type"`   // always report
	Where        string            `json:"where"`  // the selection; empty for everything
	Sample       *Sampled          `json:"sample"` // null: of all skills that were selected
	Skills       int               `json:"skills"`
	Copies       int               `json:"copies"` // among the skills
	Repos        int               `json:"repos"`
	Basis        map[string]int    `json:"basis"`
	Tiers        []Counted         `json:"tiers"`
	Shares       []Measure         `json:"shares"`  // the parts of the verdict and the paper's Table 7
	Proxies      []Spread          `json:"proxies"` // the paper's Figure 2
	Licences     []Counted         `json:"licences"`
	Rules        []Struck          `json:"rules"`
	Requires     []Needed          `json:"requires"`
	Worst        []Offender        `json:"worst"`
	WorstRepos   []RepoFigures     `json:"worst_repos"`
	Listed       []Row             `json:"listed"`
	Comparison   *Comparison       `json:"comparison"` // null without another group
	distribution map[string]series // by proxy, for the comparison
}

// Sampled says how a sample was drawn.
type Sampled struct {
	Size int    `json:"size"`
	Of   int    `json:"of"`
	Seed uint64 `json:"seed"`
}

// Counted is how many skills have something.
type Counted struct {
	Name     string `json:"name"`
	Skills   int    `json:"skills"`
	Runnable int    `json:"runnable_complete"` // of these
}

// Measure is one share of the skills: by the paper's rules, by the document's real structure, and as the paper gives
// it. Where the rules are the same, so are the figures.
type Measure struct {
	Name      string               `json:"name"`
	Skillflow statistics.Share     `json:"skillflow"`
	Corrected statistics.Share     `json:"corrected"`
	Paper     *float64             `json:"paper"`
	PaperCI   *statistics.Interval `json:"paper_ci"`
}

// Struck is how often a rule found something.
type Struck struct {
	Rule     string        `json:"rule"`
	Severity data.Severity `json:"severity"` // the worst of its findings
	Skills   int           `json:"skills"`
	Findings int           `json:"findings"`
}

// Needed is something that skills need where they run.
type Needed struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Skills int    `json:"skills"`
}

// Offender is a skill with many errors, and the first of its findings.
type Offender struct {
	Row
	Findings []data.Finding `json:"findings"`
}

// RepoFigures is a repository with incomplete skills.
type RepoFigures struct {
	Repo     string `json:"repo"`
	Skills   int    `json:"skills"`
	Partial  int    `json:"partial"`
	Errors   int    `json:"errors"`
	Runnable int    `json:"runnable_complete"`
}

// Row is one skill of the table that filters.
type Row struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Tier     data.Tier `json:"tier"`
	Runnable bool      `json:"runnable_complete"`
	License  string    `json:"license"`
	Stars    int       `json:"stars"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Lacks    string    `json:"lacks"` // what keeps it from being runnable-complete, for people
}

// Collector gathers figures from one skill after another.
type Collector struct {
	figures  Figures
	repos    map[string]*RepoFigures
	tiers    map[string]*Counted
	licences map[string]*Counted
	rules    map[string]*Struck
	needs    map[[2]string]int
	shares   [][2]int // counts by the paper's rules and corrected, in the order of measures
	worst    bounded[Skill]
	listed   bounded[Row]
}

// NewCollector returns an empty one.
func NewCollector() *Collector {
	return &Collector{
		figures: Figures{Type: "report", Basis: map[string]int{}, distribution: map[string]series{}},
		repos:   map[string]*RepoFigures{}, tiers: map[string]*Counted{}, licences: map[string]*Counted{}, rules: map[string]*Struck{},
		needs: map[[2]string]int{}, shares: make([][2]int, len(measures())),
		worst: bounded[Skill]{most: MaxWorst, order: worseFirst},
		listed: bounded[Row]{most: MaxListed, order: func(a, b Row) int {
			return cmp.Or(cmp.Compare(b.Stars, a.Stars), cmp.Compare(a.ID, b.ID))
		}},
	}
}

// Add takes one skill. Of copies only the first counts among the worst and in the table; every figure counts them all.
func (c *Collector) Add(s Skill) {
	c.figures.Skills++
	c.figures.Basis[string(s.Verdict.Basis)]++
	if s.CopyOf != "" {
		c.figures.Copies++
	}
	for _, counted := range []*Counted{
		entry(c.tiers, string(s.Verdict.Tier), Counted{Name: string(s.Verdict.Tier)}),
		entry(c.licences, s.Verdict.License, Counted{Name: s.Verdict.License}),
	} {
		counted.Skills++
		counted.Runnable += one(s.Verdict.RunnableComplete)
	}
	for i, m := range measures() {
		c.shares[i][0] += one(m.skillflow(s.Verdict))
		c.shares[i][1] += one(m.corrected(s.Verdict))
	}
	for _, p := range proxies() {
		all := c.figures.distribution[p.name]
		all.skillflow, all.corrected = append(all.skillflow, p.of(s.Verdict.Proxies)), append(all.corrected, p.of(s.Verdict.Corrected))
		c.figures.distribution[p.name] = all
	}
	c.addFindings(s)
	c.addRequires(s.Verdict.Requires)
	if s.CopyOf == "" {
		c.worst.add(s)
		c.listed.add(rowOf(s))
	}
}

func (c *Collector) addFindings(s Skill) {
	repo := entry(c.repos, s.Repo, RepoFigures{Repo: s.Repo})
	repo.Skills++
	repo.Errors += s.Count(data.SeverityError)
	repo.Partial += one(s.Verdict.Tier == data.TierPartial)
	repo.Runnable += one(s.Verdict.RunnableComplete)
	seen := map[string]bool{}
	for _, f := range s.Findings {
		rule := entry(c.rules, f.Rule, Struck{Rule: f.Rule, Severity: f.Severity})
		rule.Findings++
		rule.Skills += one(!seen[f.Rule])
		seen[f.Rule] = true
		if f.Severity.AtLeast(rule.Severity) {
			rule.Severity = f.Severity
		}
	}
}

func (c *Collector) addRequires(r data.Requires) {
	for _, list := range []struct {
		kind  string
		names []string
	}{{"executables", r.Executables}, {"packages", r.Packages}, {"environment", r.Environment}, {"hosts", r.Hosts}} {
		for _, name := range list.names {
			c.needs[[2]string{list.kind, name}]++
		}
	}
}

func rowOf(s Skill) Row {
	return Row{
		ID: s.ID, Name: s.Name, Tier: s.Verdict.Tier, Runnable: s.Verdict.RunnableComplete, License: s.Verdict.License, Stars: s.Stars,
		Errors: s.Count(data.SeverityError), Warnings: s.Count(data.SeverityWarning), Lacks: Lacks(s.Verdict),
	}
}

// Figures returns what was gathered. Every list has an order that nothing else decides.
func (c *Collector) Figures() *Figures {
	f := &c.figures
	f.Repos = len(c.repos)
	byCount := func(a, b *Counted) int { return cmp.Or(cmp.Compare(b.Skills, a.Skills), cmp.Compare(a.Name, b.Name)) }
	f.Tiers = ordered(c.tiers, byCount, len(c.tiers))
	f.Licences = ordered(c.licences, byCount, maxLicences)
	f.Rules = ordered(c.rules, func(a, b *Struck) int {
		return cmp.Or(cmp.Compare(b.Skills, a.Skills), cmp.Compare(a.Rule, b.Rule))
	}, len(c.rules))
	f.WorstRepos = ordered(c.repos, func(a, b *RepoFigures) int {
		return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.Partial, a.Partial), cmp.Compare(a.Repo, b.Repo))
	}, MaxWorst)
	f.WorstRepos = slices.DeleteFunc(f.WorstRepos, func(r RepoFigures) bool { return r.Errors == 0 && r.Partial == 0 })
	f.Requires = c.mostNeeded()
	f.Shares = c.measured()
	f.Proxies = spreads(f.distribution)
	f.Listed = append([]Row{}, c.listed.items...)
	f.Worst = []Offender{}
	for _, s := range c.worst.items {
		if s.Count(data.SeverityError)+s.Count(data.SeverityWarning) > 0 {
			f.Worst = append(f.Worst, Offender{rowOf(s), worstFindings(s.Findings)})
		}
	}
	return f
}

func (c *Collector) mostNeeded() []Needed {
	kept, all := map[string]int{}, []Needed{}
	for key, skills := range c.needs {
		all = append(all, Needed{key[0], key[1], skills})
	}
	slices.SortFunc(all, func(a, b Needed) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Skills, a.Skills), cmp.Compare(a.Name, b.Name))
	})
	return slices.DeleteFunc(all, func(n Needed) bool {
		kept[n.Kind]++
		return kept[n.Kind] > maxNeeds
	})
}

// worstFindings returns the first findings, the worst severity first.
func worstFindings(findings []data.Finding) []data.Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b data.Finding) int {
		switch {
		case a.Severity == b.Severity:
			return 0
		case a.Severity.AtLeast(b.Severity):
			return -1
		}
		return 1
	})
	return sorted[:min(len(sorted), maxShown)]
}

func entry[K comparable, T any](all map[K]*T, key K, fresh T) *T {
	if all[key] == nil {
		all[key] = &fresh
	}
	return all[key]
}

func ordered[T any](all map[string]*T, order func(a, b *T) int, most int) []T {
	list := []T{}
	for _, item := range slices.SortedFunc(maps.Values(all), order) {
		if len(list) < most {
			list = append(list, *item)
		}
	}
	return list
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
