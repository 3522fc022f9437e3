package discover

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"

// licensesOf lists the licence files above a skill, each with the start of its text; "-" where that is not kept.
func licensesOf(t *testing.T, found Found, kept map[string][]byte, dir string) string {
	t.Helper()
	var all []string
	for _, f := range skillAt(t, found, dir).Licenses {
		text := "-"
		if f.SHA256 != "" {
			content, ok := kept[f.SHA256]
			if !ok {
				t.Errorf("%s: the text of %s was not given to keep", dir, f.Path)
			}
			text = string(content[:min(len(content), 8)])
		}
		all = append(all, f.Path+" "+text)
	}
	return strings.Join(all, ", ")
}

func TestLicenses(t *testing.T) {
	t.Parallel()
	found, kept := readItems(t,
		item{name: "LICENSE", body: "root"},
		item{name: "SKILL.md", body: "root"},
		item{name: "a/SKILL.md", body: "a"},
		item{name: "plugins/p/licence.TXT", body: "p text"},
		item{name: "plugins/p/COPYING", body: "p copying"},
		item{name: "plugins/p/NOTICE", body: "notice"},
		item{name: "plugins/p/skills/s/SKILL.md", body: "s"},
		item{name: "plugins/p/skills/s/LICENSE", body: "own"},
		item{name: "plugins/p/skills/s/inner/SKILL.md", body: "inner"},
		item{name: "plugins/p/elsewhere/LICENSE", body: "elsewhere"},
		item{name: "linked/LICENSE", mode: link, body: "../shared/text"},
		item{name: "linked/s/SKILL.md", body: "l"},
		item{name: "shared/text", body: "shared"},
		item{name: "dangling/LICENSE", mode: link, body: "../none"},
		item{name: "dangling/s/SKILL.md", body: "d"},
		item{name: "pointer/LICENSE", body: lfsPointer},
		item{name: "pointer/s/SKILL.md", body: "p"},
		item{name: "binary/LICENSE", body: "\x00\x01"},
		item{name: "binary/s/SKILL.md", body: "b"},
		item{name: "edge/LICENSE", body: strings.Repeat("e", data.MaxKeptFile)},
		item{name: "edge/s/SKILL.md", body: "e"},
		item{name: "over/LICENSE", body: strings.Repeat("o", data.MaxKeptFile+1)},
		item{name: "over/s/SKILL.md", body: "o"},
		item{name: "folder/LICENSE/x.md", body: "a folder is no licence file"},
		item{name: "folder/s/SKILL.md", body: "f"},
		item{name: "v/node_modules/LICENSE", body: "vendored"},
		item{name: "v/s/SKILL.md", body: "v"},
	)
	for dir, want := range map[string]string{
		"":                         "",
		"a":                        "LICENSE root",
		"plugins/p/skills/s":       "plugins/p/COPYING p copyin, plugins/p/licence.TXT p text",
		"plugins/p/skills/s/inner": "plugins/p/skills/s/LICENSE own",
		"linked/s":                 "linked/LICENSE shared",
		"dangling/s":               "dangling/LICENSE -",
		"pointer/s":                "pointer/LICENSE -",
		"binary/s":                 "binary/LICENSE -",
		"edge/s":                   "edge/LICENSE eeeeeeee",
		"over/s":                   "over/LICENSE -",
		"folder/s":                 "LICENSE root",
		"v/s":                      "LICENSE root",
	} {
		if got := licensesOf(t, found, kept, dir); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}

// What is in no skill's way is not kept.
func TestLicensesOfNoSkill(t *testing.T) {
	t.Parallel()
	if _, kept := readItems(t, item{name: "LICENSE", body: "root"}, item{name: "a/LICENSE", body: "a"}); len(kept) != 0 {
		t.Errorf("%d contents kept", len(kept))
	}
	if _, kept := readItems(t, item{name: "LICENSE", body: "root"}, item{name: "a/LICENSE", body: "a"}, item{name: "b/SKILL.md", body: "b"}); len(kept) != 2 {
		t.Errorf("%d contents kept, want SKILL.md and LICENSE", len(kept))
	}
}

func TestNeededLicenses(t *testing.T) {
	t.Parallel()
	entries := []archive.Entry{
		{Path: "LICENSE", Mode: data.ModeFile, Size: 10},
		{Path: "a/s/SKILL.md", Mode: data.ModeFile, Size: 5},
		{Path: "b/LICENSE", Mode: data.ModeLink, Target: "text", Size: 7},
		{Path: "b/s/SKILL.md", Mode: data.ModeFile, Size: 5},
		{Path: "c/LICENSE", Mode: data.ModeFile, Size: data.MaxKeptFile + 1},
		{Path: "c/s/SKILL.md", Mode: data.ModeFile, Size: 5},
		{Path: "none/LICENSE", Mode: data.ModeFile, Size: 10},
		{Path: "text", Mode: data.ModeFile, Size: 7},
	}
	for _, tt := range []struct {
		total int64
		want  string
	}{
		{1000, "LICENSE a/s/SKILL.md b/s/SKILL.md c/s/SKILL.md text"},
		{20, "a/s/SKILL.md LICENSE c/s/SKILL.md"}, // the licence of b would take it over the limit
	} {
		need := Needed(entries, 100, tt.total)
		want := map[string]bool{}
		for _, name := range strings.Fields(tt.want) {
			want[name] = true
		}
		if diff := cmp.Diff(want, need.Paths); diff != "" {
			t.Errorf("%d bytes in all (-want +got)\n%s", tt.total, diff)
		}
	}
}
