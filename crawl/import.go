package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"unicode/utf8"

	"skillcorpus/data"
	"skillcorpus/store"
)

// ImportOptions say how an import goes about its work.
type ImportOptions struct {
	Counter *store.Counter
	Stop    <-chan struct{}
	Warn    func(message string) // called for each line that is no record; from one goroutine at a time
}

// Import reads skills in the corpus format, plain or gzip, and stores them as they are. A line that is no record
// is told to Warn and skipped, and so is one whose skill a later line of the same input brings again. It returns
// how many skills were stored and how many lines were refused; an input that is cut short is an error, and what
// came before it is stored.
func Import(ctx context.Context, corpus *store.Store, name string, input io.Reader, options ImportOptions) (stored, refused int, err error) {
	lines, err := newLineReader(input)
	if err != nil {
		return 0, 0, fmt.Errorf("import %s: %w", name, err)
	}
	denials, err := corpus.Denials(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("import %s: %w", name, err)
	}
	importing := importer{ImportOptions: options, corpus: corpus, denials: denials, name: name, lines: map[string]int{}}
	err = store.Loop[numberedLine, importedSkill]{
		Workers: runtime.GOMAXPROCS(0),
		Batch:   256,
		Counter: options.Counter,
		Stop:    options.Stop,
		Due:     func(context.Context, string) ([]numberedLine, error) { return lines.page(), nil },
		Key:     func(numberedLine) string { return "" },
		Work: func(_ context.Context, line numberedLine) (importedSkill, error) {
			options.Counter.Bytes.Add(int64(len(line.text)))
			return importing.read(line)
		},
		Failed: func(line numberedLine, err error) importedSkill {
			return importedSkill{line: line.number, refusal: err}
		},
		Commit: importing.commit,
	}.Run(ctx)
	if err == nil {
		err = lines.err // only now, when all that came before is stored
	}
	if err != nil {
		err = fmt.Errorf("import %s: %w", name, err)
	}
	return importing.stored, importing.refused, err
}

// importer is the state of one import. Only commit, which is never called twice at a time, changes it.
type importer struct {
	ImportOptions
	corpus          *store.Store
	denials         data.Denials
	name            string
	lines           map[string]int // by skill id, the line that brought it
	stored, refused int
}

// importedSkill is what one line gives.
type importedSkill struct {
	line    int
	bundle  data.Bundle
	blobs   []store.Blob
	refusal error // of a line that is no record
}

func (i *importer) read(line numberedLine) (importedSkill, error) {
	switch {
	case line.refusal != nil:
		return importedSkill{}, line.refusal
	case !utf8.Valid(line.text): // the decoder would change such bytes in silence
		return importedSkill{}, malformed("not UTF-8: a SKILL.md of other bytes goes into skill_md_b64", nil)
	}
	var record data.Record
	if err := json.Unmarshal(line.text, &record); err != nil {
		return importedSkill{}, malformed("not a record of the corpus format", err)
	}
	bundle, contents, err := record.Bundle()
	if err != nil {
		return importedSkill{}, malformed(err.Error(), nil)
	}
	if denial, denied := i.denials.Of(bundle.ID); denied {
		return importedSkill{}, &data.ItemError{Outcome: data.OutcomeDenied, Reason: denial.Reason}
	}
	skill := importedSkill{line: line.number, bundle: bundle}
	for _, content := range contents {
		skill.blobs = append(skill.blobs, i.corpus.Pack(content))
	}
	return skill, nil
}

func malformed(reason string, err error) error {
	return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: reason, Err: err}
}

// commit stores a batch. Lines come in the order in which the workers finish them, yet the last one of a skill
// counts.
func (i *importer) commit(ctx context.Context, batch []importedSkill) error {
	var bundles []data.Bundle
	var blobs []store.Blob
	for _, skill := range batch {
		if skill.refusal != nil {
			i.refuse(skill.line, skill.refusal.Error())
			continue
		}
		before, again := i.lines[skill.bundle.ID]
		if again {
			i.refuse(min(before, skill.line), fmt.Sprintf("%s comes again in line %d", skill.bundle.ID, max(before, skill.line)))
		}
		if skill.line < before {
			continue
		}
		if i.lines[skill.bundle.ID] = skill.line; !again {
			i.stored++
		}
		bundles, blobs = append(bundles, skill.bundle), append(blobs, skill.blobs...)
	}
	return i.corpus.CommitImport(ctx, bundles, blobs)
}

func (i *importer) refuse(line int, why string) {
	i.refused++
	i.Warn(fmt.Sprintf("%s line %d: %s: skipped", i.name, line, why))
}
