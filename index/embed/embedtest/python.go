package embedtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Python returns the interpreter of a new environment with the packages, each NAME==VERSION. They come from
// where pip is set to look, so that only tests in their long form may call it.
func Python(t testing.TB, packages ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "python")
	run(t, "python3", "-m", "venv", dir)
	python := filepath.Join(dir, "bin", "python")
	run(t, python, append([]string{"-m", "pip", "install", "--quiet", "--only-binary=:all:"}, packages...)...)
	return python
}

func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// Proof skips the test unless SKILLCORPUS_PROOF=1 asks for the long form.
func Proof(t testing.TB) {
	t.Helper()
	if os.Getenv("SKILLCORPUS_PROOF") != "1" {
		t.Skip("skipped: the long form runs with SKILLCORPUS_PROOF=1 (make proof)")
	}
}
