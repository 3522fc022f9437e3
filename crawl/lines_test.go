package crawl

import (
	"strings"
	"testing"
)

func TestLongLines(t *testing.T) {
	t.Parallel()
	r, err := newLineReader(strings.NewReader("12345678\n123456789\n\n1\n" + strings.Repeat("x", 3<<20) + "\n2"))
	if err != nil {
		t.Fatal(err)
	}
	r.most = 9
	var got []string
	for page := r.page(); len(page) > 0; page = r.page() {
		for _, line := range page {
			if line.refusal != nil {
				got = append(got, "refused")
				continue
			}
			got = append(got, strings.TrimSuffix(string(line.text), "\n"))
		}
	}
	if want := "12345678 refused 1 refused 2"; strings.Join(got, " ") != want || r.err != nil {
		t.Errorf("got %q, %v; want %s", got, r.err, want)
	}
}

// Whatever comes, no line is longer than the limit, and the reader ends.
func FuzzLines(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbf{}\r\n\n{}"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Fuzz(func(t *testing.T, input []byte) {
		r, err := newLineReader(strings.NewReader(string(input)))
		if err != nil {
			return
		}
		r.most = 16
		last := 0
		for page := r.page(); len(page) > 0; page = r.page() {
			for _, line := range page {
				if len(line.text) > r.most || line.number <= last {
					t.Fatalf("line %d after %d has %d bytes", line.number, last, len(line.text))
				}
				last = line.number
			}
		}
	})
}
