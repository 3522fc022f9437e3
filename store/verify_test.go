package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"skillcorpus/data"
)

// Each kind of damage is a fault line, and hides no other.
func TestVerify(t *testing.T) {
	t.Parallel()
	sha := func(text string) string { return data.SHA256Hex([]byte(text)) }
	tests := []struct {
		name   string
		damage func(*corpus)
		want   []string // parts of the fault lines
	}{
		{"none", func(*corpus) {}, nil},
		{"a flipped byte", func(c *corpus) {
			packed := c.Pack([]byte("run")).zstd
			packed[len(packed)-1] ^= 1
			c.exec(`UPDATE blobs SET zstd = ? WHERE sha256 = ?`, packed, sha("run"))
		}, []string{"blob " + sha("run")}},
		{"bytes that are not packed", func(c *corpus) { c.exec(`UPDATE blobs SET zstd = 'x' WHERE sha256 = ?`, sha("run")) }, []string{"blob " + sha("run")}},
		{"a wrong size", func(c *corpus) { c.exec(`UPDATE blobs SET size = 99 WHERE sha256 = ?`, sha("run")) }, []string{"blob " + sha("run")}},
		{"a lost file", func(c *corpus) { c.exec(`DELETE FROM blobs WHERE sha256 = ?`, sha("run")) }, []string{"skill o/a/t: the content of run.sh is not there"}},
		{"a lost SKILL.md", func(c *corpus) { c.exec(`DELETE FROM blobs WHERE sha256 = ?`, sha("text")) }, []string{"skill o/a/t: the content of its SKILL.md is not there"}},
		{"a gap", func(c *corpus) { c.storeDocument("o/a/t", data.Section{End: 1}, data.Section{Start: 2, End: 4}) }, []string{"skill o/a/t: section at byte 2 should start at byte 1"}},
		{"an overlap", func(c *corpus) { c.storeDocument("o/a/t", data.Section{End: 3}, data.Section{Start: 2, End: 4}) }, []string{"section at byte 2 should start at byte 3"}},
		{"a short document", func(c *corpus) { c.storeDocument("o/a/t", data.Section{End: 3}) }, []string{"sections end at byte 3 of 4"}},
		{"two unreadable documents", func(c *corpus) {
			c.exec(`UPDATE documents SET body = 'x' WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/s')`)
			c.exec(`UPDATE documents SET body = x'00' WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/t')`)
		}, []string{"skill o/a/s: its document", "skill o/a/t: its document"}},
		{"another document", func(c *corpus) {
			c.exec(`UPDATE documents SET body = ? WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/t')`, c.Pack([]byte(`{"sections":[{"end":4}]}`)).zstd)
		}, []string{"skill o/a/t: its document is not the one of its digest"}},
		{"a lost document", func(c *corpus) {
			c.exec(`DELETE FROM documents WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/t')`)
		}, []string{"skill o/a/t: its document is not the one of its digest"}},
		{"an unreadable verdict", func(c *corpus) {
			c.exec(`UPDATE verdicts SET body = '{' WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/t')`)
		}, []string{"skill o/a/t: its verdict"}},
		{"another tree", func(c *corpus) { c.exec(`UPDATE repos SET tree = ? WHERE key = 'o/a'`, c.Pack([]byte("[]")).zstd) }, []string{"repository o/a: its tree"}},
		{"a copy of nothing", func(c *corpus) { c.exec(`UPDATE skills SET copy_of = 'o/none' WHERE id = 'o/b/s'`) }, []string{"skill o/b/s: a copy of o/none"}},
		{"a row without its skill", func(c *corpus) {
			_, err := c.writer.ExecContext(c.t.Context(), `PRAGMA foreign_keys = off`)
			check(c.t, err)
			c.exec(`INSERT INTO documents (skill, name, description, body) VALUES (999, '', '', '')`)
		}, []string{"table documents: a row leads to no row of table skills"}},
		{"many at once", func(c *corpus) {
			c.exec(`UPDATE blobs SET zstd = 'x' WHERE sha256 = ?`, sha("run"))
			c.exec(`UPDATE documents SET body = 'x' WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/s')`)
			c.exec(`DELETE FROM blobs WHERE sha256 = ?`, sha("x"))
		}, []string{"blob " + sha("run"), "skill o/a/s: its document", "skill o/i/x: the content of its SKILL.md"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, rand.New(rand.NewPCG(1, 1)))
			test.damage(c)
			faults := must[[]string](t)(c.Verify(t.Context()))
			if len(faults) != len(test.want) {
				t.Fatalf("faults %q, want %q", faults, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(faults[i], want) {
					t.Errorf("fault %q, want %q", faults[i], want)
				}
			}
		})
	}
}

func (c *corpus) storeDocument(id string, sections ...data.Section) {
	c.t.Helper()
	parsed := must[ParsedSkill](c.t)(c.PackDocument(&data.Document{Sections: sections}, AttemptOf(id, data.SHA256Hex([]byte("text")), 1, nil)))
	check(c.t, c.CommitParsed(c.t.Context(), []ParsedSkill{parsed}))
}

// A damaged item is no reason to stop a stage: what is due is told without reading contents.
func TestDamageStopsNoStage(t *testing.T) {
	t.Parallel()
	c := filled(t, rand.New(rand.NewPCG(1, 1)))
	c.exec(`UPDATE blobs SET zstd = 'x' WHERE sha256 = ?`, data.SHA256Hex([]byte("text")))
	c.exec(`UPDATE documents SET body = 'x' WHERE skill = (SELECT key FROM skills WHERE id = 'o/a/s')`)
	if due := must[[]ParseItem](t)(c.DueParse(t.Context(), 2, "", 100)); len(due) != 5 {
		t.Errorf("%d skills are due for parse", len(due))
	}
	if due := must[[]AuditItem](t)(c.DueAudit(t.Context(), 2, "", 100)); len(due) != 5 {
		t.Errorf("%d skills are due for audit", len(due))
	}
	if _, _, err := c.Content(t.Context(), data.SHA256Hex([]byte("text"))); err == nil || !strings.Contains(err.Error(), "unpack blob") {
		t.Errorf("a damaged blob: %v", err)
	}
	if _, _, err := c.Skill(t.Context(), "o/a/s"); err == nil || !strings.Contains(err.Error(), "o/a/s") {
		t.Errorf("a damaged document: %v", err)
	}
}

// Pages of the file that are cut off or overwritten after it was opened are faults too.
func TestVerifyDamagedFile(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.imports(numbered(600)...)
	c.parse(1)
	check(t, c.Close())
	whole := must[[]byte](t)(os.ReadFile(Path(c.Dir())))
	const page = 4096
	for name, damage := range map[string]func([]byte) []byte{
		"cut": func(b []byte) []byte { return b[:len(b)/page/2*page] },
		"overwritten": func(b []byte) []byte {
			for i := len(b) / 2; i < len(b)/2+5*page; i++ {
				b[i] = 0xa5
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lonely := openCorpus(t, dir, c.clock)
			check(t, lonely.Close())
			check(t, os.WriteFile(Path(dir), whole, 0o644))
			s := must[*Store](t)(Open(t.Context(), dir, Options{}))
			defer s.Close()
			check(t, os.WriteFile(Path(dir), damage(slices.Clone(whole)), 0o644))
			faults, err := s.Verify(t.Context())
			if err != nil || len(faults) == 0 {
				t.Errorf("faults %q, error %v", faults, err)
			}
		})
	}
}

func TestVerifyCancelled(t *testing.T) {
	t.Parallel()
	if _, err := newCorpus(t).Verify(cancelled(t)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
