package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// readers is the size of the pool of read-only connections.
const readers = 4

// dsn puts pragmas where every connection of the pool gets them; by Exec only one would (STYLE.md 4.5). Keeping
// prepared statements makes an import more than twice as fast.
func dsn(path, options string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: "_busy_timeout=10000&_stmt_cache_size=64&" + options}).String()
}

// connect opens a pool and reads from it once, so that a file that is no database is known at once.
func connect(ctx context.Context, name string, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxLifetime(0)
	var fts5 bool
	var tables int
	err = db.QueryRowContext(ctx, `SELECT sqlite_compileoption_used('ENABLE_FTS5'), (SELECT count(*) FROM sqlite_master)`).Scan(&fts5, &tables)
	if err == nil && !fts5 {
		err = errors.New("this binary lacks SQLite's fts5: build it with `-tags sqlite_fts5`")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// connectReadOnly opens the database at path for reading.
func connectReadOnly(ctx context.Context, path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, ErrNoCorpus
		}
		return nil, err
	}
	db, err := connect(ctx, dsn(path, "mode=ro"), readers)
	if !isCode(err, sqlite3.ErrCantOpen, sqlite3.ErrReadonly) {
		return db, err
	}
	// A database in WAL mode needs its shared memory file beside it. Where that cannot be made nobody writes
	// either, and without a log the file is all there is.
	if wal, statErr := os.Stat(path + "-wal"); statErr == nil && wal.Size() > 0 {
		return nil, fmt.Errorf("%s-wal holds commits that cannot be read in a read-only folder; copy both files to a writable one: %w", path, err)
	}
	return connect(ctx, dsn(path, "mode=ro&immutable=1"), readers)
}

// isCode reports whether err is SQLite's with one of these primary codes.
func isCode(err error, codes ...sqlite3.ErrNo) bool {
	failure, ok := errors.AsType[sqlite3.Error](err)
	for _, code := range codes {
		if ok && failure.Code == code {
			return true
		}
	}
	return false
}

// damaged puts ErrDamaged into the chain of an error that says so in SQLite's words.
func damaged(err error) error {
	if isCode(err, sqlite3.ErrCorrupt, sqlite3.ErrNotADB) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// full puts ENOSPC into the chain of an error that says so in SQLite's words.
func full(err error) error {
	if isCode(err, sqlite3.ErrFull) {
		return fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	}
	return err
}

// queryer is a pool or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, statement string, arguments ...any) (*sql.Rows, error)
}

// each hands every row to scan, which must not ask the database: a pool may have no second connection.
func each(ctx context.Context, from queryer, scan func(*sql.Rows) error, statement string, arguments ...any) (err error) {
	defer func() { err = damaged(err) }()
	rows, err := from.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// query reads all rows before it returns, so that the connection is free for the next query.
func query[T any](ctx context.Context, from queryer, scan func(*sql.Rows, *T) error, statement string, arguments ...any) (all []T, err error) {
	err = each(ctx, from, func(rows *sql.Rows) error {
		var item T
		if err := scan(rows, &item); err != nil {
			return err
		}
		all = append(all, item)
		return nil
	}, statement, arguments...)
	return all, err
}

// value scans a row of one column.
func value[T any](rows *sql.Rows, item *T) error { return rows.Scan(item) }
