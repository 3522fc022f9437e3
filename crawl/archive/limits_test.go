package archive

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	items := []item{{name: "w/", body: ""}, {name: "w/big", body: strings.Repeat("ab", 1500)}, {name: "w/a", body: "A"}, {name: "w/b", body: "B"}}
	// A tar.gz of these is three headers and four, padded contents, and two blocks at the end.
	const tarBytes = 4*512 + 3072 + 512 + 512 + 1024
	for kind, make := range makers {
		whole := make(t, "", items...)
		set := func(change func(*Limits)) Limits {
			l := DefaultLimits()
			change(&l)
			return l
		}
		expanded := map[string]int64{"zip": 3002, "tar": tarBytes}[kind]
		for name, c := range map[string]struct {
			limits  Limits
			outcome data.Outcome
			lost    int
		}{
			"bytes":         {set(func(l *Limits) { l.Bytes = int64(len(whole)) }), data.OutcomeOK, 0},
			"bytes over":    {set(func(l *Limits) { l.Bytes = int64(len(whole)) - 1 }), data.OutcomeTooLarge, 0},
			"entries":       {set(func(l *Limits) { l.Entries = 4 }), data.OutcomeOK, 0},
			"entries over":  {set(func(l *Limits) { l.Entries = 3 }), data.OutcomeTooLarge, 0},
			"member":        {set(func(l *Limits) { l.Member = 3000 }), data.OutcomeOK, 0},
			"member over":   {set(func(l *Limits) { l.Member = 2999 }), data.OutcomeOK, 1},
			"expanded":      {set(func(l *Limits) { l.Expanded = expanded }), data.OutcomeOK, 0},
			"expanded over": {set(func(l *Limits) { l.Expanded = expanded - 1 }), data.OutcomeOK, 1},
			"ratio":         {set(func(l *Limits) { l.RatioFrom, l.Ratio = 1, expanded/int64(len(whole))+1 }), data.OutcomeOK, 0},
			"ratio over":    {set(func(l *Limits) { l.RatioFrom, l.Ratio = 1, 1 }), data.OutcomeOK, 1},
			"ratio allowed": {set(func(l *Limits) { l.RatioFrom, l.Ratio = expanded, 1 }), data.OutcomeOK, 0},
		} {
			tree, err := readBytes(whole, c.limits)
			wantOutcome(t, err, c.outcome)
			if err != nil {
				continue
			}
			if got := count(tree, RuleTooLarge) + count(tree, RuleCut); (got > 0) != (c.lost > 0) {
				t.Errorf("%s, %s: %v", kind, name, tree.Findings())
			}
			if got := contents(t, tree); kind == "zip" && len(got) != 3-c.lost {
				t.Errorf("%s, %s: %d contents", kind, name, len(got))
			}
		}
	}
}

// TestManyHeaders holds that a zip with far too many members is refused before its directory is read.
func TestManyHeaders(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	limits.Entries = 100
	under := append([]byte("PK\x03\x04"), bytes.Repeat([]byte("PK\x01\x02"+strings.Repeat(".", 996)), 100)...)
	src := func(b []byte) source { return source{ReaderAt: bytes.NewReader(b), size: int64(len(b)), wrapped: true} }
	if err := countHeaders(src(under), limits); err != nil {
		t.Error(err)
	}
	wantOutcome(t, countHeaders(src(append(under, "PK\x01\x02"...)), limits), data.OutcomeTooLarge)
}

