package lexical

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// ErrNoFTS says that the program was built without SQLite's full-text search.
var ErrNoFTS = errors.New("built without FTS5: build with -tags sqlite_fts5")

// ErrDamaged says that a file is not a whole lexical index.
var ErrDamaged = errors.New("damaged lexical index")

// schema is that of lexical.db. The FTS5 table keeps no text of its own; its rowids are those of skills. The
// dot and the sign that marks exact words are parts of words, everything else was cut by index/words.
const schema = `
CREATE TABLE skills (
  rowid       INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  id_key      TEXT NOT NULL,
  name        TEXT NOT NULL,
  name_key    TEXT NOT NULL,
  short_key   TEXT NOT NULL,
  description TEXT NOT NULL,
  triggers    TEXT NOT NULL,
  tags        TEXT NOT NULL,
  repo        TEXT NOT NULL,
  license     TEXT NOT NULL,
  tier        TEXT NOT NULL,
  runnable    INTEGER NOT NULL,
  sources     TEXT NOT NULL,
  stars       INTEGER NOT NULL,
  installs    INTEGER NOT NULL,
  copy_of     TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
  exact, name, triggers, tags, description, headings, prose, code,
  content='', detail=full, tokenize="ascii tokenchars '.='"
);
CREATE TABLE frequency (word TEXT PRIMARY KEY, skills INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE total (skills INTEGER NOT NULL);
`

// indexes are made after the rows.
const indexes = `
CREATE INDEX skills_id_key ON skills (id_key);
CREATE INDEX skills_name_key ON skills (name_key);
CREATE INDEX skills_short_key ON skills (short_key);
CREATE INDEX skills_copy_of ON skills (copy_of) WHERE copy_of <> '';
CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row);
INSERT INTO frequency SELECT term, doc FROM temp.vocabulary WHERE doc >= 2 AND term NOT LIKE '=%';
INSERT INTO total SELECT count(*) FROM skills;
`

// open opens a database file with the given settings.
func open(path, settings string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: absolute, RawQuery: settings}
	return sql.Open("sqlite3", name.String())
}

// explain turns what SQLite says of a broken file or a missing module into the errors of this package.
func explain(doing string, err error) error {
	var failure sqlite3.Error
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "no such module: fts5"):
		return fmt.Errorf("%s: %w", doing, ErrNoFTS)
	case errors.As(err, &failure) && (failure.Code == sqlite3.ErrCorrupt || failure.Code == sqlite3.ErrNotADB ||
		failure.Code == sqlite3.ErrFormat || strings.Contains(err.Error(), "no such")):
		return fmt.Errorf("%s: %w: %w", doing, ErrDamaged, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
