// Package secret owns the search for keys, tokens and passwords in a skill's texts. The rules are gitleaks's, used
// as a library behind Scanner; they are compiled when the first suspicious line is met, and never at program start.
//
// It never tries a key, never asks the network, and never gives a whole secret away: what it reports is redacted.
// Package facts calls it.
package secret

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/detect"

	"skillcorpus/data"
)

// Hit is what looks like a secret.
type Hit struct {
	Kind       string // gitleaks's id of the rule: `aws-access-token`
	File       string // empty for SKILL.md
	Line       int    // from 1
	Redacted   string // the first characters and the length
	Confidence data.Confidence
}

// Scanner finds secrets in text.
type Scanner interface {
	// Scan returns what it finds, with lines from 0.
	Scan(text string) []Found
}

// Found is a secret as a scanner gives it: whole.
type Found struct {
	Kind   string
	Line   int
	Secret string
	Match  string // the words around it
}

// Gitleaks returns the scanner with gitleaks's own rules.
func Gitleaks() Scanner { return gitleaks{} }

type gitleaks struct{}

var compiled = sync.OnceValue(func() *detect.Detector {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic("gitleaks's own rules: " + err.Error())
	}
	d.MaxDecodeDepth = 1
	return d
})

func (gitleaks) Scan(text string) []Found {
	var found []Found
	for _, f := range compiled().DetectString(text) {
		found = append(found, Found{Kind: f.RuleID, Line: f.StartLine, Secret: f.Secret, Match: f.Match})
	}
	return found
}

// maxText bounds what of one text is looked at.
const maxText = 1 << 20

// Find returns the secrets of one text. file is empty for SKILL.md.
func Find(scanner Scanner, file, text string) []Hit {
	lines, numbers := suspicious(text[:min(len(text), maxText)])
	if len(lines) == 0 {
		return nil
	}
	var hits []Hit
	for _, f := range scanner.Scan(strings.Join(lines, "\n")) {
		if f.Line < 0 || f.Line >= len(numbers) || placeholder(f) {
			continue
		}
		hits = append(hits, Hit{Kind: f.Kind, File: file, Line: numbers[f.Line], Redacted: redact(f.Secret), Confidence: confidence(f, lines[f.Line])})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Kind+a.Redacted, b.Kind+b.Redacted)
	})
	return slices.CompactFunc(hits, func(a, b Hit) bool { return a.Line == b.Line && a.Redacted == b.Redacted })
}

// suspicious keeps the lines that may hold a secret, with their numbers from 1: those with a run of 14 or more
// characters that a key may consist of, digits among them, and the lines below the head of a private key. All of
// gitleaks's patterns would pass over the rest, at fifty times the cost.
func suspicious(text string) (lines []string, numbers []int) {
	if !longRun(text) {
		return nil, nil
	}
	pem := 0
	number := 0
	for row := range strings.SplitSeq(text, "\n") {
		number++
		if strings.Contains(row, "-----BEGIN") && strings.Contains(row, "PRIVATE KEY") {
			pem = 100
		}
		if len(row) > 8<<10 || pem == 0 && !longRun(row) {
			continue
		}
		pem = max(0, pem-1)
		if strings.Contains(row, "-----END") {
			pem = 0
		}
		lines, numbers = append(lines, row), append(numbers, number)
	}
	return lines, numbers
}

// minRun is the length of the shortest secret that gitleaks's rules for single services know, in characters.
const minRun = 14

func longRun(text string) bool {
	length, digits, letters := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
			length++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
			length++
		case c == '_' || c == '-' || c == '+' || c == '=':
			length++
		default:
			length, digits, letters = 0, 0, 0
		}
		if length >= minRun && digits > 1 && letters > 1 {
			return true
		}
	}
	return false
}

// madeUp knows what stands for a secret in examples.
var madeUp = regexp.MustCompile(`(?i)example|your|placeholder|changeme|change-me|dummy|sample|fake|mock|redacted|replace|insert|secret-?key|my-?(?:key|token|secret|password|api)|test|demo|x{4,}|\*{3,}|\.{3}|…|0{6,}|1{6,}|12345|23456|abcdef|abc123|a1b2c3|deadbeef|cafebabe|qwerty|foo|bar(?:baz)?|lorem|<|>|\$\{?\w|\{\{|(?:[0-9a-f]{8}-){1}[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// public knows what looks drawn by lot and is no secret: addresses of block chains, identifiers in public links,
// keys that are made to be published, and the token of the JWT standard's examples.
var public = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$|^[1-9A-HJ-NP-Za-km-z]{43,44}$|(?i)publishable|^pk_|IxMjM0NTY3ODkw|^eyJhbGciOiJub25l|^[0-9A-F]{40}$`)

// publicName knows the names of such values.
var publicName = regexp.MustCompile(`(?i)file.?key|listen.?key|idempotency|websocket-key|key.?id|public.?key|webhook|refresh_?token"?:`)

func placeholder(f Found) bool {
	return madeUp.MatchString(f.Secret) || public.MatchString(f.Secret) || publicName.MatchString(f.Match) || !drawn(f.Secret) || few(f.Secret) || sequence(f.Secret)
}

// drawn reports whether a text has a piece long enough to be drawn by lot: words joined by marks have none.
func drawn(text string) bool {
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }) {
		if len(piece) > minRun {
			return true
		}
	}
	return false
}

// few reports whether a text consists of too few different characters to be drawn by lot.
func few(text string) bool {
	seen := map[byte]bool{}
	for i := range len(text) {
		seen[text[i]] = true
	}
	return len(seen) < min(8, len(text)/2+1)
}

// sequence reports whether a text counts up, as typed examples do: at least a third of its steps go to the next
// letter or digit.
func sequence(text string) bool {
	steps := 0
	for i := 1; i < len(text); i++ {
		if text[i] == text[i-1]+1 {
			steps++
		}
	}
	return steps*3 >= len(text)
}

// teaching knows lines that speak of examples or of what not to do.
var teaching = regexp.MustCompile(`(?i)example|e\.g\.|never|don'?t|\bbad\b|wrong|insecure|fake|dummy|placeholder|sample|❌|detect|leak|test|hash|sha256|digest|checksum|commit|fingerprint|\bid\b|address|contract|public`)

// confidence is high for the shapes that one service alone uses, and medium for what only looks random. A line
// that speaks of examples lowers it.
func confidence(f Found, line string) data.Confidence {
	switch {
	case teaching.MatchString(line):
		return data.ConfidenceLow
	case f.Kind == "generic-api-key" || f.Kind == "curl-auth-header" || f.Kind == "curl-auth-user" || f.Kind == "jwt":
		return data.ConfidenceMedium
	}
	return data.ConfidenceHigh
}

// redact shows the head of a secret, never more than a quarter of it, and its length.
func redact(secret string) string {
	shown := min(4, len(secret)/4)
	head := strings.ToValidUTF8(secret[:shown], "")
	return fmt.Sprintf("%s… (%d characters)", head, len(secret))
}
