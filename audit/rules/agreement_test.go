package rules_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/rules"
	"skillcorpus/audit/statistics"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
	"skillcorpus/parse/document"
)

// label is what a reader said of one skill of the reference corpus.
type label struct {
	Repo         string
	Path         string
	Tier         string
	CodeSound    bool `json:"code_sound"`
	MissingFiles bool `json:"missing_files"`
	Missing      []string
}

// The split of the judged skills: 50 that nobody reads, drawn by this seed and stratified by tier and missing files
// (docs/audit.md).
const splitSeed, heldOut = 7, 50

// visible is how many characters of a SKILL.md the judges read (PAPER.md).
const visible = 8000

// floors are the least kappas of the pooled 150 that a change may leave, over the texts as far as the judges read: what is
// named later they could not miss. They are the aim for tier and missing files, a little below what was reached for the
// rest (docs/audit.md).
func floors() map[string]float64 {
	return map[string]float64{"tier": 0.80, "missing_files": 0.75, "code_sound": 0.85, "runnable_complete": 0.85}
}

// TestProofAgreement holds the verdict against readers: 150 judged skills, by the split, and 40 labelled for this project.
// Floors are for the pooled 150; SKILLCORPUS_PROOF=1 also logs every group, and the whole texts.
func TestProofAgreement(t *testing.T) {
	t.Parallel()
	judged := readLabels(t, datatest.Shared(t, "judged", "judged.jsonl"))
	own := readLabels(t, filepath.Join("testdata", "labels.jsonl"))
	records := readRecords(t, slices.Concat(judged, own))
	kappas := compare(t, "pooled", judged, records, visible)
	for part, floor := range floors() {
		if kappas[part] < floor {
			t.Errorf("pooled agreement on %s fell to %.3f, below %.2f", part, kappas[part], floor)
		}
	}
	if os.Getenv("SKILLCORPUS_PROOF") == "" {
		return
	}
	held := statistics.Sample(len(judged), heldOut, func(i int) string { return fmt.Sprint(judged[i].Tier, judged[i].MissingFiles) }, splitSeed)
	var learn, hidden []label
	for i, l := range judged {
		if slices.Contains(held, i) {
			hidden = append(hidden, l)
		} else {
			learn = append(learn, l)
		}
	}
	for _, group := range []struct {
		name   string
		labels []label
	}{{"learn", learn}, {"held out", hidden}, {"pooled", judged}, {"own", own}} {
		for _, limit := range []int{0, visible} {
			compare(t, group.name, group.labels, records, limit)
		}
	}
}

// compare logs one line for each part of the verdict, and returns its kappas.
func compare(t *testing.T, name string, labels []label, records map[string]*data.Record, limit int) map[string]float64 {
	t.Helper()
	theirs, ours := map[string][]string{}, map[string][]string{}
	right, named, found := 0, 0, 0
	for _, l := range labels {
		v := judge(t, records[l.Repo+"/"+l.Path], limit)
		for part, pair := range map[string][2]string{
			"tier":              {l.Tier, string(v.Tier)},
			"code_sound":        {strconv.FormatBool(l.CodeSound), strconv.FormatBool(v.CodeSound)},
			"missing_files":     {strconv.FormatBool(l.MissingFiles), strconv.FormatBool(v.MissingFiles)},
			"runnable_complete": {strconv.FormatBool(l.CodeSound && !l.MissingFiles), strconv.FormatBool(v.RunnableComplete)},
		} {
			theirs[part], ours[part] = append(theirs[part], pair[0]), append(ours[part], pair[1])
		}
		if l.Missing == nil {
			continue
		}
		named, found = named+len(l.Missing), found+len(v.Missing)
		for _, path := range l.Missing {
			if slices.Contains(v.Missing, path) {
				right++
			}
		}
	}
	kappas := map[string]float64{}
	for _, part := range []string{"tier", "code_sound", "missing_files", "runnable_complete"} {
		a := statistics.Agree(theirs[part], ours[part], splitSeed)
		if a.Kappa == nil {
			t.Logf("| %s | %d | %s | %d | %.3f | not defined |", name, limit, part, a.N, a.Observed)
			continue
		}
		kappas[part] = *a.Kappa
		t.Logf("| %s | %d | %s | %d | %.3f | %.3f [%.2f, %.2f] | %v %v |", name, limit, part, a.N, a.Observed, *a.Kappa, a.CI[0], a.CI[1], a.Labels, a.Table)
	}
	if named > 0 {
		t.Logf("%s, %d: of %d missing paths that readers named %d are found, of %d found %d were named", name, limit, named, right, found, right)
	}
	return kappas
}

func judge(t *testing.T, r *data.Record, limit int) data.Verdict {
	t.Helper()
	if r == nil {
		t.Fatal("a label has no record in the corpus")
	}
	bundle, contents, err := r.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	source := document.Source{File: bundle.SkillFile, Folder: data.FolderName(bundle.ID)}
	text := contents[0]
	if limit > 0 && utf8.RuneCount(text) > limit {
		text = []byte(string([]rune(string(text))[:limit]))
		// A fence that the cut leaves open is no fault of its author.
		if cut := document.Parse(text, source); len(cut.Sections) > 0 && cut.Sections[len(cut.Sections)-1].Open {
			text = append(text, "\n```\n"...)
		}
	}
	v, _ := rules.Judge(facts.Collect(facts.Input{Bundle: bundle, SkillMD: text, Document: document.Parse(text, source)}))
	return v
}

func readLabels(t *testing.T, file string) []label {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var labels []label
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var l label
		err := decoder.Decode(&l)
		if errors.Is(err, io.EOF) {
			return labels
		}
		if err != nil {
			t.Fatal(err)
		}
		labels = append(labels, l)
	}
}

// readRecords returns the corpus records that labels speak of, by repository and path.
func readRecords(t *testing.T, labels []label) map[string]*data.Record {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "corpus"), "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus files: %v", err)
	}
	wanted := map[string]bool{} // the head of a row, up to its path
	for _, l := range labels {
		wanted[l.Repo] = true
	}
	records := map[string]*data.Record{}
	for _, file := range files {
		packed, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		rows := bufio.NewReaderSize(unpacked, 1<<20)
		for {
			row, err := rows.ReadBytes('\n')
			if len(row) > 0 && wanted[repoOf(row)] {
				var r data.Record
				if err := json.Unmarshal(row, &r); err != nil {
					t.Fatal(err)
				}
				records[r.Repo+"/"+r.Path] = &r
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := packed.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return records
}

// repoOf reads the repository from the head of a row without decoding the rest.
func repoOf(row []byte) string {
	head := string(row[:min(len(row), 400)])
	_, after, _ := strings.Cut(head, `"repo"`)
	parts := strings.SplitN(after, `"`, 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}
