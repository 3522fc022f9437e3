package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"skillcorpus/data"
)

// TestMain lets tests start this binary again as another process that uses a corpus.
func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := play(role, os.Getenv("STORE_TEST_DIR"), os.Getenv("STORE_TEST_WAIT")); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(role, dir, wait string) error {
	ctx := context.Background()
	lockWait, err := time.ParseDuration(wait)
	if err != nil {
		return err
	}
	s, err := Open(ctx, dir, Options{Write: role != "read", LockWait: lockWait, Command: "other " + role})
	if err != nil {
		return err
	}
	switch role {
	case "hold": // until killed, or until the input ends
		fmt.Println("open")
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return err
		}
	case "import":
		for line := bufio.NewScanner(os.Stdin); line.Scan(); {
			bundle, blobs, err := rowBundle(s, line.Bytes())
			if err != nil {
				return err
			}
			if err := s.CommitImport(ctx, []data.Bundle{bundle}, blobs); err != nil {
				return err
			}
		}
	case "read":
		counts, err := s.Counts(ctx)
		if err != nil {
			return err
		}
		faults, err := s.Verify(ctx)
		fmt.Println("skills", counts.Skills, "faults", len(faults), err)
	}
	return s.Close()
}

// rowBundle makes a skill of a row of case 37.
func rowBundle(s *Store, line []byte) (data.Bundle, []Blob, error) {
	var row struct{ ID, Name, Description string }
	if err := json.Unmarshal(line, &row); err != nil {
		return data.Bundle{}, nil, err
	}
	parts := strings.SplitN(row.ID, "/", 3)
	text := fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n", row.Name, row.Description)
	record := data.Record{Repo: parts[0] + "/" + parts[1], Path: parts[2], SkillMD: &text}
	bundle, _, err := record.Bundle()
	return bundle, []Blob{s.Pack([]byte(text))}, err
}

// otherProcess starts this test binary in a role.
func otherProcess(t *testing.T, role, dir string, wait time.Duration) *exec.Cmd {
	t.Helper()
	command := exec.Command(must[string](t)(os.Executable()))
	command.Env = append(os.Environ(), "STORE_TEST_ROLE="+role, "STORE_TEST_DIR="+dir, "STORE_TEST_WAIT="+wait.String())
	return command
}

// holder starts a process that holds the lock of dir, and returns once it does.
func holderOf(t *testing.T, dir string) (command *exec.Cmd, release func()) {
	t.Helper()
	command = otherProcess(t, "hold", dir, 0)
	input := must[io.WriteCloser](t)(command.StdinPipe())
	output := must[io.ReadCloser](t)(command.StdoutPipe())
	check(t, command.Start())
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "open\n" {
		t.Fatalf("the other process said %q: %v", line, err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	return command, func() { check(t, input.Close()) }
}
