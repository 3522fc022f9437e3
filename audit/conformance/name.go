package conformance

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"
)

// refName holds the name against skills-ref: letters of any script are letters, after NFKC.
func (b block) refName(folder string) []Fault {
	n, ok := b.text("name")
	name := norm.NFKC.String(strings.TrimSpace(n.Value))
	if !ok || name == "" {
		return nil
	}
	faults := tooLong("name-length", n.Line, name, maxName)
	if name != strings.ToLower(name) {
		faults = append(faults, Fault{"name-case", n.Line, "name " + quote(name) + " holds upper-case letters"})
	}
	faults = append(faults, hyphens(name, n.Line)...)
	for _, r := range name {
		if r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			faults = append(faults, Fault{"name-characters", n.Line, fmt.Sprintf("name %s holds %q", quote(name), r)})
			break
		}
	}
	if folder != "" && norm.NFKC.String(folder) != name {
		faults = append(faults, Fault{"name-folder", n.Line, fmt.Sprintf("name %s, folder %s", quote(name), quote(folder))})
	}
	return faults
}

var asciiOnly = regexp.MustCompile(`^[a-z0-9-]*$`)

// asciiName holds the name against quick_validate and the Claude platform: ASCII letters alone.
func asciiName(n yaml.Node) []Fault {
	name := strings.TrimSpace(n.Value)
	faults := tooLong("name-length", n.Line, name, maxName)
	if !asciiOnly.MatchString(name) {
		faults = append(faults, Fault{"name-ascii", n.Line, "name " + quote(name) + " holds more than a-z, 0-9 and hyphens"})
	}
	return append(faults, hyphens(name, n.Line)...)
}

func hyphens(name string, line int) []Fault {
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return []Fault{{"name-hyphens", line, "name " + quote(name) + " has a hyphen at an end or two in a row"}}
	}
	return nil
}

// reserved finds the two words that the Claude platform keeps for itself.
func reserved(n yaml.Node) []Fault {
	for _, word := range []string{"anthropic", "claude"} {
		if strings.Contains(strings.ToLower(n.Value), word) {
			return []Fault{{"reserved-word", n.Line, fmt.Sprintf("name %s holds %q", quote(n.Value), word)}}
		}
	}
	return nil
}

var tag = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)

func xmlTag(key string, n yaml.Node) []Fault {
	if found := tag.FindString(n.Value); found != "" {
		return []Fault{{"xml-tag", n.Line, key + " holds " + quote(found)}}
	}
	return nil
}

func tooLong(rule string, line int, text string, most int) []Fault {
	if count := utf8.RuneCountInString(text); count > most {
		return []Fault{{rule, line, fmt.Sprintf("%d characters, %d allowed", count, most)}}
	}
	return nil
}

// quote shows words of the file in a message, shortened.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// around returns the words on both sides of an offset.
func around(text string, at int) string {
	return strings.ToValidUTF8(text[max(0, at-20):min(len(text), at+20)], "")
}
