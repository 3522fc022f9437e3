package code_test

import (
	"strings"
	"testing"
	"time"

	"skillcorpus/audit/code"
	"skillcorpus/data"
)

func block(text, lang string) code.Unit {
	doc := data.Document{Sections: []data.Section{{Kind: data.SectionCode, End: len(text), Line: 2, Fenced: true, Lang: lang}}}
	return code.Blocks(doc, []byte(text), "SKILL.md")[0]
}

func TestBlockState(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, text string
		want       code.State
		line       int // of the problem
	}{
		{"bash", "ls | wc -l\n", code.OK, 0},
		{"zsh", "ls | wc -l\n", code.OK, 0},
		{"sh", "ls\necho \"x\n", code.Broken, 3},
		{"bash", "cd <a> && ls <b> &&\n", code.Template, 0},
		{"console", "$ ls\nit's\n", code.Template, 0},
		{"", "npm run build\ncd x\n", code.OK, 0},
		{"", "make a picture of the tide, but [user's harbour]\n", code.NotCode, 0},
		{"bash", "@test \"low tide\" {\n  run tides\n}\n", code.OK, 0},
		{"bash", "@test \"low tide\" {\n  run tides\n", code.Broken, 2},
		{"bash", "db> use tides\ndb table(tides)> show (low)\n", code.Template, 0},
		{"", "some tree\n  leaf\n", code.NotCode, 0},
		{"json", `{"a": 1}` + "\n" + `{"b": 2}`, code.OK, 0},
		{"json", `"a": 1,`, code.OK, 0},
		{"json", "{\n\"a\": [1, 2}\n", code.Broken, 3},
		{"json", `{"a": 1, ...}`, code.Template, 0},
		{"bash", "tides new\n# Output:\nharbour/\n└── tides.sql\n    ├── up()\n", code.Template, 0},
		{"json", `{"a": <n>}`, code.Template, 0},
		{"jsonc", "{\n// x\n\"a\": \"//\", /* y */\n}", code.OK, 0},
		{"jsonc", "[1,, 2]", code.Broken, 2},
		{"json5", "{\n  // x\n  a: {b: 'c',},\n}\n", code.OK, 0},
		{"json5", "{\n  a: [1\n}\n", code.Broken, 3},
		{"jsonc", "{a: 1}", code.Broken, 2},
		{"json", "!`tides --json`\n", code.Template, 0},
		{"yaml", "a: 1\n---\nb: [2]\n", code.OK, 0},
		{"yaml", "a: [1\nb: 2\n", code.Broken, 3},
		{"yaml", "a: {{ x }}: y: z\n", code.Template, 0},
		{"yaml", "---\nid: tide\n---\n\n# Tide\n\n- a: b: c\n", code.OK, 0},
		{"yaml", "---\nid: [tide\n---\n\n# Tide\n", code.Broken, 4},
		{"toml", "[a]\nb = 1\n", code.OK, 0},
		{"toml", "[a]\nb = \n", code.Broken, 3},
		{"toml", "# BAD\n[a]\nb = 1\n\n# GOOD\n[a]\nb = 2\n", code.OK, 0},
		{"toml", "[a]\nb = 1\n\n[a]\nb = 2\n", code.Broken, 5},
		{"toml", "# BAD\n[a]\nb = 1\n\n# GOOD\n[a\nb = 2\n", code.Broken, 8},
		{"go", "package p\n", code.OK, 0},
		{"go", "func f() {}\n", code.OK, 0},
		{"go", "x := f()\nfmt.Println(x)\n", code.OK, 0},
		{"go", "func f( {\n}\n", code.Broken, 2},
		{"go", "// Good\ntype a int\n\n// Good\nvar b bytes.Buffer\nb.WriteString(\"\")\n\n// Bad\ntype c int\n", code.OK, 0},
		{"go", "// Good\npackage a_test\n\n// Bad\npackage a\n", code.OK, 0},
		{"go", "type a int\nfunc (a) b() {}\na.b()\n", code.Broken, 4},
		{"go", "func f() { ... }\n", code.Template, 0},
		{"python", "def f(:\n", code.Broken, 2},
		{"ruby", "def f(\n", code.Unchecked, 0},
		{"python", ">>> 1 + 1\n2\n", code.OK, 0},
		{"python", "x = f(<your key>)\n", code.Template, 0},
		{"python", "def f():\n    ...\n", code.OK, 0},
		{"python", "import a\n+ import b\n", code.Template, 0},
		{"python", "import a\n\npython run.py --fast\n", code.Template, 0},
		{"python", "print(t)\n   name  age\n0  a  1\n", code.Template, 0},
		{"python", "pip install requests\n", code.OK, 0}, // a shell's, whatever the fence says
		{"js", "const a = {b: 1, ...};\n", code.Template, 0},
		{"js", "const a = {\n  b: 1\n  c: 2\n};\n", code.Broken, 4},
		{"tsx", "<div\n  className=\"a\">\n", code.Template, 0},
		{"ts", "// SQL function\nCREATE TABLE a (b int);\n", code.Template, 0},
		{"js", "## Not a program\n\n| a | b |\n", code.Template, 0},
		{"text", "if ( {\n", code.NotCode, 0},
		{"markdown", "```\n", code.NotCode, 0},
		{"diff", "-a\n+b\n", code.NotCode, 0},
		{"bash", strings.Repeat("( ", 500), code.Unchecked, 0},
	} {
		u := block(tt.text, tt.lang)
		if u.State != tt.want || u.ProblemLine != tt.line {
			t.Errorf("%s %q: %s line %d (%s), want %s line %d", tt.lang, tt.text, u.State, u.ProblemLine, u.Problem, tt.want, tt.line)
		}
	}
}

