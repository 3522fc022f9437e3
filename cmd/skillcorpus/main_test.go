package main

import (
	"flag"
	"log"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// TestMain makes the test binary the command skillcorpus for everything that tests start.
func TestMain(m *testing.M) {
	// The race detector sleeps for a second at the end of each process otherwise, and tests start hundreds.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		log.Fatal(err)
	}
	testscript.Main(m, map[string]func(){"skillcorpus": main})
}
