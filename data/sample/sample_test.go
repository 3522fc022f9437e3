package sample_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"

	"skillcorpus/data/sample"
)

type entry struct {
	Repo    string `json:"repo"`
	Commit  string `json:"commit"`
	License string `json:"license"`
	SkillMD int    `json:"skill_md"`
	Zip     string `json:"zip"`
	Bytes   int    `json:"bytes"`
}

func TestArchivesAgreeWithIndex(t *testing.T) {
	t.Parallel()
	var entries []entry
	if err := json.Unmarshal(read(t, "index.json"), &entries); err != nil {
		t.Fatal(err)
	}
	readme := string(read(t, "README.md"))
	archives, err := fs.Glob(sample.FS(), "*.zip")
	if err != nil || len(archives) != len(entries) {
		t.Fatalf("%d archives, %d entries, %v", len(archives), len(entries), err)
	}
	total := 0
	for _, e := range entries {
		content := read(t, e.Zip)
		total += len(content)
		zr, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		if len(content) != e.Bytes || zr.Comment != e.Commit {
			t.Errorf("%s: %d bytes, commit %s", e.Repo, len(content), zr.Comment)
		}
		if !strings.Contains(readme, e.Repo) || !strings.Contains(readme, e.Commit) {
			t.Errorf("%s: not in README.md at that commit", e.Repo)
		}
		checkEntries(t, e, zr)
	}
	if total > 300_000 {
		t.Errorf("%d bytes of archives: the sample is meant to stay small", total)
	}
}

func checkEntries(t *testing.T, e entry, zr *zip.Reader) {
	t.Helper()
	owner, name, _ := strings.Cut(e.Repo, "/")
	beside := read(t, owner+"+"+name+".LICENSE")
	skills, licensed := 0, false
	for _, f := range zr.File {
		_, inside, _ := strings.Cut(f.Name, "/")
		if path.Base(inside) == "SKILL.md" {
			skills++
		}
		if inside != "LICENSE" {
			continue
		}
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		licensed = bytes.Equal(content, beside)
	}
	mark := map[string]string{"MIT": "MIT License", "Apache-2.0": "Apache License"}[e.License]
	if skills != e.SkillMD || !licensed || mark == "" || !bytes.Contains(beside, []byte(mark)) {
		t.Errorf("%s: %d skills, licence file equal: %v, licence %q", e.Repo, skills, licensed, e.License)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := fs.ReadFile(sample.FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