// TestBombs is case 16: caps hold whatever the headers say, and the small files come out.
func TestBombs(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	limits.Member, limits.Expanded, limits.Entries = 1<<20, 16<<20, 5000
	limits.Ratio = 1 << 20 // the case has no cap on the ratio
	for name, reason := range map[string]string{
		"honest.zip": RuleTooLarge, "lying.zip": "", "bomb.tar.gz": RuleTooLarge, "many.zip": RuleTooLarge,
	} {
		tree, err := Open(datatest.Shared(t, "cases", "16-archive-bombs", name), limits)
		if err != nil {
			t.Fatal(err)
		}
		var inflated int64
		whole := map[string]bool{}
		err = tree.Contents(t.Context(), func(Entry) bool { return true }, func(e Entry, r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			inflated += n
			whole[e.Path] = err == nil
			return err
		})
		if err != nil || tree.Close() != nil {
			t.Fatal(err)
		}
		if !whole["skills/feather/SKILL.md"] || !whole["skills/feather/scripts/go.py"] || whole["skills/feather/assets/data.bin"] {
			t.Errorf("%s: read %v", name, whole)
		}
		if inflated > 17<<20 {
			t.Errorf("%s: %d bytes inflated", name, inflated)
		}
		if reason != "" && count(tree, reason, "size of") == 0 {
			t.Errorf("%s: no reason given: %v", name, tree.Findings())
		}
		if name == "many.zip" && len(whole) != 2+31 {
			t.Errorf("many.zip: %d members read, want SKILL.md, go.py and 31 parts", len(whole))
		}
	}
	// By the product's own limits the ratio stops the same archives.
	for _, name := range []string{"honest.zip", "bomb.tar.gz", "many.zip"} {
		tree, err := Open(datatest.Shared(t, "cases", "16-archive-bombs", name), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if count(tree, RuleTooLarge)+count(tree, RuleCut) == 0 {
			t.Errorf("%s: whole by default limits", name)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBombMemory holds the bombs to memory, in one place that nothing runs beside.
func TestBombMemory(t *testing.T) {
	limits := DefaultLimits()
	limits.Member, limits.Expanded = 1<<20, 16<<20
	for _, name := range []string{"honest.zip", "lying.zip", "bomb.tar.gz", "many.zip"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tree, err := Open(datatest.Shared(t, "cases", "16-archive-bombs", name), limits)
		if err != nil {
			t.Fatal(err)
		}
		err = tree.Contents(t.Context(), func(Entry) bool { return true }, func(_ Entry, r io.Reader) error {
			_, err := io.Copy(io.Discard, r)
			return err
		})
		if err != nil || tree.Close() != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("%s: %d bytes allocated in all", name, used)
		}
	}
}

// TestCase15 reads the commit from a tarball's global header, and no file from it.
func TestCase15(t *testing.T) {
	t.Parallel()
	tree, err := Open(datatest.Shared(t, "cases", "15-tar-global-header", "repo.tar.gz"), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if tree.Commit() != "5c0ffee0d15ea5e0ddba11feedface0badcafe42" {
		t.Errorf("commit %q", tree.Commit())
	}
	if got := shape(tree); got != "100644 README.md\n100644 skills/reef-count/SKILL.md\n100644 skills/reef-count/scripts/count.py\n" {
		t.Error(got)
	}
}

// TestCase17 tells a whole archive from a cut one and from an error page.
func TestCase17(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]data.Outcome{
		"full.tar.gz": data.OutcomeOK, "partial.tar.gz": data.OutcomeMalformed, "error.zip": data.OutcomeMalformed,
	} {
		tree, err := Open(datatest.Shared(t, "cases", "17-partial-archive", name), DefaultLimits())
		wantOutcome(t, err, want)
		if err == nil {
			tree.Close()
		}
	}
}

// TestCase14 refuses what leaves the archive and resolves what stays, creating no file at all.
func TestCase14(t *testing.T) {
	t.Parallel()
	tree, err := Open(datatest.Shared(t, "cases", "14-zip-links-and-slips", "repo.zip"), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	want := `120000 loop/a -> b (link broken)
120000 loop/b -> a (link broken)
100644 out/drop.txt
100644 shared/linked.md
120000 skills/linked/SKILL.md -> ../../shared/linked.md = shared/linked.md
100644 skills/ok/SKILL.md
120000 skills/ok/notes.md -> /etc/hostname (link outside)
`
	if got := shape(tree); got != want {
		t.Error(got)
	}
	if refused := count(tree, RuleRefused) + count(tree, RuleLink, "leaves"); refused < 5 || count(tree, RuleLink, "loops") != 2 {
		t.Errorf("findings %v", tree.Findings())
	}
	for _, evil := range []string{"evil.txt", "../evil.txt", "../../evil.txt", "/abs-evil.txt", "win-evil.txt", "out/drop.txt"} {
		if _, err := os.Lstat(evil); err == nil {
			t.Errorf("%s was created", evil)
		}
	}
}
