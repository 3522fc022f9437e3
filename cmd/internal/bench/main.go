// Command bench measures whole processes on the shared real data, through the built binary: each stage on 35,129
// skills, and the search there. A ratio to a fixed piece of work on the same machine in the same run makes figures of
// different machines comparable. `make bench` calls it; it owns no benchmark of single functions, those lie beside the
// functions.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:forbidigo // this is the main of a program of its own
	}
}

func run(ctx context.Context) error {
	binary := flag.String("binary", "bin/skillcorpus", "the program to measure")
	runs := flag.Int("runs", 3, "how often; medians are reported")
	seed := flag.Uint64("seed", 1, "of the choice of names")
	asJSON := flag.Bool("json", false, "print JSON in place of a table")
	flag.Parse()
	shared := os.Getenv("SKILLCORPUS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	if *runs < 1 {
		return fmt.Errorf("-runs must be at least 1")
	}
	b := bench{binary: *binary, seed: *seed}
	var err error
	if b.files, err = filepath.Glob(filepath.Join(shared, "corpus", "*.jsonl.gz")); err != nil || len(b.files) == 0 {
		return fmt.Errorf("no corpus in %s: set SKILLCORPUS_SHARED", shared)
	}
	if b.sets, err = querySets(shared, *seed); err != nil {
		return err
	}
	report, err := b.measure(ctx, *runs)
	if err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(os.Stdout).Encode(report)
	}
	return report.print(os.Stdout)
}
