package encoding

import (
	"bytes"
	"fmt"
)

// header is the beginning of a kind of file that is never text.
type header struct {
	name   string
	offset int
	magic  string
}

// headers returns the known ones, as their formats' own specifications give them.
func headers() []header {
	return []header{
		{"PNG image", 0, "\x89PNG\r\n\x1a\n"},
		{"JPEG image", 0, "\xFF\xD8\xFF"},
		{"GIF image", 0, "GIF87a"},
		{"GIF image", 0, "GIF89a"},
		{"WebP image", 8, "WEBPVP8"},
		{"ZIP archive", 0, "PK\x03\x04"},
		{"ZIP archive", 0, "PK\x05\x06"},
		{"gzip data", 0, "\x1F\x8B\x08"},
		{"bzip2 data", 4, "1AY&SY"},
		{"xz data", 0, "\xFD7zXZ\x00"},
		{"Zstandard data", 0, "\x28\xB5\x2F\xFD"},
		{"7-Zip archive", 0, "7z\xBC\xAF\x27\x1C"},
		{"RAR archive", 0, "Rar!\x1A\x07"},
		{"tar archive", 257, "ustar"},
		{"PDF document", 0, "%PDF-"},
		{"OLE document", 0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"},
		{"ELF program", 0, "\x7FELF"},
		{"Mach-O program", 0, "\xCF\xFA\xED\xFE"},
		{"Mach-O program", 0, "\xCA\xFE\xBA\xBE"},
		{"WebAssembly module", 0, "\x00asm"},
		{"SQLite database", 0, "SQLite format 3\x00"},
	}
}

// binary returns why a file is not text, and nothing for text. In UTF-16 NUL bytes are ordinary.
func binary(file []byte, utf16 bool) string {
	for _, h := range headers() {
		if len(file) >= h.offset+len(h.magic) && string(file[h.offset:h.offset+len(h.magic)]) == h.magic {
			return h.name
		}
	}
	if utf16 {
		return ""
	}
	if n := bytes.Count(file, []byte{0}); n*100 > len(file) {
		return fmt.Sprintf("%d of %d bytes are NUL", n, len(file))
	}
	return ""
}
