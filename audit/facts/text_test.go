package facts_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
)

// TestNoText: bytes that are no text are junk, and a text in another encoding than UTF-8 is none.
func TestNoText(t *testing.T) {
	t.Parallel()
	source := rand.NewChaCha8([32]byte{7})
	random := make([]byte, 3000)
	if _, err := source.Read(random); err != nil {
		t.Fatal(err)
	}
	withoutNUL := strings.ReplaceAll(string(random), "\x00", "")
	encoded := func(e encoding.Encoding, text string) string {
		out, err := e.NewEncoder().String(strings.Repeat("---\nname: tide\ndescription: "+text+"\n---\n"+text+"\n", 20))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, tt := range map[string]struct {
		text string
		want bool
	}{
		"random":            {withoutNUL, true},
		"random, short":     {withoutNUL[:200], true},
		"after frontmatter": {"---\nname: tide\n---\n" + withoutNUL, true},
		"controls alone":    {strings.Repeat("ab\x01\x02", 30), true},
		"UTF-8":             {"---\nname: tide\ndescription: Gezeiten für Häfen\n---\nText\n", false},
		"Latin-1":           {encoded(charmap.ISO8859_1, "Gezeiten für Häfen an der Küste"), false},
		"Windows-1252":      {encoded(charmap.Windows1252, "“Gezeiten” – für Häfen…"), false},
		"KOI8-R":            {encoded(charmap.KOI8R, "приливы в порту"), false},
		"GB 18030":          {encoded(simplifiedchinese.GB18030, "港口的潮汐表，𠮷"), false},
		"Shift JIS":         {encoded(japanese.ShiftJIS, "港の潮汐表ソ"), false},
		"EUC-JP":            {encoded(japanese.EUCJP, "港の潮汐表"), false},
		"UTF-16":            {encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "Tides 潮汐"), false},
		"coloured terminal": {strings.Repeat("\x1b[31mred\x1b[0m\n", 30), false},
		"one stray control": {"---\nname: tide\ndescription: f\xfcr \x02\n---\nx\n", false},
		"empty":             {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := facts.Collect(factstest.Input(&txtar.Archive{Files: []txtar.File{{Name: "s/SKILL.md", Data: []byte(tt.text)}}}))
			if (got.Junk != "" || got.Binary) != tt.want {
				t.Errorf("binary %t, junk %q", got.Binary, got.Junk)
			}
		})
	}
}
