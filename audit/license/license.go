// Package license owns the question under which licence a skill may be used: what its author says in the
// frontmatter, what a bundled licence file says, what its repository says, in this order.
//
// It never guesses: what it does not know is `unknown`. Package facts calls it.
package license

import (
	"path"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"skillcorpus/data"
)

// Unknown is the licence of a skill that states none that is known.
const Unknown = "unknown"

// Source says where a licence was read.
type Source string

// The sources of a licence, best first.
const (
	FromAuthor     Source = "frontmatter"
	FromFile       Source = "licence file"
	FromRepository Source = "repository"
	FromNowhere    Source = ""
)

// License is the licence of a skill.
type License struct {
	ID      string // an SPDX expression, or Unknown
	Source  Source
	Written string // what the author wrote, where that is no SPDX licence
	Line    int    // of the frontmatter's key, 0 if there is none
}

// minCover is the share of a licence file, in percent, that must be the licence's own text. It is the
// threshold that licensecheck's documentation uses.
const minCover = 75

// maxFile bounds what of a licence file is compared. The longest SPDX licence text has about 50,000 bytes.
const maxFile = 256 << 10

// Of returns the licence of a skill. written is the author's statement, content reads a bundled file, and
// repository is the licence of the repository or collection. An author's statement that names no known
// licence and no licence file is not overruled by the repository's: the result is Unknown.
func Of(written string, files []data.File, content func(path string) ([]byte, bool), repository string) License {
	written = strings.TrimSpace(written)
	if id := Parse(written); id != "" {
		return License{ID: id, Source: FromAuthor}
	}
	if written == "" || namesFile(written) {
		if id := fromFiles(files, content); id != "" {
			return License{ID: id, Source: FromFile, Written: written}
		}
	}
	if written != "" {
		return License{ID: Unknown, Source: FromNowhere, Written: written}
	}
	if id := Parse(repository); id != "" {
		return License{ID: id, Source: FromRepository}
	}
	return License{ID: Unknown}
}

func namesFile(written string) bool {
	upper := strings.ToUpper(written)
	return !strings.Contains(upper, "PROPRIETARY") &&
		(strings.Contains(upper, "LICENSE") || strings.Contains(upper, "LICENCE") || strings.Contains(upper, "COPYING"))
}

func fromFiles(files []data.File, content func(string) ([]byte, bool)) string {
	if content == nil {
		return ""
	}
	var ids []string
	for _, f := range files {
		if !IsFile(f.Path) {
			continue
		}
		text, ok := content(f.Path)
		if !ok {
			continue
		}
		cover := licensecheck.Scan(text[:min(len(text), maxFile)])
		if cover.Percent < minCover {
			continue
		}
		for _, m := range cover.Match {
			if !m.IsURL && !slices.Contains(ids, m.ID) {
				ids = append(ids, m.ID)
			}
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " AND ")
}

// IsFile reports whether a path is a licence file at the top of a skill's folder.
func IsFile(name string) bool {
	if path.Dir(name) != "." {
		return false
	}
	stem := strings.ToUpper(name)
	switch path.Ext(stem) {
	case "", ".MD", ".TXT", ".RST":
		stem = strings.TrimSuffix(stem, path.Ext(stem))
	}
	switch stem {
	case "LICENSE", "LICENCE", "COPYING", "UNLICENSE", "LICENSE-MIT", "LICENSE-APACHE":
		return true
	}
	return false
}
