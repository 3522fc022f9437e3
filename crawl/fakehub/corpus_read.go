package fakehub

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// record is one line of a corpus: one skill.
type record struct {
	Repo      string       `json:"repo"`
	Path      string       `json:"path"`
	File      string       `json:"file"`
	License   string       `json:"license"`
	UpdatedAt time.Time    `json:"updated_at"`
	Files     []corpusFile `json:"files"`
	Stars     int          `json:"stars"`
	SkillMD   *string      `json:"skill_md"`
	Bytes     []byte       `json:"skill_md_b64"`

	text *text
}

// UnmarshalJSON reads a listed file: path, bytes and git mode in an array.
func (f *corpusFile) UnmarshalJSON(line []byte) error {
	return json.Unmarshal(line, &[]any{&f.path, &f.size, &f.mode})
}

// readCorpus adds the repositories of a folder of skills-*.jsonl.gz, in the order in which they come. A repository that
// the index has already stays as it is.
func (x *index) readCorpus(folder fs.FS) error {
	names, err := fs.Glob(folder, "skills-*.jsonl.gz")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("no skills-*.jsonl.gz in the corpus folder")
	}
	slices.Sort(names)
	files := make([][]record, len(names))
	failed := make([]error, len(names))
	var readers sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		readers.Go(func() {
			for i := range next {
				files[i], failed[i] = readRecords(folder, names[i])
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	readers.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return x.addRecords(slices.Concat(files...))
}

func readRecords(folder fs.FS, name string) (list []record, err error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(unpacked); ; {
		var r record
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s, record %d: %w", name, len(list)+1, err)
		}
		if err := r.pack(w); err != nil {
			return nil, fmt.Errorf("read %s, record %d: %w", name, len(list)+1, err)
		}
		list = append(list, r)
	}
}

// pack deflates the text and lets its bytes go.
func (r *record) pack(w *flate.Writer) (err error) {
	if r.SkillMD != nil {
		r.Bytes = []byte(*r.SkillMD)
	}
	r.text, err = newText(r.Bytes, w)
	r.SkillMD, r.Bytes = nil, nil
	return err
}

func (x *index) addRecords(list []record) error {
	byRepo := make(map[string][]record)
	var order []string
	for _, r := range list {
		key := strings.ToLower(r.Repo)
		if byRepo[key] == nil {
			order = append(order, key)
		}
		byRepo[key] = append(byRepo[key], r)
	}
	for _, key := range order {
		if x.byName[key] != nil {
			continue
		}
		c, err := gather(byRepo[key][0].Repo, byRepo[key])
		if err != nil {
			return err
		}
		if err := x.add(corpusRepository(c, byRepo[key])); err != nil {
			return err
		}
	}
	return nil
}

// corpusRepository takes what the records tell: the most stars, the latest update, the first licence.
func corpusRepository(c *records, list []record) *repository {
	r := &repository{Repo: c.repo, Commit: c.commit(), License: list[0].License, Bytes: c.bytes(), content: c}
	r.invented = invent(r)
	r.stars, r.updated = 0, time.Time{}
	for _, one := range list {
		r.stars = max(r.stars, one.Stars)
		if one.UpdatedAt.After(r.updated) {
			r.updated = one.UpdatedAt
		}
	}
	r.pushed = cmp.Or(r.updated, r.pushed)
	return r
}
