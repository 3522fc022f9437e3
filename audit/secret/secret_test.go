package secret_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/audit/secret"
	"skillcorpus/data"
)

// drawn are texts in the shapes of real keys. They were typed for this test and open nothing; they are in two parts so
// that no scanner of this repository takes them for keys.
var (
	amazon = "AKIA" + "QZ7RLM2VXK5TWJ3N"
	github = "ghp_" + "k9Zq2LmXv7RtB4wYc8HsJd3NfPg6TuEaQ1Vr"
	slack  = "xoxb-" + "730191371969-730191371970-" + "kQ9wZx7LmR2vTb5YcN8hJd4F"
	token  = "eyJhbGciOiJIUzI1NiJ9." + "eyJ0aWRlIjoiaGFyYm91ciIsImRlcHRoIjo3MTl9." + "q7Zk2LmXv9RtB4wYc8HsJd3NfPg6TuEaQ5VrWx0KpTs"
)

func found(text string) []secret.Hit { return secret.Find(secret.Gitleaks(), "", text) }

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []secret.Hit
	}{
		"a service's own shape": {"# Tides\n\nAWS_ACCESS_KEY_ID=" + amazon + "\n", []secret.Hit{{Kind: "aws-access-token", Line: 3, Redacted: "AKIA… (20 characters)", Confidence: data.ConfidenceHigh}}},
		"two, by line": {"a: " + github + "\nb\nc: " + slack, []secret.Hit{
			{Kind: "github-pat", Line: 1, Redacted: "ghp_… (40 characters)", Confidence: data.ConfidenceHigh},
			{Kind: "slack-bot-token", Line: 3, Redacted: "xoxb… (55 characters)", Confidence: data.ConfidenceHigh},
		}},
		"a token that only looks random": {"Authorization: Bearer " + token, []secret.Hit{{Kind: "jwt", Line: 1, Redacted: "eyJh… (105 characters)", Confidence: data.ConfidenceMedium}}},
		"an example":                     {"For example: " + amazon, []secret.Hit{{Kind: "aws-access-token", Line: 1, Redacted: "AKIA… (20 characters)", Confidence: data.ConfidenceLow}}},
		"no text":                        {"", nil},
		"a placeholder":                  {"key = " + "AKIA" + "IOSFODNN7EXAMPLE", nil},
		"a variable":                     {"export GITHUB_TOKEN=${GITHUB_TOKEN_OF_THE_HARBOUR_2}", nil},
		"words joined by marks":          {"api_key = read-the-tide-table-2-times-and-wait-3", nil},
		"an identifier":                  {"id: 123e4567-e89b-12d3-a456-426614174000", nil},
		"a sequence":                     {"api_key = " + "abcdefghijklmnopqrstuvwxyz012345", nil},
		"a digest":                       {"sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, found(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A private key is known by its head and the lines below; the lines say where.
func TestPrivateKey(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("MIIEowIBAAKCAQEAq7Zk2LmXv9RtB4wYc8HsJd3NfPg6TuEaQ5VrWx0KpTsYbNcD\n", 8)
	hits := found("# Key\n-----BEGIN RSA " + "PRIVATE KEY-----\n" + body + "-----END RSA " + "PRIVATE KEY-----\n")
	if len(hits) != 1 || hits[0].Kind != "private-key" || hits[0].Line != 2 {
		t.Errorf("%+v", hits)
	}
}

// scanner finds what it was told to, where it was told to.
type scanner []secret.Found

func (s scanner) Scan(string) []secret.Found { return s }

// A secret is never given whole, whatever a scanner finds, and a line that is not there is none.
func TestScannerIsNotTrusted(t *testing.T) {
	t.Parallel()
	line := "k: " + github
	hits := secret.Find(scanner{{Kind: "a", Line: -1, Secret: github}, {Kind: "a", Line: 7, Secret: github}, {Kind: "b", Line: 0, Secret: github}, {Kind: "b", Line: 0, Secret: github}}, "x.py", line)
	want := []secret.Hit{{Kind: "b", File: "x.py", Line: 1, Redacted: "ghp_… (40 characters)", Confidence: data.ConfidenceHigh}}
	if diff := cmp.Diff(want, hits); diff != "" {
		t.Error(diff)
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range []string{"k: " + amazon, "a\r\n" + github, "-----BEGIN " + "PRIVATE KEY-----\nq7Zk2LmXv9RtB4wYc8HsJd3N\n", "\x00\xff" + slack, token} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hits := found(text)
		if diff := cmp.Diff(hits, found(text)); diff != "" {
			t.Error(diff)
		}
		lines := strings.Count(text, "\n") + 1
		for _, h := range hits {
			head, _, _ := strings.Cut(h.Redacted, "…")
			if h.Line < 1 || h.Line > lines || h.Kind == "" || len(head) > 4 {
				t.Errorf("%+v", h)
			}
		}
	})
}
