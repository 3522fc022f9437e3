// Package license owns the question under which licence a skill may be used: what its author says in the
// frontmatter, what a bundled licence file says, what the nearest licence file above it in its repository says, what
// the repository's host says, in this order.
//
// It never guesses: what it does not know is `unknown`. Package facts calls it.
package license

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"skillcorpus/data"
)

// Unknown is the licence of a skill that states none that is known.
const Unknown = "unknown"

// License is the licence of a skill.
type License struct {
	ID      string // an SPDX expression, or Unknown
	Source  data.LicenseSource
	File    string // that was read: from the skill's folder, or from the repository's root; also where the result is Unknown
	Written string // what the author wrote, where that is no SPDX licence
	Line    int    // of the frontmatter's key, 0 if there is none
	Bundled string // the SPDX expression that bundled licence files are, whatever the author says; empty where none is known
}

// File is a licence file of a repository.
type File struct {
	Path string   // from the repository's root
	IDs  []string // what Identify made of its text
}

// Statements are what is said of a skill's licence.
type Statements struct {
	Written string                           // by its author
	Files   []data.File                      // of its bundle
	Content func(path string) ([]byte, bool) // reads a bundled file; nil where none can be read
	Above   []File                           // the licence files of the nearest folder above the skill's that has any
	Host    string                           // the licence of the repository or collection as its host has it
}

// minCover is the share of a licence file, in percent, that must be the licence's own text. It is the
// threshold that licensecheck's documentation uses.
const minCover = 75

// maxFile bounds what of a licence file is compared. The longest SPDX licence text has about 50,000 bytes.
const maxFile = 256 << 10

// Of returns the licence of a skill. An author's statement that names neither a known licence nor a licence file which
// is there is not overruled by a file above the skill or by the host: the result is Unknown. So it is where the nearest
// licence file has a text that is not known, but for one at the root of the repository: that is what the host has looked
// at as well, with more tolerance.
func Of(s Statements) License {
	written := strings.TrimSpace(s.Written)
	bundled, name, read := fromBundle(s.Files, s.Content)
	l := License{ID: Unknown, Bundled: bundled}
	if id := Parse(written); id != "" {
		l.ID, l.Source = id, data.LicenseFromAuthor
		return l
	}
	l.Written = written
	if read && (written == "" || namesFile(written)) {
		return l.from(data.LicenseFromBundle, bundled, name)
	}
	above, name, found := together(s.Above)
	if written != "" && (!found || !namesFile(written) || !names(written, name)) {
		return l
	}
	if l = l.from(data.LicenseFromRepository, above, name); above != "" || strings.Contains(name, "/") {
		return l
	}
	if id := Parse(s.Host); id != "" {
		return l.from(data.LicenseFromHost, id, "")
	}
	return l
}

// from is the licence as a source has it; Unknown if that is nothing known.
func (l License) from(source data.LicenseSource, id, file string) License {
	l.File = file
	if id != "" {
		l.ID, l.Source = cmp.Or(Parse(id), id), source // the checker's GPL-3.0 is SPDX's GPL-3.0-only
	}
	return l
}

// Conflict reports whether the author's statement and the bundled licence file say different things: another
// licence, or rights that the author keeps.
func (l License) Conflict() bool {
	if l.Bundled == "" {
		return false
	}
	if l.Source == data.LicenseFromAuthor {
		return l.ID != l.Bundled && !slices.Contains(alternatives(l.ID), l.Bundled) && !slices.Contains(alternatives(l.Bundled), l.ID)
	}
	return l.Source == data.LicenseFromNowhere && reserves(l.Written)
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

// names reports whether an author's statement has the name of a file in it.
func names(written, file string) bool {
	return slices.ContainsFunc(strings.Fields(written), func(word string) bool {
		return strings.EqualFold(path.Base(strings.Trim(word, "`'\"()[],.;:")), path.Base(file))
	})
}

// fromBundle returns what the bundled licence files are together, and the name of the one that tells. read is false
// where none has a text.
func fromBundle(files []data.File, content func(string) ([]byte, bool)) (id, name string, read bool) {
	if content == nil {
		return "", "", false
	}
	var found []File
	for _, f := range files {
		if !data.IsLicenseFile(f.Path) {
			continue
		}
		if text, ok := content(f.Path); ok && len(bytes.TrimSpace(text)) > 0 {
			found = append(found, File{f.Path, Identify(text)})
		}
	}
	return together(found)
}

// together returns what the licence files of one folder are, and the first one that is known, if any is.
func together(files []File) (id, name string, found bool) {
	var ids []string
	for _, f := range files {
		if name == "" || len(ids) == 0 && len(f.IDs) > 0 {
			name = f.Path
		}
		ids = append(ids, f.IDs...)
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND "), name, len(files) > 0
}

// Identify returns the SPDX ids of the licences that a text consists of, sorted; none for a text of which less than
// three quarters are those of known licences.
func Identify(text []byte) []string {
	cover := licensecheck.Scan(text[:min(len(text), maxFile)])
	if cover.Percent < minCover {
		return nil
	}
	var ids []string
	for _, m := range cover.Match {
		if !m.IsURL {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
