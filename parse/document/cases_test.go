package document

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"skillcorpus/data"
	"skillcorpus/data/datatest"
)

func parseCase(t *testing.T, parts ...string) (data.Document, []byte) {
	t.Helper()
	file := readFile(t, datatest.Shared(t, append(append([]string{"cases"}, parts...), "SKILL.md")...))
	return parseChecked(t, file, parts[len(parts)-1]), file
}

func body(doc data.Document, file []byte) string {
	return strings.TrimSpace(doc.Join(data.SectionProse, file))
}

func TestCaseUnquotedDescription(t *testing.T) {
	t.Parallel()
	doc, _ := parseCase(t, "01-unquoted-description", "colon")
	equal(t, "name", doc.Name, "tide-planner")
	equal(t, "description", doc.Description, "Plan low-tide walks in two steps: read the tide table, then pick a safe window.")
	equal(t, "findings", rules(doc), []string{"frontmatter.recovered:3"})
	equal(t, "recovered", doc.Frontmatter.Recovered, true)

	doc, _ = parseCase(t, "01-unquoted-description", "hash")
	equal(t, "description", doc.Description, "Write the weekly note for the")
	equal(t, "unread", doc.Fields.Unread, "#harbour-ops channel after a release.")
	equal(t, "findings", rules(doc), []string{"frontmatter.comment-cut:3"})
}

func TestCaseBOMAndCRLF(t *testing.T) {
	t.Parallel()
	lf, lfFile := parseCase(t, "02-bom-crlf", "lf")
	crlf, crlfFile := parseCase(t, "02-bom-crlf", "crlf")
	equal(t, "name", crlf.Name, "frost-alert")
	equal(t, "description", crlf.Description, "Warn growers when the night will drop below zero.")
	equal(t, "headings", crlf.Headings, lf.Headings)
	equal(t, "frontmatter", crlf.Frontmatter, lf.Frontmatter)
	equal(t, "sections", shape(crlf), shape(lf))
	equal(t, "prose", crlf.Join(data.SectionProse, crlfFile), lf.Join(data.SectionProse, lfFile))
	equal(t, "code", crlf.Join(data.SectionCode, crlfFile), lf.Join(data.SectionCode, lfFile))
	code := codes(crlf)[0]
	equal(t, "code", code.Read(crlfFile), "low = min(readings)\nif low < 0:\n    print('cover the beds')\n")
	equal(t, "lang", code.Lang, "python")
	equal(t, "body", strings.HasPrefix(body(crlf, crlfFile), "# Frost alert"), true)
	equal(t, "findings", rules(crlf), []string{})
}

func TestCaseNonStringName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"7071", "on", "1e3", "0x1F", "null-name"} {
		doc, _ := parseCase(t, "04-non-string-name", name)
		equal(t, "name", doc.Name, name)
		want := []string{}
		if name == "null-name" {
			want = []string{"frontmatter.missing-name:2"}
		}
		equal(t, "findings", rules(doc), want)
		if name == "1e3" {
			equal(t, "description", doc.Description, "2048")
		}
	}
}

func TestCaseDelimiters(t *testing.T) {
	t.Parallel()
	doc, file := parseCase(t, "05-delimiters", "dashes")
	equal(t, "description", doc.Description, "Split long notes --- keep the first half --- and file the rest.")
	metadata, _ := doc.Frontmatter.Get("metadata")
	sample, _ := metadata.Get("sample")
	equal(t, "sample", sample.Scalar, "before\n---\nafter\n")
	_, found := doc.Frontmatter.Get("owner")
	equal(t, "owner", found, false)
	equal(t, "body", strings.HasPrefix(body(doc, file), "# Note splitter") && strings.Contains(body(doc, file), "owner: nobody"), true)

	doc, file = parseCase(t, "05-delimiters", "eof")
	equal(t, "name", doc.Name, "tiny-stub")
	equal(t, "body", body(doc, file), "")
	equal(t, "findings", rules(doc), []string{"markdown.empty-body:4"})

	doc, _ = parseCase(t, "05-delimiters", "longer")
	equal(t, "name", doc.Name, "longer")
	equal(t, "format", doc.Frontmatter.Format, "")
	equal(t, "findings", rules(doc), []string{"frontmatter.missing:1"})

	doc, file = parseCase(t, "05-delimiters", "toml")
	equal(t, "name", doc.Name, "seed-ledger")
	equal(t, "format", doc.Frontmatter.Format, "toml")
	equal(t, "body", strings.ContainsAny(body(doc, file), "+="), false)
}

func TestCaseDuplicateKeys(t *testing.T) {
	t.Parallel()
	doc, _ := parseCase(t, "07-duplicate-keys")
	equal(t, "name", doc.Name, "kiln-log")
	equal(t, "description", doc.Description, "Record firing temperatures for each kiln run.")
	equal(t, "version", doc.Fields.Version, "1")
	equal(t, "findings", rules(doc), []string{"frontmatter.duplicate-key:5"})
	for _, part := range []string{"description", "3", "5"} {
		equal(t, "message has "+part, strings.Contains(doc.Findings[0].Message, part), true)
	}
}

