package report

import "skillcorpus/audit/statistics"

// Comparison sets one group of skills against another.
type Comparison struct {
	First   Group            `json:"first"`
	Second  Group            `json:"second"`
	Shares  []SharePair      `json:"shares"`
	Proxies []ProxyPair      `json:"proxies"`
	Method  ComparisonMethod `json:"method"`
}

// Group names one side of a comparison.
type Group struct {
	Name   string `json:"name"`
	Skills int    `json:"skills"`
}

// ComparisonMethod says how p values and effects were got.
type ComparisonMethod struct {
	Test       string `json:"test"`
	Correction string `json:"correction"` // over the proxies of one set of rules
	Effect     string `json:"effect"`
}

// SharePair is one measure in both groups, by the document's real structure.
type SharePair struct {
	Name   string           `json:"name"`
	First  statistics.Share `json:"first"`
	Second statistics.Share `json:"second"`
}

// ProxyPair is one proxy in both groups.
type ProxyPair struct {
	Name      string   `json:"name"`
	Skillflow PairTest `json:"skillflow"`
	Corrected PairTest `json:"corrected"`
}

// PairTest is the test of one proxy. The centre of a group is its median, and its share for what is yes or no.
type PairTest struct {
	First  float64 `json:"first"`
	Second float64 `json:"second"`
	statistics.Difference
	Holm float64 `json:"p_holm"`
}

// Compare sets a group against another one.
func Compare(first, second *Figures, firstName, secondName string) *Comparison {
	c := &Comparison{
		First: Group{firstName, first.Skills}, Second: Group{secondName, second.Skills},
		Method: ComparisonMethod{"two-sided Mann-Whitney U", "Holm", "Cliff's delta"},
	}
	for i, m := range first.Shares {
		c.Shares = append(c.Shares, SharePair{m.Name, m.Corrected, second.Shares[i].Corrected})
	}
	var exact, corrected []float64
	for _, p := range proxies() {
		a, b := first.distribution[p.name], second.distribution[p.name]
		pair := ProxyPair{Name: p.name, Skillflow: testPair(p, a.skillflow, b.skillflow), Corrected: testPair(p, a.corrected, b.corrected)}
		exact, corrected = append(exact, pair.Skillflow.P), append(corrected, pair.Corrected.P)
		c.Proxies = append(c.Proxies, pair)
	}
	exact, corrected = statistics.Holm(exact), statistics.Holm(corrected)
	for i := range c.Proxies {
		c.Proxies[i].Skillflow.Holm, c.Proxies[i].Corrected.Holm = exact[i], corrected[i]
	}
	return c
}

func testPair(p proxy, first, second []float64) PairTest {
	return PairTest{First: centre(p, first), Second: centre(p, second), Difference: statistics.Differ(first, second)}
}

func centre(p proxy, values []float64) float64 {
	q := quantiles(values)
	if p.yesNo {
		return q.Mean
	}
	return q.P50
}
