package models

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"regexp"
)

// Bounds of what a model may say of itself: far above any that is known, and below what would exhaust memory.
const (
	maxDimensions = 8192
	maxTokens     = 8192
	maxFile       = 4 << 30
)

var (
	idShape     = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)
	nameShape   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	digestShape = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func (c *Catalogue) validate() error {
	var all []error
	fail := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if c.Schema != Schema {
		fail("schema %d, want %d", c.Schema, Schema)
	}
	ids, digests := map[string]bool{}, map[string]bool{}
	for _, m := range c.Models {
		if ids[m.ID] {
			fail("model %s is there twice", m.ID)
		}
		ids[m.ID] = true
		all = append(all, m.validate())
		for _, f := range m.Files {
			if digests[f.SHA256] {
				fail("model %s: %s is another model's file too", m.ID, f.Name)
			}
			digests[f.SHA256] = true
			if len(f.Sources) == 0 {
				fail("model %s: %s has no source", m.ID, f.Name)
			}
		}
	}
	if !ids[c.Default] {
		fail("default %q is no model", c.Default)
	}
	return errors.Join(append(all, c.Runtime.validate())...)
}

// validate checks what the program relies on, and names all that is wrong.
func (m Model) validate() error {
	var all []error
	fail := func(format string, args ...any) {
		all = append(all, fmt.Errorf("model %s: %s", m.ID, fmt.Sprintf(format, args...)))
	}
	if !idShape.MatchString(m.ID) {
		fail("id %q is not lower-case letters, digits, dots and dashes", m.ID)
	}
	if m.Title == "" || m.License == "" {
		fail("title or license is missing")
	}
	if m.Dimensions < 1 || m.Dimensions > maxDimensions {
		fail("dimensions %d are not between 1 and %d", m.Dimensions, maxDimensions)
	}
	if m.MaxTokens < 3 || m.MaxTokens > maxTokens {
		fail("max_tokens %d are not between 3 and %d", m.MaxTokens, maxTokens)
	}
	if m.Pooling != PoolMean && m.Pooling != PoolFirst {
		fail("pooling %q is not %s or %s", m.Pooling, PoolMean, PoolFirst)
	}
	graphs := 0
	for _, f := range m.Files {
		if f.Name == Graph {
			graphs++
		}
		if err := f.validate(); err != nil {
			fail("%v", err)
		}
	}
	if graphs != 1 {
		fail("%d files named %s, want 1", graphs, Graph)
	}
	if vector, err := base64.StdEncoding.DecodeString(m.Check.Vector); err != nil || len(vector) != m.Dimensions || m.Check.Text == "" {
		fail("check has no text or not a vector of %d bytes", m.Dimensions)
	}
	return errors.Join(all...)
}

func (f File) validate() error {
	var all []error
	if !nameShape.MatchString(f.Name) {
		all = append(all, fmt.Errorf("name %q is not a plain file name", f.Name))
	}
	if f.Size < 1 || f.Size > maxFile || !digestShape.MatchString(f.SHA256) {
		all = append(all, fmt.Errorf("%s: size or sha256 is missing or wrong", f.Name))
	}
	for _, s := range f.Sources {
		places := 0
		for _, place := range []string{s.Hub, s.Package, s.Artifact} {
			if place != "" {
				places++
			}
		}
		if places != 1 || (s.Hub == "") != (s.Member != "") || s.Hub != path.Clean("/" + s.Hub)[1:] {
			all = append(all, fmt.Errorf("%s: a source names one hub path, or one package or artifact with a member", f.Name))
		}
	}
	return errors.Join(all...)
}

func (r Runtime) validate() error {
	var all []error
	fail := func(format string, args ...any) {
		all = append(all, fmt.Errorf("runtime: %s", fmt.Sprintf(format, args...)))
	}
	if r.Version == "" || r.License == "" || r.Release == "" {
		fail("version, license or release is missing")
	}
	platforms := map[string]bool{}
	for _, l := range r.Libraries {
		if platforms[l.Platform] || l.Platform == "" {
			fail("platform %q is missing or there twice", l.Platform)
		}
		platforms[l.Platform] = true
		if !nameShape.MatchString(l.Name) || !nameShape.MatchString(l.Asset) {
			fail("%s: name or asset is not a plain file name", l.Platform)
		}
		if len(l.Sources) == 0 && l.SHA256 == "" && l.Size == 0 {
			continue // only the release has it, which states its own digest
		}
		if err := l.validate(); err != nil {
			fail("%s: %v", l.Platform, err)
		}
	}
	return errors.Join(all...)
}
