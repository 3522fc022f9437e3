package list

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostOfRow bounds a row, in bytes. Rows of the corpus format carry whole texts.
const mostOfRow = 16 << 20

// row is one row of a list as it was written, with what it says or why it says nothing.
type row struct {
	raw    []byte
	fields fields
	bad    error
}

// reader gives rows until io.EOF. Any other error means that nothing more can be read.
type reader interface{ next() (row, error) }

// newReader finds out what a list is: gzip by its magic bytes; a JSON array, JSON lines, CSV with a header
// that names a known field, or URLs, by its first line.
func newReader(from io.Reader) (reader, error) {
	in := bufio.NewReaderSize(from, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(plain, 64<<10)
	}
	head, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		if _, err := in.Discard(3); err != nil {
			return nil, err
		}
		head = head[3:]
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	switch {
	case bytes.HasPrefix(first, []byte("[")):
		return newArray(in)
	case bytes.HasPrefix(first, []byte("{")):
		return &lines{in: in, parse: parseJSON}, nil
	case isHeader(string(first)):
		return newTable(in)
	}
	return &lines{in: in, parse: parseURL}, nil
}

// lines reads one row a line; blank lines and # comments are none.
type lines struct {
	in    *bufio.Reader
	parse func([]byte) (fields, error)
}

func (l *lines) next() (row, error) {
	for {
		line, tooLong, err := readLine(l.in)
		if err != nil {
			return row{}, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if tooLong {
			return row{raw: line, bad: fmt.Errorf("longer than %d bytes", mostOfRow)}, nil
		}
		found, err := l.parse(line)
		return row{raw: line, fields: found, bad: err}, nil
	}
}

// readLine returns the next line, of a too long one its beginning, and io.EOF after the last.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if room := mostOfRow - len(line); len(part) > room {
			part, tooLong = part[:room], true
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, tooLong, nil
		}
		return line, tooLong, err
	}
}

func parseJSON(text []byte) (fields, error) {
	var f fields
	err := f.UnmarshalJSON(text)
	return f, err
}

func parseURL(text []byte) (fields, error) {
	return fields{URL: string(text)}, nil
}

// array reads the elements of one JSON array.
type array struct {
	from *json.Decoder
	over bool
}

func newArray(in io.Reader) (reader, error) {
	from := json.NewDecoder(in)
	_, err := from.Token()
	return &array{from: from}, err
}

func (a *array) next() (row, error) {
	if a.over || !a.from.More() {
		return row{}, io.EOF
	}
	var text json.RawMessage
	if err := a.from.Decode(&text); err != nil {
		a.over = true // where the next element begins, nobody knows
		if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, io.ErrUnexpectedEOF) {
			return row{bad: fmt.Errorf("the array breaks off: %w", err)}, nil
		}
		return row{}, err
	}
	var f fields
	var url string
	err := json.Unmarshal(text, &f)
	if json.Unmarshal(text, &url) == nil {
		f, err = fields{URL: url}, nil
	}
	return row{raw: text, fields: f, bad: err}, nil
}

// table reads CSV with a header.
type table struct {
	from    *csv.Reader
	columns []string
}

func isHeader(line string) bool {
	columns, err := csv.NewReader(strings.NewReader(strings.TrimSpace(line))).Read()
	if err != nil {
		return false
	}
	for _, column := range columns {
		if known(columnName(column)) {
			return true
		}
	}
	return false
}

func newTable(in io.Reader) (reader, error) {
	from := csv.NewReader(in)
	from.FieldsPerRecord = -1
	from.TrimLeadingSpace = true
	header, err := from.Read()
	if err != nil {
		return nil, err
	}
	t := &table{from: from}
	for _, column := range header {
		t.columns = append(t.columns, columnName(column))
	}
	return t, nil
}

func (t *table) next() (row, error) {
	cells, err := t.from.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		return row{raw: []byte(strings.Join(cells, "\x00")), bad: broken}, nil
	}
	if err != nil {
		return row{}, err
	}
	r := row{raw: []byte(strings.Join(cells, "\x00"))}
	if len(cells) > len(t.columns) {
		r.bad = fmt.Errorf("%d cells under %d columns", len(cells), len(t.columns))
		return r, nil
	}
	for i, cell := range cells {
		if err := r.fields.set(t.columns[i], strings.TrimSpace(cell)); err != nil {
			r.bad = err
		}
	}
	return r, nil
}
