package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"skillcorpus/audit/statistics"
	"skillcorpus/data"
)

// Judged is one line of a file of judged skills.
type Judged struct {
	Repo         string    `json:"repo"`
	Path         string    `json:"path"`
	Tier         data.Tier `json:"tier"`
	CodeSound    bool      `json:"code_sound"`
	MissingFiles bool      `json:"missing_files"`
	Missing      []string  `json:"missing"`
	Reason       string    `json:"reason"`
}

// ID returns the id of the skill that was judged.
func (j Judged) ID() string { return data.SkillID(j.Repo, j.Path) }

// maxJudged bounds a line of a judged file, in bytes.
const maxJudged = 1 << 20

// ReadJudged reads a file of judged skills, one JSON object a line.
func ReadJudged(r io.Reader) ([]Judged, error) {
	var all []Judged
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxJudged)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var j Judged
		err := json.Unmarshal(lines.Bytes(), &j)
		if err == nil && (j.Repo == "" || j.Tier == "") {
			err = fmt.Errorf("want at least repo, path and tier")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, j)
	}
	return all, lines.Err()
}

// Pair is one skill with the verdicts of both judges.
type Pair struct {
	Judged  Judged
	Verdict data.Verdict
}

// Agreement is how far the audit agrees with somebody's judgement, label by label.
type Agreement struct {
	Type          string         `json:"type"` // always agreement
	N             int            `json:"n"`
	Absent        []string       `json:"absent"` // judged skills that the corpus has no verdict on
	Labels        []LabelMatch   `json:"labels"`
	Paths         PathMatch      `json:"missing_paths"`
	Disagreements []Disagreement `json:"disagreements"`
}

// LabelMatch is the agreement on one label. The first judge is the file's.
type LabelMatch struct {
	Label string `json:"label"`
	statistics.Agreement
}

// PathMatch compares the missing files path by path.
type PathMatch struct {
	Precision statistics.Share `json:"precision"` // of the paths that the audit names
	Recall    statistics.Share `json:"recall"`    // of the paths that the judge names
}

// Disagreement is one label of one skill on which the two differ.
type Disagreement struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Judged  string `json:"judged"`
	Audited string `json:"audited"`
	Reason  string `json:"reason"` // the judge's
}

// Agree compares the audit with judged skills. The judge says nothing of whether there is code, so that runnable-complete
// takes it from the audit on both sides.
func Agree(pairs []Pair, absent []string, seed uint64) Agreement {
	a := Agreement{Type: "agreement", N: len(pairs), Absent: append([]string{}, absent...), Disagreements: []Disagreement{}}
	for _, label := range []struct {
		name    string
		judged  func(Pair) string
		audited func(Pair) string
	}{
		{"tier", func(p Pair) string { return string(p.Judged.Tier) }, func(p Pair) string { return string(p.Verdict.Tier) }},
		{"code_sound", yes(func(p Pair) bool { return p.Judged.CodeSound }), yes(func(p Pair) bool { return p.Verdict.CodeSound })},
		{"missing_files", yes(func(p Pair) bool { return p.Judged.MissingFiles }), yes(func(p Pair) bool { return p.Verdict.MissingFiles })},
		{
			"runnable_complete", yes(func(p Pair) bool { return p.Verdict.CodeBearing && p.Judged.CodeSound && !p.Judged.MissingFiles }),
			yes(func(p Pair) bool { return p.Verdict.RunnableComplete }),
		},
	} {
		var first, second []string
		for _, p := range pairs {
			judged, audited := label.judged(p), label.audited(p)
			first, second = append(first, judged), append(second, audited)
			if judged != audited {
				a.Disagreements = append(a.Disagreements, Disagreement{p.Judged.ID(), label.name, judged, audited, p.Judged.Reason})
			}
		}
		a.Labels = append(a.Labels, LabelMatch{label.name, statistics.Agree(first, second, seed)})
	}
	a.Paths = matchPaths(pairs)
	return a
}

func yes(of func(Pair) bool) func(Pair) string {
	return func(p Pair) string { return strconv.FormatBool(of(p)) }
}

func matchPaths(pairs []Pair) PathMatch {
	named, audited, both := 0, 0, 0
	for _, p := range pairs {
		judged := clean(p.Judged.Missing)
		found := clean(p.Verdict.Missing)
		named, audited = named+len(judged), audited+len(found)
		for _, name := range found {
			both += one(slices.Contains(judged, name))
		}
	}
	return PathMatch{Precision: statistics.ShareOf(both, audited), Recall: statistics.ShareOf(both, named)}
}

func clean(paths []string) []string {
	var cleaned []string
	for _, p := range paths {
		cleaned = append(cleaned, path.Clean(p))
	}
	slices.Sort(cleaned)
	return slices.Compact(cleaned)
}
