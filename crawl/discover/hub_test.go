package discover

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

// TestHub reads 30 real repositories and checks every SKILL.md against an independent reading of the zips.
func TestHub(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(datatest.Shared(t, "hub", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Repo, Commit, Zip string
		SkillMD           int `json:"skill_md"`
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, row := range rows {
		name := datatest.Shared(t, "hub", row.Zip)
		want := skillFiles(t, name)
		found, kept := readArchive(t, name, archive.DefaultLimits(), data.Repo{ID: row.Repo, Host: data.HostGitHub, Name: row.Repo})
		if len(found.Skills) != row.SkillMD || len(want) != row.SkillMD {
			t.Errorf("%s: %d skills, %d SKILL.md, index says %d", row.Repo, len(found.Skills), len(want), row.SkillMD)
		}
		total += len(found.Skills)
		for _, s := range found.Skills {
			digest := want[join(s.Path, s.SkillFile)]
			if s.SkillSHA256 != digest || s.Commit != row.Commit {
				t.Errorf("%s: digest %s, want %s; commit %s", s.ID, s.SkillSHA256, digest, s.Commit)
			}
			if data.SHA256Hex(kept[digest]) != digest {
				t.Errorf("%s: content not kept byte for byte", s.ID)
			}
			for _, f := range s.Files {
				if f.Kept && data.SHA256Hex(kept[f.SHA256]) != f.SHA256 {
					t.Errorf("%s: %s said to be kept, and is not", s.ID, f.Path)
				}
			}
		}
	}
	if total != 1508 {
		t.Errorf("%d skills in all, want 1508", total)
	}
}

// skillFiles returns the digest of every SKILL.md by its path, read with nothing of this project but the hash.
func skillFiles(t *testing.T, name string) map[string]string {
	t.Helper()
	reader, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	digests := map[string]string{}
	for _, f := range reader.File {
		_, path, _ := strings.Cut(f.Name, "/")
		if !strings.HasSuffix("/"+strings.ToLower(path), "/skill.md") {
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
		digests[path] = data.SHA256Hex(content)
	}
	return digests
}
