package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync/atomic"

	"skillcorpus/data"
	"skillcorpus/store"
)

// ImportOptions say how an import goes about its work.
type ImportOptions struct {
	Counter *store.Counter
	Stop    <-chan struct{}
	Warn    func(message string) // called for each line that is no record; from one goroutine at a time
}

// maxRecord bounds one line of the corpus format: the longest SKILL.md is kept whole, bundled files up to
// data.MaxKeptBundle come base64-coded.
const maxRecord = 64 << 20

// Import reads skills in the corpus format, plain or gzip, and stores them as they are. A line that is no record
// is told to Warn and skipped. It returns how many records were stored and how many lines were refused; an
// input that is cut short is an error, and what came before it stays.
func Import(ctx context.Context, corpus *store.Store, name string, input io.Reader, options ImportOptions) (stored, refused int, err error) {
	lines, err := newLineReader(name, input)
	if err != nil {
		return 0, 0, fmt.Errorf("import %s: %w", name, err)
	}
	var storedCount, refusedCount atomic.Int64
	err = store.Loop[numberedLine, importedSkill]{
		Workers: runtime.GOMAXPROCS(0),
		Batch:   256,
		Counter: options.Counter,
		Stop:    options.Stop,
		Due:     func(context.Context, string) ([]numberedLine, error) { return lines.page(64) },
		Key:     func(numberedLine) string { return "" },
		Work: func(_ context.Context, line numberedLine) (importedSkill, error) {
			options.Counter.Bytes.Add(int64(len(line.text)))
			return importLine(corpus, line)
		},
		Failed: func(line numberedLine, err error) importedSkill {
			return importedSkill{warning: fmt.Sprintf("%s line %d: %v: skipped", name, line.number, err)}
		},
		Commit: func(ctx context.Context, batch []importedSkill) error {
			var bundles []data.Bundle
			var blobs []store.Blob
			for _, skill := range batch {
				if skill.warning != "" {
					refusedCount.Add(1)
					options.Warn(skill.warning)
					continue
				}
				bundles, blobs = append(bundles, skill.bundle), append(blobs, skill.blobs...)
			}
			storedCount.Add(int64(len(bundles)))
			return corpus.CommitImport(ctx, bundles, blobs)
		},
	}.Run(ctx)
	if err != nil {
		err = fmt.Errorf("import %s: %w", name, err)
	}
	return int(storedCount.Load()), int(refusedCount.Load()), err
}

type importedSkill struct {
	bundle  data.Bundle
	blobs   []store.Blob
	warning string // of a line that was refused
}

func importLine(corpus *store.Store, line numberedLine) (importedSkill, error) {
	var record data.Record
	if err := json.Unmarshal(line.text, &record); err != nil {
		return importedSkill{}, malformed("not a record of the corpus format", err)
	}
	bundle, contents, err := record.Bundle()
	if err != nil {
		return importedSkill{}, malformed(err.Error(), nil)
	}
	skill := importedSkill{bundle: bundle}
	for _, content := range contents {
		skill.blobs = append(skill.blobs, corpus.Pack(content))
	}
	return skill, nil
}

func malformed(reason string, err error) error {
	return &data.ItemError{Outcome: data.OutcomeMalformed, Reason: reason, Err: err}
}

type numberedLine struct {
	number int
	text   []byte
}

// lineReader gives the non-blank lines of a plain or gzip stream. Lines may be long (bufio.Scanner stops at 64 KiB).
type lineReader struct {
	name   string
	input  *bufio.Reader
	number int
}

func newLineReader(name string, input io.Reader) (*lineReader, error) {
	buffered := bufio.NewReaderSize(input, 1<<20)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		buffered = bufio.NewReaderSize(unzipped, 1<<20)
	}
	return &lineReader{name: name, input: buffered}, nil
}

func (r *lineReader) page(size int) (page []numberedLine, err error) {
	for len(page) < size {
		text, err := r.line()
		if len(bytes.TrimSpace(text)) > 0 {
			page = append(page, numberedLine{number: r.number, text: text})
		}
		switch {
		case errors.Is(err, io.EOF):
			return page, nil
		case err != nil:
			return nil, fmt.Errorf("after line %d: %w (is the file cut short? what came before is stored)", r.number, err)
		}
	}
	return page, nil
}

func (r *lineReader) line() (line []byte, err error) {
	r.number++
	for {
		part, err := r.input.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxRecord {
			return nil, fmt.Errorf("line %d is longer than %d bytes", r.number, maxRecord)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return slices.Clip(line), err
		}
	}
}
