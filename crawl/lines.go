package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

const (
	// maxRecord bounds one line of the corpus format, in bytes: the longest SKILL.md is kept whole, and bundled
	// files up to data.MaxKeptBundle come base64-coded.
	maxRecord = 64 << 20
	// A page of lines ends after so many, or after so many bytes, which are held at once.
	pageLines = 64
	pageBytes = 4 << 20
)

// numberedLine is one line, or why it cannot be read.
type numberedLine struct {
	number  int // from 1
	text    []byte
	refusal error
}

// lineReader gives the non-blank lines of a plain or gzip stream, without the byte order mark of the first. Lines
// may be long (bufio.Scanner stops at 64 KiB).
type lineReader struct {
	input  *bufio.Reader
	number int
	most   int   // bytes of a line
	err    error // why the stream ended early
}

func newLineReader(input io.Reader) (*lineReader, error) {
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
	return &lineReader{input: buffered, most: maxRecord}, nil
}

// page returns the next lines, none at the end. A stream that cannot be read on ends as well, with err set.
func (r *lineReader) page() (page []numberedLine) {
	for size := 0; r.err == nil && len(page) < pageLines && size < pageBytes; {
		line, err := r.line()
		if len(bytes.TrimSpace(line.text)) > 0 || line.refusal != nil {
			page, size = append(page, line), size+len(line.text)
		}
		if errors.Is(err, io.EOF) {
			return page
		}
		if err != nil {
			r.err = fmt.Errorf("after line %d: %w (is the input cut short? what came before is stored)", r.number-1, err)
		}
	}
	return page
}

// line reads one line. What came of a line before the stream broke is dropped.
func (r *lineReader) line() (numberedLine, error) {
	r.number++
	line := numberedLine{number: r.number}
	for {
		part, err := r.input.ReadSlice('\n')
		if len(line.text)+len(part) > r.most {
			line.refusal = malformed(fmt.Sprintf("longer than %d bytes", r.most), nil)
		}
		if line.refusal == nil {
			line.text = append(line.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return numberedLine{}, err
		case line.refusal != nil:
			line.text = nil
		case r.number == 1:
			line.text = bytes.TrimPrefix(line.text, []byte("\xef\xbb\xbf"))
		}
		return line, err
	}
}
