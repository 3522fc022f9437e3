package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// bench is what is measured with what.
type bench struct {
	binary string
	files  []string // the corpus
	sets   []querySet
	seed   uint64
	env    []string // settings of the program, beside this process's own
}

// usage is what one process took.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes of memory
	stdout    []byte
}

// measure runs everything so many times, each time on a new corpus.
func (b bench) measure(ctx context.Context, runs int) (report, error) {
	var all samples
	for i := range runs {
		fmt.Fprintf(os.Stderr, "run %d of %d\n", i+1, runs)
		if err := b.once(ctx, &all); err != nil {
			return report{}, err
		}
	}
	return all.report(runs, b), nil
}

func (b bench) once(ctx context.Context, all *samples) (err error) {
	dir, err := os.MkdirTemp("", "skillcorpus-bench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	took, err := b.reference()
	if err != nil {
		return err
	}
	all.reference = append(all.reference, took)
	corpus := filepath.Join(dir, "corpus")
	for _, stage := range [][]string{append([]string{"import"}, b.files...), {"parse"}, {"audit"}, {"index"}} {
		used, err := b.process(ctx, append(stage, "--quiet", "--data", corpus)...)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s", used.stdout)
		all.stage(stage[0], used)
	}
	for _, set := range b.sets {
		if err := b.search(ctx, dir, corpus, set, all); err != nil {
			return err
		}
	}
	return errors.Join(b.again(ctx, dir, corpus, all), b.crawl(ctx, dir, all))
}

// again measures a report, and the audit of a corpus of which one skill in a hundred has changed since.
func (b bench) again(ctx context.Context, dir, corpus string, all *samples) error {
	used, err := b.process(ctx, "report", "--json", "--data", corpus)
	if err != nil {
		return err
	}
	all.stage("report", used)
	changed := filepath.Join(dir, "changed.jsonl")
	if err := writeChanged(changed, b.files); err != nil {
		return err
	}
	for _, stage := range [][]string{{"import", changed}, {"parse"}, {"audit"}} {
		used, err := b.process(ctx, append(stage, "--quiet", "--data", corpus)...)
		if err != nil {
			return err
		}
		all.stage(stage[0]+", 1 % changed", used)
	}
	return nil
}

// search asks all queries of a set in one process, which tells what each took, and then each in a process of its own.
func (b bench) search(ctx context.Context, dir, corpus string, set querySet, all *samples) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, q := range set.queries {
		if err := encoder.Encode(q); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, "queries.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		return err
	}
	used, err := b.process(ctx, "search", "--json", "--data", corpus, "--queries", file)
	if err != nil {
		return err
	}
	if err := all.inProcess(set.name, used.stdout); err != nil {
		return err
	}
	for _, q := range set.queries {
		if err := os.WriteFile(file, []byte(q.Text), 0o600); err != nil {
			return err
		}
		used, err := b.process(ctx, "search", "--json", "--data", corpus, "--query-file", file)
		if err != nil {
			return err
		}
		all.set(set.name).process = append(all.set(set.name).process, used.wall)
	}
	return nil
}

func (b bench) process(ctx context.Context, args ...string) (usage, error) {
	command := exec.CommandContext(ctx, b.binary, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	command.Env = slices.Concat(os.Environ(), b.env, []string{"SKILLCORPUS_MODEL=none"}) // words alone, whatever models the machine has
	started := time.Now()
	err := command.Run()
	used := usage{wall: time.Since(started), stdout: stdout.Bytes()}
	if err != nil {
		return usage{}, fmt.Errorf("%s %s: %w\n%s", b.binary, args[0], err, stderr.String())
	}
	used.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if r, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		used.peak = int64(r.Maxrss)
		if runtime.GOOS == "linux" {
			used.peak *= 1024 // kilobytes there, bytes elsewhere
		}
	}
	return used, nil
}

// reference is a fixed piece of work: unpack and digest the corpus on one core.
func (b bench) reference() (took time.Duration, err error) {
	started := time.Now()
	for _, name := range b.files {
		if err := digest(name); err != nil {
			return 0, err
		}
	}
	return time.Since(started), nil
}

func digest(name string) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	_, err = io.Copy(sha256.New(), unzipped)
	return err
}
