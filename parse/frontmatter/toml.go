package frontmatter

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"skillcorpus/data"
)

// readTOML reads a block with the TOML library, and takes lines and the author's text of numbers, dates and
// booleans from the block itself. TOML knows no keys given twice.
func (r *reader) readTOML(body []byte) ([]data.Field, error) {
	if opens := bytes.Count(body, []byte{'['}) + bytes.Count(body, []byte{'{'}); opens > MaxNodes {
		return nil, fmt.Errorf("%w: %d brackets", errBudget, opens)
	}
	if depth := bracketDepth(body); depth > MaxDepth {
		return nil, fmt.Errorf("%w: brackets nested %d deep", errBudget, depth)
	}
	var table map[string]any
	if _, err := toml.Decode(string(body), &table); err != nil {
		return nil, err
	}
	value, err := r.tomlValue(table, tomlPlaces(body, r.line), nil, 0)
	return value.Map, err
}

// bracketDepth bounds the nesting before the library recurses into it: it counts brackets in strings too.
func bracketDepth(body []byte) int {
	depth, deepest := 0, 0
	for _, c := range body {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// tomlPlace is where a key stands, and what is written behind it.
type tomlPlace struct {
	line int
	text string
}

var tomlKey = regexp.MustCompile(`^\s*(?:\[+\s*([^\]]+?)\s*\]+|([A-Za-z0-9_."'-]+)\s*=\s*(.*?)\s*)(?:\s#.*)?$`)

// tomlPlaces finds the line of each key by its dotted path. A line inside a long string that looks like a
// key can shadow nothing but a line number: the first place of a path counts.
func tomlPlaces(body []byte, line int) map[string]tomlPlace {
	places := make(map[string]tomlPlace)
	table := ""
	for i, row := range strings.Split(string(body), "\n") {
		m := tomlKey.FindStringSubmatch(row)
		if m == nil {
			continue
		}
		path := m[1]
		if path != "" {
			table = path + "."
		} else {
			path = table + strings.Trim(m[2], `"'`)
		}
		if _, known := places[path]; !known {
			places[path] = tomlPlace{line + i, m[3]}
		}
	}
	return places
}

func (r *reader) tomlValue(v any, places map[string]tomlPlace, path []string, depth int) (data.Value, error) {
	if r.nodes--; r.nodes < 0 || depth > MaxDepth {
		return data.Value{}, fmt.Errorf("%w: more than %d values or nested deeper than %d", errBudget, MaxNodes, MaxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		m := data.Value{Kind: data.KindMap}
		for key, item := range v {
			at := append(slices.Clone(path), key)
			value, err := r.tomlValue(item, places, at, depth+1)
			if err != nil {
				return data.Value{}, err
			}
			line := cmp.Or(places[strings.Join(at, ".")].line, places[strings.Join(path, ".")].line, r.line)
			m.Map = append(m.Map, data.Field{Key: key, Line: line, Value: value})
		}
		slices.SortFunc(m.Map, func(a, b data.Field) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
		})
		return m, nil
	case []map[string]any:
		list := data.Value{Kind: data.KindList}
		for _, item := range v {
			value, err := r.tomlValue(item, places, path, depth+1)
			if err != nil {
				return data.Value{}, err
			}
			list.List = append(list.List, value)
		}
		return list, nil
	case []any:
		list := data.Value{Kind: data.KindList}
		for _, item := range v {
			value, err := r.tomlValue(item, places, nil, depth+1)
			if err != nil {
				return data.Value{}, err
			}
			list.List = append(list.List, value)
		}
		return list, nil
	case string:
		return data.Scalar(v), nil
	default:
		return data.Scalar(cmp.Or(places[strings.Join(path, ".")].text, fmt.Sprint(v))), nil
	}
}
