package license

import "strings"

// Parse reads an author's statement as an SPDX expression: one known licence in any common spelling, or
// several joined by AND, OR or a slash. It returns the empty string for anything else, so `MIT + Commons
// Clause` is not MIT.
func Parse(written string) string {
	written = strings.TrimSpace(strings.Trim(strings.TrimSpace(written), `"'`))
	if written == "" || len(written) > 200 {
		return ""
	}
	if id := single(written); id != "" {
		return id
	}
	for _, join := range []string{" OR ", " AND ", " or ", " and ", " / ", "/"} {
		parts := strings.Split(strings.Trim(written, "()"), join)
		if len(parts) < 2 {
			continue
		}
		for i, part := range parts {
			if parts[i] = single(part); parts[i] == "" {
				return ""
			}
		}
		if strings.EqualFold(strings.TrimSpace(join), "and") {
			return strings.Join(parts, " AND ")
		}
		return strings.Join(parts, " OR ")
	}
	return ""
}

func single(written string) string { return spdx(fold(written)) }

// fold brings the spellings of one licence together: lower case, without blanks, marks and filler words.
func fold(written string) string {
	lower := strings.ToLower(strings.TrimSpace(written))
	lower = strings.TrimPrefix(lower, "the ")
	lower = strings.ReplaceAll(lower, "version", "")
	lower = strings.TrimSuffix(strings.TrimSuffix(lower, " license"), " licence")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_,.()", r) {
			return -1
		}
		return r
	}, lower)
}

// spdx maps folded spellings to SPDX ids: those of SPDX's list that occur among skills and their repositories.
func spdx(folded string) string {
	switch folded {
	case "mit", "mitlicense", "expat":
		return "MIT"
	case "mit0", "mitnoattribution":
		return "MIT-0"
	case "apache2", "apache20", "apachelicense20", "apachev2", "apachev20", "apachelicensev20", "asl20":
		return "Apache-2.0"
	case "bsd3clause", "bsd3", "newbsd", "bsd3clauselicense":
		return "BSD-3-Clause"
	case "bsd2clause", "bsd2", "simplifiedbsd":
		return "BSD-2-Clause"
	case "0bsd":
		return "0BSD"
	case "isc":
		return "ISC"
	case "mpl20", "mpl2", "mozillapubliclicense20":
		return "MPL-2.0"
	case "unlicense", "theunlicense":
		return "Unlicense"
	case "zlib":
		return "Zlib"
	case "bsl10", "boostsoftwarelicense10":
		return "BSL-1.0"
	case "busl11", "bsl11", "businesssourcelicense11":
		return "BUSL-1.1"
	case "wtfpl":
		return "WTFPL"
	case "artistic20":
		return "Artistic-2.0"
	case "epl20":
		return "EPL-2.0"
	case "elastic20":
		return "Elastic-2.0"
	case "eupl12":
		return "EUPL-1.2"
	}
	if id := gnu(folded); id != "" {
		return id
	}
	return creativeCommons(folded)
}

func gnu(folded string) string {
	switch folded {
	case "gpl20", "gpl2", "gplv2", "gpl20only":
		return "GPL-2.0-only"
	case "gpl20orlater", "gpl20+", "gplv2+", "gpl2+":
		return "GPL-2.0-or-later"
	case "gpl30", "gpl3", "gplv3", "gpl30only", "gnugplv3", "gnugeneralpubliclicensev30":
		return "GPL-3.0-only"
	case "gpl30orlater", "gpl30+", "gplv3+", "gpl3+":
		return "GPL-3.0-or-later"
	case "agpl30", "agpl3", "agplv3", "agpl30only", "gnuagplv3":
		return "AGPL-3.0-only"
	case "agpl30orlater", "agpl30+", "agplv3+":
		return "AGPL-3.0-or-later"
	case "lgpl21", "lgplv21", "lgpl21only":
		return "LGPL-2.1-only"
	case "lgpl21orlater", "lgpl21+":
		return "LGPL-2.1-or-later"
	case "lgpl30", "lgpl3", "lgplv3", "lgpl30only":
		return "LGPL-3.0-only"
	case "lgpl30orlater", "lgpl30+":
		return "LGPL-3.0-or-later"
	}
	return ""
}

func creativeCommons(folded string) string {
	switch folded {
	case "cc010", "cc0", "cc010universal":
		return "CC0-1.0"
	case "ccby40", "creativecommonsattribution40international":
		return "CC-BY-4.0"
	case "ccbysa40":
		return "CC-BY-SA-4.0"
	case "ccbync40":
		return "CC-BY-NC-4.0"
	case "ccbyncsa40":
		return "CC-BY-NC-SA-4.0"
	case "ccbyncnd40":
		return "CC-BY-NC-ND-4.0"
	case "ccbynd40":
		return "CC-BY-ND-4.0"
	}
	return ""
}
