package license_test

import (
	"strings"
	"testing"

	"skillcorpus/audit/license"
	"skillcorpus/data"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"MIT": "MIT", "mit": "MIT", "MIT License": "MIT", "The MIT License": "MIT", `"MIT"`: "MIT",
		"Apache-2.0": "Apache-2.0", "Apache 2.0": "Apache-2.0", "Apache License, Version 2.0": "Apache-2.0",
		"BSD-3-Clause license": "BSD-3-Clause", "GPL-3.0": "GPL-3.0-only", "GPL-3.0-or-later": "GPL-3.0-or-later", "GPLv2+": "GPL-2.0-or-later",
		"CC-BY-4.0": "CC-BY-4.0", "CC BY 4.0": "CC-BY-4.0", "CC0-1.0": "CC0-1.0",
		"MIT OR Apache-2.0": "MIT OR Apache-2.0", "MIT/Apache-2.0": "MIT OR Apache-2.0", "(MIT AND ISC)": "MIT AND ISC",
		"MIT + Commons Clause": "", "Proprietary": "", "MIT-ish": "", "": "", "NOASSERTION": "", "Apache": "", "MIT OR Proprietary": "",
		strings.Repeat("MIT ", 100): "",
	} {
		if got := license.Parse(written); got != want {
			t.Errorf("Parse(%q) = %q, want %q", written, got, want)
		}
	}
}

// isc is the text of the ISC licence, which is short.
const isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`

func TestOf(t *testing.T) {
	t.Parallel()
	files := []data.File{{Path: "LICENSE.txt"}, {Path: "references/LICENSE"}}
	content := func(name string) ([]byte, bool) { return []byte(isc), name == "LICENSE.txt" }
	for name, tt := range map[string]struct {
		written, repository string
		files               []data.File
		want                string
		source              license.Source
	}{
		"author":                     {"MIT", "Apache-2.0", files, "MIT", license.FromAuthor},
		"file before repository":     {"", "Apache-2.0", files, "ISC", license.FromFile},
		"author names the file":      {"Complete terms in LICENSE.txt", "MIT", files, "ISC", license.FromFile},
		"author names no file there": {"Complete terms in LICENSE.txt", "MIT", nil, license.Unknown, license.FromNowhere},
		"proprietary":                {"Proprietary. LICENSE.txt has complete terms", "MIT", files, license.Unknown, license.FromNowhere},
		"repository":                 {"", "Apache-2.0", nil, "Apache-2.0", license.FromRepository},
		"repository without one":     {"", "NOASSERTION", nil, license.Unknown, license.FromNowhere},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := license.Of(tt.written, tt.files, content, tt.repository)
			if got.ID != tt.want || got.Source != tt.source {
				t.Errorf("%+v, want %s from %q", got, tt.want, tt.source)
			}
		})
	}
}
