package data_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data"
)

func TestSkillID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, name, dir, id, folder string }{
		{data.HostGitHub, "o/r", "", "o/r", "r"},
		{data.HostGitHub, "o/r", "skills/a b", "o/r/skills/a b", "a b"},
		{data.HostGitHub, "o/r", "/skills//x/./y/", "o/r/skills/x/y", "y"},
		{data.HostGitHub, "o/r", "../..", "o/r", "r"},
		{data.HostDir, "tools", "", "dir:tools", "tools"},
		{data.HostDir, "tools", "x", "dir:tools/x", "x"},
		{"clawhub", "owner/slug", "", "clawhub:owner/slug", "slug"},
		{"https://host.example/", "pack", "a", "https://host.example/pack/a", "a"},
	} {
		id := data.SkillID(data.RepoID(c.host, c.name), c.dir)
		if id != c.id || data.FolderName(id) != c.folder {
			t.Errorf("%+v: id %q, folder %q", c, id, data.FolderName(id))
		}
	}
}

// TestOutcomes holds DESIGN.md 2's table: each outcome is ok, a permanent result, temporary, or our own fault.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, o := range data.Outcomes() {
		kinds := 0
		for _, is := range []bool{o == data.OutcomeOK, o.Permanent(), o.Temporary(), o == data.OutcomeInternal} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%s is of %d kinds", o, kinds)
		}
	}
	item := &data.ItemError{Outcome: data.OutcomeGone, Reason: "404", Err: errors.New("cause")}
	if got := data.OutcomeOf(fmt.Errorf("fetch: %w", item)); got != data.OutcomeGone {
		t.Errorf("wrapped item error: %s", got)
	}
	if got := data.OutcomeOf(errors.New("x")); got != data.OutcomeInternal {
		t.Errorf("other error: %s", got)
	}
	if got := data.OutcomeOf(nil); got != data.OutcomeOK {
		t.Errorf("no error: %s", got)
	}
}

func TestBundleDigest(t *testing.T) {
	t.Parallel()
	files := []data.File{{Path: "b", Mode: data.ModeFile, SHA256: "1"}, {Path: "a", Mode: data.ModeExecutable, SHA256: "2"}}
	digest := data.BundleDigest("SKILL.md", "s", files)
	slices.Reverse(files)
	if data.BundleDigest("SKILL.md", "s", files) != digest {
		t.Error("the order of files counts")
	}
	for what, change := range map[string]func(f *data.File){
		"path": func(f *data.File) { f.Path = "c" }, "mode": func(f *data.File) { f.Mode = data.ModeLink },
		"content": func(f *data.File) { f.SHA256 = "3" }, "note": func(f *data.File) { f.SHA256, f.Note = "", "lfs pointer" },
	} {
		changed := slices.Clone(files)
		change(&changed[0])
		if data.BundleDigest("SKILL.md", "s", changed) == digest {
			t.Errorf("another %s gives the same digest", what)
		}
	}
}

func TestCanonicalRank(t *testing.T) {
	t.Parallel()
	want := []string{"b/r/skills/x", "a/r/skills/xy", "a/r/plugins/p/skills/x", "a/r/.claude/skills/x"}
	var copies []data.Bundle
	for _, id := range want {
		parts := strings.SplitN(id, "/", 3)
		copies = append(copies, data.Bundle{ID: id, RepoID: parts[0] + "/" + parts[1], Path: parts[2]})
	}
	slices.Reverse(copies)
	slices.SortFunc(copies, func(a, b data.Bundle) int { return strings.Compare(a.CanonicalRank(), b.CanonicalRank()) })
	for i, b := range copies {
		if b.ID != want[i] {
			t.Errorf("place %d: %s, want %s", i, b.ID, want[i])
		}
	}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`{"repo":"o/r","origin":"m/m","commit":"c","path":"p","file":"SKILL.md","license":"MIT","updated_at":"2026-01-02T03:04:05+00:00","files":[["a.py",3,"100755"]],"stars":7,"skill_md":"x"}`,
		`{"repo":"o/r","origin":"","commit":"","path":"","file":"","license":"","updated_at":"","files":[],"stars":0,"skill_md":""}`,
		`{"repo":"o/r","origin":"","commit":"","path":"","file":"","license":"","updated_at":"","files":[],"stars":0,"skill_md_b64":"/w=="}`,
	} {
		var record data.Record
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(record); err != nil || string(again) != line {
			t.Errorf("%v\n got %s\nwant %s", err, again, line)
		}
		if _, _, err := record.Bundle(); err != nil {
			t.Error(err)
		}
	}
	for _, line := range []string{`{"repo":"o/r","files":[["a",1]]}`, `{"repo":"o/r","files":[["a","b","c"]]}`, `{"repo":"o/r","files":[7]}`} {
		if err := json.Unmarshal([]byte(line), new(data.Record)); err == nil {
			t.Errorf("%s was read", line)
		}
	}
	text := "x"
	file := func(path string, size int64) []data.RecordFile {
		return []data.RecordFile{{Path: path, Size: size, Mode: data.ModeFile}}
	}
	for _, record := range []data.Record{
		{Repo: "o/r"},
		{SkillMDB64: []byte("x")},
		{Repo: "../..", SkillMD: &text},
		{Repo: "a/../b", SkillMD: &text},
		{Repo: "a//b", SkillMD: &text},
		{Repo: "a/\x00", SkillMD: &text},
		{Repo: "o/r", Path: "../../etc", SkillMD: &text},
		{Repo: "o/r", Path: "/abs", SkillMD: &text},
		{Repo: "o/r", File: "../SKILL.md", SkillMD: &text},
		{Repo: "o/r", Stars: -1, SkillMD: &text},
		{Repo: "o/r", Files: file("../x", 1), SkillMD: &text},
		{Repo: "o/r", Files: file("x", -1), SkillMD: &text},
		{Repo: "o/r", Files: file("x", 99), Contents: map[string][]byte{"x": []byte("ab")}, SkillMD: &text},
		{Repo: "o/r", Files: file("x", 2), Contents: map[string][]byte{"x": []byte("ab")}, Digests: map[string]string{"x": "00"}, SkillMD: &text},
	} {
		if _, _, err := record.Bundle(); err == nil {
			t.Errorf("%+v gave a bundle", record)
		}
	}
}

// TestPlain checks that the JSON form keeps the author's order and text, and a repeated key once with its last value.
func TestPlain(t *testing.T) {
	t.Parallel()
	front := data.Frontmatter{Fields: []data.Field{
		{Key: "z", Value: data.Scalar("1.10")},
		{Key: "a", Value: data.Value{Kind: data.KindList, List: []data.Value{data.Scalar("yes"), {Kind: data.KindScalar, Null: true}}}},
		{Key: "m", Value: data.Value{Kind: data.KindMap, Map: []data.Field{{Key: "<k>", Value: data.Scalar("v")}}}},
		{Key: "z", Value: data.Scalar("last")},
		{Key: "e", Value: data.Value{Kind: data.KindList}},
	}}
	text, err := json.Marshal(front.Plain())
	if want := `{"z":"last","a":["yes",null],"m":{"\u003ck\u003e":"v"},"e":[]}`; err != nil || string(text) != want {
		t.Errorf("%v\n got %s\nwant %s", err, text, want)
	}
	if v, ok := front.Get("z"); !ok || v.Scalar != "last" {
		t.Errorf("Get gave %+v, %t", v, ok)
	}
}
