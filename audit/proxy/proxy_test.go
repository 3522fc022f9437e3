package proxy_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skillcorpus/audit/proxy"
	"skillcorpus/data"
)

func TestExactText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want data.Proxies
	}{
		"empty":                        {"", data.Proxies{}},
		"words between white space":    {"a\u00a0b\u2003c\x1cd\te\n", data.Proxies{WordCount: 5}},
		"frontmatter counts":           {"---\nname: x\n---\nbody", data.Proxies{WordCount: 5}},
		"headings anywhere":            {"# a\n  ## b\n#c\n\t#\nx # d\n", data.Proxies{WordCount: 9, HeadingCount: 4}},
		"headings inside code":         {"```\n# a\n```\n", data.Proxies{WordCount: 4, HeadingCount: 1, CodeBlockCount: 1, CodeFraction: 4.0 / 12}},
		"unclosed fence":               {"```sh\nls\n", data.Proxies{WordCount: 2}},
		"three fence lines":            {"```\na\n```\n```\nb\n", data.Proxies{WordCount: 5, CodeBlockCount: 1, CodeFraction: 2.0 / 16}},
		"indented fence":               {" ```\na\n ```\n", data.Proxies{WordCount: 3}},
		"tilde fence":                  {"~~~\na\n~~~\n", data.Proxies{WordCount: 3}},
		"four backticks count, unread": {"````\na\n````\n", data.Proxies{WordCount: 3, CodeBlockCount: 1}},
		"info string with a space":     {"```py title=x\na\n```", data.Proxies{WordCount: 4, CodeBlockCount: 1, CodeFraction: 2.0 / 19}},
		"code points, not bytes":       {"```\nüü\n```\n", data.Proxies{WordCount: 3, CodeBlockCount: 1, CodeFraction: 3.0 / 11}},
		"CRLF and CR":                  {"# a\r\n1. b\r# c\r", data.Proxies{WordCount: 6, HeadingCount: 2, OrderedListCount: 1}},
		"ordered items":                {"1. a\n  22.\tb\n3.c\n4) d\n5.\n6.", data.Proxies{WordCount: 9, OrderedListCount: 3}},
		"digits of any script":         {"\u0663. a\n", data.Proxies{WordCount: 2, OrderedListCount: 1}},
		"spans":                        {"`a` `b\nc` ``d`` `e", data.Proxies{WordCount: 5, InlineCodeDensity: 40}},
		"a fence ends an open span":    {"`a\n```\nb`\n", data.Proxies{WordCount: 3}},
		"one replacement a bad run":    {"```\n\xe2\x82\n```\n", data.Proxies{WordCount: 3, CodeBlockCount: 1, CodeFraction: 2.0 / 10}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, proxy.Exact([]byte(tt.text), nil), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path             string
		exact, corrected [3]bool // scripts, references, bundled
	}{
		{"scripts/a.py", [3]bool{true, false, true}, [3]bool{true, false, true}},
		{"a.mjs", [3]bool{true, false, true}, [3]bool{true, false, true}},
		{"A.PY", [3]bool{false, false, true}, [3]bool{true, false, true}},
		{"a.rs", [3]bool{false, false, true}, [3]bool{true, false, true}},
		{"a.cpp", [3]bool{false, false, true}, [3]bool{true, false, true}},
		{"py", [3]bool{false, false, true}, [3]bool{false, false, true}},
		{"deep/er/page.md", [3]bool{false, true, true}, [3]bool{false, true, true}},
		{"README.md", [3]bool{false, true, true}, [3]bool{false, false, true}},
		{"LICENSE.md", [3]bool{false, true, true}, [3]bool{false, false, true}},
		{"CHANGELOG.md", [3]bool{false, true, true}, [3]bool{false, false, true}},
		{"page.MD", [3]bool{false, false, true}, [3]bool{false, true, true}},
		{"sub/SKILL.md", [3]bool{false, false, false}, [3]bool{false, false, false}},
		{"sub/skill.md", [3]bool{false, true, true}, [3]bool{false, false, false}},
		{"LICENSE", [3]bool{false, false, true}, [3]bool{false, false, true}},
	} {
		files := []data.File{{Path: tt.path}}
		e, c := proxy.Exact(nil, files), proxy.Corrected(data.Document{}, nil, files)
		if got := [3]bool{e.HasScripts, e.HasReferences, e.HasBundledFiles}; got != tt.exact {
			t.Errorf("%s exact %v", tt.path, got)
		}
		if got := [3]bool{c.HasScripts, c.HasReferences, c.HasBundledFiles}; got != tt.corrected {
			t.Errorf("%s corrected %v", tt.path, got)
		}
	}
}

func TestCorrected(t *testing.T) {
	t.Parallel()
	md := []byte("# a `b`\n1. x\n2) ``y ` z``\n~~~\n# c\n1. d\n~~~\n")
	doc := data.Document{
		Headings: []data.Heading{{Level: 1, Line: 1}},
		Sections: []data.Section{
			{Kind: data.SectionProse, Start: 0, End: 26, Line: 1},
			{Kind: data.SectionDelimiter, Start: 26, End: 30, Line: 4},
			{Kind: data.SectionCode, Start: 30, End: 39, Line: 5, Fenced: true},
			{Kind: data.SectionDelimiter, Start: 39, End: 43, Line: 7},
		},
	}
	got := proxy.Corrected(doc, md, nil)
	want := data.Proxies{WordCount: 13, HeadingCount: 1, CodeBlockCount: 1, CodeFraction: 9.0 / 43, OrderedListCount: 2, InlineCodeDensity: 200.0 / 13}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

func TestSpansStayInTheirParagraph(t *testing.T) {
	t.Parallel()
	var got []string
	text := "`a` ``b`c`` `open\n\nnext `d`"
	for span := range proxy.Spans(text) {
		got = append(got, span.Text)
		if text[span.Start:span.Start+len(span.Text)] != span.Text {
			t.Errorf("span %q is not at %d", span.Text, span.Start)
		}
	}
	if diff := cmp.Diff([]string{"a", "b`c", "d"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzProxies(f *testing.F) {
	f.Add([]byte("# a\n```\n`b`\n1. c\n"))
	f.Add([]byte(strings.Repeat("`", 99)))
	f.Fuzz(func(t *testing.T, md []byte) {
		doc := data.Document{Sections: []data.Section{{Kind: data.SectionProse, End: len(md), Line: 1}}}
		for _, p := range []data.Proxies{proxy.Exact(md, nil), proxy.Corrected(doc, md, nil)} {
			if p.CodeFraction < 0 || p.CodeFraction > 1 || math.IsNaN(p.InlineCodeDensity) || math.IsNaN(p.CodeFraction) {
				t.Errorf("%+v", p)
			}
		}
	})
}
