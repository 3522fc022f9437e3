package code_test

import (
	"strings"
	"testing"

	"skillcorpus/audit/code"
	"skillcorpus/data"
)

// TestPrograms: what a shell's grammar takes for a command is a need only where it is a program.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Read the file first\nRun the tests":                             "",
		"File → Import → openapi.json":                                   "",
		"Host jump\n  User me":                                           "",
		"Rscript plot.R":                                                 "Rscript",
		"Gxss -c 100":                                                    "Gxss",
		"STAR --runMode x; CRISPResso -r1 a":                             "CRISPResso STAR",
		"OPENAI_API_KEY\nQ4_K_M":                                         "",
		"SELECT name\nFROM users":                                        "",
		"EHLO me\nQUIT":                                                  "",
		"RUN npm ci\nCOPY a b":                                           "",
		"Get-Process -Name x | Select-Object Id":                         "",
		"https.proxy.certificate x\ntcp.port == 80":                      "",
		"secretsdump.py a; OMM_v12.02.sif b; pw.x c":                     "OMM_v12.02.sif pw.x secretsdump.py",
		"abc123...xyz\nmcp__a__b x":                                      "",
		"python3 - x; bear -- make; jq . -":                              "bear jq python3",
		"name := value\nother => value":                                  "",
		"setopt extendedglob\ncopy a b":                                  "",
		"msfconsole -q\nuse exploit/x\nset RHOSTS a\nexploit\n\nnmap -A": "msfconsole nmap",
		"msfconsole -x 'use a'\nnmap -A":                                 "msfconsole nmap",
		"telnet mx 25\nhello there\nquit\ndig mx":                        "dig telnet",
		"redis-cli\nping\n# later\njq .":                                 "jq redis-cli",
		"redis-cli ping\njq .":                                           "jq redis-cli",
		"gdb --batch x\nrustc y":                                         "gdb rustc",
		"msf6 > use exploit/x":                                           "",
		"jq . >out.json in.json\njq > out.json":                          "jq",
		"sudo nmap -sS a | rg open && (cargo build)":                     "cargo nmap rg sudo",
	} {
		doc := data.Document{Sections: []data.Section{{Kind: data.SectionCode, End: len(text), Line: 1, Fenced: true, Lang: "bash"}}}
		got := code.Requires(code.Blocks(doc, []byte(text), "SKILL.md"), nil)
		if words := strings.Join(got.Executables, " "); words != want {
			t.Errorf("%q needs %q, want %q", text, words, want)
		}
	}
}
