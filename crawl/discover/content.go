package discover

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// content is what one reading of a file shows.
type content struct {
	digest  string
	text    bool
	pointer int64 // the size that a Git LFS pointer stands for, -1 for all other files
	damage  error
}

// planReading finds the contents that are read at all: those of walked paths and of their links' targets, and
// those that are kept as soon as they are seen: the main files, the licence files above them, and texts of bundles
// that have room for every file that could be one. Only larger bundles need a second look.
func (r *reading) planReading() {
	for _, e := range r.entries {
		if walked(e) {
			r.wanted[source(e)] = true
		}
	}
	for _, s := range r.skills {
		r.must[source(s.main)] = true
		for _, e := range keptLicenses(nearest(s.dir, r.licenses)) {
			r.roomy[source(e)] = true
		}
		var total int64
		for e := range r.below(s) {
			if source(e) != "" && e.Size <= data.MaxKeptFile {
				total += e.Size
			}
		}
		if total > data.MaxKeptBundle {
			continue
		}
		for e := range r.below(s) {
			if from := source(e); from != "" && e.Size <= data.MaxKeptFile {
				r.roomy[from] = true
			}
		}
	}
}

// inspect reads one file: digest, kind, and whether it is kept now. Only what may be kept is held in memory.
func (r *reading) inspect(e archive.Entry, body io.Reader) error {
	sum := sha256.New()
	held, err := r.hold(e, io.TeeReader(body, sum))
	if err != nil {
		r.facts[e.Path] = content{damage: err}
		return err
	}
	fact := content{digest: hexOf(sum), pointer: pointerSize(held), text: e.Size <= data.MaxKeptFile && isText(held)}
	r.facts[e.Path] = fact
	if e.Path == ".gitmodules" {
		r.modules = bytes.Clone(held)
	}
	if isManifest(e.Path) && fact.text && len(r.manifests) < maxPlugins {
		r.manifests[e.Path] = bytes.Clone(held)
	}
	wanted := r.must[e.Path] || r.later[e.Path] || r.roomy[e.Path] && fact.text && fact.pointer < 0
	if !wanted || r.kept[fact.digest] {
		return nil
	}
	r.kept[fact.digest] = true
	return r.keep(fact.digest, held)
}

// hold reads a file to its end and returns its bytes, but for those too large to keep.
func (r *reading) hold(e archive.Entry, body io.Reader) ([]byte, error) {
	if e.Size > data.MaxKeptFile && !r.must[e.Path] {
		_, err := io.Copy(io.Discard, body)
		return nil, err
	}
	r.buffer.Reset()
	r.buffer.Grow(int(min(e.Size, maxSkillFile)) + bytes.MinRead) // at once: growing would hold it twice
	_, err := r.buffer.ReadFrom(body)
	return r.buffer.Bytes(), err
}

// late asks for the contents whose keeping was decided after the first pass.
func (r *reading) late(e archive.Entry) bool {
	return r.later[e.Path] && !r.kept[r.facts[e.Path].digest]
}

func hexOf(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// isText tells texts from other files by the first 8 KiB: no NUL, and under 3 % control characters besides
// white space and escapes. Compressed data has about 11 %; texts in single-byte encodings have none.
func isText(content []byte) bool {
	head := content[:min(len(content), 8<<10)]
	control := 0
	for _, b := range head {
		switch {
		case b == 0:
			return false
		case b < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(b)), b == 0x7f:
			control++
		}
	}
	return control*100 <= len(head)*3
}

// pointerSize returns the size that a Git LFS pointer declares, or -1. By the specification a pointer has
// under 1,024 bytes and begins with its version.
func pointerSize(content []byte) int64 {
	const version = "version https://git-lfs.github.com/spec/v1\n"
	if len(content) >= 1024 || !strings.HasPrefix(string(content), version) {
		return -1
	}
	for line := range strings.Lines(string(content)) {
		if text, ok := strings.CutPrefix(line, "size "); ok {
			if size, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && size >= 0 {
				return size
			}
		}
	}
	return -1
}

// noteContents reports what was not as it should be. A skill whose main file is damaged is none.
func (r *reading) noteContents() {
	for _, e := range r.entries {
		if fact, seen := r.facts[e.Path]; seen && fact.damage != nil {
			rule := RuleDamaged
			if errors.Is(fact.damage, fs.ErrPermission) {
				rule = RuleUnread
			}
			r.report(rule, e.Path, "%q cannot be read: %v", e.Path, fact.damage)
		} else if seen && fact.pointer >= 0 {
			r.report(RulePointer, e.Path, "%q is a Git LFS pointer to %d bytes, which are not here", e.Path, fact.pointer)
		}
	}
	r.skills = slices.DeleteFunc(r.skills, func(s skill) bool {
		damaged := r.facts[source(s.main)].digest == ""
		if damaged {
			r.unreadable(s.main, NoteDamaged)
		}
		return damaged
	})
}

func (r *reading) report(rule, file, format string, args ...any) {
	r.findings = append(r.findings, data.Finding{
		Rule: rule, Severity: data.SeverityWarning, File: file, Message: fmt.Sprintf(format, args...),
	})
}
