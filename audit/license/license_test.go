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
	mit, unknown := []string{"MIT"}, []string(nil)
	root := []license.File{{Path: "LICENSE", IDs: mit}}
	for name, tt := range map[string]struct {
		license.Statements
		text   string // of LICENSE.txt in the bundle
		want   string
		source data.LicenseSource
		file   string
	}{
		"author":                           {st("MIT", files, nil, "Apache-2.0"), isc, "MIT", data.LicenseFromAuthor, ""},
		"file before repository":           {st("", files, root, "Apache-2.0"), isc, "ISC", data.LicenseFromBundle, "LICENSE.txt"},
		"author names the file":            {st("Complete terms in LICENSE.txt", files, root, "MIT"), isc, "ISC", data.LicenseFromBundle, "LICENSE.txt"},
		"author names no file there":       {st("Complete terms in LICENSE.txt", nil, root, "MIT"), isc, license.Unknown, data.LicenseFromNowhere, ""},
		"author names the root's":          {st("See `LICENSE` (MIT-style).", nil, root, ""), isc, "MIT", data.LicenseFromRepository, "LICENSE"},
		"the root's, as the host knows it": {st("LICENSE", nil, above("LICENSE", unknown), "Apache-2.0"), isc, "Apache-2.0", data.LicenseFromHost, ""},
		"proprietary":                      {st("Proprietary. LICENSE.txt has complete terms", files, root, "MIT"), isc, license.Unknown, data.LicenseFromNowhere, ""},
		"something else":                   {st("MIT + Commons Clause", nil, root, "MIT"), isc, license.Unknown, data.LicenseFromNowhere, ""},
		"host":                             {st("", nil, nil, "Apache-2.0"), isc, "Apache-2.0", data.LicenseFromHost, ""},
		"host without one":                 {st("", nil, nil, "NOASSERTION"), isc, license.Unknown, data.LicenseFromNowhere, ""},
		"root before host":                 {st("", nil, root, "Apache-2.0"), isc, "MIT", data.LicenseFromRepository, "LICENSE"},
		"root of no known text":            {st("", nil, above("LICENSE", unknown), "Apache-2.0"), isc, "Apache-2.0", data.LicenseFromHost, ""},
		"neither known":                    {st("", nil, above("LICENSE", unknown), "NOASSERTION"), isc, license.Unknown, data.LicenseFromNowhere, "LICENSE"},
		"a folder's before host":           {st("", nil, above("a/COPYING", []string{"GPL-3.0"}), "MIT"), isc, "GPL-3.0-only", data.LicenseFromRepository, "a/COPYING"},
		"a folder's of no known text":      {st("", nil, above("a/LICENSE", unknown), "MIT"), isc, license.Unknown, data.LicenseFromNowhere, "a/LICENSE"},
		"two in one folder":                {st("", nil, above("LICENSE-APACHE", []string{"Apache-2.0"}, "LICENSE-MIT", mit), ""), isc, "Apache-2.0 AND MIT", data.LicenseFromRepository, "LICENSE-APACHE"},
		"one says where the other is":      {st("", nil, above("LICENSE", unknown, "LICENSE-MIT", mit), ""), isc, "MIT", data.LicenseFromRepository, "LICENSE-MIT"},
		"bundled of no known text":         {st("", files, root, "MIT"), "All rights are ours.", license.Unknown, data.LicenseFromNowhere, "LICENSE.txt"},
		"bundled without a text":           {st("", files, root, ""), "\n", "MIT", data.LicenseFromRepository, "LICENSE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.Content = func(name string) ([]byte, bool) { return []byte(tt.text), name == "LICENSE.txt" }
			got := license.Of(tt.Statements)
			if got.ID != tt.want || got.Source != tt.source || got.File != tt.file {
				t.Errorf("%+v, want %s from %q, %q", got, tt.want, tt.source, tt.file)
			}
		})
	}
}

func st(written string, files []data.File, above []license.File, host string) license.Statements {
	return license.Statements{Written: written, Files: files, Above: above, Host: host}
}

// above makes licence files of paths, each followed by what its text is.
func above(pairs ...any) (files []license.File) {
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, license.File{Path: pairs[i].(string), IDs: pairs[i+1].([]string)})
	}
	return files
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{isc: "ISC", "": "", "Ask me first.": "", isc + strings.Repeat("And pay the author for each use of it. ", 60): ""} {
		if got := strings.Join(license.Identify([]byte(text)), " "); got != want {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
}
