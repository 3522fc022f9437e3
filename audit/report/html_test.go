package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"skillcorpus/audit/report"
	"skillcorpus/data"
)

// figures are of a few skills with one hostile among them, set against themselves.
func figures(t *testing.T) *report.Figures {
	t.Helper()
	c := report.NewCollector()
	c.Add(hostile())
	for i := range 9 {
		c.Add(report.Skill{ID: fmt.Sprintf("o/q/s%d", i), Repo: "o/q", Stars: i, Verdict: data.Verdict{
			Tier: data.TierFunctional, CodeBearing: true, CodeSound: true, RunnableComplete: true, License: "MIT", Basis: data.BasisListing,
			Proxies: data.Proxies{WordCount: 100 * i, CodeBlockCount: i}, Corrected: data.Proxies{WordCount: 90 * i, CodeBlockCount: 1},
		}})
	}
	f := c.Figures()
	f.Where = "<b>where</b>"
	f.Comparison = report.Compare(f, f, "<i>one</i>", "two`|")
	return f
}

// TestPageIsAlone parses the page as a browser does: nothing in it leads outside or runs but our own script and style,
// which alone the policy inside it allows, whatever the authors of skills wrote.
func TestPageIsAlone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report.HTML(&out, figures(t)); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	policy, inline := "", map[string][]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "style":
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			inline[n.Data] = append(inline[n.Data], "sha256-"+base64.StdEncoding.EncodeToString(sum[:]))
			if regexp.MustCompile(`url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(|https?:`).MatchString(n.FirstChild.Data) {
				t.Errorf("%s asks for something", n.Data)
			}
		case "link", "img", "iframe", "object", "embed", "base", "a", "video", "audio", "image", "use":
			t.Errorf("<%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch key := strings.ToLower(a.Key); {
			case key == "src" || key == "href" || key == "srcset" || key == "action" || key == "style" || strings.HasPrefix(key, "on"):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case key == "content" && strings.Contains(a.Val, "-src"):
				policy = a.Val
			}
		}
	}
	if len(inline["script"]) != 1 || len(inline["style"]) != 1 {
		t.Fatalf("%d scripts and %d styles", len(inline["script"]), len(inline["style"]))
	}
	want := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", inline["style"][0], inline["script"][0])
	if policy != want {
		t.Errorf("policy %q, want %q", policy, want)
	}
	if !strings.Contains(out.String(), "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the hostile id is not shown")
	}
	var again bytes.Buffer
	if err := report.HTML(&again, figures(t)); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("not repeatable (%v)", err)
	}
}

// TestMarkdown: a stranger's text neither ends its cell nor its code span.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := report.Markdown(&out, figures(t)); err != nil {
		t.Fatal(err)
	}
	columns := 0
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "|---") {
			columns = strings.Count(line, "|")
		}
		if bars := strings.Count(line, "|"); strings.HasPrefix(line, "| ") && columns > 0 && bars != columns && !strings.Contains(out.String(), line+"|---") {
			t.Errorf("%d bars, want %d: %s", bars, columns, line)
		}
		if strings.Contains(regexp.MustCompile("`[^`]*`").ReplaceAllString(line, ""), "<") && !strings.Contains(line, "< 0.001") {
			t.Errorf("raw: %s", line)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	f := figures(t)
	if f.Skills != 10 || f.Repos != 2 || f.Basis["listing"] != 9 || f.Shares[0].Corrected.Count != 9 || f.Shares[1].Skillflow.Count != 8 {
		t.Errorf("%+v", f)
	}
	if f.Worst[0].ID != hostile().ID || len(f.Worst) != 1 || f.Worst[0].Findings[0].Rule != "missing-file" || f.Listed[0].ID != hostile().ID {
		t.Errorf("%+v", f.Worst)
	}
	words := f.Comparison.Proxies[0]
	if words.Name != "word_count" || words.Corrected.Holm != 1 || words.Corrected.Delta != 0 || words.Skillflow.First != 350 {
		t.Errorf("%+v", words)
	}
	var out bytes.Buffer
	if err := report.JSON(&out, f); err != nil || !json.Valid(out.Bytes()) {
		t.Errorf("%v: %s", err, out.String())
	}
	if empty := report.NewCollector().Figures(); empty.Skills != 0 || len(empty.Shares) == 0 {
		t.Errorf("%+v", empty)
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "tier=partial": true, "tier=functional|partial": true, "tier!=partial": false, "repo=O/*": true, "id=o/*": true, "id=o": false,
		"stars=9": true, "stars=10": false, "runnable=false,code=true": true, "runnable=true": false, "rule=missing-file": true, "rule=x": false,
		"copy=false": true, "scripts=true": false, "basis=contents": true, "license!=MIT": true,
	} {
		s, err := report.ParseSelection(text)
		if err != nil || s.Match(hostile()) != want || s.String() != text {
			t.Errorf("%q: %t, %v", text, s.Match(hostile()), err)
		}
	}
	for _, text := range []string{"tier", "colour=red", "stars=x", "copy=maybe", "repo=[", "tier=whole", "basis=trust"} {
		if _, err := report.ParseSelection(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// A program in Rust is a script for the paper's Table 7 and none for its Figure 2.
func TestTwoListsOfScripts(t *testing.T) {
	t.Parallel()
	c := report.NewCollector()
	c.Add(report.Skill{ID: "o/r/rust", Repo: "o/r", Verdict: data.Verdict{CodeBearing: true, Corrected: data.Proxies{HasScripts: true}}})
	f := c.Figures()
	for _, m := range f.Shares {
		if (m.Name == "scripts" || m.Name == "code_bearing") && (m.Skillflow.Count != 1 || m.Corrected.Count != 1) {
			t.Errorf("%+v", m)
		}
	}
	for _, s := range f.Proxies {
		if s.Name == "has_scripts" && (s.Skillflow.Mean != 0 || s.Corrected.Mean != 1) {
			t.Errorf("%+v", s)
		}
	}
}
