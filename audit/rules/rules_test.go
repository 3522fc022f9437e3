package rules_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/facts/factstest"
	"skillcorpus/audit/rules"
	"skillcorpus/data"
)

var update = flag.Bool("update", false, "rewrite docs/rules.md")

func TestEveryRuleHasTextHitAndMiss(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range rules.Catalogue() {
		if known[r.ID] {
			t.Errorf("rules.yaml: %s twice", r.ID)
		}
		known[r.ID] = true
		if r.Short == "" || r.Why == "" || r.Remedy == "" || !r.Severity.AtLeast(data.SeverityInfo) {
			t.Errorf("rules.yaml: %s lacks text or severity", r.ID)
		}
		for _, kind := range []string{"hit", "miss"} {
			if files, _ := filepath.Glob("testdata/" + r.ID + "." + kind + "*.txtar"); len(files) == 0 {
				t.Errorf("%s has no %s", r.ID, kind)
			}
		}
	}
	code := rules.Coded()
	for _, id := range code {
		if !known[id] {
			t.Errorf("%s has code and no text", id)
		}
		delete(known, id)
	}
	for id := range known {
		t.Errorf("%s has text and no code", id)
	}
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rule, rest, _ := strings.Cut(filepath.Base(file), ".")
			_, findings := rules.Judge(facts.Collect(factstest.Input(archive)))
			hits := 0
			for _, f := range findings {
				if f.Rule == rule {
					hits++
					if f.Message == "" || f.File == "" {
						t.Errorf("finding without words or file: %+v", f)
					}
				} else if strings.HasPrefix(rest, "miss") && f.Severity == data.SeverityError {
					t.Errorf("another rule strikes: %+v", f)
				}
			}
			if want := strings.HasPrefix(rest, "hit"); want != (hits > 0) {
				t.Errorf("%d findings of %s, all: %+v", hits, rule, findings)
			}
		})
	}
}

func TestDocsAreCurrent(t *testing.T) {
	t.Parallel()
	const page = "../../docs/rules.md"
	if *update {
		if err := os.WriteFile(page, []byte(rules.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rules.Markdown(), string(text)); diff != "" {
		t.Errorf("run go test ./audit/rules -update:\n%s", diff)
	}
}

// fixture joins frontmatter and body to a skill with the files that are given by path.
func fixture(body string, files ...string) facts.Input {
	archive := &txtar.Archive{Files: []txtar.File{{Name: "skills/tide/SKILL.md", Data: []byte("---\nname: tide\ndescription: Tell tides.\n---\n" + body)}}}
	for i := 0; i+1 < len(files); i += 2 {
		archive.Files = append(archive.Files, txtar.File{Name: "skills/tide/" + files[i], Data: []byte(files[i+1])})
	}
	return factstest.Input(archive)
}

func TestTier(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in       facts.Input
		tier     data.Tier
		complete bool
	}{
		"prose alone":             {fixture("Read the table.\n"), data.TierReferenceOnly, false},
		"script":                  {fixture("Run `scripts/t.sh`.\n", "scripts/t.sh", "echo low\n"), data.TierFunctional, true},
		"script that is a stub":   {fixture("Run `scripts/t.py`.\n", "scripts/t.py", "raise NotImplementedError\n"), data.TierPartial, false},
		"broken script":           {fixture("Run `scripts/t.sh`.\n", "scripts/t.sh", "echo \"low\n"), data.TierPartial, false},
		"missing page":            {fixture("Read [it](references/a.md).\n"), data.TierPartial, false},
		"script and missing page": {fixture("Read [it](references/a.md).\n", "scripts/t.sh", "echo low\n"), data.TierPartial, false},
		"commands":                {fixture("```bash\ntides fetch --harbour X\ntides show\n```\n"), data.TierFunctional, true},
		"one aside in long prose": {fixture(strings.Repeat("Read the table with care. ", 100) + "\n\n```bash\ntides\n```\n"), data.TierReferenceOnly, false},
		"good against bad":        {fixture("❌ no\n\n```bash\na x\nb y\n```\n\n✅ yes ❌ no\n\n```bash\nc x\nd y\n```\n"), data.TierReferenceOnly, false},
		"elided program":          {fixture("```python\ndef tide():\n    ...\n" + strings.Repeat("x = 1\n", 80) + "```\n"), data.TierPartial, false},
		"undefined names":         {fixture("```python\nlow()\nhigh()\n" + strings.Repeat("x = 1\n", 50) + "```\n"), data.TierPartial, false},
		"the same in a guide":     {fixture("You are an expert.\n\n```python\nlow()\nhigh()\n" + strings.Repeat("x = 1\n", 50) + "```\n"), data.TierReferenceOnly, false},
		"requests":                {fixture("# Tide\n\n## Setup\n\nGet a key.\n\n```\nGET /v1/a\nPOST https://tides.dev/b\nGET /c\nGET /d\nPUT /e\n```\n"), data.TierFunctional, true},
		"whole program":           {fixture("```python\n" + strings.Repeat("x = 1\n", 80) + "```\n"), data.TierFunctional, true},
		"last fence unclosed":     {fixture("```bash\ntides a\n```\n\n```bash\ntides b\n"), data.TierFunctional, true},
		"fence over a heading":    {fixture("```bash\ntides a\ntides b\n\n## Next\n\nThen rest.\n", "scripts/t.sh", "echo low\n"), data.TierPartial, false},
		"slip beside a script":    {fixture("```python\nx = (\n```\n", "scripts/t.py", "x = 1\n"), data.TierFunctional, true},
		"script in R":             {fixture("Run it.\n\n```\ntides\n```\n", "t.R", "x <- 1\n"), data.TierFunctional, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, findings := rules.Judge(facts.Collect(tt.in))
			if v.Tier != tt.tier || v.RunnableComplete != tt.complete {
				t.Errorf("tier %s, complete %v, want %s, %v; %+v", v.Tier, v.RunnableComplete, tt.tier, tt.complete, findings)
			}
			if v.PurposeAligned != nil {
				t.Error("purpose decided")
			}
		})
	}
}

