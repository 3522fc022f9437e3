package archive

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns a path below the shared folder, and skips the test where there is none.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("SKILLCORPUS_SHARED")
	if root == "" {
		root = filepath.Join(moduleRoot(t), "..", "shared")
	}
	name := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(name); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("shared folder: %v", err)
		}
		t.Skipf("needs %s", name)
	}
	return name
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
