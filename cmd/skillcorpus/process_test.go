package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// await asks again and again until done says yes.
func await(ctx context.Context, what string, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no %s: %w", what, ctx.Err())
		case <-ticker.C:
		}
	}
	return nil
}

// binary is the program under test: this test binary, or the one that SKILLCORPUS_BINARY names.
func binary() string {
	if path := os.Getenv("SKILLCORPUS_BINARY"); path != "" {
		return path
	}
	return "skillcorpus"
}

// program prepares a command line with settings of its own. Whatever models the machine has, tests go by words alone.
func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary(), args...)
	command.Env = slices.Concat(os.Environ(), []string{"SKILLCORPUS_MODEL=none"}, env)
	return command
}

// run runs a command line that must succeed and returns its stdout.
func run(t *testing.T, env []string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	command := program(t, env, args...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("skillcorpus %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// exitCodeOf returns the exit code that a finished command ended with, -1 for a killed one.
func exitCodeOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

// serveHub starts fakehub over a folder, or over the sample if that is empty, and returns the settings that lead a
// crawl to it.
func serveHub(t *testing.T, folder string, args ...string) []string {
	t.Helper()
	envFile := filepath.Join(t.TempDir(), "hub.env")
	args = append([]string{"fakehub", "--env-file", envFile}, args...)
	if folder != "" {
		args = append(args, "--hub", folder)
	}
	command := exec.Command(binary(), args...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(command.Process.Signal(os.Interrupt), command.Wait()); err != nil {
			t.Errorf("fakehub: %v", err)
		}
	})
	err := await(t.Context(), "env file of fakehub", func() bool { _, err := os.Stat(envFile); return err == nil })
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(envFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// long reports whether proofs run in their long form.
func long() bool { return os.Getenv("SKILLCORPUS_PROOF") == "1" }

// watched collects what a running command writes, so that a test can wait for a part of it.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// hubStats asks a hub how many requests each of its endpoints has answered.
func hubStats(t *testing.T, env []string) map[string]int {
	t.Helper()
	for _, setting := range env {
		name, base, _ := strings.Cut(setting, "=")
		if name != "SKILLCORPUS_GITHUB_API_URL" {
			continue
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/_stats", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		var stats struct {
			Endpoints map[string]struct{ Requests int }
		}
		if err := json.Unmarshal(text, &stats); err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for endpoint, c := range stats.Endpoints {
			counts[endpoint] = c.Requests
		}
		return counts
	}
	t.Fatal("no API among the hub's settings")
	return nil
}

// TestFakehubEndsOnRequest: the signal of a service manager is a proper end.
func TestFakehubEndsOnRequest(t *testing.T) {
	t.Parallel()
	out := &watched{}
	command := program(t, nil, "fakehub")
	command.Stdout = out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	err := await(t.Context(), "ready line", func() bool { return strings.HasPrefix(out.String(), "ready: GitHub API http://127.0.0.1:") })
	if err := errors.Join(err, command.Process.Signal(syscall.SIGTERM)); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, command.Wait()); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
