package lexical

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"skillcorpus/data"
	"skillcorpus/index/rank"
	"skillcorpus/index/words"
)

// Index is an open lexical.db, read only and safe for concurrent use.
type Index struct {
	db    *sql.DB
	count int
}

// Open opens a file that a Builder has completed. A file that isn't one gives ErrDamaged, a program without
// FTS5 gives ErrNoFTS. Only its head is read: whether all bytes are as they were written, the checksum of
// the folder's manifest tells.
func Open(ctx context.Context, path string) (*Index, error) {
	db, err := open(path, "mode=ro&immutable=1&_query_only=1&_cache_size=-65536")
	if err != nil {
		return nil, explain("open "+path, err)
	}
	db.SetMaxOpenConns(4)
	x := &Index{db: db}
	err = db.QueryRowContext(ctx, "SELECT skills FROM total").Scan(&x.count)
	if err == nil {
		_, err = x.frequency(ctx, "a")
	}
	if err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = ErrDamaged
		}
		return nil, errors.Join(explain("open "+path, err), db.Close())
	}
	return x, nil
}

// Close closes the file.
func (x *Index) Close() error { return x.db.Close() }

// Count returns how many skills the index holds.
func (x *Index) Count() int { return x.count }

// frequency returns how many skills hold a stemmed word. Words of a single skill are not listed: the
// full-text index itself answers for them.
func (x *Index) frequency(ctx context.Context, stem string) (int, error) {
	var count int
	err := x.db.QueryRowContext(ctx, "SELECT skills FROM frequency WHERE word = ?", stem).Scan(&count)
	if !errors.Is(err, sql.ErrNoRows) {
		return count, explain("look up word", err)
	}
	err = x.db.QueryRowContext(ctx, "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", quote(stem)).Scan(&count)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return count, explain("look up word", err)
}

// columns are those that scan reads.
const columns = `s.id, s.name, s.description, s.triggers, s.tags, s.repo, s.license, s.tier, s.runnable, s.sources,
	s.stars, s.installs, s.copy_of`

// each runs a query and calls scan for every row.
func (x *Index) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) (err error) {
	rows, err := x.db.QueryContext(ctx, query, args...)
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

// ids runs a query that selects ids.
func (x *Index) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	var ids []string
	err := x.each(ctx, query, args, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Get returns the skills with the given ids, by id, without their prose, code and headings. Unknown ids are
// missing from the result.
func (x *Index) Get(ctx context.Context, ids []string) (map[string]Skill, error) {
	found := make(map[string]Skill, len(ids))
	query := `SELECT ` + columns + ` FROM skills s WHERE s.id IN (SELECT value FROM json_each(?))`
	err := x.each(ctx, query, []any{list(ids)}, func(rows *sql.Rows) error {
		var s Skill
		var triggers, tags, tier, sources string
		if err := rows.Scan(&s.ID, &s.Name, &s.Description, &triggers, &tags, &s.Repo, &s.License, &tier, &s.Runnable,
			&sources, &s.Stars, &s.Installs, &s.CopyOf); err != nil {
			return err
		}
		s.Triggers, s.Tags, s.Tier = lines(triggers), lines(tags), data.Tier(tier)
		if err := json.Unmarshal([]byte(sources), &s.Sources); err != nil {
			return fmt.Errorf("%w: sources of %s: %w", ErrDamaged, s.ID, err)
		}
		found[s.ID] = s
		return nil
	})
	return found, explain("read skills", err)
}

// Copies returns the ids of the copies of a skill, in order.
func (x *Index) Copies(ctx context.Context, id string) ([]string, error) {
	ids, err := x.ids(ctx, "SELECT id FROM skills WHERE copy_of = ? AND copy_of <> '' ORDER BY id", id)
	return ids, explain("read copies", err)
}

// Named returns the skills whose id, short id (repository and name) or name is one of the given keys (see
// words.Key), in the order of their ids.
func (x *Index) Named(ctx context.Context, keys []string, filter Filter) ([]rank.Named, error) {
	where, args := filter.where()
	query := `SELECT s.id, s.rowid, s.id_key, s.short_key, s.name_key, s.stars, s.installs, s.copy_of FROM skills s WHERE s.rowid IN (
		SELECT rowid FROM skills WHERE id_key IN (SELECT value FROM json_each(?1))
		UNION SELECT rowid FROM skills WHERE short_key IN (SELECT value FROM json_each(?1))
		UNION SELECT rowid FROM skills WHERE name_key IN (SELECT value FROM json_each(?1)))` + where + ` ORDER BY s.rowid`
	var found []rank.Named
	err := x.each(ctx, query, append([]any{list(keys)}, args...), func(rows *sql.Rows) error {
		var n rank.Named
		err := rows.Scan(&n.ID, &n.Number, &n.IDKey, &n.ShortKey, &n.NameKey, &n.Stars, &n.Installs, &n.CopyOf)
		found = append(found, n)
		return err
	})
	return found, explain("look up names", err)
}

// Prefix returns the ids of all skills whose name begins with prefix, letter case, spaces and hyphens folded,
// by name and then id. A prefix with a slash or colon is one of ids.
func (x *Index) Prefix(ctx context.Context, prefix string, filter Filter) ([]string, error) {
	column := "name_key"
	if strings.ContainsAny(prefix, "/:") {
		column = "id_key"
	}
	where, args := filter.where()
	query := `SELECT s.id FROM skills s WHERE s.` + column + ` >= ?1 AND s.` + column + ` < ?1 || char(1114111)` +
		where + ` ORDER BY s.` + column + `, s.id`
	ids, err := x.ids(ctx, query, append([]any{words.Key(prefix)}, args...)...)
	return ids, explain("list prefix", err)
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
