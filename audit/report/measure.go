package report

import (
	"slices"
	"strings"

	"skillcorpus/audit/statistics"
	"skillcorpus/data"
)

// measure is a share of skills. The corrected one is what the verdict says; the other goes by the paper's counts.
type measure struct {
	name, title string
	skillflow   func(data.Verdict) bool
	corrected   func(data.Verdict) bool
	paper       float64 // PAPER.md, Table 7; 0 where the paper has none
	paperCI     statistics.Interval
}

// HasScripts reports whether a skill bundles scripts by the suffixes of the paper's audit (Table 7), which are more than
// those of its Figure 2 and hold in any letter case.
func HasScripts(v data.Verdict) bool { return v.Corrected.HasScripts }

func measures() []measure {
	bearing := func(v data.Verdict) bool { return v.Proxies.CodeBlockCount > 0 || HasScripts(v) }
	both := func(name, title string, paper float64, holds func(data.Verdict, data.Proxies) bool) measure {
		return measure{
			name, title, func(v data.Verdict) bool { return holds(v, v.Proxies) },
			func(v data.Verdict) bool { return holds(v, v.Corrected) }, paper,
			statistics.Interval{},
		}
	}
	return []measure{
		{
			"runnable_complete", "runnable-complete", func(v data.Verdict) bool { return bearing(v) && v.CodeSound && !v.MissingFiles },
			func(v data.Verdict) bool { return v.RunnableComplete }, 0.323,
			statistics.Interval{0.273, 0.378},
		},
		{"code_bearing", "… carries code", bearing, func(v data.Verdict) bool { return v.CodeBearing }, 0.781, statistics.Interval{}},
		both("code_sound", "… its code is complete", 0, func(v data.Verdict, _ data.Proxies) bool { return v.CodeSound }),
		both("nothing_missing", "… brings every file it names", 0, func(v data.Verdict, _ data.Proxies) bool { return !v.MissingFiles }),
		both("fenced", "has fenced code", 0.765, func(_ data.Verdict, p data.Proxies) bool { return p.CodeBlockCount > 0 }),
		both("scripts", "bundles scripts", 0.132, func(v data.Verdict, _ data.Proxies) bool { return HasScripts(v) }),
		both("bundled", "bundles any file", 0.391, func(_ data.Verdict, p data.Proxies) bool { return p.HasBundledFiles }),
	}
}

func (c *Collector) measured() []Measure {
	var all []Measure
	for i, m := range measures() {
		share := Measure{
			Name: m.name, Skillflow: statistics.ShareOf(c.shares[i][0], c.figures.Skills), Corrected: statistics.ShareOf(c.shares[i][1], c.figures.Skills),
		}
		if m.paper > 0 {
			share.Paper = &m.paper
		}
		if m.paperCI != (statistics.Interval{}) {
			share.PaperCI = &m.paperCI
		}
		all = append(all, share)
	}
	return all
}

// series are the values of one proxy over all skills.
type series struct{ skillflow, corrected []float64 }

// proxy is one of the paper's structural counts.
type proxy struct {
	name, title string
	of          func(data.Proxies) float64
	yesNo       bool
	oracle      float64 // PAPER.md, Figure 2: the median or share among the paper's oracle skills; 0 where it has none
	community   float64 // and in its community corpus
}

func proxies() []proxy {
	flag := func(of func(data.Proxies) bool) func(data.Proxies) float64 {
		return func(p data.Proxies) float64 { return float64(one(of(p))) }
	}
	return []proxy{
		{"word_count", "words", func(p data.Proxies) float64 { return float64(p.WordCount) }, false, 654, 631},
		{"heading_count", "headings", func(p data.Proxies) float64 { return float64(p.HeadingCount) }, false, 19, 17},
		{"code_block_count", "code blocks", func(p data.Proxies) float64 { return float64(p.CodeBlockCount) }, false, 6, 4},
		{"code_fraction", "share of code", func(p data.Proxies) float64 { return p.CodeFraction }, false, 0.39, 0.24},
		{"ordered_list_count", "numbered items", func(p data.Proxies) float64 { return float64(p.OrderedListCount) }, false, 0, 5},
		{"inline_code_density", "inline code per 100 words", func(p data.Proxies) float64 { return p.InlineCodeDensity }, false, 0, 0},
		{"has_scripts", "has scripts", flag(func(p data.Proxies) bool { return p.HasScripts }), true, 0.332, 0.132},
		{"has_references", "has other Markdown files", flag(func(p data.Proxies) bool { return p.HasReferences }), true, 0.192, 0.319},
		{"has_bundled_files", "has other files", flag(func(p data.Proxies) bool { return p.HasBundledFiles }), true, 0, 0},
	}
}

// Spread is how a proxy is distributed, by the paper's rules and corrected. For those that are yes or no the mean is
// the share that has it.
type Spread struct {
	Name      string    `json:"name"`
	Skillflow Quantiles `json:"skillflow"`
	Corrected Quantiles `json:"corrected"`
	Community *float64  `json:"paper_community"` // median, or share, in the paper's corpus; null where it gives none
	Oracle    *float64  `json:"paper_oracle"`    // and among its oracle skills
}

// Quantiles describe numbers.
type Quantiles struct {
	Mean float64 `json:"mean"`
	P5   float64 `json:"p5"`
	P25  float64 `json:"p25"`
	P50  float64 `json:"median"`
	P75  float64 `json:"p75"`
	P95  float64 `json:"p95"`
}

func spreads(distribution map[string]series) []Spread {
	var all []Spread
	for _, p := range proxies() {
		s := Spread{Name: p.name, Skillflow: quantiles(distribution[p.name].skillflow), Corrected: quantiles(distribution[p.name].corrected)}
		if p.oracle > 0 || p.community > 0 {
			s.Oracle, s.Community = &p.oracle, &p.community
		}
		all = append(all, s)
	}
	return all
}

func quantiles(values []float64) Quantiles {
	sorted := slices.Sorted(slices.Values(values))
	at := func(q float64) float64 { return statistics.Quantile(sorted, q) }
	sum := 0.0
	for _, value := range sorted {
		sum += value
	}
	return Quantiles{Mean: sum / float64(max(len(sorted), 1)), P5: at(0.05), P25: at(0.25), P50: at(0.5), P75: at(0.75), P95: at(0.95)}
}

// Lacks says what keeps a skill from being runnable-complete, empty if nothing does.
func Lacks(v data.Verdict) string {
	var lacks []string
	switch {
	case !v.CodeBearing && v.CodeSound:
		lacks = append(lacks, "its code stands neither in a script nor in a fence at the start of a line")
	case !v.CodeBearing:
		lacks = append(lacks, "no code")
	case !v.CodeSound:
		lacks = append(lacks, "its code is not complete")
	}
	if v.MissingFiles {
		lacks = append(lacks, "missing "+strings.Join(v.Missing, ", "))
	}
	return strings.Join(lacks, "; ")
}

// Centre returns the middle of a proxy for people: its median, or its share for what is yes or no.
func Centre(name string, q Quantiles) string {
	for _, p := range proxies() {
		if p.name == name && p.yesNo {
			return percent(q.Mean)
		}
	}
	return number(q.P50)
}
