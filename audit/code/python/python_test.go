package python_test

import (
	"strings"
	"testing"
	"time"

	"skillcorpus/audit/code/python"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		line    int // of the fault; 0 for none
		message string
	}{
		{"", 0, ""},
		{"def f(x: int) -> str:\n    return f'{x!r:>{10}}'\n", 0, ""},
		{"match x:\n    case [1, *_]:\n        pass\n", 0, ""},
		{"print 'old'\n", 0, ""},
		{"x = 1\ndef f(:\n    return 1\n", 2, "`(` is never closed"},
		{"x = [1, 2\ny = 3\n", 1, "`[` is never closed"},
		{"x = 1\ny = 3 lines\n", 2, "cannot read `3`"},
		{"s = 'a\n", 1, "cannot read `'`"},
	} {
		got := python.Check(tt.text)
		if got.Whole != (tt.line == 0) || got.Line != tt.line || got.Message != tt.message {
			t.Errorf("%q: %+v, want line %d %s", tt.text, got, tt.line, tt.message)
		}
	}
}

// TestLongText holds that a long file is read in pieces that no string, bracket or decorator spans.
func TestLongText(t *testing.T) {
	t.Parallel()
	part := "@x\ndef f():\n    s = '''\ndef g(:\n'''\n    return (1,\nNAME\n)\n\n"
	text := strings.Repeat(part, 100<<10/len(part))
	if got := python.Check(text); !got.Whole {
		t.Errorf("%+v", got)
	}
	want := strings.Count(text, "\n") + 1
	if got := python.Check(text + "def h(:\n    pass\n"); got.Line != want {
		t.Errorf("%+v, want line %d", got, want)
	}
	if got := python.Check("x = [\n" + strings.Repeat("1,\n", 10<<10) + "]\n"); !got.GaveUp {
		t.Errorf("one statement over the limit: %+v", got)
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		">>> def f():\n...     pass\n... \n>>> f()\n3\n": "def f():\n    pass\n\nf()\n\n",
		"  a = 1\n\n  if a:\n    b\n":                    "a = 1\n\nif a:\n  b\n",
		"%matplotlib inline\n!pip install x\nlen?\n":     "pass\npass\npass\n",
		"if a:\n    !ls\n":                               "if a:\n    pass\n",
		"a\r\n":                                          "a\n",
	} {
		if got := python.Snippet(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFragment(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"'a': 1,\n'b': 2,\n", "except KeyError:\n    pass\n", "else:\n    x()\n", "@app.route('/')\n", "def f():\n", "a=1,\nb=2,\n"} {
		if got := python.Fragment(text); !got.Whole {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := python.Fragment("else:\n    x(\n"); got.Whole {
		t.Error("a fragment with a fault passes")
	}
}

// hostile are texts that keep the parser's recovery from errors busy.
var hostile = []string{"{}", "<a>", "/*", "a?b:", "a??", "A extends ", "if(a);else ", "\"", "-", "not ", "x=", "if a:\n", "\x00", "\\", "'''\n"}

func TestHostileTextStaysCheap(t *testing.T) {
	t.Parallel()
	for _, unit := range hostile {
		for _, size := range []int{24 << 10, 1 << 20} {
			start := time.Now()
			python.Check(strings.Repeat(unit, size/len(unit)))
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%q: %v", unit, took)
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, unit := range hostile {
		f.Add(strings.Repeat(unit, 20))
	}
	f.Add("@a\nclass B:\n    x = f'{y}'\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := python.Fragment(python.Snippet(text))
		if lines := strings.Count(text, "\n") + 1; got.Line < 0 || got.Line > lines {
			t.Errorf("line %d of %d", got.Line, lines)
		}
	})
}
