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
	"os"
	"path/filepath"
	"time"
)

// InMemory stands in place of a data folder for a database that lives as long as its Store.
const InMemory = ":memory:"

// Errors that Open gives back, beside those of the file system. Commands turn them into exit codes 10 and 11.
var (
	ErrNoCorpus = errors.New("no corpus")
	ErrNewer    = errors.New("the database was written by a newer version")
	ErrOlder    = errors.New("the database was written by an older version")
	ErrDamaged  = errors.New("the database is damaged")
	ErrLocked   = errors.New("locked by another writer")
)

// Options say how a corpus is opened.
type Options struct {
	Write    bool             // take the writer's lock, create and migrate the database
	LockWait time.Duration    // how long to wait for another writer; 0 asks once
	Command  string           // what the lock tells others about its holder
	Now      func() time.Time // nil: the system's clock
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
// migrates, but leaves a newer database as it is, to the byte. For reading it changes nothing in the database,
// which may lie alone and on a read-only file system. The errors of this package can be in the chain.
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
		return nil, errors.Join(fmt.Errorf("open corpus %s: %w", dir, damaged(err)), s.Close())
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
	path := Path(s.dir)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var err error
	if s.lock, err = acquire(ctx, filepath.Join(s.dir, "lock"), options); err != nil {
		return err
	}
	if err := refuseNewer(ctx, path); err != nil {
		return err
	}
	if s.writer, err = connect(ctx, dsn(path, "_txlock=immediate&_journal_mode=WAL&_synchronous=NORMAL&_foreign_keys=on"), 1); err != nil {
		return err
	}
	if err := migrate(ctx, s.writer); err != nil {
		return err
	}
	s.reader, err = connect(ctx, dsn(path, "mode=ro"), readers)
	return err
}

func (s *Store) openRead(ctx context.Context) error {
	var err error
	if s.reader, err = connectReadOnly(ctx, Path(s.dir)); err != nil {
		return err
	}
	return checkVersion(ctx, s.reader)
}

// Dir returns the data folder.
func (s *Store) Dir() string { return s.dir }

// Close releases the database and the lock. It may be called more than once.
func (s *Store) Close() error {
	var errs []error
	if s.reader != nil && s.reader != s.writer {
		errs = append(errs, s.reader.Close())
	}
	// The writer closes last: only it can bring the write-ahead log into corpus.db. It asks for that, since a
	// reader of another process would keep it from happening by itself.
	if s.writer != nil {
		_, err := s.writer.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`) //nolint:noctx // whatever became of the caller's context
		errs = append(errs, err, s.writer.Close())
	}
	s.writer, s.reader = nil, nil
	if s.lock != nil {
		errs = append(errs, s.lock.release())
		s.lock = nil
	}
	return errors.Join(errs...)
}

// write runs f in one immediate transaction. A cancelled context writes nothing.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) (err error) {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = full(errors.Join(err, conn.Close())) }()
	// database/sql answers a cancelled transaction by dropping its connection, and a database in memory goes
	// with it: so the statements are cancelled, the transaction is not, and is rolled back here.
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	err = f(tx)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = tx.Rollback() // complains where SQLite has rolled back already, as it does on an interrupt
		return err
	}
	return tx.Commit()
}
