package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v4"
)

// block is a frontmatter that YAML could read, or the fault of one that it could not.
type block struct {
	root  *yaml.Node
	fault *Fault
}

// keys are those that agentskills.io knows.
func keys() []string {
	return []string{"name", "description", "license", "allowed-tools", "metadata", "compatibility"}
}

// read parses a frontmatter that starts after so many lines of the file; lines of its nodes become the file's.
func read(text string, before int) block {
	if len(text) > maxFrontmatter {
		return block{fault: &Fault{"invalid-yaml", 1, fmt.Sprintf("frontmatter of %d bytes", len(text))}}
	}
	if at := strings.IndexFunc(text, unprintable); at >= 0 {
		return block{fault: &Fault{"invalid-yaml", 1 + before + strings.Count(text[:at], "\n"), "a control character"}}
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(joinSurrogates(text)), &document); err != nil {
		return block{fault: yamlFault(err, before)}
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return block{fault: &Fault{"frontmatter-mapping", 1, "the frontmatter holds no keys"}}
	}
	root := document.Content[0]
	shift(root, before)
	return block{root: root}
}

// unprintable finds the characters that YAML allows nowhere. The parser lets some of them pass.
func unprintable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7F && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF
}

var surrogates = regexp.MustCompile(`\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`)

// joinSurrogates writes pairs of surrogate escapes, which the validators accept in quoted text as JSON does, in the
// one form that the parser takes.
func joinSurrogates(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	return surrogates.ReplaceAllStringFunc(text, func(pair string) string {
		var high, low rune
		if _, err := fmt.Sscanf(pair, `\u%x\u%x`, &high, &low); err != nil {
			return pair
		}
		return fmt.Sprintf(`\U%08X`, utf16.DecodeRune(high, low))
	})
}

var atLine = regexp.MustCompile(`^line (\d+): `)

func yamlFault(err error, before int) *Fault {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := atLine.FindStringSubmatch(message); m != nil {
		_, _ = fmt.Sscan(m[1], &line)
	}
	return &Fault{"invalid-yaml", max(1, line+before), quote(atLine.ReplaceAllString(message, ""))}
}

func shift(n *yaml.Node, by int) {
	n.Line += by
	for _, child := range n.Content {
		shift(child, by)
	}
}

// get returns the last value of a key, nil if it is not there.
func (b block) get(key string) *yaml.Node {
	for i := len(b.root.Content) - 2; i >= 0; i -= 2 {
		if b.root.Content[i].Value == key {
			return resolve(b.root.Content[i+1])
		}
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// text returns a value that is a scalar.
func (b block) text(key string) (yaml.Node, bool) {
	n := b.get(key)
	if n == nil || n.Kind != yaml.ScalarNode {
		return yaml.Node{}, false
	}
	return *n, true
}

func (b block) unknownKeys() []Fault {
	var faults []Fault
	for i := 0; i+1 < len(b.root.Content); i += 2 {
		if key := b.root.Content[i]; key.Kind != yaml.ScalarNode || !slices.Contains(keys(), key.Value) {
			faults = append(faults, Fault{"unknown-key", key.Line, "key " + quote(key.Value)})
		}
	}
	return faults
}

// required looks for name and description. quick_validate lets empty texts pass, skills-ref does not.
func (b block) required(emptyPasses bool) []Fault {
	var faults []Fault
	for _, key := range []string{"name", "description"} {
		n := b.get(key)
		switch {
		case n == nil:
			faults = append(faults, Fault{"missing-" + key, 1, "no " + key})
		case n.Kind != yaml.ScalarNode:
			faults = append(faults, Fault{"field-not-text", n.Line, key + " is a list or a mapping"})
		case !emptyPasses && strings.TrimSpace(n.Value) == "":
			faults = append(faults, Fault{"empty-" + key, n.Line, key + " is empty"})
		}
	}
	if n := b.get("compatibility"); n != nil && n.Kind != yaml.ScalarNode {
		faults = append(faults, Fault{"field-not-text", n.Line, "compatibility is a list or a mapping"})
	}
	return faults
}

// nulls finds the words for nothing in the place of a name or a description: what reads YAML sees none there.
func (b block) nulls() []Fault {
	var faults []Fault
	for _, key := range []string{"name", "description"} {
		if n, ok := b.text(key); ok && n.Value != "" && isNull(&n) {
			faults = append(faults, Fault{"empty-" + key, n.Line, fmt.Sprintf("%s %s is read as nothing", key, quote(n.Value))})
		}
	}
	return faults
}

// typed finds plain scalars that YAML 1.1 reads as something other than text.
func (b block) typed() []Fault {
	var faults []Fault
	for _, key := range []string{"name", "description", "compatibility"} {
		if n, ok := b.text(key); ok && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			if kind := plainType(n.Value); kind != "" {
				faults = append(faults, Fault{"field-typed", n.Line, fmt.Sprintf("%s %s is read as %s", key, quote(n.Value), kind)})
			}
		}
	}
	return faults
}

// The plain scalars that YAML 1.1 gives a type, as its type repository defines them.
var (
	yamlBool  = regexp.MustCompile(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	yamlInt   = regexp.MustCompile(`^[-+]?(?:0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*(?::[0-5]?[0-9])*)$`)
	yamlFloat = regexp.MustCompile(`^[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|\.(?:inf|Inf|INF))$|^\.(?:nan|NaN|NAN)$`)
	yamlTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$|^\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?$`)
)

func plainType(plain string) string {
	switch {
	case plain == "" || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL":
		return "null"
	case yamlBool.MatchString(plain):
		return "true or false"
	case yamlInt.MatchString(plain), yamlFloat.MatchString(plain):
		return "a number"
	case yamlTime.MatchString(plain):
		return "a date"
	}
	return ""
}

func isNull(n *yaml.Node) bool { return n.Style == 0 && plainType(n.Value) == "null" }

// strict finds what strictyaml refuses in valid YAML: flow style, anchors, tags, a key that is given twice, and
// mappings of one parent that are indented differently.
func strict(n *yaml.Node) *Fault {
	switch {
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		return &Fault{"strict-yaml", n.Line, "a list or mapping in brackets or braces"}
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return &Fault{"strict-yaml", n.Line, "an anchor or alias"}
	case n.Style&yaml.TaggedStyle != 0:
		return &Fault{"strict-yaml", n.Line, "a type tag " + quote(n.Tag)}
	}
	if n.Kind == yaml.MappingNode {
		if fault := strictMapping(n); fault != nil {
			return fault
		}
	}
	for _, child := range n.Content {
		if fault := strict(child); fault != nil {
			return fault
		}
	}
	return nil
}

func strictMapping(n *yaml.Node) *Fault {
	seen := make(map[string]bool, len(n.Content)/2)
	indent := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if seen[key.Value] {
			return &Fault{"strict-yaml", key.Line, "key " + quote(key.Value) + " a second time"}
		}
		seen[key.Value] = true
		if value.Kind != yaml.MappingNode {
			continue
		}
		if indent != 0 && value.Column != indent {
			return &Fault{"strict-yaml", value.Line, "a mapping that is indented unlike the one before"}
		}
		indent = value.Column
	}
	return nil
}
