package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slowHub serves the sample with archives that take their time.
func slowHub(t *testing.T, delay time.Duration) []string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "slow.yaml")
	rules := "rules:\n  - match: {host: codeload}\n    do: {delay: " + delay.String() + "}\n"
	if err := os.WriteFile(script, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	return serveHub(t, "", "--faults", script)
}

// crawl starts a crawl with one worker and returns once the hub has been asked for the facts of a repository, so that
// its archive is being fetched.
func startCrawl(t *testing.T, env []string, data string) (wait func() error, signal func(), stderr *watched) {
	t.Helper()
	stderr = &watched{}
	command := program(t, env, "crawl", "--data", data, "--source", "skillsmp", "--workers", "1")
	command.Stderr = stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	err := await(t.Context(), "request for a repository", func() bool { return hubStats(t, env)["api commit"] > 0 })
	if err != nil {
		t.Fatal(err)
	}
	return command.Wait, func() {
		if err := command.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
	}, stderr
}

func TestInterruptFinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	env, data := slowHub(t, 300*time.Millisecond), t.TempDir()
	wait, interrupt, stderr := startCrawl(t, env, data)
	interrupt()
	if code := exitCodeOf(t, wait()); code != 130 {
		t.Fatalf("exit code %d, want 130\n%s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "run the same command again to go on") {
		t.Errorf("stderr does not say how to go on:\n%s", stderr)
	}
	first := hubStats(t, env)["codeload zip"]
	if first == 0 || first > 2 {
		t.Errorf("%d archives were fetched before the end, want the one or two in flight", first)
	}
	run(t, env, "crawl", "--data", data, "--source", "skillsmp")
	if all := hubStats(t, env)["codeload zip"]; all != 6 {
		t.Errorf("%d archives were fetched in all, want 6: what was in flight is not fetched again", all)
	}
	run(t, env, "verify", "--data", data)

	whole := t.TempDir()
	run(t, env, "crawl", "--data", whole, "--source", "skillsmp")
	if got, want := run(t, env, "verify", "--data", data, "--digest"), run(t, env, "verify", "--data", whole, "--digest"); got != want {
		t.Errorf("digest %s after an interruption, %s without", got, want)
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	env, data := slowHub(t, time.Hour), t.TempDir()
	wait, interrupt, stderr := startCrawl(t, env, data)
	interrupt()
	if err := await(t.Context(), "note", func() bool { return strings.Contains(stderr.String(), "once more") }); err != nil {
		t.Fatal(err)
	}
	interrupt()
	if code := exitCodeOf(t, wait()); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, stderr)
	}
	run(t, nil, "verify", "--data", data)
}

func TestInterruptEndsAWaitForTheLock(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	holder := program(t, nil, "import", "--data", data, "-")
	input, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	err = await(t.Context(), "corpus", func() bool { return program(t, nil, "status", "--data", data).Run() == nil })
	if err != nil {
		t.Fatal(err)
	}
	stderr := &watched{}
	waiter := program(t, nil, "parse", "--lock-wait", "1h", "--data", data)
	waiter.Stderr = stderr
	if err := waiter.Start(); err != nil {
		t.Fatal(err)
	}
	// A signal that comes before the program listens would end it without an exit code of its own.
	err = await(t.Context(), "wait for the lock", func() bool { return strings.Contains(stderr.String(), "waiting up to 1h0m0s") })
	if err != nil {
		t.Fatal(err)
	}
	if err := waiter.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, waiter.Wait()); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, stderr)
	}
	if err := errors.Join(input.Close(), holder.Wait()); err != nil {
		t.Error(err)
	}
}
