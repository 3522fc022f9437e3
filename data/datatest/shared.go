// Package datatest owns what tests of every package need to find the real data that lies beside the project. Only
// tests import it.
package datatest

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns a path below the shared data: SKILLCORPUS_SHARED, else the folder `shared` beside the module. The test
// is skipped, naming the path, where that is absent; in CI it fails.
func Shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("SKILLCORPUS_SHARED")
	if root == "" {
		root = filepath.Join(filepath.Dir(ModuleRoot(t)), "shared")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("shared data: %v", err)
		}
		t.Skipf("%s is not there: set SKILLCORPUS_SHARED", path)
	}
	return path
}

// ModuleRoot returns the folder of go.mod.
func ModuleRoot(t testing.TB) string {
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
