// Command skillcorpus keeps a corpus of agent skills current, audited and searchable.
package main

import (
	"os"

	"skillcorpus/cmd/internal/command"
)

// version is set by the linker to what `git describe` says.
var version = "unknown"

func main() {
	os.Exit(command.Main(version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
