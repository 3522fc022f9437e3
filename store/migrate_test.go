package store

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The schema as all migrations together leave it, for people and for reviews.
func TestSchema(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	statements, err := query(t.Context(), c.reader, value[string],
		`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name`)
	check(t, err)
	got := strings.Join(statements, ";\n\n") + ";\n"
	golden := filepath.Join("testdata", "schema.sql")
	if *update {
		check(t, os.MkdirAll("testdata", 0o755))
		check(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	if want := string(must[[]byte](t)(os.ReadFile(golden))); got != want {
		t.Errorf("the schema differs from %s: look at it, then run with -update\n%s", golden, got)
	}
}

func TestMigrationsAreNumbered(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	provider, err := provider(c.writer)
	check(t, err)
	for i, source := range provider.ListSources() {
		if source.Version != int64(i+1) {
			t.Errorf("%s is number %d", source.Path, i+1)
		}
	}
}

// A file that a kill left after goose's own table, but before ours, is finished by the next writer.
func TestMigrationGoesOn(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for _, name := range must[[]string](t)(query(t.Context(), c.writer, value[string],
		`SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'`)) {
		_, err := c.writer.ExecContext(t.Context(), `PRAGMA foreign_keys = off`)
		check(t, err)
		_, err = c.writer.ExecContext(t.Context(), `DROP `+name)
		check(t, err)
	}
	c.exec(`DELETE FROM goose_db_version WHERE version_id > 0`)
	check(t, c.Close())
	openCorpus(t, c.Dir(), c.clock).imports(numbered(1)...)
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(1)...)
	for _, statement := range []string{
		`INSERT INTO due (stage, item, outcome, checked_at) VALUES ('index', 'x', 'ok', 0)`,
		`INSERT INTO due (stage, item, outcome, checked_at) VALUES ('crawl', 'x', 'fine', 0)`,
		`INSERT INTO sources (name, completeness, updated_at) VALUES ('x', 'nearly', 0)`,
		`INSERT INTO verdicts (skill, tier, runnable_complete, license, body) VALUES (1, 'great', 0, '', '{}')`,
		`INSERT INTO documents (skill, name, description, body) VALUES (77, '', '', '')`,
		`UPDATE skills SET basis = 'guess'`,
		`UPDATE skills SET live = 2`,
	} {
		if _, err := c.writer.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: no error", statement)
		}
	}
}
