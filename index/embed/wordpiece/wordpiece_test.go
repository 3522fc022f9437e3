package wordpiece_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"skillcorpus/data/models"
	"skillcorpus/index/embed/wordpiece"
)

func tokenizer(t testing.TB) *wordpiece.Tokenizer {
	t.Helper()
	w, err := wordpiece.New(models.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// whole is a limit that no text of these tests reaches.
const whole = 1 << 30

// The golden file was written by testdata/reference.py.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	w := tokenizer(t)
	for line := range bytes.Lines(golden) {
		var want struct {
			Text    string
			Numbers []int32
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if got := w.Append(nil, want.Text, whole); !slices.Equal(got, want.Numbers) {
			t.Errorf("%q: %v, want %v", want.Text, got, want.Numbers)
		}
		for _, limit := range []int{0, 2, 3, 7, len(want.Numbers)} {
			n := min(max(limit, 2), len(want.Numbers))
			cut := append(slices.Clone(want.Numbers[:n-1]), 102)
			if got := w.Append(nil, want.Text, limit); !slices.Equal(got, cut) {
				t.Errorf("%q cut to %d: %v, want %v", want.Text, limit, got, cut)
			}
		}
	}
}

// digest is what reference.py prints in its modes digests and characters.
func digest(numbers []int32) string {
	hash := sha256.New()
	if err := binary.Write(hash, binary.LittleEndian, numbers); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%d %x", len(numbers), hash.Sum(nil))
}

// Every character is of the class that it is of to the reference, whatever tables Go has.
func TestCharacters(t *testing.T) {
	t.Parallel()
	const want = "2260205 5a803af74075639fb07ebb2a5a62d1103820cd54069e5d236fdc8820b3636c8d" // reference.py characters
	var text strings.Builder
	for r := range rune(utf8.MaxRune + 1) {
		if utf8.ValidRune(r) {
			c := string(r)
			text.WriteString(" a" + c + "b " + c)
		}
	}
	if got := digest(tokenizer(t).Append(nil, text.String()[1:], whole)); got != want {
		t.Errorf("numbers %s, want %s", got, want)
	}
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	w := tokenizer(t)
	if got, want := w.Append(nil, "ab\xff\xfecd \xc3", whole), w.Append(nil, "abcd", whole); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	w := tokenizer(t)
	got := w.Append([]int32{7, 8}, "hello world again", 4)
	if want := []int32{7, 8, 101, 7592, 2088, 102}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if w.Pad() != 0 {
		t.Errorf("pad %d, want 0", w.Pad())
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	const special = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
	for _, text := range []string{"", "a\nb\n", special + "a\na\n", special + "\nb\n", special[6:]} {
		if _, err := wordpiece.New(text); !errors.Is(err, wordpiece.ErrVocabulary) {
			t.Errorf("%q: %v, want ErrVocabulary", text, err)
		}
	}
	if _, err := wordpiece.New(strings.ReplaceAll(special, "\n", "\r\n")); err != nil {
		t.Errorf("lines with CRLF: %v", err)
	}
}

func FuzzAppend(f *testing.F) {
	for _, text := range []string{"", "Hello, [SEP] World", "é你\u200b\xff", strings.Repeat("x", 300)} {
		f.Add(text, 16)
	}
	w := tokenizer(f)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit %= 4096
		all := w.Append(nil, text, whole)
		cut := w.Append(nil, text, limit)
		n := min(max(limit, 2), len(all))
		if len(cut) != n || !slices.Equal(cut[:n-1], all[:n-1]) || all[0] != 101 || all[len(all)-1] != 102 || cut[n-1] != 102 {
			t.Fatalf("%q cut to %d: %v of %v", text, limit, cut, all)
		}
		if len(all) > 2+4*len(text) {
			t.Fatalf("%d numbers of %d bytes", len(all), len(text))
		}
	})
}
