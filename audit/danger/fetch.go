package danger

import (
	"regexp"
	"slices"
	"strings"

	"skillcorpus/data"
)

// pipelineSigns returns what commands show together: what one gives, the next runs or sends.
func pipelineSigns(line []*command) []Sign {
	var signs []Sign
	add := func(c *command, rule, words string, confidence data.Confidence) {
		signs = append(signs, Sign{Rule: rule, Line: c.line, Words: clip(words), Confidence: confidence})
	}
	for i, c := range line {
		before := line[:i]
		words := join(line[:i+1])
		switch {
		case c.interprets() && slices.ContainsFunc(before, (*command).fetches):
			add(line[0], "pipe-to-shell", words, data.ConfidenceHigh)
		case c.interprets() && slices.ContainsFunc(before, (*command).decodes):
			add(line[0], "obfuscated-code", words, data.ConfidenceHigh)
		case c.evaluates() && nested(c, (*command).fetches):
			add(c, "pipe-to-shell", words+" of a download", data.ConfidenceHigh)
		case c.evaluates() && nested(c, (*command).decodes):
			add(c, "obfuscated-code", words+" of decoded text", data.ConfidenceHigh)
		}
		if how := c.exfiltrates(before); how != "" {
			add(line[0], "exfiltration", words+": "+how, data.ConfidenceHigh)
		} else if c.drops(len(before) > 0) {
			add(line[0], "public-upload", words, data.ConfidenceMedium)
		}
	}
	return signs
}

func join(line []*command) string {
	var parts []string
	for _, c := range line {
		parts = append(parts, c.text())
	}
	return strings.Join(parts, " | ")
}

func nested(c *command, is func(*command) bool) bool {
	return slices.ContainsFunc(c.nested, func(line []*command) bool { return slices.ContainsFunc(line, is) })
}

func (c *command) fetches() bool {
	return c.name == "curl" || c.name == "wget" || c.name == "fetch" && len(c.args) > 0 || c.name == "aria2c"
}

func (c *command) decodes() bool {
	switch c.name {
	case "base64", "base32", "openssl":
		return c.has("-d", "-D", "--decode", "-di")
	case "xxd":
		return c.short("r")
	}
	return false
}

// interprets reports whether a command runs the program that it reads.
func (c *command) interprets() bool {
	switch c.name {
	case "sh", "bash", "zsh", "dash", "ksh", "fish":
		return len(c.operands()) == 0 || c.short("s") || slices.Contains(c.args, "-")
	case "python", "python3", "perl", "ruby", "node", "php", "deno":
		return len(c.args) == 0 || c.args[0] == "-"
	case "iex", "Invoke-Expression":
		return true
	}
	return false
}

// evaluates reports whether a command runs one of its words, or a file that stands for a stream.
func (c *command) evaluates() bool {
	switch c.name {
	case "eval", "source", ".":
		return true
	case "sh", "bash", "zsh", "dash", "ksh", "python", "python3", "node", "perl", "ruby":
		return c.short("c") || slices.ContainsFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "<(") })
	}
	return false
}

// sink knows hosts that take whatever they are sent and show it to whoever asks.
var sink = regexp.MustCompile(`(?i)^(?:https?://)?(?:[\w-]+\.)*(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|burpcollaborator\.net|oastify\.com|interact\.sh|oast\.(?:fun|me|pro|live|site|online)|beeceptor\.com|hookbin\.com|requestcatcher\.com|dnslog\.cn|termbin\.com|transfer\.sh|file\.io|0x0\.st|paste\.rs|tmpfiles\.org|catbox\.moe)(?:[/:]|$)`)

// drops reports whether a command sends data to such a host.
func (c *command) drops(fed bool) bool {
	return (c.name == "curl" || c.name == "wget" || c.name == "nc" || c.name == "ncat") && (c.uploads() || c.takesInput() && fed) &&
		slices.ContainsFunc(c.args, sink.MatchString)
}

// exfiltrates says how a command sends away secrets of the machine.
func (c *command) exfiltrates(before []*command) string {
	network := c.name == "curl" || c.name == "wget" || c.name == "nc" || c.name == "ncat" || c.name == "netcat"
	if !network && c.name != "scp" && c.name != "rsync" {
		return ""
	}
	switch {
	case c.sends(credential):
		return "sends a file of credentials"
	case nested(c, (*command).readsCredentials), nested(c, (*command).dumps):
		return "sends credentials of the machine"
	case network && c.takesInput() && slices.ContainsFunc(before, func(b *command) bool { return b.readsCredentials() || b.dumps() }):
		return "sends credentials of the machine"
	}
	return ""
}

// dumps reports whether a command prints the whole environment.
func (c *command) dumps() bool {
	return (c.name == "env" || c.name == "printenv" || c.name == "set" || c.name == "export") && len(c.args) == 0
}

// takesInput reports whether a network command sends what it reads.
func (c *command) takesInput() bool {
	return c.name == "nc" || c.name == "ncat" || c.name == "netcat" || slices.ContainsFunc(c.args, func(a string) bool { return strings.HasSuffix(a, "@-") || a == "-" || strings.HasSuffix(a, "=@-") })
}

func (c *command) uploads() bool {
	return c.has("-T", "--upload-file", "-F", "--form", "-d", "--data", "--data-binary", "--post-file", "--data-raw")
}

