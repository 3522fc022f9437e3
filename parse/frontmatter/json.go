package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"skillcorpus/data"
)

// readJSON reads a block token by token, so that order, keys given twice and numbers as written survive.
func (r *reader) readJSON(body []byte) ([]data.Field, error) {
	d := jsonDecoder{reader: r, body: body, Decoder: json.NewDecoder(bytes.NewReader(body))}
	d.UseNumber()
	value, err := d.value(0)
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(body)) == 0:
		return nil, nil
	case err != nil:
		return nil, err
	case value.Kind != data.KindMap:
		return nil, errNotMapping
	}
	return value.Map, nil
}

type jsonDecoder struct {
	*json.Decoder
	reader *reader
	body   []byte
}

func (d jsonDecoder) value(depth int) (data.Value, error) {
	if d.reader.nodes--; d.reader.nodes < 0 || depth > MaxDepth {
		return data.Value{}, fmt.Errorf("%w: more than %d values or nested deeper than %d", errBudget, MaxNodes, MaxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return data.Value{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return d.object(depth)
		}
		return d.array(depth)
	case nil:
		return data.Value{Kind: data.KindScalar, Scalar: "null", Null: true}, nil
	default:
		return data.Scalar(fmt.Sprint(token)), nil
	}
}

func (d jsonDecoder) object(depth int) (data.Value, error) {
	m := data.Value{Kind: data.KindMap}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return data.Value{}, err
		}
		line := d.reader.line + bytes.Count(d.body[:d.InputOffset()], []byte{'\n'})
		v, err := d.value(depth + 1)
		if err != nil {
			return data.Value{}, err
		}
		m.Map = append(m.Map, data.Field{Key: fmt.Sprint(key), Line: line, Value: v})
	}
	_, err := d.Token()
	return m, err
}

func (d jsonDecoder) array(depth int) (data.Value, error) {
	list := data.Value{Kind: data.KindList}
	for d.More() {
		v, err := d.value(depth + 1)
		if err != nil {
			return data.Value{}, err
		}
		list.List = append(list.List, v)
	}
	_, err := d.Token()
	return list, err
}
