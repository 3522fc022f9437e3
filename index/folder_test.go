package index_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/index"
	"skillcorpus/index/lexical"
)

func TestSameCorpusSameFiles(t *testing.T) {
	t.Parallel()
	a, b := filepath.Join(t.TempDir(), "main"), filepath.Join(t.TempDir(), "main")
	first := write(t, a, harbour()...)
	if diff := cmp.Diff(first, write(t, b, harbour()...)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first, write(t, a, harbour()...)); diff != "" {
		t.Error("written over itself: ", diff)
	}
	if err := index.Verify(t.Context(), a); err != nil {
		t.Error(err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	manifest := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "manifest.json"), func(text []byte) []byte {
				return bytes.Replace(text, []byte(from), []byte(to), 1)
			})
		}
	}
	lexicalFile := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { edit(t, filepath.Join(dir, "lexical.db"), change) }
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, string)
		want  error
	}{
		"no manifest":     {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "manifest.json")) }, index.ErrNoIndex},
		"no folder":       {func(t *testing.T, dir string) { remove(t, dir) }, index.ErrNoIndex},
		"newer":           {manifest(`"schema": 1`, `"schema": 2`), index.ErrNewer},
		"no json":         {manifest(`{`, `<`), index.ErrDamaged},
		"other type":      {manifest(`"skills": 5`, `"skills": "5"`), index.ErrDamaged},
		"file outside":    {manifest(`lexical.db`, `../lexical.db`), index.ErrDamaged},
		"no lists":        {manifest(`"lists"`, `"lost"`), index.ErrDamaged},
		"wrong count":     {manifest(`"count": 5`, `"count": 6`), index.ErrDamaged},
		"missing file":    {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "lexical.db")) }, index.ErrDamaged},
		"truncated":       {lexicalFile(func(b []byte) []byte { return b[:len(b)/2] }), index.ErrDamaged},
		"empty":           {lexicalFile(func([]byte) []byte { return nil }), index.ErrDamaged},
		"other bytes":     {lexicalFile(func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }), index.ErrDamaged},
		"zeros":           {lexicalFile(func(b []byte) []byte { return make([]byte, len(b)) }), index.ErrDamaged},
		"bodies replaced": {lexicalFile(func(b []byte) []byte { return append(b[:100:100], bytes.Repeat([]byte{0xAA}, len(b)-100)...) }), index.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "main")
			write(t, dir, harbour()...)
			c.spoil(t, dir)
			if _, err := index.Open(t.Context(), dir); !errors.Is(err, c.want) {
				t.Errorf("open: %v, want %v", err, c.want)
			} else if !strings.Contains(err.Error(), "skillcorpus index") {
				t.Errorf("%v does not say what to do", err)
			}
		})
	}
}

// TestAlteredByte changes one byte at a time: opening and searching may fail by name, never otherwise, and
// Verify sees every change.
func TestAlteredByte(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "main")
	write(t, dir, harbour()...)
	file := filepath.Join(dir, "lexical.db")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += len(whole)/60 + 1 {
		altered := bytes.Clone(whole)
		altered[at] ^= 0x55
		if err := os.WriteFile(file, altered, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := index.Verify(t.Context(), dir); !errors.Is(err, index.ErrDamaged) {
			t.Errorf("verify with byte %d altered: %v", at, err)
		}
		s, err := index.Open(t.Context(), dir)
		if err != nil {
			if !errors.Is(err, index.ErrDamaged) {
				t.Errorf("open with byte %d altered: %v", at, err)
			}
			continue
		}
		if _, err := s.Search(t.Context(), index.Request{Text: "tide rope", Explain: true}); err != nil && !errors.Is(err, index.ErrDamaged) {
			t.Errorf("search with byte %d altered: %v", at, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFailedWriteLeavesTheFormerIndex(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "main")
	want := write(t, dir, harbour()...)
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, run := range map[string]func() error{
		"error": func() error {
			_, err := index.Write(t.Context(), dir, index.Options{}, func(yield func(lexical.Skill, error) bool) {
				_ = yield(lexical.Skill{ID: "a"}, nil) && yield(lexical.Skill{}, broken)
			})
			return err
		},
		"order": func() error {
			_, err := index.Write(t.Context(), dir, index.Options{}, rows([]lexical.Skill{{ID: "b"}, {ID: "a"}}))
			return err
		},
		"cancelled": func() error {
			_, err := index.Write(cancelled, dir, index.Options{}, rows(harbour()))
			return err
		},
	} {
		if err := run(); err == nil {
			t.Errorf("%s: no error", name)
		}
		got, err := index.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		entries, err := os.ReadDir(parent)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s leaves %v, %v", name, entries, err)
		}
	}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "main")
	write(t, dir, harbour()...)
	if err := os.Rename(dir, filepath.Join(parent, ".main.old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, ".main.tmp-123"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := index.Recover(dir); err != nil {
			t.Fatal(err)
		}
		if err := index.Verify(t.Context(), dir); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestEmptyCorpus(t *testing.T) {
	t.Parallel()
	s := build(t)
	if got := find(t, s, index.Request{Text: "tide"}); len(got) > 0 {
		t.Errorf("found %v", got)
	}
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
