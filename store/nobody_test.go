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
	check(t, os.WriteFile(binary, must[[]byte](t)(os.ReadFile(command.Path)), 0o755))
	for _, path := range []string{dir, binary} {
		for place := filepath.Dir(path); place != os.TempDir() && place != "/"; place = filepath.Dir(place) {
			check(t, os.Chmod(place, 0o755))
		}
	}
	command.Path, command.Args[0] = binary, binary
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
