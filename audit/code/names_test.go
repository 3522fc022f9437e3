package code_test

import (
	"strings"
	"testing"

	"skillcorpus/audit/code"
)

func TestUndefinedNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, text, want string }{
		{"python", "from tide import high\nx = high(low(1))\nprint(x.deep())\n", "low"},
		{"python", "def tide(f):\n    return f('later()')  # never()\n\ntide(len)\nshow(\"\"\"a\nb()\"\"\")\n", "show"},
		{"python", "high()\n\nhigh = 1\n", ""},
		{"typescript", "class A {\n  async low(n: number): Promise<number> { return deep(n) }\n}\nnew A().low(1)\n", "deep"},
		{"javascript", "import { a } from 'b'\nconst f = (x) => a(`${g()}`)\nf(h(1)) // i()\n/* j() */\n", "h"},
		{"typescript", "export const Page = () => <Card><b>{'x'}</b></Card>\nconst x: Array<Tide> = []\n", "Card"},
		{"ruby", "low()\n", ""},
		{"python", "'open\nlow(", "low"},
	} {
		var names code.Names
		names.Read(tt.text, tt.lang, 1)
		var found []string
		for _, name := range names.Undefined() {
			found = append(found, name.Text)
		}
		if got := strings.Join(found, " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("f('a\\", "python")
	f.Add("<A b={`${c(", "javascript")
	f.Fuzz(func(t *testing.T, text, lang string) {
		var names code.Names
		names.Read(text, lang, 1)
		for _, name := range names.Undefined() {
			if !strings.Contains(text, name.Text) || name.Line < 1 || name.Line > 1+strings.Count(text, "\n") {
				t.Errorf("%q at line %d", name.Text, name.Line)
			}
		}
	})
}
