package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// TestMain makes the test binary the command skillcorpus for everything that tests start.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"skillcorpus": main})
}
