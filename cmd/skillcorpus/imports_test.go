package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"skillcorpus/data/datatest"
)

// TestImports holds the house: dependencies point down only, and the stages never import each other. Build tags do not
// matter to it, since it reads every file.
func TestImports(t *testing.T) {
	t.Parallel()
	root := datatest.ModuleRoot(t)
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && strings.HasPrefix(entry.Name(), "."), entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(name))
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			to, ours := strings.CutPrefix(imported, "skillcorpus/")
			if ours && !allowed(from, to, strings.HasSuffix(name, "_test.go")) {
				t.Errorf("%s: %s must not import %s", name, from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// allowed is DESIGN.md 1: whether package from may import package to, both as paths inside the module.
func allowed(from, to string, test bool) bool {
	part, _, inside := strings.Cut(from, "/")
	target, _, targetInside := strings.Cut(to, "/")
	switch {
	case part == "cmd":
		return true
	case target == "cmd":
		return false
	case test || path.Base(from) == path.Base(path.Dir(from))+"test": // aids of tests
		return true
	case part == "data":
		return target == "data"
	case target == "data":
		return true
	case part == "store":
		return target == "store"
	case part == target: // a stage's sub-packages, and never its root, which calls them
		return targetInside
	}
	return target == "store" && !inside // a stage's root
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		test     bool
		want     bool
	}{
		{from: "cmd/internal/command", to: "index/lexical", want: true},
		{from: "data", to: "store", want: false},
		{from: "data/sample", to: "data", want: true},
		{from: "store", to: "data", want: true},
		{from: "store", to: "parse", want: false},
		{from: "crawl", to: "store", want: true},
		{from: "crawl", to: "crawl/archive", want: true},
		{from: "crawl", to: "parse", want: false},
		{from: "crawl/archive", to: "data", want: true},
		{from: "crawl/discover", to: "crawl/archive", want: true},
		{from: "crawl/discover", to: "crawl", want: false},
		{from: "crawl/discover", to: "store", want: false},
		{from: "audit/rules", to: "parse/document", want: false},
		{from: "audit/rules", to: "parse/document", test: true, want: true},
		{from: "index", to: "cmd/internal/terminal", test: true, want: false},
	} {
		if got := allowed(c.from, c.to, c.test); got != c.want {
			t.Errorf("%s may import %s (test %t): %t, want %t", c.from, c.to, c.test, got, c.want)
		}
	}
}
