package wordpiece

import "unicode"

// later are the accents, marks of punctuation and invisible characters that Unicode got after its version 8,
// whose tables the reference uses: to it, and so to the models trained with it, they are letters.
var later = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x61d, 0x61d, 1},
		{0x7fd, 0x7fd, 1},
		{0x890, 0x8e2, 1},
		{0x9fd, 0x9fe, 1},
		{0xa76, 0xa76, 1},
		{0xafa, 0xaff, 1},
		{0xb55, 0xb55, 1},
		{0xc04, 0xc3c, 1},
		{0xc77, 0xc77, 1},
		{0xc84, 0xc84, 1},
		{0xd00, 0xd00, 1},
		{0xd3b, 0xd3c, 1},
		{0xd81, 0xd81, 1},
		{0xeba, 0xeba, 1},
		{0xece, 0xece, 1},
		{0x180f, 0x1886, 1},
		{0x1abf, 0x1ace, 1},
		{0x1b7d, 0x1b7e, 1},
		{0x1df6, 0x1dfb, 1},
		{0x2e43, 0x2e5d, 1},
		{0xa82c, 0xa82c, 1},
		{0xa8c5, 0xa8c5, 1},
		{0xa8ff, 0xa8ff, 1},
		{0xa9bd, 0xa9bd, 1},
	},
	R32: []unicode.Range32{
		{0x10d24, 0x10f89, 1},
		{0x11070, 0x11074, 1},
		{0x110c2, 0x110cd, 1},
		{0x111cf, 0x111cf, 1},
		{0x1123e, 0x11241, 1},
		{0x1133b, 0x1133b, 1},
		{0x11438, 0x1145e, 1},
		{0x11660, 0x1166c, 1},
		{0x116b9, 0x116b9, 1},
		{0x1182f, 0x11fff, 1},
		{0x12ff1, 0x13455, 1},
		{0x16e97, 0x16f4f, 1},
		{0x16fe2, 0x16fe4, 1},
		{0x1cf00, 0x1cf46, 1},
		{0x1e000, 0x1e4ef, 1},
		{0x1e944, 0x1e95f, 1},
	},
}

// Two characters that Unicode has moved to another class since, and a third that it called punctuation then.
const (
	hanunooPamudpod   = 0x1734  // was an accent
	syllabicsChi      = 0x166d  // was punctuation
	sharadaSandhiMark = 0x111c9 // was punctuation, is an accent
)

// class is what becomes of a character.
type class int

const (
	letter class = iota
	space
	gone // invisible: the word goes on
	accent
	punctuation
)

// classify judges a character outside ASCII as it comes out of decomposition.
func classify(r rune) class {
	switch {
	case r == hanunooPamudpod:
		return accent
	case r == syllabicsChi || r == sharadaSandhiMark:
		return punctuation
	case unicode.IsLetter(r) || unicode.Is(later, r):
		return letter
	case unicode.Is(unicode.Mn, r):
		return accent
	case unicode.IsPunct(r):
		return punctuation
	case r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return gone
	case unicode.IsSpace(r):
		return space
	}
	return letter
}

// isCJK reports whether the reference sets a character apart as a word. Its ranges leave out some that CJK
// ideographs have, and so must we.
func isCJK(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff,
		0x20000 <= r && r <= 0x2a6df, 0x2a700 <= r && r <= 0x2b81f,
		0x2b920 <= r && r <= 0x2ceaf, 0x2f800 <= r && r <= 0x2fa1f:
		return true
	}
	return false
}
