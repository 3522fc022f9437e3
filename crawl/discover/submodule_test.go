package discover

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func TestResolveURL(t *testing.T) {
	t.Parallel()
	const base = "https://github.com/o/r"
	for text, want := range map[string]string{
		"https://github.com/a/b.git":       "https://github.com/a/b",
		"https://user:pw@github.com/a/b/":  "https://github.com/a/b",
		"http://git.example.org:8080/a/b":  "http://git.example.org:8080/a/b",
		"git@github.com:a/b.git":           "https://github.com/a/b",
		"github.com:a/b":                   "https://github.com/a/b",
		"ssh://git@github.com:22/a/b.git":  "https://github.com/a/b",
		"git://github.com/a/b":             "https://github.com/a/b",
		"../b":                             "https://github.com/o/b",
		"./b":                              "https://github.com/o/r/b",
		"../../a/b.git":                    "https://github.com/a/b",
		"../../../../../a":                 "https://github.com/a",
		"https://github.com/a/../../b?x#y": "https://github.com/b",
		"file:///etc":                      "", "/etc/passwd": "", "ext::sh -c x": "", "--upload-pack=x": "", "": "", "https://": "",
		"https://github.com": "", "https://a b/c": "", "javascript:x": "",
	} {
		if got := resolveURL(base, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := resolveURL("", "../b"); got != "" {
		t.Errorf("relative to nothing: %q", got)
	}
	for host, want := range map[string]string{"github.com": "https://github.com/o/r", "https://git.example.org/": "https://git.example.org/o/r", "dir": "", "clawhub": ""} {
		if got := repoURL(data.Repo{Host: host, Name: "o/r"}); got != want {
			t.Errorf("%s: %q", host, got)
		}
	}
}

func TestParseModules(t *testing.T) {
	t.Parallel()
	const text = "; comment\n[core]\npath = no\n[submodule \"a\"]\n\tPATH = \"with blank\" # why\n\turl=https://x.org/a;b\n\tbranch = main\r\n" +
		"[submodule \"no path\"]\nurl = https://x.org/b\n[Submodule \"b\"]\npath = b\\\"q\n"
	want := []Submodule{{Path: "with blank", URL: "https://x.org/a"}, {Path: `b"q`}}
	if diff := cmp.Diff(want, parseModules([]byte(text))); diff != "" {
		t.Error(diff)
	}
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	modules := ""
	for _, m := range []string{"free", "kit/inner", "here", "file", "file/below", "../up", "/abs", "node_modules/m", "a\x01b", "free"} {
		modules += "[submodule \"x\"]\npath = " + m + "\nurl = ../" + strings.TrimLeft(m, "./") + "\n"
	}
	found, _ := readItems(t,
		item{name: ".gitmodules", body: modules},
		item{name: "kit/SKILL.md", body: "kit"},
		item{name: "here/x", body: "checked out"},
		item{name: "file", body: "in the way"},
	)
	want := []Submodule{{"free", "https://github.com/o/free"}, {"kit/inner", "https://github.com/o/kit/inner"}}
	if diff := cmp.Diff(want, found.Submodules); diff != "" {
		t.Error(diff)
	}
	kit := skillAt(t, found, "kit")
	if len(kit.Files) != 1 || kit.Files[0] != (data.File{Path: "inner", Mode: data.ModeSubmodule, Note: NoteSubmodule}) || !has(kit.Findings, RuleSubmodule, "inner") {
		t.Errorf("kit %+v", kit)
	}
	if !has(found.Findings, RuleSubmodule, "free") || !has(found.Findings, RuleSubmodule, ".gitmodules") {
		t.Errorf("findings %v", found.Findings)
	}
}

// A submodule whose URL is not known is not said to be one of "".
func TestSubmoduleWithoutURL(t *testing.T) {
	t.Parallel()
	found, _ := readItems(t, item{name: ".gitmodules", body: "[submodule \"x\"]\npath = free\nurl = /srv/free\n"}, item{name: "kit/SKILL.md", body: "x"})
	for _, f := range found.Findings {
		if strings.Contains(f.Message, `""`) {
			t.Errorf("%+v", f)
		}
	}
	if !has(found.Findings, RuleSubmodule, "free") {
		t.Errorf("findings %v", found.Findings)
	}
}

func FuzzModules(f *testing.F) {
	f.Add("[submodule \"a\"]\npath = a\nurl = ../b\n")
	f.Add("[submodule]\npath = \"\\\nurl = git@h.org:x")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range parseModules([]byte(text)) {
			if m.Path == "" {
				t.Fatal("no path")
			}
			if u := resolveURL("https://github.com/o/r", m.URL); u != "" && !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "http://") {
				t.Fatalf("%q gives %q", m.URL, u)
			}
		}
	})
}
