// Package store owns the corpus database: all of its SQL, its migrations, the blobs, the due rows that are the
// pipeline's only queue, and the loop that every stage runs on them. One writer holds the lock of a data
// folder; readers see the last committed state at any time.
//
// It never parses, judges or fetches anything. The four stages and the commands call it; tests use it with
// real files, never a fake.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver named "sqlite3"
)

// InMemory, in place of a data folder, opens a database that lives as long as the Store.
const InMemory = ":memory:"

// Errors that Open gives back. Commands turn them into exit codes 10 and 11.
var (
	ErrNoCorpus = errors.New("no corpus")
	ErrNewer    = errors.New("the database was written by a newer version")
	ErrOlder    = errors.New("the database was written by an older version")
	ErrLocked   = errors.New("locked by another writer")
)

// Options say how a corpus is opened.
type Options struct {
	Write    bool          // take the writer's lock, create and migrate the database
	LockWait time.Duration // how long to wait for another writer
	Command  string        // what the lock tells others about its holder
	Now      func() time.Time
}

// Store is an open corpus. It is safe for concurrent use.
type Store struct {
	dir    string
	writer *sql.DB // one connection; nil when opened for reading
	reader *sql.DB
	lock   *lock
	now    func() time.Time
	codec  *codec
}

// Path returns where the database of a data folder lies.
func Path(dir string) string { return filepath.Join(dir, "work", "corpus.db") }

// Open opens the corpus in data folder dir. For writing it takes the lock, creates what is missing and
// migrates; for reading it changes nothing. The errors of this package can be in the chain.
func Open(ctx context.Context, dir string, options Options) (*Store, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	codec, err := newCodec()
	if err != nil {
		return nil, fmt.Errorf("open corpus %s: %w", dir, err)
	}
	s := &Store{dir: dir, now: options.Now, codec: codec}
	if options.Write {
		err = s.openWrite(ctx, options)
	} else {
		err = s.openRead(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open corpus %s: %w", dir, err), s.Close())
	}
	return s, nil
}

func (s *Store) openWrite(ctx context.Context, options Options) error {
	if s.dir == InMemory {
		db, err := connect(ctx, "file::memory:?_foreign_keys=on", 1)
		if err != nil {
			return err
		}
		s.writer, s.reader = db, db
		return migrate(ctx, db)
	}
	if err := os.MkdirAll(filepath.Dir(Path(s.dir)), 0o755); err != nil {
		return err
	}
	var err error
	if s.lock, err = acquire(ctx, filepath.Join(s.dir, "lock"), options.Command, options.LockWait); err != nil {
		return err
	}
	if s.writer, err = connect(ctx, dsn(Path(s.dir), "_txlock=immediate&_journal_mode=WAL&_synchronous=NORMAL&_foreign_keys=on"), 1); err != nil {
		return err
	}
	if err := migrate(ctx, s.writer); err != nil {
		return err
	}
	s.reader, err = connect(ctx, dsn(Path(s.dir), "mode=ro"), readers)
	return err
}

func (s *Store) openRead(ctx context.Context) error {
	if _, err := os.Stat(Path(s.dir)); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return ErrNoCorpus
		}
		return err
	}
	var err error
	if s.reader, err = connect(ctx, dsn(Path(s.dir), "mode=ro"), readers); err != nil {
		return err
	}
	return checkVersion(ctx, s.reader)
}

// readers is the size of the pool of read-only connections.
const readers = 4

// dsn puts pragmas where every connection of the pool gets them; by Exec only one would (STYLE.md 4.5).
func dsn(path, options string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: "_busy_timeout=10000&" + options}).String()
}

func connect(ctx context.Context, name string, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxLifetime(0)
	var fts bool
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'`).Scan(&fts)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if !fts {
		return nil, errors.Join(errors.New("this binary lacks FTS5: build it with `-tags sqlite_fts5`"), db.Close())
	}
	return db, nil
}

// Dir returns the data folder.
func (s *Store) Dir() string { return s.dir }

// Close releases the database and the lock. It may be called more than once.
func (s *Store) Close() error {
	var errs []error
	// The writer closes last: only it can bring the write-ahead log into corpus.db, and only when nobody else has it open.
	if s.reader != nil && s.reader != s.writer {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	s.writer, s.reader = nil, nil
	if s.lock != nil {
		errs = append(errs, s.lock.release())
		s.lock = nil
	}
	return errors.Join(errs...)
}

// write runs f in one immediate transaction. A cancelled context writes nothing.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

// ignoreDone drops the complaint that a cancelled context has rolled the transaction back already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
