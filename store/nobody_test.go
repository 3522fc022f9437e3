package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody makes a command run without the rights of root, for which no folder is read-only. The folders of the
// test are opened to it.
func asNobody(t *testing.T, command *exec.Cmd, dir string) {
	t.Helper()
	const nobody = 65534
	binary := filepath.Join(t.TempDir(), "store.test")
	// Copied by another process: a process started beside this one could inherit our open file, and a binary that is
	// open for writing cannot be run.
	check(t, exec.CommandContext(t.Context(), "cp", command.Path, binary).Run())
	check(t, os.Chmod(binary, 0o755))
	for _, path := range []string{dir, binary} {
		for place := filepath.Dir(path); place != os.TempDir() && place != "/"; place = filepath.Dir(place) {
			check(t, os.Chmod(place, 0o755))
		}
	}
	command.Path, command.Args[0] = binary, binary
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
