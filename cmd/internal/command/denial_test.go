package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func TestDenialID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"owner":                                                 "owner",
		" owner/Repo/ ":                                         "owner/Repo",
		"owner/repo/with blank/skill":                           "owner/repo/with blank/skill",
		"clawhub:owner/slug":                                    "clawhub:owner/slug",
		"https://skills.example.org/name":                       "https://skills.example.org/name", // a site's own skill
		"https://github.com/owner/repo":                         "owner/repo",
		"https://www.github.com/owner/repo.git":                 "owner/repo",
		"http://GitHub.com/Owner/":                              "Owner",
		"github.com/owner/repo":                                 "owner/repo",
		"git@github.com:owner/repo.git":                         "owner/repo",
		"https://github.com/o/r/tree/main/a/b":                  "o/r/a/b",
		"https://github.com/o/r/blob/x/SKILL.md":                "o/r",
		"https://raw.githubusercontent.com/o/r/main/a/SKILL.md": "o/r/a",
		"":                            "",
		"/":                           "",
		"two words":                   "",
		"a\nb":                        "",
		"https://github.com/":         "",
		"https://github.com/a/b%zz/c": "",
		"owner/repo.git":              "owner/repo",
		"clawhub:owner/slug, x":       "clawhub:owner/slug, x",
		"foo/bar,reason":              "",
		"\"foo":                       "",
		"foo/bar baz":                 "",
		"a/b/c\xff":                   "",
	} {
		got, err := denialID(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestReadDenials(t *testing.T) {
	t.Parallel()
	const text = "\ufeffa/b\tby mail\r\n# nobody\n\nhttps://github.com/c/d  asked\ne\n\"a/b/my skill\" in two words\na/b/my other skill\tafter a tab\n\"f/g\"\n"
	got, err := readDenials(strings.NewReader(text), "list.txt")
	want := []denialLine{
		{data.Denial{ID: "a/b", Reason: "by mail"}, 1, ""},
		{data.Denial{ID: "c/d", Reason: "asked"}, 4, "https://github.com/c/d  asked"},
		{data.Denial{ID: "e", Reason: "in list.txt"}, 5, ""},
		{data.Denial{ID: "a/b/my skill", Reason: "in two words"}, 6, ""},
		{data.Denial{ID: "a/b/my other skill", Reason: "after a tab"}, 7, ""},
		{data.Denial{ID: "f/g", Reason: "in list.txt"}, 8, ""},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(denialLine{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// Every bad line is told by its number, up to a bound.
func TestReadDenialFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a\nhttps://github.com/\nb/c,d\n": {"line 2:", "line 3:"},
		"\"a/b\n":                         {"line 1: the quote"},
		"a b\tc\n":                        {"line 1: \"a b\""},
		"a\n" + strings.Repeat("x", 1<<17) + "\nb\n": {"line 2: longer than"},
		strings.Repeat("?\n", 30):                    {"line 1:", "line 20:", "and 10 more lines"},
		"a\x01b\n":                                   {"line 1:"},
	} {
		_, err := readDenials(strings.NewReader(text), "list.txt")
		if err == nil || exitCode(err) != exitUsage {
			t.Fatalf("%.20q: %v", text, err)
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%.20q: %v; want %q", text, err, part)
			}
		}
	}
}

func FuzzReadDenials(f *testing.F) {
	f.Add("a/b by mail\n\"a/b/c d\" x\ne/f\ty\n#\n")
	f.Add("\"\\x00\"\n\"\\xff/a\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := readDenials(strings.NewReader(text), "list.txt")
		for _, e := range entries {
			if again, idErr := denialID(e.ID); err == nil && (idErr != nil || again != e.ID || e.Reason == "") {
				t.Errorf("%+v read again: %q, %v", e, again, idErr)
			}
		}
	})
}
