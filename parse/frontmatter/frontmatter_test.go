package frontmatter

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func plain(t *testing.T, r Reading) string {
	t.Helper()
	text, err := json.Marshal(r.Plain())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func findings(r Reading) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("%s:%d", strings.TrimPrefix(f.Rule, "frontmatter."), f.Line))
	}
	return strings.Join(all, " ")
}

func TestCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text     string
		block    Block
		found    bool
		unclosed int
	}{
		{"---\na: b\n---\nx", Block{YAML, 4, 9, 13}, true, 0},
		{"---  \r\na: b\r\n--- \t\r\nx", Block{YAML, 7, 13, 20}, true, 0},
		{"\n\n---\na: b\n---", Block{YAML, 6, 11, 14}, true, 0},
		{"---\n---\n", Block{YAML, 4, 4, 8}, true, 0},
		{"---\na: |\n  ---\n---x\n ---\n---\n", Block{YAML, 4, 25, 29}, true, 0},
		{"+++\na = 1\n---\n+++\n", Block{TOML, 4, 14, 18}, true, 0},
		{";;;\n{}\n;;;\n", Block{JSON, 4, 7, 11}, true, 0},
		{"{\n\"a\": {\n}\n}\nx", Block{}, false, 0},
		{"{\n\"a\": 1\n}\nx", Block{JSON, 0, 11, 11}, true, 0},
		{"----\na: b\n----\n", Block{}, false, 0},
		{"\n---\na: b\n...\n", Block{}, false, 2},
		{"x\n---\na: b\n---\n", Block{}, false, 0},
		{"", Block{}, false, 0},
	}
	for _, test := range tests {
		block, found, unclosed := Cut([]byte(test.text))
		if diff := cmp.Diff([]any{test.block, test.found, test.unclosed}, []any{block, found, unclosed}); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, format, body, plain, findings string }{
		{"texts as written", YAML, "a: 1.10\nb: yes\nc: ~\nd:\ne: 0x1F\nf: 2024-01-02\ng: 'x'\nh: !!str 5", `{"a":"1.10","b":"yes","c":null,"d":null,"e":"0x1F","f":"2024-01-02","g":"x","h":"5"}`, ""},
		{"shapes", YAML, "a: [x, {y: z}]\nb:\n  c:\n    - d\n", `{"a":["x",{"y":"z"}],"b":{"c":["d"]}}`, ""},
		{"block scalars", YAML, "a: |\n  x\n  ---\nb: >-\n  y\n  z\n", `{"a":"x\n---\n","b":"y z"}`, ""},
		{"alias", YAML, "a: &x [1]\nb: *x", `{"a":["1"],"b":["1"]}`, ""},
		{"twice", YAML, "a: 1\nb: 2\na: 3\nc:\n  d: 1\n  d: 2", `{"a":"3","b":"2","c":{"d":"2"}}`, "duplicate-key:12 duplicate-key:15"},
		{"list as key", YAML, "a: {[x]: y}", `{"a":{"?":"y"}}`, "wrong-type:10"},
		{"empty", YAML, "", `{}`, ""},
		{"comments", YAML, "# a\n", `{}`, "not-mapping:10"},
		{"list", YAML, "- a\n", `{}`, "not-mapping:10"},
		{"prose", YAML, "[some words\nmore", `{}`, "not-mapping:10"},
		{"cut", YAML, "description: the #one\nversion: 1 # first\nnote: \"a #b\"\nx: two words # cut", `{"description":"the","version":"1","note":"a #b","x":"two words"}`, "comment-cut:10 comment-cut:13"},

		{"colon", YAML, "name: a\ndescription: b: c #d\nx: [1]", `{"name":"a","description":"b: c #d","x":["1"]}`, "recovered:11"},
		{"bracket", YAML, "description: [beta] helps\ntags:\n- a\n- b", `{"description":"[beta] helps","tags":["a","b"]}`, "recovered:10"},
		{"star, at, percent", YAML, "a: *important* x\nb: @scope/x\nc: %d", `{"a":"*important* x","b":"@scope/x","c":"%d"}`, "recovered:10"},
		{"tab", YAML, "a:\tb\n\tc: d\n", `{"a":"b c: d"}`, "recovered:11"},
		{"quotes inside", YAML, "a: \"say \"hi\" now\"\nb: 'it's'\nc: \"x \\\"y\\\" \\q\"", `{"a":"say \"hi\" now","b":"it's","c":"x \"y\" \\q"}`, "recovered:10"},
		{"block and list", YAML, "a: x: y\nb: |\n  one\n    two\n\nc:\n  - p: q: r\n  - s\nd: >\n  u\n  v\n", `{"a":"x: y","b":"one\n  two\n","c":["p: q: r","s"],"d":"u v\n"}`, "recovered:10"},
		{"block with a tab", YAML, "a: |\n\tone\n\ttwo\n", `{"a":"one\ntwo\n"}`, "recovered:11"},
		{"wrapped without indent", YAML, "a: one: two\nthree\n# no\n\nb: c", `{"a":"one: two three","b":"c"}`, "recovered:10"},
		{"control character", YAML, "a: b\nc: \x01d", `{"a":"b","c":"` + `\u0001` + `d"}`, "recovered:11"},
		{"nested kept", YAML, "a: b: c\nm:\n  x: 1\n  y: [2]\n", `{"a":"b: c","m":{"x":"1","y":["2"]}}`, "recovered:10"},
		{"items at the wrong indent", YAML, "m:\n  o:\n    tags:\n  - p\n  - q\n    source: \"s\"\n", `{"m":{"o":{"tags":["p","q"],"source":"s"}}}`, "recovered:13"},
		{"maps in a list", YAML, "a: b: c\nm:\n  - id: x: y\n    kind: z\n    l:\n      - 1\n    - 2\n  - id: w\n", `{"a":"b: c","m":[{"id":"x: y","kind":"z","l":["1","2"]},"id: w"]}`, "recovered:10"},
		{"at in a list", YAML, "m:\n  k: [a.B, @c, d[e]]\n  f: ['**/*.x']\n", `{"m":{"k":["a.B","@c","d[e]"],"f":["**/*.x"]}}`, "recovered:11"},
		{"not a list", YAML, "a: [b] [c]\nd: \"e f\" or \"g h\"\n", `{"a":"[b] [c]","d":"\"e f\" or \"g h\""}`, "recovered:10"},
		{"json with surrogates", YAML, "a: {\"b\": {\"c\": \"\\ud83e\\uddfd\", \"d\": [1.10]}}\n", `{"a":{"b":{"c":"🧽","d":["1.10"]}}}`, "recovered:10"},
		{"text after a list", YAML, "tags:\n  - a\n\n# T\nsome text\n* b\n", `{"tags":["a"]}`, "recovered:15"},
		{"text after a name", YAML, "name: a\n## b\n\n**c** d\nm: 1\n", `{"name":"a","m":"1"}`, "recovered:14"},
		{"paragraphs", YAML, "description: a\n\nb *c*\n\nd\ne: 1\n", `{"description":"a b *c* d","e":"1"}`, "recovered:14"},
		{"stars", YAML, "triggers:\n\n* \"a b\"\n* c\n", `{"triggers":["a b","c"]}`, "recovered:12"},
		{"conflict", YAML, "a: b\n<<<<<<< Updated upstream\nm:\n  c: d\n=======\n>>>>>>> Stashed changes\n", `{"a":"b","m":{"c":"d"}}`, "recovered:12"},
		{"key behind a block", YAML, "a: |\n  b: c\n  d\n e: f\n", `{"a":"b: c\nd\n","e":"f"}`, "recovered:13"},
		{"full-width colon", YAML, "a: b: c\nversion： 1.1\n", `{"a":"b: c","version":"1.1"}`, "recovered:10"},
		{"comma as in json", YAML, "m:\n  a: \"b\",\n  c: d\n", `{"m":{"a":"b","c":"d"}}`, "recovered:11"},
		{"a place for nothing", YAML, "m:\n  - a\n    b: [\n    c\n  - d\n", `{"m":["a","d"]}`, "recovered:12"},
		{"twice, recovered", YAML, "a: x: y\na: z", `{"a":"z"}`, "recovered:10 duplicate-key:11"},

		{"toml", TOML, "a = \"x\"\nb = 1.10 # c\nc = [1, 2]\nd = 2024-01-02\n[e]\nf = true\n[[g]]\nh = 'i'\n", `{"a":"x","b":"1.10","c":["1","2"],"d":"2024-01-02","e":{"f":"true"},"g":[{"h":"i"}]}`, ""},
		{"bad toml", TOML, "a = \n", `{}`, "unreadable:10"},
		{"json", JSON, "{\"a\": 1.10,\n\"b\": [null, true],\n\"a\": {\"c\": \"d\"}}", `{"a":{"c":"d"},"b":[null,"true"]}`, "duplicate-key:12"},
		{"json list", JSON, "[1]", `{}`, "not-mapping:10"},
		{"bad json", JSON, "{\"a\"", `{}`, "unreadable:10"},
		{"empty json", JSON, "", `{}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := Read([]byte(test.body), test.format, 10)
			if diff := cmp.Diff([]string{test.plain, test.findings}, []string{plain(t, r), findings(r)}); diff != "" {
				t.Error(diff)
			}
			if crlf := Read([]byte(strings.ReplaceAll(test.body, "\n", "\r\n")), test.format, 10); plain(t, crlf) != plain(t, r) {
				t.Errorf("with CRLF: %s", plain(t, crlf))
			}
			if r.Recovered != strings.Contains(test.findings, "recovered") || r.Format != test.format {
				t.Errorf("recovered %v, format %s", r.Recovered, r.Format)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for format, body := range map[string]string{
		YAML: "a: 1\n# c\nb:\n  c: 2\n",
		TOML: "a = 1\n# c\n[b]\nc = 2\n",
		JSON: "{\"a\": 1,\n\n\"b\": {\n\"c\": 2}}",
	} {
		fields := Read([]byte(body), format, 2).Fields
		got := []int{fields[0].Line, fields[1].Line, fields[1].Value.Map[0].Line}
		if diff := cmp.Diff([]int{2, 4, 5}, got); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	n := func(count int, text string) string { return strings.Repeat(text, count) }
	wide := func(count int) string { return "a: [" + n(count, "1,") + "]" }
	tests := []struct {
		name, format, body string
		hostile            bool
	}{
		{"bytes under", YAML, "a: " + n(MaxBytes-3, "b"), false},
		{"bytes over", YAML, "a: " + n(MaxBytes-2, "b"), true},
		{"nodes under", YAML, wide(MaxNodes - 2), false},
		{"nodes over", YAML, wide(MaxNodes - 1), true},
		{"depth under", YAML, "a: " + n(MaxDepth-1, "[") + "x" + n(MaxDepth-1, "]"), false},
		{"depth over", YAML, "a: " + n(MaxDepth, "[") + "x" + n(MaxDepth, "]"), true},
		{"brackets", YAML, "a: " + n(200_000, "["), true},
		{"dashes", YAML, n(100_000, "- "), true},
		{"recovered nodes", YAML, "a: b: c\n" + n(MaxNodes, "x: *y\n"), true},
		{"itself", YAML, "a: &x [*x]", true},
		{"json nodes", JSON, `{"a": [` + n(MaxNodes, "1,") + "1]}", true},
		{"json depth", JSON, n(100_000, `{"a":`), true},
		{"toml brackets", TOML, "a = " + n(100_000, "["), true},
		{"toml nodes", TOML, "a = [" + n(MaxNodes, "1,") + "]", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := Read([]byte(test.body), test.format, 2)
			if r.Hostile != test.hostile || test.hostile && (len(r.Fields) > 0 || findings(r) != "budget:2") {
				t.Errorf("hostile %v, %d fields, findings %s", r.Hostile, len(r.Fields), findings(r))
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a: b", "a: b: c\n- d\n", "a = 1\n[b]\n", `{"a": [1, {"b": null}]}`, "a: &x [*x, *x]\nb: *x", "? [a]\n: {b: c}\n", "a: |\n\tb\n", "<<: {a: b}"} {
		for _, format := range []string{YAML, TOML, JSON} {
			f.Add([]byte(seed), format)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, format string) {
		r := Read(body, format, 2)
		last := 2 + strings.Count(string(body), "\n")
		for _, finding := range r.Findings {
			if finding.Line < 2 || finding.Line > last+1 {
				t.Fatalf("line %d of %d: %s", finding.Line, last, finding.Message)
			}
		}
		if size := count(r.Fields); size > MaxNodes {
			t.Fatalf("%d values", size)
		}
		plain(t, r)
	})
}

func count(fields []data.Field) int {
	n := 0
	for _, f := range fields {
		n += countValue(f.Value)
	}
	return n
}

func countValue(v data.Value) int {
	n := 1 + count(v.Map)
	for _, item := range v.List {
		n += countValue(item)
	}
	return n
}
