package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	_ "github.com/mattn/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs every command and every fault that a user can meet, with exact exit codes. Besides the commands of
// testscript there are
//
//	exits CODE PROGRAM ARGS...   run it; it must end with just this code
//	sample DIR                   a corpus of the sample marketplace, as `demo` leaves it
//	hub NAME ARGS...             start fakehub and set the environment as its env file says
//	closed VARIABLE              set it to the URL of a port where nobody listens
//	judge VARIABLE HOW           serve a language model that answers so, and set it to the URL
//	holds DIR                    another process holds the writer's lock until the script ends
//	sql FILE STATEMENT           change a database
//	damage FILE                  overwrite the beginning of a file
func TestScripts(t *testing.T) {
	t.Parallel()
	corpus := sync.OnceValues(func() (string, error) {
		dir := filepath.Join(t.TempDir(), "sample")
		demo := exec.Command("skillcorpus", "demo", "--data", dir)
		demo.Env = append(os.Environ(), "SKILLCORPUS_MODEL=none")
		out, err := demo.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		return dir, nil
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SKILLCORPUS_MODEL", "none") // model.txtar alone is about models
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"closed": closed,
			"judge":  serveJudge,
			"hub":    startHub,
			"holds":  holds,
			"sql":    change,
			"damage": damage,
			"sample": func(ts *testscript.TestScript, _ bool, args []string) {
				from, err := corpus()
				ts.Check(err)
				ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(from)))
			},
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// startHub starts `skillcorpus fakehub`; the environment of the script then leads every crawl to it.
func startHub(ts *testscript.TestScript, _ bool, args []string) {
	envFile := ts.MkAbs(args[0] + ".env")
	command := exec.Command("skillcorpus", append([]string{"fakehub", "--env-file", envFile}, args[1:]...)...)
	command.Dir = ts.MkAbs(".")
	var stderr watched // the script's own is not for several writers
	command.Stderr = &stderr
	ts.Check(command.Start())
	ts.Defer(func() {
		if err := errors.Join(command.Process.Signal(os.Interrupt), command.Wait()); err != nil {
			ts.Fatalf("fakehub: %v\n%s", err, stderr.String())
		}
	})
	var text []byte
	ts.Check(await(context.Background(), "env file", func() bool {
		var err error
		text, err = os.ReadFile(envFile)
		return err == nil
	}))
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			ts.Setenv(name, value)
		}
	}
}

func closed(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], "http://"+listener.Addr().String())
	ts.Check(listener.Close())
}

// holds lets a second process wait for input while it holds the lock.
func holds(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	command := exec.Command("skillcorpus", "import", "--data", dir, "-")
	input, err := command.StdinPipe()
	ts.Check(err)
	ts.Check(command.Start())
	ts.Defer(func() {
		ts.Check(input.Close())
		ts.Check(command.Wait())
	})
	pid := fmt.Sprintf(`"pid":%d`, command.Process.Pid)
	ts.Check(await(context.Background(), "lock", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "lock"))
		return err == nil && strings.Contains(string(text), pid)
	}))
}

func change(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}

func damage(ts *testscript.TestScript, _ bool, args []string) {
	file, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = file.WriteString("this is not what it should be, and long enough to show")
	ts.Check(errors.Join(err, file.Close()))
}
