package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data/datatest"
)

// TestSQLIsDocumented runs every query of docs/sql.md on the sample, and holds the columns of each view against the page.
func TestSQLIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(datatest.ModuleRoot(t), "docs", "sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	corpus := t.TempDir()
	run(t, nil, "demo", "--data", corpus)
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(corpus, "work", "corpus.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(queries) < 10 {
		t.Errorf("%d queries", len(queries))
	}
	answered := 0
	for _, q := range queries {
		if answers(t, db, q[1]) {
			answered++
		}
	}
	if answered < 6 {
		t.Errorf("only %d queries find something in the sample", answered)
	}
	rows, err := db.Query(`SELECT m.name, group_concat('` + "`' || c.name || '`" + `', ', ') FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'view' GROUP BY m.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	notes := regexp.MustCompile(` \([^)]*\)`)
	for rows.Next() {
		var view, columns string
		if err := rows.Scan(&view, &columns); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "| `"+view+"` ") && strings.HasSuffix(notes.ReplaceAllString(line, ""), "| "+columns+" |")
		}) {
			t.Errorf("%s has the columns %s", view, columns)
		}
	}
	if rows.Err() != nil {
		t.Error(rows.Err())
	}
}

// answers reports whether a query, which must be valid, finds anything.
func answers(t *testing.T, db *sql.DB, query string) bool {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Errorf("%v\n%s", err, query)
		return false
	}
	defer rows.Close()
	found := rows.Next()
	if err := rows.Err(); err != nil {
		t.Errorf("%v\n%s", err, query)
	}
	return found
}
