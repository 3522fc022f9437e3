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
	} {
		got, err := denialID(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestReadDenials(t *testing.T) {
	t.Parallel()
	got, err := readDenials(strings.NewReader("\ufeffa/b\tby mail\r\n# nobody\n\nhttps://github.com/c/d  asked\ne\n"), "list.txt")
	want := data.Denials{{ID: "a/b", Reason: "by mail"}, {ID: "c/d", Reason: "asked"}, {ID: "e", Reason: "in list.txt"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := readDenials(strings.NewReader("a\nhttps://github.com/\n"), "list.txt"); err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), "list.txt line 2") {
		t.Errorf("%v", err)
	}
}
