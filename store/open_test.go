package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pressly/goose/v3"
)

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	newer := func(t *testing.T, dir string) {
		c := openCorpus(t, dir, newClock())
		c.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
		check(t, c.Close())
	}
	garbage := func(t *testing.T, dir string) {
		check(t, os.MkdirAll(filepath.Dir(Path(dir)), 0o755))
		check(t, os.WriteFile(Path(dir), bytes.Repeat([]byte("no database "), 1000), 0o644))
	}
	cut := func(t *testing.T, dir string) {
		c := openCorpus(t, dir, newClock())
		c.imports(numbered(50)...)
		check(t, c.Close())
		check(t, os.Truncate(Path(dir), 3*4096))
	}
	tests := []struct {
		name    string
		prepare func(*testing.T, string)
		write   bool
		want    error
		message string
	}{
		{"none", func(*testing.T, string) {}, false, ErrNoCorpus, "no corpus"},
		{"only a folder", func(t *testing.T, dir string) { check(t, os.MkdirAll(filepath.Dir(Path(dir)), 0o755)) }, false, ErrNoCorpus, ""},
		{"empty file", func(t *testing.T, dir string) {
			check(t, os.MkdirAll(filepath.Dir(Path(dir)), 0o755))
			check(t, os.WriteFile(Path(dir), nil, 0o644))
		}, false, ErrNoCorpus, ""},
		{"newer, to read", newer, false, ErrNewer, "9999"},
		{"newer, to write", newer, true, ErrNewer, "install a newer skillcorpus"},
		{"garbage, to read", garbage, false, ErrDamaged, "not a database"},
		{"garbage, to write", garbage, true, ErrDamaged, "not a database"},
		{"cut short, to read", cut, false, ErrDamaged, ""},
		{"cut short, to write", cut, true, ErrDamaged, ""},
		{"a file in the way", func(t *testing.T, dir string) { check(t, os.WriteFile(filepath.Join(dir, "work"), nil, 0o644)) }, true, syscall.ENOTDIR, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			test.prepare(t, dir)
			before, _ := os.ReadFile(Path(dir))
			s, err := Open(t.Context(), dir, Options{Write: test.write, Command: "test"})
			if s != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), dir) {
				t.Fatalf("store %v, error %v", s, err)
			}
			if after, _ := os.ReadFile(Path(dir)); !bytes.Equal(before, after) {
				t.Error("a refused database was changed")
			}
			// The lock is free again.
			if l, err := acquire(t.Context(), filepath.Join(dir, "lock"), Options{Now: time.Now}); err != nil {
				t.Error(err)
			} else {
				check(t, l.release())
			}
		})
	}
}

// A newer database that is not in WAL mode, as VACUUM INTO leaves it, keeps its journal mode.
func TestNewerStaysAsItIs(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "work"), 0o755))
	_, err := c.writer.ExecContext(t.Context(), `VACUUM INTO ?`, Path(dir))
	check(t, err)
	before := must[[]byte](t)(os.ReadFile(Path(dir)))
	if _, err := Open(t.Context(), dir, Options{Write: true}); !errors.Is(err, ErrNewer) {
		t.Fatal(err)
	}
	if after := must[[]byte](t)(os.ReadFile(Path(dir))); !bytes.Equal(before, after) {
		t.Error("the database was changed")
	}
}