func TestElision(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"x = 1\n# ... rest of it\n":         true,
		"def f():\n    ...\n":               true,
		"f({ ... })\n":                      true,
		"// your code here\n":               true,
		"    pass  # implement\n":           true,
		"raise NotImplementedError\n":       true,
		"todo!()\n":                         true,
		"// Implementation\n":               true,
		"a = [...b]\n":                      false,
		"print('loading...')\n":             false,
		"def f(*args): return args\n":       false,
		"# Implement the cache\nreturn 1\n": false,
	} {
		if got := block(text, "python").Elision != ""; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		known bool
		lang  string
		state code.State
	}{
		"a.sh":          {"ls\n", true, "bash", code.OK},
		"run":           {"#!/usr/bin/env bash\nls (\n", true, "bash", code.Broken},
		"tool":          {"#!/usr/bin/python3.11\nx\n", true, "python", code.OK},
		"b.zsh":         {"print -P %~\n", true, "zsh", code.Unchecked},
		"c.json":        {"{,}", true, "json", code.Broken},
		"tsconfig.json": {"{// x\n}", true, "jsonc", code.OK},
		"d.yaml":        {"a: {{ .x }}: b: c\n", true, "yaml", code.Template},
		"e.png":         {"\x89PNG", false, "", ""},
		"NOTES":         {"text", false, "", ""},
	} {
		u, ok := code.Script(name, []byte(tt.text))
		if ok != tt.known || u.Lang != tt.lang || u.State != tt.state {
			t.Errorf("%s: %v %s %s", name, ok, u.Lang, u.State)
		}
	}
}

// TestHostileCodeStaysCheap holds that no block can keep a parser busy or exhaust its stack.
func TestHostileCodeStaysCheap(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "{ ", "[", "$(", "`", "<<a\n", "a: ", "- ", "if ", "((", "! ", "\"", "a.", "http://a", "&a *a ", "/*"} {
		for _, lang := range []string{"bash", "json", "jsonc", "yaml", "toml", "go", "python", "tsx"} {
			start := time.Now()
			block(strings.Repeat(unit, 16<<10/len(unit)), lang)
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s %q: %v", lang, unit, took)
			} else if took > 200*time.Millisecond {
				t.Logf("%s %q: %v", lang, unit, took)
			}
		}
	}
}
