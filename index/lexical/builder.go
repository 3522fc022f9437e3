package lexical

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"skillcorpus/index/words"
)

// Builder writes a lexical.db. It is for one goroutine.
type Builder struct {
	db     *sql.DB
	tx     *sql.Tx
	skills *sql.Stmt
	words  *sql.Stmt
	last   string
	count  int
}

// Create begins a new index in a file that does not exist yet. A file that was not closed without an error
// is not an index: write it in a folder that is renamed when whole.
func Create(ctx context.Context, path string) (*Builder, error) {
	db, err := open(path, "mode=rwc&_journal_mode=OFF&_synchronous=OFF&_locking_mode=EXCLUSIVE&_cache_size=-65536&_temp_store=MEMORY")
	if err != nil {
		return nil, explain("create "+path, err)
	}
	db.SetMaxOpenConns(1)
	b := &Builder{db: db}
	if err := b.begin(ctx); err != nil {
		return nil, errors.Join(explain("create "+path, err), db.Close())
	}
	return b, nil
}

// begin makes the schema and opens the one transaction that all rows go into.
func (b *Builder) begin(ctx context.Context) error {
	if _, err := b.db.ExecContext(ctx, "PRAGMA page_size=8192;"+schema); err != nil {
		return err
	}
	// FTS5 collects this many bytes before it writes a segment. Four times as many took 100 MB more and were no
	// faster.
	if _, err := b.db.ExecContext(ctx, "INSERT INTO words(words, rank) VALUES ('hashsize', 16777216)"); err != nil {
		return err
	}
	var err error
	if b.tx, err = b.db.BeginTx(ctx, nil); err != nil {
		return err
	}
	b.skills, err = b.tx.PrepareContext(ctx, `INSERT INTO skills VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	b.words, err = b.tx.PrepareContext(ctx, `INSERT INTO words(rowid, exact, name, triggers, tags, description,
		headings, prose, code) VALUES (?,?,?,?,?,?,?,?,?)`)
	return err
}

// Add appends skills, whose ids must rise in byte order from call to call and within one: the order of rows
// decides between equal scores. Words are made on all cores, rows written in order.
func (b *Builder) Add(ctx context.Context, skills []Skill) error {
	for _, s := range skills {
		if s.ID <= b.last {
			return fmt.Errorf("index %s: comes after %s, ids must rise", s.ID, b.last)
		}
		b.last = s.ID
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	rows := make([]chan row, workers)
	var running sync.WaitGroup
	for w := range workers {
		rows[w] = make(chan row, 16)
		running.Go(func() { analyse(ctx, skills, w, workers, rows[w]) })
	}
	defer running.Wait()
	defer cancel()
	for i := range skills {
		select {
		case r := <-rows[i%workers]:
			if err := b.insert(ctx, r); err != nil {
				return explain("index "+r.skill.ID, err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// analyse sends the rows of every step-th skill, starting with the first-th.
func analyse(ctx context.Context, skills []Skill, first, step int, rows chan<- row) {
	a := newAnalyser()
	for i := first; i < len(skills); i += step {
		select {
		case rows <- a.row(skills[i]):
		case <-ctx.Done():
			return
		}
	}
}

// insert writes one row to both tables.
func (b *Builder) insert(ctx context.Context, r row) error {
	b.count++
	s := r.skill
	_, err := b.skills.ExecContext(ctx, b.count, s.ID, words.Key(s.ID), s.Name, words.Key(s.Name), shortKey(s.Repo, s.Name),
		s.Description, strings.Join(s.Triggers, "\n"), strings.Join(s.Tags, "\n"), s.Repo, s.License, string(s.Tier),
		s.Runnable, list(s.Sources), s.Stars, s.Installs, s.CopyOf)
	if err != nil {
		return err
	}
	f := r.fields
	_, err = b.words.ExecContext(ctx, b.count, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7])
	return err
}

// shortKey returns the key of the short way to name a skill, its repository and its name.
func shortKey(repo, name string) string { return words.Key(repo + "/" + name) }

// Count returns how many skills were added.
func (b *Builder) Count() int { return b.count }

// Close completes the file. Without it, or after an error of it, the file is to be thrown away.
func (b *Builder) Close(ctx context.Context) error {
	err := b.finish(ctx)
	return errors.Join(explain("complete index", err), b.db.Close())
}

// Discard closes the file without completing it.
func (b *Builder) Discard() error {
	return errors.Join(b.tx.Rollback(), b.db.Close())
}

func (b *Builder) finish(ctx context.Context) error {
	if err := b.tx.Commit(); err != nil {
		return err
	}
	if _, err := b.db.ExecContext(ctx, "INSERT INTO words(words) VALUES ('optimize')"); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, indexes)
	return err
}