// An older database is refused to readers, who change nothing, and migrated by the next writer.
func TestOlder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "work"), 0o755))
	db := must[*sql.DB](t)(connect(t.Context(), dsn(Path(dir), "_journal_mode=WAL"), 1))
	provider := must[*goose.Provider](t)(provider(db))
	_, err := provider.UpTo(t.Context(), 1)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO skills (id, repo_key, repo_id, path, skill_file, skill_sha256, basis, copy_key, canonical_rank, live, via)
		VALUES ('o/r', 'o/r', 'o/r', '', 'SKILL.md', '', 'listing', 'k', 'r', 1, 'import')`)
	check(t, err)
	check(t, db.Close())
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), "migrate") {
		t.Fatal(err)
	}
	c := openCorpus(t, dir, newClock())
	c.wantIDs("o/r")
	c.imports(numbered(1)...)
	check(t, c.Close())
	check(t, must[*Store](t)(Open(t.Context(), dir, Options{})).Close())
}

func TestUnwritableFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	check(t, os.Mkdir(dir, 0o555))
	command := otherProcess(t, "import", dir, 0)
	if os.Geteuid() == 0 {
		asNobody(t, command, dir)
	}
	if output, err := command.CombinedOutput(); err == nil || !strings.Contains(string(output), "permission denied") || !strings.Contains(string(output), dir) {
		t.Errorf("%s: %v", output, err)
	}
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "a?mode=ro", "a#b", "a%41", "ä", "a&b=c", ":memory:x", "-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), name)
			c := openCorpus(t, dir, newClock())
			c.imports(numbered(1)...)
			check(t, c.Close())
			if _, err := os.Stat(Path(dir)); err != nil {
				t.Fatal(err)
			}
			openCorpus(t, dir, newClock()).wantIDs("owner/repo-00/skills/s-0000")
		})
	}
}

func TestCloseTwice(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	check(t, c.Close())
	check(t, c.Close())
	openCorpus(t, c.Dir(), c.clock)
}

func TestLockIsHeld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command, release := holderOf(t, dir)
	_, err := Open(t.Context(), dir, Options{Write: true})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), `"other hold"`) || !strings.Contains(err.Error(), fmt.Sprint("process ", command.Process.Pid)) {
		t.Fatal(err)
	}
	// Reading needs no lock.
	s := must[*Store](t)(Open(t.Context(), dir, Options{}))
	check(t, s.Close())
	release()
	check(t, command.Wait())
	openCorpus(t, dir, newClock())
}

func TestLockIsFreedByKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command, _ := holderOf(t, dir)
	check(t, command.Process.Signal(syscall.SIGKILL))
	_ = command.Wait()
	openCorpus(t, dir, newClock()).imports(numbered(1)...)
}

func TestLockWait(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	synctest.Test(t, func(t *testing.T) {
		options := Options{Command: "first", Now: time.Now, LockWait: 10 * time.Second}
		first := must[*lock](t)(acquire(t.Context(), path, options))

		start := time.Now()
		_, err := acquire(t.Context(), path, options)
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), `"first"`) || time.Since(start) != options.LockWait {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		start = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := acquire(ctx, path, options); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		time.AfterFunc(3*time.Second, func() { check(t, first.release()) })
		start = time.Now()
		second := must[*lock](t)(acquire(t.Context(), path, options))
		if waited := time.Since(start); waited < 3*time.Second || waited > 3*time.Second+lockPoll {
			t.Errorf("the lock came after %v", waited)
		}
		check(t, second.release())
	})
	// Nobody signs for a free lock.
	if text := must[[]byte](t)(os.ReadFile(path)); len(text) != 0 {
		t.Errorf("a free lock is signed: %s", text)
	}
}

func TestReaderWhileWriting(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(3)...)
	r := must[*Store](t)(Open(t.Context(), c.Dir(), Options{}))
	defer r.Close()
	tx, err := c.writer.BeginTx(t.Context(), nil)
	check(t, err)
	_, err = tx.ExecContext(t.Context(), `UPDATE skills SET live = 0`)
	check(t, err)
	if counts := must[Counts](t)(r.Counts(t.Context())); counts.Skills != 3 {
		t.Errorf("inside a transaction of the writer: %d skills", counts.Skills)
	}
	check(t, tx.Commit())
	if counts := must[Counts](t)(r.Counts(t.Context())); counts.Skills != 0 || counts.Removed != 3 {
		t.Errorf("after it: %+v", counts)
	}
	// Close brings everything into corpus.db though another process could still be reading.
	c.imports(numbered(3)...)
	check(t, c.Close())
	lone(t, c.Dir(), 0o755, 3)
}

// lone copies corpus.db alone to a folder of its own, and reads it there.
func lone(t *testing.T, from string, mode os.FileMode, want int) {
	t.Helper()
	dir := t.TempDir()
	work := filepath.Dir(Path(dir))
	check(t, os.Mkdir(work, 0o755))
	check(t, os.WriteFile(Path(dir), must[[]byte](t)(os.ReadFile(Path(from))), mode&0o666))
	check(t, os.Chmod(work, mode))
	defer func() { check(t, os.Chmod(work, 0o755)) }()
	command := otherProcess(t, "read", dir, 0)
	if mode&0o200 == 0 && os.Geteuid() == 0 {
		asNobody(t, command, dir)
	}
	output, err := command.Output() // with -cover others complain on stderr
	if got, want := string(output), fmt.Sprintf("skills %d faults 0 <nil>\n", want); err != nil || got != want {
		t.Errorf("mode %v: %q, want %q: %v", mode, got, want, err)
	}
}

func TestLoneDatabase(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(3)...)
	check(t, c.Close())
	lone(t, c.Dir(), 0o755, 3)
	lone(t, c.Dir(), 0o555, 3)
}

// Commits that lie only in the log are never left out in silence.
func TestReadOnlyFolderWithLog(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(3)...)
	dir := t.TempDir()
	work := filepath.Dir(Path(dir))
	check(t, os.Mkdir(work, 0o755))
	for _, suffix := range []string{"", "-wal"} {
		check(t, os.WriteFile(Path(dir)+suffix, must[[]byte](t)(os.ReadFile(Path(c.Dir())+suffix)), 0o444))
	}
	check(t, os.Chmod(work, 0o555))
	defer func() { check(t, os.Chmod(work, 0o755)) }()
	command := otherProcess(t, "read", dir, 0)
	if os.Geteuid() == 0 {
		asNobody(t, command, dir)
	}
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "copy both files") {
		t.Errorf("%s: %v", output, err)
	}
}

func TestReadingChangesNothing(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(3)...)
	check(t, c.Close())
	before := must[[]byte](t)(os.ReadFile(Path(c.Dir())))
	r := must[*Store](t)(Open(t.Context(), c.Dir(), Options{}))
	must[string](t)(r.Digest(t.Context()))
	check(t, r.Close())
	// Nor does opening it for writing, when there is nothing to migrate.
	check(t, openCorpus(t, c.Dir(), c.clock).Close())
	if after := must[[]byte](t)(os.ReadFile(Path(c.Dir()))); !bytes.Equal(before, after) {
		t.Error("the database was changed")
	}
}

// A write that is cancelled half-way leaves nothing, and a database in memory alive.
func TestCancelledWrite(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), InMemory} {
		c := openCorpus(t, dir, newClock())
		c.imports(numbered(2)...)
		if err := c.CommitImport(cancelled(t), nil, []Blob{c.Pack([]byte("x"))}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", dir, err)
		}
		bundle, blobs := c.bundle(skill{repo: "o/r", text: "half"})
		ctx, cancel := context.WithCancel(t.Context())
		err := c.write(ctx, func(tx *sql.Tx) error {
			if err := putBlobs(ctx, tx, blobs); err != nil {
				return err
			}
			cancel()
			for range 1000 { // time enough for anyone else who would end the transaction
				runtime.Gosched()
				if _, err := tx.ExecContext(context.WithoutCancel(ctx), `SELECT 1`); err != nil {
					return err
				}
			}
			return putBundle(ctx, tx, bundle, map[string]bool{})
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: between two statements: %v", dir, err)
		}
		// In the middle of a statement, which would never end.
		ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		err = c.write(ctx, func(tx *sql.Tx) error {
			if err := putBlobs(ctx, tx, blobs); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO blobs WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 0, '' FROM n WHERE i < 0`)
			return err
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: in a statement: %v", dir, err)
		}
		c.wantIDs("owner/repo-00/skills/s-0000", "owner/repo-01/skills/s-0001")
		if n := c.number(`SELECT count(*) FROM blobs`); n != 2 {
			t.Errorf("%s: %d blobs", dir, n)
		}
	}
}

// A full disk is told as such, whoever notices it.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	s := openCorpus(t, t.TempDir(), newClock())
	if _, err := s.writer.ExecContext(t.Context(), `PRAGMA max_page_count = 1`); err != nil { // as few as it has
		t.Fatal(err)
	}
	err := s.write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `CREATE TABLE large AS SELECT zeroblob(1000000)`)
		return err
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
}