// sends reports whether a file of this kind is among what a command gives away.
func (c *command) sends(file *regexp.Regexp) bool {
	if c.name == "scp" || c.name == "rsync" {
		words := c.operands()
		return len(words) > 1 && strings.Contains(words[len(words)-1], ":") && slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return !strings.Contains(w, ":") && file.MatchString(w) && !c.identity(w) })
	}
	for i, a := range c.args {
		_, name, at := strings.Cut(a, "@")
		upload := a == "-T" || a == "--upload-file" || strings.HasPrefix(a, "--post-file=")
		if at && file.MatchString(name) || upload && i+1 < len(c.args) && file.MatchString(c.args[i+1]) || strings.HasPrefix(a, "--post-file=") && file.MatchString(a) {
			return true
		}
	}
	return slices.ContainsFunc(c.reads, file.MatchString)
}

// identity reports whether a word is the key that a connection is made with.
func (c *command) identity(word string) bool {
	at := slices.Index(c.args, word)
	return at > 0 && c.args[at-1] == "-i"
}

var (
	iexOf    = regexp.MustCompile(`(?i)\b(?:irm|iwr|Invoke-RestMethod|Invoke-WebRequest|curl|wget)\b[^|\n]{0,300}\|\s*(?:iex|Invoke-Expression)\b|\b(?:iex|Invoke-Expression)\b\s*["'(&]*\s*\(?\s*(?:irm|iwr|Invoke-RestMethod|Invoke-WebRequest|\(?New-Object\s+(?:System\.)?Net\.WebClient\)?\.DownloadString)`)
	encoded  = regexp.MustCompile(`(?i)\bpowershell(?:\.exe)?\b[^\n]{0,80}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}`)
	codeOf   = regexp.MustCompile(`\b(?:exec|eval|Function|compile)\s*\(\s*[\w.(\s]{0,60}?(?:b64decode|b32decode|atob|unhexlify|fromhex|zlib\.decompress|codecs\.decode|marshal\.loads|Buffer\.from\([^)\n]{1,200},\s*["']base64["'])\b?`)
	fetchRun = regexp.MustCompile(`\b(?:exec|eval)\s*\(\s*(?:requests\.get|urllib\.request\.urlopen|urlopen|httpx\.get|await\s+\(?await\s+fetch|\(?await\s+fetch)`)
	envSent  = regexp.MustCompile(`\b(?:requests|httpx|session|axios|client)\.(?:post|put)\s*\([^\n]{0,200}\b(?:dict\(os\.environ\)|os\.environ\s*[,)}]|process\.env\s*[,)}])|fetch\([^\n]{0,200}JSON\.stringify\(process\.env\)`)
)

// powershell looks for what Windows' shell does with downloads and encoded text; it has no parser here.
func powershell(text string) []Sign {
	if !strings.Contains(strings.ToLower(text), "iex") && !strings.Contains(text, "owershell") && !strings.Contains(strings.ToLower(text), "invoke-expression") {
		return nil
	}
	return matches(text, map[string]*regexp.Regexp{"pipe-to-shell": iexOf, "obfuscated-code": encoded}, "")
}

// lineSigns looks at the lines of a program.
func lineSigns(text string) []Sign {
	signs := powershell(text)
	if !strings.Contains(text, "exec") && !strings.Contains(text, "eval") && !strings.Contains(text, "env") && !strings.Contains(text, "Function(") {
		return signs
	}
	return append(signs, matches(text, map[string]*regexp.Regexp{"obfuscated-code": codeOf, "pipe-to-shell": fetchRun, "exfiltration": envSent}, "#")...)
}

// matches returns the first match on each line, leaving out comments that start with a mark.
func matches(text string, rules map[string]*regexp.Regexp, comment string) []Sign {
	var signs []Sign
	for i, row := range strings.Split(text, "\n") {
		if len(row) > 4000 || comment != "" && strings.HasPrefix(strings.TrimSpace(row), comment) {
			continue
		}
		for rule, pattern := range rules {
			if found := pattern.FindString(row); found != "" {
				signs = append(signs, Sign{Rule: rule, Line: i, Words: clip(found), Confidence: data.ConfidenceHigh})
			}
		}
	}
	return signs
}

var drops = regexp.MustCompile(`(?i)^\s*(?:DROP\s+(?:DATABASE|SCHEMA)\b(?:\s+IF\s+EXISTS)?\s+\S+|TRUNCATE\s+TABLE\s+\S+|DROP\s+TABLE\b(?:\s+IF\s+EXISTS)?\s+\S+)|^\s*DELETE\s+FROM\s+\w+\s*;`)

func sqlSigns(text string) []Sign {
	return matches(text, map[string]*regexp.Regexp{"destructive-sql": drops}, "--")
}

var blob = regexp.MustCompile(`[A-Za-z0-9+/]{400,}={0,2}`)

// blobs finds long runs of encoded text in code that are no picture, font or token.
func blobs(text string) []Sign {
	if len(text) < 400 {
		return nil
	}
	var signs []Sign
	for i, row := range strings.Split(text, "\n") {
		if len(row) < 400 {
			continue
		}
		at := blob.FindStringIndex(row)
		if at == nil || strings.Contains(row[max(0, at[0]-200):at[0]], "data:") || !mixed(row[at[0]:at[1]]) || at[0] > 0 && row[at[0]-1] == '.' || strings.HasPrefix(row[at[0]:], "eyJ") {
			continue
		}
		signs = append(signs, Sign{Rule: "encoded-blob", Line: i, Words: clip(row[at[0]:min(at[1], at[0]+40)]), Confidence: data.ConfidenceMedium})
	}
	return signs
}

// mixed reports whether a run has the letters of both cases and the digits that encoded bytes have.
func mixed(text string) bool {
	var upper, lower, digit int
	for _, c := range []byte(text) {
		switch {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= '0' && c <= '9':
			digit++
		}
	}
	return upper*8 > len(text) && lower*8 > len(text) && digit*20 > len(text)
}
