package archive

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/data"
)

func TestOpenDir(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root := filepath.Join(base, "checkout")
	for name, body := range map[string]string{
		"secret": "outside", "checkout/.git/config": "x", "checkout/node_modules/m/SKILL.md": "x",
		"checkout/sub/.git": "gitdir: elsewhere", "checkout/skills/a/SKILL.md": "A", "checkout/skills/a/run.sh": "run",
		`checkout/back\slash`: "x",
	} {
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"in": "skills/a/SKILL.md", "out": "../secret", "abs": filepath.Join(base, "secret"), "folder": "skills", "through": "folder/a/run.sh",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(root, "skills/a/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := OpenDir(root, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	want := "120000 abs -> " + filepath.Join(base, "secret") + ` (link outside)
120000 folder -> skills (link to folder)
120000 in -> skills/a/SKILL.md = skills/a/SKILL.md
120000 out -> ../secret (link outside)
100644 pipe (refused)
100644 skills/a/SKILL.md
100755 skills/a/run.sh
120000 through -> folder/a/run.sh = skills/a/run.sh
`
	if diff := cmp.Diff(want, shape(tree)); diff != "" {
		t.Error(diff)
	}
	if count(tree, RuleRefused, "backslash") != 1 {
		t.Errorf("findings %v", tree.Findings())
	}
	if diff := cmp.Diff(map[string]string{"skills/a/SKILL.md": "A", "skills/a/run.sh": "run"}, contents(t, tree)); diff != "" {
		t.Error(diff)
	}
	// A file that changes between the passes is that file's fault.
	if err := os.WriteFile(filepath.Join(root, "skills/a/run.sh"), []byte("longer than before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, tree); got["skills/a/run.sh"] != "!longer than declared" || got["skills/a/SKILL.md"] != "A" {
		t.Errorf("after a change: %q", got)
	}
	limits := DefaultLimits()
	limits.Entries = 3
	_, err = OpenDir(root, limits)
	wantOutcome(t, err, data.OutcomeTooLarge)
	if _, err := OpenDir(filepath.Join(base, "none"), DefaultLimits()); err == nil {
		t.Error("a missing directory opens")
	}
}
