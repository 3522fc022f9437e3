package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// querySet is queries of one kind.
type querySet struct {
	name    string
	queries []query
}

type query struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// chosenNames is how many names of listings are asked for: with the 44 tasks they make 200 queries.
const chosenNames = 156

// querySets reads the two kinds of queries: whole task descriptions, and names as a marketplace lists them.
func querySets(shared string, seed uint64) ([]querySet, error) {
	tasks := querySet{name: "instructions"}
	files, err := filepath.Glob(filepath.Join(shared, "skillsbench", "tasks", "*", "instruction.md"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no tasks in %s: set SKILLCORPUS_SHARED", shared)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		tasks.queries = append(tasks.queries, query{filepath.Base(filepath.Dir(file)), string(text)})
	}
	all, err := listedNames(filepath.Join(shared, "listings", "marketplace.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	names := querySet{name: "names"}
	random := rand.New(rand.NewPCG(seed, 0))
	for _, i := range random.Perm(len(all))[:min(chosenNames, len(all))] {
		names.queries = append(names.queries, query{all[i], all[i]})
	}
	return []querySet{tasks, names}, nil
}

// listedNames returns the distinct names of a listing, sorted.
func listedNames(path string) (names []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", path, err)
	}
	decoder := json.NewDecoder(bufio.NewReader(unzipped))
	for {
		var row struct {
			Name string `json:"name"`
		}
		err := decoder.Decode(&row)
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if row.Name != "" {
			names = append(names, row.Name)
		}
	}
}
