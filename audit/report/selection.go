package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"skillcorpus/data"
)

// Selection chooses skills by what is known of them. The zero value chooses all.
type Selection struct {
	text  string
	terms []term
}

type term struct {
	field  string
	values []string
	not    bool
}

// SelectionHelp says what ParseSelection takes, for help texts.
const SelectionHelp = "FIELD=VALUE[|VALUE…][,…] or FIELD!=VALUE; fields: id, repo, license (with * for anything), tier, basis, rule, " +
	"runnable, code, scripts, copy (true or false), stars (at least)"

// ParseSelection reads terms such as `tier=partial|functional,license!=unknown,repo=google/*,stars=100`: a skill is
// chosen if every term holds, and a term holds if one of its values does.
func ParseSelection(text string) (Selection, error) {
	s := Selection{text: text}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		field, values, ok := strings.Cut(part, "=")
		if !ok {
			return Selection{}, fmt.Errorf("%q: want %s", part, SelectionHelp)
		}
		t := term{field: strings.TrimSuffix(field, "!"), values: strings.Split(values, "|"), not: strings.HasSuffix(field, "!")}
		for _, value := range t.values {
			if err := t.check(value); err != nil {
				return Selection{}, err
			}
		}
		s.terms = append(s.terms, t)
	}
	return s, nil
}

// String returns the text that the selection was read from.
func (s Selection) String() string { return s.text }

func (t term) check(value string) error {
	var err error
	switch t.field {
	case "id", "repo", "license":
		_, err = path.Match(value, "")
	case "rule":
	case "tier":
		if tier := data.Tier(value); tier != data.TierFunctional && tier != data.TierPartial && tier != data.TierReferenceOnly {
			err = fmt.Errorf("want %s, %s or %s, not %q", data.TierFunctional, data.TierPartial, data.TierReferenceOnly, value)
		}
	case "basis":
		if basis := data.Basis(value); basis != data.BasisContents && basis != data.BasisListing {
			err = fmt.Errorf("want %s or %s, not %q", data.BasisContents, data.BasisListing, value)
		}
	case "runnable", "code", "scripts", "copy":
		if value != "true" && value != "false" {
			err = fmt.Errorf("want true or false, not %q", value)
		}
	case "stars":
		_, err = strconv.Atoi(value)
	default:
		return fmt.Errorf("no field %q: want %s", t.field, SelectionHelp)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.field, err)
	}
	return nil
}

// Match reports whether a skill is chosen.
func (s Selection) Match(skill Skill) bool {
	for _, t := range s.terms {
		if slices.ContainsFunc(t.values, func(value string) bool { return holds(t.field, value, skill) }) == t.not {
			return false
		}
	}
	return true
}

func holds(field, value string, s Skill) bool {
	switch field {
	case "id":
		return matches(value, s.ID)
	case "repo":
		return matches(value, s.Repo)
	case "license":
		return matches(value, s.Verdict.License)
	case "tier":
		return value == string(s.Verdict.Tier)
	case "basis":
		return value == string(s.Verdict.Basis)
	case "rule":
		for _, f := range s.Findings {
			if f.Rule == value {
				return true
			}
		}
		return false
	case "runnable":
		return value == strconv.FormatBool(s.Verdict.RunnableComplete)
	case "code":
		return value == strconv.FormatBool(s.Verdict.CodeBearing)
	case "scripts":
		return value == strconv.FormatBool(HasScripts(s.Verdict))
	case "copy":
		return value == strconv.FormatBool(s.CopyOf != "")
	}
	least, err := strconv.Atoi(value)
	return err == nil && s.Stars >= least
}

// matches compares in any letter case; * stands for anything, slashes included.
func matches(pattern, text string) bool {
	flat := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x00") }
	ok, err := path.Match(flat(pattern), flat(text))
	return ok && err == nil
}
