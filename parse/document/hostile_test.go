package document

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"
)

const head = "---\nname: a\ndescription: b\n---\n"

func hostile() map[string]string {
	n := func(count int, text string) string { return strings.Repeat(text, count) }
	deepIndent := func() string {
		var out strings.Builder
		for i := range 700 {
			out.WriteString(n(i, "  ") + "- a\n")
		}
		return out.String()
	}
	return map[string]string{
		"quotes":            n(80_000, ">"),
		"quotes and blanks": n(80_000, "> "),
		"quoted lines":      n(4_000, n(80, "> ")+"a\n"),
		"links":             n(20_000, "[a]("),
		"links in heading":  "# " + n(20_000, "[a]("),
		"setext links":      n(20_000, "[a](") + "\n---\n",
		"many paragraphs":   n(500, n(400, "[a](")+"\n\n"),
		"images":            n(50_000, "![a"),
		"brackets":          n(200_000, "["),
		"closing":           n(100_000, "[") + n(100_000, "]"),
		"references":        n(30_000, "[a]: b\n"),
		"reference titles":  n(30_000, "[a]: b (\n"),
		"same label":        n(50_000, "[a]: b\n\n[a]\n\n"),
		"angle":             n(200_000, "<a"),
		"comments":          n(100_000, "<!-- "),
		"cdata":             n(100_000, "a <![CDATA["),
		"backticks":         n(300, "`") + n(1000, " `` ``` ```` a"),
		"growing backticks": func() string {
			var out strings.Builder
			for i := range 1000 {
				out.WriteString("[" + n(i, "`") + " ")
			}
			return out.String()
		}(),
		"heading emphasis":   "# " + n(100_000, "*a_"),
		"list markers":       n(100_000, "- "),
		"mixed markers":      n(50_000, "- > 1. "),
		"deep indent":        deepIndent(),
		"one line":           n(10<<20, "x"),
		"ten megabytes":      n(10<<20/64, n(63, "y")+"\n"),
		"one paragraph":      n(1<<20/16, "[a](b) <c> `d`\n"),
		"headings":           n(100_000, "# [when to use](b)\n"),
		"triggers":           n(60_000, "# When to use\n"),
		"fences":             n(100_000, "```\n"),
		"fenced":             n(60_000, "```a\nb\n```\n"),
		"indented":           n(60_000, "    a\n\nb\n\n"),
		"rules":              "a" + n(200_000, "\n---"),
		"setext":             n(60_000, "a\n===\n"),
		"tabs":               n(200_000, "\t"),
		"tabbed list":        n(2_000, "-\t"+n(200, "\t")+"a\n"),
		"html":               n(60_000, "<div>\n"),
		"pre":                n(60_000, "<pre>\n"),
		"tables":             "|a|b|\n|-|-|\n" + n(60_000, "|a|b|\n"),
		"long table":         n(100_000, "|"),
		"entities":           n(200_000, "&amp;"),
		"backslashes":        n(500_000, "\\"),
		"nul":                n(1000, n(200, "a")+"\x00\n"),
		"bad bytes":          n(500_000, "\xff"),
		"blank":              n(500_000, "\n"),
		"blank quotes":       n(200_000, ">\n"),
		"empty items":        n(200_000, "-\n"),
		"anchors":            n(200_000, "<a "),
		"anchors in a block": "<div>\n" + n(200_000, "<a href"),
		"urls":               n(100_000, "http://"),
		"url lines":          n(50_000, "http://a.b/))))\n"),
		"long url":           "http://a/" + n(500_000, ")("),
		"closing url":        "http://a/" + n(500_000, ")"),
		"dashes":             n(100_000, "|-|\n"),
		"table heads":        n(100_000, "a|b\n|-\n"),
		"bars":               "a\n" + n(500_000, "|-"),
		"lists":              n(100_000, "- a\n\n* b\n\n\n"),
		"comment open":       n(100_000, "a <!-- b\n"),
		"lazy":               n(60, "> ") + "a\n" + n(50_000, "a\n"),
	}
}

// filled repeats a body up to the bound on size, and cuts what is longer than the test can take.
func filled(body string) string {
	size := fill - len(head)
	for len(body) < size {
		body += body[:min(len(body), size-len(body))]
	}
	return body[:min(len(body), longest)]
}

// TestHostileMarkdown holds the bound of DESIGN.md on time, with inputs that fill the bound on size.
func TestHostileMarkdown(t *testing.T) {
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			body = filled(body)
			start := processorTime(t)
			parseChecked(t, []byte(head+body), "hostile")
			if took := processorTime(t) - start; took > limit {
				t.Errorf("%d bytes took %v", len(body), took)
			} else if took > limit/4 {
				t.Logf("%d bytes took %v", len(body), took)
			}
		})
	}
}

// processorTime returns what this process has used: unlike a clock it doesn't count what others use meanwhile.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestBounds(t *testing.T) {
	t.Parallel()
	quoted := func(depth int) string { return head + strings.Repeat("> ", depth) + "```\n" }
	for depth, want := range map[int]string{
		MaxNesting:     "[markdown.unclosed-fence:5]",
		MaxNesting + 1: "[markdown.too-deep:5]",
	} {
		equal(t, fmt.Sprint("nesting ", depth), fmt.Sprint(rules(parseChecked(t, []byte(quoted(depth)), "x"))), want)
	}
	fence := "```sh\na\n```\n"
	body := strings.Repeat("b\n", (MaxBytes-len(head)-len(fence))/2-1)
	under := head + body + fence
	equal(t, "under", rules(parseChecked(t, []byte(under), "x")), []string{})
	over := parseChecked(t, []byte(under+body+fence), "x")
	equal(t, "over", len(over.Findings), 1)
	equal(t, "over", over.Findings[0].Rule, "markdown.too-large")
	equal(t, "over, codes", len(codes(over)), 1)
}

// TestHostileMemory holds the bound of DESIGN.md on memory: the heap at its largest while the largest inputs are parsed.
func TestHostileMemory(t *testing.T) {
	if raced {
		t.Skip("the race detector takes memory of its own")
	}
	for name, body := range hostile() {
		file := []byte(head + filled(body))
		runtime.GC()
		before := heap()
		done := make(chan struct{})
		go func() {
			defer close(done)
			Parse(file, Source{Folder: "x"})
		}()
		if used := highest(done) - before; used > 200<<20 {
			t.Errorf("%s: %d bytes take %d MB", name, len(file), used>>20)
		} else if used > 100<<20 {
			t.Logf("%s: %d bytes take %d MB", name, len(file), used>>20)
		}
	}
}

// highest watches the heap until done.
func highest(done <-chan struct{}) int64 {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for most := heap(); ; most = max(most, heap()) {
		select {
		case <-done:
			return most
		case <-tick.C:
		}
	}
}

// heap returns the bytes of objects, dead ones included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// BenchmarkSize shows time against size for the inputs that the parser likes least, up to ten times the bound.
func BenchmarkSize(b *testing.B) {
	for _, name := range []string{"quotes", "mixed markers", "links", "brackets", "one paragraph", "one line", "headings", "fences", "lists", "urls"} {
		for _, size := range []int{64 << 10, 256 << 10, 1 << 20, 10 << 20} {
			body := hostile()[name]
			body = strings.Repeat(body, size/len(body)+1)[:size]
			b.Run(fmt.Sprintf("%s/%dK", strings.ReplaceAll(name, " ", "-"), size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					Parse([]byte(head+body), Source{Folder: "x"})
				}
			})
		}
	}
}
