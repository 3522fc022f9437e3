package conformance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/conformance"
)

// md is a skill of this frontmatter.
func md(front string) string { return "---\n" + front + "\n---\n# Tides\n\nRead the table.\n" }

const described = "\ndescription: Tell the tides."

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text   string
		folder string // `tide` if empty
		file   string // SKILL.md if empty
		rules  string // in the order of lines
		ref    bool
		quick  bool
		claude bool
	}{
		"as asked for":              {text: md("name: tide" + described), ref: true, quick: true, claude: true},
		"all keys":                  {text: md("name: tide" + described + "\nlicense: MIT\ncompatibility: Needs curl.\nallowed-tools: Read\nmetadata:\n  author: me"), ref: true, quick: true, claude: true},
		"CRLF":                      {text: strings.ReplaceAll(md("name: tide"+described), "\n", "\r\n"), ref: true, quick: true, claude: true},
		"byte order mark":           {text: "\uFEFF" + md("name: tide"+described), rules: "missing-frontmatter"},
		"blank line first":          {text: "\n" + md("name: tide"+described), rules: "missing-frontmatter"},
		"nothing":                   {rules: "missing-frontmatter"},
		"Latin-1":                   {text: md("name: tide\ndescription: Gr\xf6sse"), rules: "not-utf8"},
		"open":                      {text: "---\nname: tide\n", rules: "unclosed-frontmatter"},
		"blanks after the dashes":   {text: "--- \nname: tide" + described + "\n---\nx\n", rules: "unclosed-frontmatter", ref: true},
		"three dashes in a value":   {text: md("name: tide" + described + "\nlicense: a --- b"), ref: true, quick: true, claude: true},
		"dashes that cut a name":    {text: md("description: a --- b\nname: tide"), rules: "missing-name", quick: true, claude: true},
		"bare colon":                {text: md("name: tide\ndescription: Use when: tides"), rules: "invalid-yaml"},
		"tab":                       {text: md("name: tide\n\tdescription: x"), rules: "invalid-yaml"},
		"control character":         {text: md("name: tide\ndescription: a\u0080b"), rules: "invalid-yaml"},
		"surrogate pair":            {text: md("name: tide\ndescription: \"\\ud83c\\udf0a tides\""), ref: true, quick: true, claude: true},
		"text alone":                {text: md("tide"), rules: "frontmatter-mapping"},
		"flow mapping":              {text: md("name: tide" + described + "\nmetadata: {a: b}"), rules: "strict-yaml", quick: true, claude: true},
		"anchor":                    {text: md("name: &n tide" + described), rules: "strict-yaml", quick: true, claude: true},
		"type tag":                  {text: md("name: !!str tide" + described), rules: "strict-yaml", quick: true, claude: true},
		"key twice":                 {text: md("name: a\nname: tide" + described), rules: "strict-yaml", quick: true, claude: true},
		"uneven mappings":           {text: md("name: tide" + described + "\nmetadata:\n  a:\n    b: c\n  d:\n      e: f"), rules: "metadata-form strict-yaml", quick: true, claude: true},
		"unknown key":               {text: md("name: tide" + described + "\nversion: 1"), rules: "unknown-key", claude: true},
		"no name":                   {text: md("description: x"), rules: "missing-name"},
		"no description":            {text: md("name: tide"), rules: "missing-description"},
		"empty name":                {text: md("name: ''" + described), rules: "empty-name", quick: true},
		"key of the name alone":     {text: md("name:" + described), rules: "empty-name"},
		"null name":                 {text: md("name: ~" + described), folder: "~", rules: "empty-name"},
		"list for a description":    {text: md("name: tide\ndescription:\n- a"), rules: "field-not-text"},
		"number for a name":         {text: md("name: 12306" + described), folder: "12306", rules: "field-typed", ref: true, claude: true},
		"number in quotes":          {text: md("name: '12306'" + described), folder: "12306", ref: true, quick: true, claude: true},
		"sexagesimal":               {text: md("name: tide\ndescription: 12:30"), rules: "field-typed", ref: true, claude: true},
		"date":                      {text: md("name: tide\ndescription: 2026-01-02"), rules: "field-typed", ref: true, claude: true},
		"truth value":               {text: md("name: off" + described), folder: "off", rules: "field-typed", ref: true, claude: true},
		"64 letters":                {text: md("name: " + strings.Repeat("a", 64) + described), folder: strings.Repeat("a", 64), ref: true, quick: true, claude: true},
		"65 letters":                {text: md("name: " + strings.Repeat("a", 65) + described), folder: strings.Repeat("a", 65), rules: "name-length"},
		"upper case":                {text: md("name: Tide" + described), folder: "Tide", rules: "name-case"},
		"underscore":                {text: md("name: a_b" + described), folder: "a_b", rules: "name-characters"},
		"other script":              {text: md("name: 潮汐" + described), folder: "潮汐", rules: "name-ascii", ref: true},
		"wide letters":              {text: md("name: ｔｉｄｅ" + described), rules: "name-ascii", ref: true},
		"hyphen first":              {text: md("name: -tide" + described), folder: "-tide", rules: "name-hyphens"},
		"two hyphens":               {text: md("name: a--b" + described), folder: "a--b", rules: "name-hyphens"},
		"other folder":              {text: md("name: tide" + described), folder: "moon", rules: "name-folder", quick: true, claude: true},
		"reserved word":             {text: md("name: claude-tide" + described), folder: "claude-tide", rules: "reserved-word", ref: true, quick: true},
		"1024 characters":           {text: md("name: tide\ndescription: " + strings.Repeat("ü", 1024)), ref: true, quick: true, claude: true},
		"1025 characters":           {text: md("name: tide\ndescription: " + strings.Repeat("ü", 1025)), rules: "description-length"},
		"less than":                 {text: md("name: tide\ndescription: a < b"), rules: "description-angle", ref: true, claude: true},
		"tag":                       {text: md("name: tide\ndescription: a <b> c"), rules: "xml-tag", ref: true},
		"empty compatibility":       {text: md("name: tide" + described + "\ncompatibility: ''"), rules: "compatibility-empty", ref: true, claude: true},
		"501 of compatibility":      {text: md("name: tide" + described + "\ncompatibility: " + strings.Repeat("a", 501)), rules: "compatibility-length", claude: true},
		"list for compatibility":    {text: md("name: tide" + described + "\ncompatibility:\n- a"), rules: "field-not-text"},
		"list of tools":             {text: md("name: tide" + described + "\nallowed-tools:\n- Read"), rules: "allowed-tools-list", ref: true, quick: true, claude: true},
		"nested metadata":           {text: md("name: tide" + described + "\nmetadata:\n  a:\n    - b"), rules: "metadata-form", ref: true, quick: true, claude: true},
		"lower-case file":           {text: md("name: tide" + described), file: "skill.md", rules: "skill-file-case", ref: true, claude: true},
		"file in mixed case":        {text: md("name: tide" + described), file: "Skill.md", rules: "skill-file-spelling", claude: true},
		"frontmatter beyond limits": {text: md("name: tide\ndescription: " + strings.Repeat("a", 300<<10)), rules: "invalid-yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skill := conformance.Skill{File: []byte(tt.text), Name: "SKILL.md", Folder: "tide"}
			if tt.folder != "" {
				skill.Folder = tt.folder
			}
			if tt.file != "" {
				skill.Name = tt.file
			}
			got := conformance.Check(skill)
			var rules []string
			for _, f := range got.Faults {
				rules = append(rules, f.Rule)
				if f.Line < 1 || f.Message == "" {
					t.Errorf("without place or words: %+v", f)
				}
			}
			type verdict struct {
				Rules              string
				Ref, Quick, Claude bool
			}
			want := verdict{tt.rules, tt.ref, tt.quick, tt.claude}
			if diff := cmp.Diff(want, verdict{strings.Join(rules, " "), got.SkillsRef, got.QuickValidate, got.Claude}); diff != "" {
				t.Errorf("%s%+v", diff, got.Faults)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, front := range []string{"name: tide" + described, "name: [", "a: &a [*a]", "name: \"\\ud83c\\udf0a\"", "? a\n: b", "<<: {name: x}"} {
		f.Add([]byte(md(front)))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got := conformance.Check(conformance.Skill{File: file, Name: "SKILL.md", Folder: "tide"})
		if diff := cmp.Diff(got, conformance.Check(conformance.Skill{File: file, Name: "SKILL.md", Folder: "tide"})); diff != "" {
			t.Error(diff)
		}
		for _, fault := range got.Faults {
			if fault.Line < 1 {
				t.Errorf("%+v", fault)
			}
		}
	})
}
