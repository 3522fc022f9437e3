package javascript_test

import (
	"strings"
	"testing"
	"time"

	"skillcorpus/audit/code/javascript"
)

func TestSnippet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, text string
		line       int // of the fault; 0 for none
	}{
		{"javascript", "const a = await f();\nreturn a;\n", 0},
		{"javascript", "const a: number = 1;\n", 0}, // TypeScript by another name
		{"javascript", "const a = 1;\nconst a = 2;\n", 0},
		{"javascript", "const a = <b>{c}</b>;\n", 0},
		{"javascript", "{ id: 'a', n: 1 }", 0},
		{"javascript", "a: 1,\nb() { return 2 },\n", 0},
		{"javascript", "❌ a();\n✅ b();\n", 0},
		{"javascript", "{ id: 1, n: 2 }\n\n{ id: 2, n: 3 }\n", 0},
		{"javascript", "// a.mjs\n#!/usr/bin/env node\nf();\n", 0},
		{"typescript", "interface A { b?: string }\nlet x = <A>y;\n", 0},
		{"typescript", "@Input() name: string;\nget x() { return 1 }\n", 0},
		{"typescript", "<A b={1}/>\n<C/>\n", 0},
		{"typescript", ".optional()\n.min(3)\n", 0},
		{"typescript", "case 'a':\n  return 1;\n", 0},
		{"typescript", "f(\n  a\n  b: 1);\n", 3},
		{"javascript", "x = {\n  a: 'one\n}\n", 2},
		{"javascript", "f();\n});\n", 2},
	} {
		if got := javascript.Snippet(tt.text, tt.lang); got.Line != tt.line {
			t.Errorf("%s %q: %+v, want line %d", tt.lang, tt.text, got, tt.line)
		}
	}
	if got := javascript.Check("a: 1,\nb: 2,\n", "javascript"); got.Line == 0 {
		t.Error("a part of a program passes for a whole one")
	}
}

// hostile are texts that make the parser call itself or try every frame.
var hostile = []string{"!", "~", "@", "x:", "a=>", "`", "new ", "a?b:", "if(a)", "a**", "<a>", "/", "//\n\n", "{}\n\n", "\x00", "else ", "yield "}

func TestHostileTextStaysCheap(t *testing.T) {
	t.Parallel()
	for _, unit := range hostile {
		for _, size := range []int{8 << 10, 64 << 10} {
			start := time.Now()
			javascript.Snippet(strings.Repeat(unit, size/len(unit)), "typescript")
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%q: %v", unit, took)
			}
		}
	}
}

func FuzzSnippet(f *testing.F) {
	for _, unit := range hostile {
		f.Add(strings.Repeat(unit, 20), true)
	}
	f.Add("import a from 'b';\nexport default class extends a {}", false)
	f.Fuzz(func(t *testing.T, text string, typed bool) {
		lang := "javascript"
		if typed {
			lang = "typescript"
		}
		got := javascript.Snippet(text, lang)
		// esbuild counts U+2028, U+2029 and a lone carriage return as line ends too.
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029")
		if got.Line < 0 || got.Line > lines {
			t.Errorf("line %d of %d", got.Line, lines)
		}
	})
}