func TestVerdictHasNoNullLists(t *testing.T) {
	t.Parallel()
	v, findings := rules.Judge(facts.Collect(facts.Input{}))
	text, err := json.Marshal(struct {
		Verdict  data.Verdict
		Findings []data.Finding
	}{v, findings})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(string(text), `"purpose_aligned":null`, ""); strings.Contains(got, "null") {
		t.Error(got)
	}
	if v.License != "unknown" {
		t.Errorf("licence %q", v.License)
	}
}

func TestRequires(t *testing.T) {
	t.Parallel()
	body := "```bash\n$ pip install 'requests>=2' -r requirements.txt && npm i -g @tide/cli@1.2\nprinted line\n$ TOKEN=x; curl -H \"$API_KEY $TOKEN\" https://api.tides.dev/v1 | jq . > out.json\n```\n\n" +
		"```python\nos.environ[\"TIDE_DB\"]\nurl = 'http://localhost:1/x https://your-host.dev'\n```\n\n```sh\nsudo apt-get install -y curl\ngo install tides.dev/cmd/tide@latest\nfetch() { wget <url>; }\nfetch\n```\n"
	v, _ := rules.Judge(facts.Collect(fixture(body)))
	want := data.Requires{
		Executables: []string{"apt-get", "curl", "go", "jq", "npm", "pip", "sudo", "wget"},
		Packages:    []string{"apt:curl", "go:tides.dev/cmd/tide", "npm:@tide/cli", "pip:requests"},
		Environment: []string{"API_KEY", "TIDE_DB"},
		Hosts:       []string{"api.tides.dev"},
		Dependencies: []data.Dependency{
			{Manager: "apt", Name: "curl"},
			{Manager: "go", Name: "tides.dev/cmd/tide"},
			{Manager: "npm", Name: "@tide/cli", Version: "1.2"},
			{Manager: "pip", Name: "requests", Version: ">=2"},
		},
		Interpreters: []data.Interpreter{},
	}
	if diff := cmp.Diff(want, v.Requires); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 500 {
		body.WriteString("[a](references/" + strings.Repeat("a", i+1) + ".md)\n\n")
	}
	v, findings := rules.Judge(facts.Collect(fixture(body.String())))
	if len(findings) > 60 || len(v.Missing) < 490 {
		t.Errorf("%d findings, %d missing", len(findings), len(v.Missing))
	}
}

func TestVerdictNamesItsPoints(t *testing.T) {
	t.Parallel()
	body := "## Setup\n\n```python\nlow()\n```\n\n## Patterns\n\n## Pitfalls\n\n❌ no\n\n✅ yes\n\n```bash\ntides fetch\ntides show\n```\n" + strings.Repeat("word ", 400)
	v, _ := rules.Judge(facts.Collect(fixture(body)))
	var got []string
	for _, r := range v.Reasons {
		if r.Part == "code_sound" {
			got = append(got, strings.SplitN(r.Words, ":", 2)[0])
		}
	}
	want := []string{"the code illustrates", "+1", "+1", "+1", "-1", "-1", "-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%+v", diff, v.Reasons)
	}
}
