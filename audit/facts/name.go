package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is agentskills.io's limit on a name, in characters.
const maxName = 64

// NameFault returns what is wrong with a skill's name by agentskills.io, as its reference validator reads
// it: letters of any script are letters, after NFKC. It returns the empty string for a name in order.
func NameFault(name string) string {
	name = norm.NFKC.String(name)
	switch {
	case utf8.RuneCountInString(name) > maxName:
		return "has over 64 characters"
	case name != strings.ToLower(name):
		return "holds upper-case letters"
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"):
		return "starts or ends with a hyphen"
	case strings.Contains(name, "--"):
		return "holds two hyphens in a row"
	}
	for _, r := range name {
		if r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return "holds characters other than letters, digits and hyphens"
		}
	}
	return ""
}
