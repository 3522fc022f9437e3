package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

func rowsOfCase37(t testing.TB) [][]byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(must[[]byte](t)(os.ReadFile(datatest.Shared(t, "cases", "37-sqlite-pool", "rows.jsonl")))), []byte("\n"))
	if len(lines) != 200 {
		t.Fatalf("%d rows", len(lines))
	}
	return lines
}

// cases/37: 8 writers import 200 rows while 4 readers query, on a file and in memory.
func TestCase37Pool(t *testing.T) {
	t.Parallel()
	lines := rowsOfCase37(t)
	for name, dir := range map[string]string{"file": t.TempDir(), "memory": InMemory} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCorpus(t, dir, newClock())
			ctx, done := context.WithCancel(t.Context())
			rows := make(chan []byte)
			var writers, readers sync.WaitGroup
			for range 8 {
				writers.Go(func() {
					for line := range rows {
						bundle, blobs, err := rowBundle(c.Store, line)
						if err == nil {
							err = c.CommitImport(t.Context(), []data.Bundle{bundle}, blobs)
						}
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			for range 4 {
				readers.Go(func() {
					for ctx.Err() == nil {
						if _, err := c.Counts(t.Context()); err != nil {
							t.Error(err)
						}
						if _, _, err := c.Skill(t.Context(), "example-owner/pack-07/skill-107"); err != nil {
							t.Error(err)
						}
						for _, err := range c.Skills(t.Context()) {
							if err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			for _, line := range lines {
				rows <- line
			}
			close(rows)
			writers.Wait()
			done()
			readers.Wait()
			if got := len(c.ids()); got != 200 {
				t.Errorf("%d rows", got)
			}
			if faults, err := c.Verify(t.Context()); err != nil || len(faults) > 0 {
				t.Error(faults, err)
			}
		})
	}
}

// cases/37: two processes import the same file at once: both end well with a wait for the lock; without one the
// second is told who holds it.
func TestCase37Processes(t *testing.T) {
	t.Parallel()
	input := bytes.Join(rowsOfCase37(t), []byte("\n"))
	dir := t.TempDir()
	_, release := holderOf(t, dir)
	refused := otherProcess(t, "import", dir, 0)
	if output, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(output), `locked by another writer: "other hold", process `) {
		t.Errorf("%s: %v", output, err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			command := otherProcess(t, "import", dir, time.Minute)
			command.Stdin = bytes.NewReader(input)
			if output, err := command.CombinedOutput(); err != nil {
				t.Errorf("%s: %v", output, err)
			}
		})
	}
	release()
	both.Wait()
	if got := len(openCorpus(t, dir, newClock()).ids()); got != 200 {
		t.Errorf("%d rows", got)
	}
}

// cases/37: WAL and a busy timeout are seen from every connection, foreign keys from every one that writes.
func TestCase37Pragmas(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	want := map[string]string{"journal_mode": "wal", "busy_timeout": "10000"}
	for _, pool := range []*sql.DB{c.writer, c.reader} {
		var connections []*sql.Conn
		for range pool.Stats().MaxOpenConnections {
			connections = append(connections, must[*sql.Conn](t)(pool.Conn(t.Context())))
		}
		for i, connection := range connections {
			for pragma, want := range want {
				var got string
				check(t, connection.QueryRowContext(t.Context(), `PRAGMA `+pragma).Scan(&got))
				if got != want {
					t.Errorf("connection %d of %d: %s = %s", i, len(connections), pragma, got)
				}
			}
			check(t, connection.Close())
		}
	}
	var on bool
	check(t, c.writer.QueryRowContext(t.Context(), `PRAGMA foreign_keys`).Scan(&on))
	if !on {
		t.Error("the writer does not check references")
	}
	if _, err := c.reader.ExecContext(t.Context(), `DELETE FROM skills`); err == nil {
		t.Error("a reader may write")
	}
}

// With one connection a query inside an open loop over rows would wait for ever: every way to read is tried on it.
func TestOneConnectionIsEnough(t *testing.T) {
	t.Parallel()
	c := openCorpus(t, InMemory, newClock())
	c.list("list", data.Complete, row("1", "owner/repo"), row("2", "owner/gone"), row("3", "former/repo"))
	c.crawled(c.fetch("owner/repo", "owner/repo", "c1", skill{path: "a", text: "a"}, skill{path: "b", text: "a"}), failed("owner/gone", data.OutcomeInternal))
	alias := c.fetch("former/repo", "owner/repo", "c1")
	alias.AliasOnly = true
	c.crawled(alias)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	due := must[[]DueRepo](t)(c.DueRepos(ctx, 2, c.clock.Now(), 0, "", 10))
	if len(due) != 2 || !due[0].Outdated {
		t.Errorf("due: %+v", due)
	}
	c.parse(1)
	c.audit(1)
	for skill, err := range c.Skills(ctx) {
		check(t, err)
		_, _, err := c.Content(ctx, skill.SkillSHA256)
		check(t, err)
		found, ok, err := c.Skill(ctx, skill.ID)
		if check(t, err); !ok || found.Verdict == nil {
			t.Errorf("%s: %v", skill.ID, found)
		}
	}
	must[string](t)(c.Digest(ctx))
	_, _, err := c.SearchDigest(ctx)
	check(t, err)
	_, _, err = c.Repo(ctx, "former/repo")
	check(t, err)
	if tree := must[[]data.TreeEntry](t)(c.Tree(ctx, "Former/Repo")); len(tree) != 1 {
		t.Errorf("tree: %v", tree)
	}
	if faults := must[[]string](t)(c.Verify(ctx)); len(faults) > 0 {
		t.Error(faults)
	}
	must[[]Failure](t)(c.Failures(ctx))
	must[[]SourceState](t)(c.Sources(ctx))
	must[map[data.Outcome]int](t)(c.Outcomes(ctx, StageCrawl))
	if err := c.AddRun(ctx, Run{Command: "crawl", StartedAt: c.clock.Now(), EndedAt: c.clock.Now(), ExitCode: 3, Summary: []byte(`{}`)}); err != nil {
		t.Error(err)
	}
	run, ok, err := c.LastRun(ctx)
	if fmt.Sprint(run.Command, run.StartedAt, run.ExitCode, ok, err) != fmt.Sprint("crawl", c.clock.Now(), 3, true, nil) {
		t.Errorf("last run: %+v", run)
	}
}