func TestCaseAliasBomb(t *testing.T) {
	for _, name := range []string{"bomb", "deep", "benign"} {
		file := readFile(t, datatest.Shared(t, "cases", "08-alias-bomb", name, "SKILL.md"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := processorTime(t)
		doc := parseChecked(t, file, name)
		if _, err := json.Marshal(doc); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(doc.Frontmatter.Plain()); err != nil {
			t.Error(err)
		}
		if took := processorTime(t) - start; took > limit {
			t.Errorf("%s took %v", name, took)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s allocated %d bytes", name, used)
		}
		if name != "benign" {
			equal(t, "name", doc.Name, name)
			equal(t, "findings", rules(doc), []string{"frontmatter.budget:2"})
			continue
		}
		metadata, _ := doc.Frontmatter.Get("metadata")
		lic, _ := metadata.Get("lic")
		equal(t, "license", []string{doc.Fields.License, lic.Scalar}, []string{"MIT", "MIT"})
		equal(t, "findings", rules(doc), []string{})
	}
}

func TestCaseBadBytes(t *testing.T) {
	t.Parallel()
	doc, _ := parseCase(t, "09-bad-bytes", "good")
	equal(t, "findings", rules(doc), []string{})

	doc, file := parseCase(t, "09-bad-bytes", "gbk")
	equal(t, "name", doc.Name, "ink-stock")
	equal(t, "description", doc.Description, "Count ink bottles.")
	equal(t, "body", strings.Contains(body(doc, file), "\uFFFD"), true)
	equal(t, "findings", rules(doc), []string{"encoding.invalid:7"})
	equal(t, "offset", strings.Contains(doc.Findings[0].Message, "offset 79;"), true)

	doc, file = parseCase(t, "09-bad-bytes", "utf16")
	equal(t, "name", doc.Name, "lens-care")
	equal(t, "body", body(doc, file), "# lens-care")
	equal(t, "sections", shape(doc), "delimiter@1 frontmatter@2 delimiter@4 prose@5")

	doc, file = parseCase(t, "09-bad-bytes", "picture")
	equal(t, "binary", doc.Binary, true)
	equal(t, "sections", doc.Sections, []data.Section{{Kind: data.SectionDelimiter, End: len(file), Line: 1}})
	equal(t, "findings", rules(doc), []string{"encoding.binary:0"})
}

func TestCaseNestedFences(t *testing.T) {
	t.Parallel()
	doc, file := parseCase(t, "31-nested-fences")
	type fence struct {
		lang  string
		line  int
		lines int
	}
	var fences []fence
	bare := 0
	texts := map[string]string{}
	for _, c := range codes(doc) {
		if !c.Fenced {
			bare++
			continue
		}
		texts[c.Lang] = c.Read(file)
		fences = append(fences, fence{c.Lang, c.Line - 1, strings.Count(c.Read(file), "\n")})
	}
	if len(fences) != 4 || bare != 1 {
		t.Fatalf("fences %v, %d bare", fences, bare)
	}
	equal(t, "langs", []string{fences[0].lang, fences[1].lang, fences[2].lang, fences[3].lang}, []string{"markdown", "python", "sh", "json"})
	equal(t, "lines", []int{fences[0].line, fences[1].line, fences[2].line, fences[3].line}, []int{9, 21, 28, 35})
	equal(t, "counts", []int{fences[0].lines, fences[1].lines, fences[2].lines, fences[3].lines}, []int{7, 2, 2, 1})
	equal(t, "sh", texts["sh"], "weigh flour\n- not a list item\n")
	equal(t, "json", texts["json"], "{\"oven\": 180}\n")
	equal(t, "python", strings.HasPrefix(texts["python"], "fence = \"```\"\n"), true)
	equal(t, "findings", rules(doc), []string{})
}

func TestCaseUnclosedFence(t *testing.T) {
	t.Parallel()
	doc, file := parseCase(t, "32-unclosed-fence")
	equal(t, "findings", rules(doc), []string{"markdown.unclosed-fence:9"})
	code := codes(doc)
	equal(t, "fences", len(code), 1)
	equal(t, "open", code[0].Open, true)
	equal(t, "lang", code[0].Lang, "bash")
	equal(t, "text", strings.Contains(code[0].Read(file), "safety glasses"), true)
}

func TestCaseSnippets(t *testing.T) {
	t.Parallel()
	doc, _ := parseCase(t, "36-snippet-false-alarms")
	var langs []string
	for _, c := range codes(doc) {
		langs = append(langs, c.Lang)
	}
	equal(t, "langs", langs, []string{
		"typescript", "bash", "console", "jsonc", "json", "python", "yaml", "text", "python", "sh", "json",
	})
}

// TestStrange holds what was decided for each odd file after reading it.
func TestStrange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		dir, name, description string // description: how it begins
		rules                  string
		fenced                 int
		headings               int
		recovered              bool
	}{
		{"01-empty-file", "01-empty-file", "", "frontmatter.missing:1 markdown.empty-body:1", 0, 0, false},
		// The wrapping fence ends at the first fence inside, so the last ``` of the file opens one.
		{"04-frontmatter-in-fence", "04-frontmatter-in-fence", "", "frontmatter.missing:1 markdown.unclosed-fence:83", 5, 3, false},
		{"05-symlink-as-text", "05-symlink-as-text", "", "frontmatter.missing:1", 0, 0, false},
		// The first block is a comment; the second `---` pair is two rules in the text.
		{"11-frontmatter-not-mapping", "11-frontmatter-not-mapping", "", "frontmatter.not-mapping:2", 0, 9, false},
		{"13-yaml-tab", "outlook", "Microsoft Outlook/Live.com email client", "frontmatter.recovered:3", 6, 6, true},
		{"14-bad-quote", "persona", "{AGENT_NAME} personality and behavior", "frontmatter.recovered:3", 6, 16, true},
		{"20-template-braces", "calculator", "A simple calculator", "frontmatter.wrong-type:5 markdown.unclosed-fence:15", 1, 2, false},
		{"22-duplicate-keys-top", "ado-manager", "Azure DevOps integration", "frontmatter.duplicate-key:15 markdown.empty-body:16", 0, 0, false},
		{"23-duplicate-keys-nested", "claw-ancestry-pca", "Ancestry decomposition", "frontmatter.duplicate-key:38", 3, 9, false},
		{"26-name-bool", "yes", "SB Leader", "", 0, 6, false},
		{"28-name-other-case", "COPILOT-VIBE", "", "frontmatter.key-case:2 frontmatter.missing-description:2", 0, 4, false},
		{"29-missing-name", "29-missing-name", "Generate a status dashboard", "frontmatter.missing-name:2", 5, 5, false},
		{"34-mixed-eol", "case-record-socialwork", "依LINE", "", 0, 10, false},
		{"40-longest-line", "pytorch-fsdp", "Expert guidance", "markdown.links-not-read:34", 8, 15, false},
		{"41-most-fences", "ai-music-prompts", "AI music prompt", "", 206, 298, false},
		// A fence with an info string closes nothing, so the first one takes the whole file.
		{"43-nested-same-fence", "closed-loop-design", "Design closed-loop", "markdown.unclosed-fence:24", 1, 3, false},
		{"44-nested-long-fence", "changeset", "Command: changeset", "", 8, 10, false},
		{"47-fences-in-lists", "sync", "Sync the current", "", 10, 4, false},
		{"49-empty-body", "radarr-sonarr", "Radarr and Sonarr", "markdown.empty-body:29", 0, 0, false},
		{"50-name-dir-mismatch", "moltoverflow", "Q&A platform", "", 8, 13, false},
		{"52-deepest-path", "backend-patterns", "Backend architecture", "", 16, 25, false},
		{"55-root-skill", "stop-slop", "Remove AI writing", "", 0, 6, false},
		{"56-nested-skill", "zoom-meeting-sdk-electron", "Zoom Meeting SDK", "", 0, 13, false},
		{"65-submodule-in-skill", "agent-council", "Multi-agent structured", "", 12, 27, false},
	}
	seen := 0
	for _, test := range tests {
		dir := datatest.Shared(t, "strange", test.dir)
		name := "SKILL.md"
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			name = "skill.md"
		}
		seen++
		file := readFile(t, filepath.Join(dir, name))
		doc := parseChecked(t, file, test.dir)
		if err := checkLines(doc.Sections, file); err != nil {
			t.Errorf("%s: %v", test.dir, err)
		}
		fenced := 0
		for _, c := range codes(doc) {
			if c.Fenced {
				fenced++
			}
		}
		equal(t, test.dir+" name", doc.Name, test.name)
		equal(t, test.dir+" description", strings.HasPrefix(doc.Description, test.description) && (doc.Description == "") == (test.description == ""), true)
		equal(t, test.dir+" findings", strings.Join(rules(doc), " "), test.rules)
		equal(t, test.dir+" fenced", fenced, test.fenced)
		equal(t, test.dir+" headings", len(doc.Headings), test.headings)
		equal(t, test.dir+" recovered", doc.Frontmatter.Recovered, test.recovered)
	}
	files, err := filepath.Glob(filepath.Join(datatest.Shared(t, "strange"), "*", "[Ss][Kk][Ii][Ll][Ll].md"))
	if err != nil || len(files) != seen {
		t.Errorf("%d files, %d in the table: %v", len(files), seen, err)
	}
}
