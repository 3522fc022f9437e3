package document

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/parse/encoding"
	"skillcorpus/parse/frontmatter"
)

// peer is an independent CommonMark implementation that runs beside the test.
type peer struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// startPeer installs the pinned client into a folder of the test and starts it.
func startPeer(t *testing.T) peer {
	t.Helper()
	tool, err := filepath.Abs(filepath.Join("testdata", "commonmark"))
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "python")
	for _, args := range [][]string{
		{"python3", "-m", "venv", home},
		{filepath.Join(home, "bin", "pip"), "install", "--quiet", "--no-deps", "-r", filepath.Join(tool, "requirements.txt")},
	} {
		if output, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no independent implementation here: %v: %s", err, output)
		}
	}
	command := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "python"), filepath.Join(tool, "blocks.py"))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the test's context has ended the process by now
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		_ = command.Wait()
	})
	return peer{in, bufio.NewReaderSize(out, 1<<20)}
}

// code is a code block as both sides tell it: lines from 0, the end exclusive, with the fence's own lines.
type code struct {
	Kind       string
	Start, End int
	Info, Text string
}

func (p peer) blocks(t *testing.T, body string) []code {
	t.Helper()
	question, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(question, '\n')); err != nil {
		t.Fatal(err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	if err := json.Unmarshal(answer, &rows); err != nil {
		t.Fatal(err)
	}
	codes := make([]code, len(rows))
	for i, r := range rows {
		codes[i] = code{r[0].(string), int(r[1].(float64)), int(r[2].(float64)), r[3].(string), r[4].(string)}
	}
	return codes
}

// own returns what this package says of the same body.
func own(body []byte) []code {
	text := encoding.Decode(body)
	starts := make([]int, text.Lines())
	for i := range starts {
		starts[i] = text.LineStart(i)
	}
	s := scanMarkdown(text.Bytes, starts)
	var codes []code
	for _, b := range s.blocks {
		c := code{"code_block", b.start, b.end, b.info, b.text}
		if b.open >= 0 {
			c.Kind, c.Start, c.End = "fence", b.open, max(b.end, b.close+1)
		}
		codes = append(codes, c)
	}
	return codes
}

// TestProofFences compares every code block of the corpus with what an independent implementation sees: kind,
// lines and info string must be the same. Texts may differ in two known ways, that are counted: of a line of blanks
// inside a fence inside a list item goldmark keeps nothing, and an indented block that the file ends without a
// line end gets one from the other side.
func TestProofFences(t *testing.T) {
	t.Parallel()
	if os.Getenv("SKILLCORPUS_PROOF") != "1" {
		t.Skip("runs with SKILLCORPUS_PROOF=1")
	}
	p := startPeer(t)
	files, fences, blanks := 0, 0, 0
	corpusSkills(t, 1, 1, func(s skill) {
		text := encoding.Decode(s.text)
		if text.Binary {
			return
		}
		block, _, _ := frontmatter.Cut(text.Bytes)
		body := text.Bytes[block.End:]
		ours, theirs := own(body), p.blocks(t, string(body))
		files, fences = files+1, fences+len(theirs)
		if slices.Equal(ours, theirs) {
			return
		}
		if diff := cmp.Diff(withoutBlanks(theirs), withoutBlanks(ours)); diff != "" {
			t.Errorf("%s (-theirs +ours): %s", s.id, diff)
		} else {
			blanks++
			t.Logf("%s: texts differ in blanks only", s.id)
		}
	})
	t.Logf("%d files, %d code blocks; in %d files texts differ in blanks", files, fences, blanks)
}

var blankLine = regexp.MustCompile(`(?m)^[ \t]+$`)

// withoutBlanks returns the blocks with lines of blanks emptied, and without the last line end.
func withoutBlanks(codes []code) []code {
	plain := slices.Clone(codes)
	for i := range plain {
		plain[i].Text = strings.TrimSuffix(blankLine.ReplaceAllString(plain[i].Text, ""), "\n")
	}
	return plain
}
