package encoding

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, text string
		origins          []int // of each line and of the end
		finding          string
	}{
		{"plain", "a\nb", "a\nb", []int{0, 2, 3}, ""},
		{"bom", "\uFEFFa\r\nb\n", "a\r\nb\n", []int{3, 6, 8}, ""},
		{"empty", "", "", []int{0}, ""},
		{"carriage returns only", "a\rb", "a\nb", []int{0, 2, 3}, ""},
		{"a stray carriage return", "a\rb\n", "a\rb\n", []int{0, 4}, ""},
		{"bad byte", "a\n\xE9b\nc\xFF", "a\n\uFFFDb\nc\uFFFD", []int{0, 2, 5, 7}, "not valid UTF-8 at byte offset 2; read as U+FFFD (2 in all)"},
		{"bad byte after a bom", "\uFEFF\xE9\n", "\uFFFD\n", []int{3, 5}, "not valid UTF-8 at byte offset 3; read as U+FFFD (1 in all)"},
		{"cut character", "a\xE2\x82", "a\uFFFD\uFFFD", []int{0, 3}, "not valid UTF-8 at byte offset 1; read as U+FFFD (2 in all)"},
		{"replacement character", "a\uFFFD", "a\uFFFD", []int{0, 4}, ""},
		{"little endian", "\xFF\xFEa\x00\n\x00\x3D\xD8\x00\xDE", "a\n😀", []int{2, 6, 10}, ""},
		{"big endian", "\xFE\xFF\x00a\x00\n\x20\xAC", "a\n€", []int{2, 6, 8}, ""},
		{"half a pair", "\xFE\xFF\xD8\x3D\x00a", "\uFFFDa", []int{2, 6}, "not valid UTF-16 at byte offset 2; read as U+FFFD (1 in all)"},
		{"odd byte", "\xFF\xFEa\x00b", "a\uFFFD", []int{2, 5}, "not valid UTF-16 at byte offset 4; read as U+FFFD (1 in all)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := Decode([]byte(test.file))
			var origins []int
			for i := range text.Lines() + 1 {
				origins = append(origins, text.Origin(i))
			}
			if diff := cmp.Diff(test.text, string(text.Bytes)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.origins, origins); diff != "" {
				t.Error(diff)
			}
			message := ""
			for _, f := range text.Findings {
				message += f.Message
			}
			if message != test.finding {
				t.Errorf("finding %q, want %q", message, test.finding)
			}
		})
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	tar := strings.Repeat("name", 64) + "\x00" + "ustar"
	for file, want := range map[string]string{
		"\x89PNG\r\n\x1a\nrest":          "PNG image",
		"PK\x03\x04rest":                 "ZIP archive",
		"\x7FELF":                        "ELF program",
		"%PDF-1.7":                       "PDF document",
		tar:                              "tar archive",
		strings.Repeat("a", 98) + "\x00": "1 of 99 bytes are NUL",
		strings.Repeat("a", 99) + "\x00": "",
		"\xFF\xFE\x00\x00a\x00\x00\x00":  "5 of 8 bytes are NUL",
		"\xFF\xFEa\x00b\x00":             "",
		"PK is a word":                   "",
		"":                               "",
	} {
		text := Decode([]byte(file))
		got := ""
		if text.Binary {
			got = strings.TrimPrefix(text.Findings[0].Message, "binary, not text: ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "\xFF\xFEa\x00\n\x00", "\xFE\xFF\xD8\x00", "\uFEFF\r\rx\xff\n", "a\x00b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		text := Decode(file)
		if !utf8.Valid(text.Bytes) {
			t.Fatal("not UTF-8")
		}
		if text.Binary {
			return
		}
		for i := range text.Lines() {
			if text.Origin(i) >= text.Origin(i+1) || text.LineStart(i) >= text.LineStart(i+1) || text.LineAt(text.LineStart(i)) != i {
				t.Fatalf("line %d of %d", i, text.Lines())
			}
		}
		if text.Origin(text.Lines()) != len(file) {
			t.Fatal("the end is elsewhere")
		}
	})
}
