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
	File    string // the SPDX expression that bundled licence files are, whatever the author says; empty where none is known
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
	found := fromFiles(files, content)
	l := License{ID: Unknown, File: found}
	switch id := Parse(written); {
	case id != "":
		l.ID, l.Source = id, FromAuthor
	case found != "" && (written == "" || namesFile(written)):
		l.ID, l.Source, l.Written = found, FromFile, written
	case written != "":
		l.Written = written
	case Parse(repository) != "":
		l.ID, l.Source = Parse(repository), FromRepository
	}
	return l
}

// Conflict reports whether the author's statement and the bundled licence file say different things: another
// licence, or rights that the author keeps.
func (l License) Conflict() bool {
	if l.File == "" {
		return false
	}
	if l.Source == FromAuthor {
		return l.ID != l.File && !slices.Contains(alternatives(l.ID), l.File) && !slices.Contains(alternatives(l.File), l.ID)
	}
	return l.Source == FromNowhere && reserves(l.Written)
}

// alternatives are the licences of an expression, and each without the suffix that tells its later versions apart.
func alternatives(expression string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(strings.NewReplacer(" AND ", " ", " OR ", " ").Replace(expression), func(r rune) bool { return r == ' ' }) {
		all = append(all, part, strings.TrimSuffix(strings.TrimSuffix(part, "-only"), "-or-later"))
	}
	return all
}

// reserves reports whether an author keeps the rights.
func reserves(written string) bool {
	lower := strings.ToLower(written)
	return strings.Contains(lower, "proprietary") || strings.Contains(lower, "all rights reserved") || strings.Contains(lower, "unlicensed") || strings.Contains(lower, "confidential")
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
