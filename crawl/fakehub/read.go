package fakehub

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"
)

// maxScript bounds a script's text: a thousand rules are about 100 kB.
const maxScript = 1 << 20

// ReadScript reads a fault script. Unknown fields, repeated fields, aliases and wrong values are errors that name
// the line.
func ReadScript(r io.Reader) (*Script, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err != nil {
		return nil, fmt.Errorf("read fault script: %w", err)
	}
	if len(text) > maxScript {
		return nil, fmt.Errorf("read fault script: larger than %d bytes", maxScript)
	}
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, fmt.Errorf("read fault script: %w", err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("read fault script: want one YAML document")
	}
	script := &Script{}
	if err := script.read(document.Content[0]); err != nil {
		return nil, fmt.Errorf("read fault script: %w", err)
	}
	return script, nil
}

// fields maps the keys that a mapping may have to what reads their values.
type fields map[string]func(*yaml.Node) error

func wrong(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
}

// read reads a mapping.
func (f fields) read(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, "want a mapping")
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := f[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !ok:
			return wrong(key, "unknown field %q", key.Value)
		case seen[key.Value]:
			return wrong(key, "field %q is there twice", key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func (s *Script) read(n *yaml.Node) error {
	return fields{
		"seed":         func(n *yaml.Node) error { return parse(n, &s.Seed, parseSeed) },
		"quotas":       s.Quotas.read,
		"market":       s.Market.read,
		"tree_entries": func(n *yaml.Node) error { return parse(n, &s.TreeEntries, parseCount) },
		"rules":        func(n *yaml.Node) error { return list(n, s.readRule) },
	}.read(n)
}

func parseSeed(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }

func (q *Quotas) read(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Value == "real" {
		*q = RealQuotas()
		return nil
	}
	one := func(into *Quota) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			return fields{
				"anonymous": func(n *yaml.Node) error { return parse(n, &into.Anonymous, parseQuota) },
				"keyed":     func(n *yaml.Node) error { return parse(n, &into.Keyed, parseQuota) },
			}.read(n)
		}
	}
	known := make(fields)
	for name, into := range q.named() {
		known[name] = one(into)
	}
	return known.read(n)
}

func parseQuota(text string) (int, error) {
	if text == "none" {
		return 0, nil
	}
	return parseCount(text)
}

func parseBytes(text string) (int64, error) {
	n, err := parseCount(text)
	return int64(n), err
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = errors.New("want at least 1")
	}
	return n, err
}

func (s *Script) readRule(n *yaml.Node) error {
	var r Rule
	err := fields{"match": r.Match.read, "do": r.Do.read}.read(n)
	if err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return wrong(n, "rule %d: %w", len(s.Rules)+1, err)
	}
	s.Rules = append(s.Rules, r)
	return nil
}

func (m *Match) read(n *yaml.Node) error {
	return fields{
		"host":   func(n *yaml.Node) error { return parse(n, &m.Host, parseText) },
		"path":   func(n *yaml.Node) error { return parse(n, &m.Path, parseText) },
		"repo":   func(n *yaml.Node) error { return parse(n, &m.Repo, parseText) },
		"method": func(n *yaml.Node) error { return parse(n, &m.Method, parseText) },
		"pick":   func(n *yaml.Node) error { return parse(n, &m.Pick, parseCount) },
		"every":  func(n *yaml.Node) error { return parse(n, &m.Every, parseCount) },
		"nth": func(n *yaml.Node) error {
			return list(n, func(n *yaml.Node) error {
				m.Nth = append(m.Nth, 0)
				return parse(n, &m.Nth[len(m.Nth)-1], parseCount)
			})
		},
		"probability": func(n *yaml.Node) error { return parse(n, &m.Probability, parseProbability) },
	}.read(n)
}

func parseProbability(text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err == nil && !(p > 0 && p <= 1) {
		err = errors.New("want more than 0 and at most 1")
	}
	return p, err
}

func (a *Action) read(n *yaml.Node) error {
	return fields{
		"status":    func(n *yaml.Node) error { return parse(n, &a.Status, parseCount) },
		"body":      func(n *yaml.Node) error { return parse(n, &a.Body, parseAnyText) },
		"delay":     func(n *yaml.Node) error { return parse(n, &a.Delay, time.ParseDuration) },
		"block":     func(n *yaml.Node) error { return parse(n, &a.Block, parseText) },
		"rename_to": func(n *yaml.Node) error { return parse(n, &a.RenameTo, parseText) },
		"hold":      func(n *yaml.Node) error { return parse(n, &a.Hold, time.ParseDuration) },
		"wait":      func(n *yaml.Node) error { return parse(n, &a.Wait, time.ParseDuration) },
		"fault":     func(n *yaml.Node) error { return parse(n, &a.Fault, parseText) },
		"tear":      func(n *yaml.Node) error { return parse(n, &a.Tear, parseTrue) },
		"partial":   func(n *yaml.Node) error { return parse(n, &a.Partial, parseTrue) },
		"edit":      func(n *yaml.Node) error { return parse(n, &a.Edit, parseTrue) },
		"pad":       func(n *yaml.Node) error { return parse(n, &a.Pad, parseBytes) },
		"vanish":    func(n *yaml.Node) error { return parse(n, &a.Vanish, parseTrue) },
		"empty":     func(n *yaml.Node) error { return parse(n, &a.Empty, parseTrue) },
		"headers":   a.readHeaders,
		"cut_after": a.readCut,
		"limit":     a.readLimit,
	}.read(n)
}

func (a *Action) readHeaders(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, "want a mapping of header to value")
	}
	a.Headers = make(map[string]string)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], ""
		if err := parse(n.Content[i+1], &value, parseAnyText); err != nil {
			return err
		}
		if _, ok := a.Headers[name.Value]; ok {
			return wrong(name, "field %q is there twice", name.Value)
		}
		a.Headers[name.Value] = value
	}
	return nil
}

func (a *Action) readCut(n *yaml.Node) error {
	a.CutAfter = new(int64)
	return parse(n, a.CutAfter, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
}

func (a *Action) readLimit(n *yaml.Node) error {
	l := &Limit{}
	a.Limit = l
	return fields{
		"kind":         func(n *yaml.Node) error { return parse(n, &l.Kind, parseText) },
		"reset":        func(n *yaml.Node) error { return parse(n, &l.Reset, time.ParseDuration) },
		"undocumented": func(n *yaml.Node) error { return parse(n, &l.Undocumented, parseTrue) },
		"silent":       func(n *yaml.Node) error { return parse(n, &l.Silent, strconv.ParseBool) },
		"status":       func(n *yaml.Node) error { return parse(n, &l.Status, parseCount) },
	}.read(n)
}

func parseAnyText(text string) (string, error) { return text, nil }

func parseText(text string) (string, error) {
	if text == "" {
		return "", errors.New("want a value")
	}
	return text, nil
}

// parseTrue reads a state's mark: false would order nothing.
func parseTrue(text string) (bool, error) {
	if text != "true" {
		return false, errors.New("want true, or leave it out")
	}
	return true, nil
}

// parse reads a scalar.
func parse[T any](n *yaml.Node, into *T, read func(string) (T, error)) error {
	if n.Kind != yaml.ScalarNode {
		return wrong(n, "want a single value")
	}
	value, err := read(n.Value)
	if err != nil {
		return wrong(n, "%q: %w", n.Value, err)
	}
	*into = value
	return nil
}

// list reads a sequence.
func list(n *yaml.Node, read func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return wrong(n, "want a list")
	}
	for _, item := range n.Content {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}
