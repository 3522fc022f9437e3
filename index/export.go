package index

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"skillcorpus/data"
	"skillcorpus/store"
)

// ExportOptions say what of a corpus is exported.
type ExportOptions struct {
	WithFiles bool     // the contents of bundled files too, and what the crawl found
	Licenses  []string // only these, by the verdict, else by the repository; none: all
}

// ExportJSONL writes every live skill as one line of the corpus format, in id order, and returns how many it
// wrote. Import gives the same corpus back.
func ExportJSONL(ctx context.Context, corpus *store.Store, out io.Writer, options ExportOptions) (count int, err error) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for skill, err := range corpus.Skills(ctx) {
		if err != nil {
			return count, fmt.Errorf("export: %w", err)
		}
		if !licensed(skill, options.Licenses) {
			continue
		}
		record, err := recordOf(ctx, corpus, skill, options.WithFiles)
		if err != nil {
			return count, fmt.Errorf("export %s: %w", skill.ID, err)
		}
		if err := encoder.Encode(record); err != nil {
			return count, fmt.Errorf("export: %w", err)
		}
		count++
	}
	return count, nil
}

func licensed(skill store.Skill, licenses []string) bool {
	license := skill.License
	if skill.Verdict != nil {
		license = skill.Verdict.License
	}
	same := func(wanted string) bool { return strings.EqualFold(wanted, license) }
	return len(licenses) == 0 || slices.ContainsFunc(licenses, same)
}

// exportedSkill is a record with what the corpus knows beyond it (docs/json.md). Import reads the record alone.
type exportedSkill struct {
	data.Record
	ID               string    `json:"id"`
	CopyOf           string    `json:"copy_of"`           // id of the canonical copy; empty for that itself
	Digest           string    `json:"digest"`            // of the bundle; empty where only a listing is known
	Tier             data.Tier `json:"tier"`              // empty before an audit
	RunnableComplete *bool     `json:"runnable_complete"` // null before an audit
}

func recordOf(ctx context.Context, corpus *store.Store, skill store.Skill, withFiles bool) (*exportedSkill, error) {
	record := &exportedSkill{
		Record: data.Record{
			Repo: skill.RepoID, Origin: skill.Origin, Commit: skill.Commit, Path: skill.Path, File: skill.SkillFile, License: skill.License,
			UpdatedAt: skill.UpdatedAt, Files: make([]data.RecordFile, len(skill.Files)), Stars: skill.Stars,
		},
		ID: skill.ID, CopyOf: skill.CopyOf, Digest: skill.Digest,
	}
	for i, f := range skill.Files {
		record.Files[i] = data.RecordFile{Path: f.Path, Size: f.Size, Mode: f.Mode}
	}
	if skill.Verdict != nil {
		record.Tier, record.RunnableComplete = skill.Verdict.Tier, &skill.Verdict.RunnableComplete
	}
	text, kept, err := corpus.Content(ctx, skill.SkillSHA256)
	if err != nil {
		return nil, err
	}
	if !kept {
		return nil, fmt.Errorf("the content of its SKILL.md is not there: run `skillcorpus verify`")
	}
	record.SetText(text)
	if !withFiles || skill.Basis != data.BasisContents {
		return record, nil
	}
	record.Findings = skill.Findings
	if err := addLicenses(ctx, corpus, &record.Record, skill.Licenses); err != nil {
		return nil, err
	}
	return record, addFiles(ctx, corpus, &record.Record, skill.Files)
}

func addLicenses(ctx context.Context, corpus *store.Store, record *data.Record, files []data.LicenseFile) error {
	for _, f := range files {
		if record.Licenses == nil {
			record.Licenses = map[string][]byte{}
		}
		content, _, err := corpus.Content(ctx, f.SHA256)
		if err != nil {
			return err
		}
		record.Licenses[f.Path] = content
	}
	return nil
}

func addFiles(ctx context.Context, corpus *store.Store, record *data.Record, files []data.File) error {
	record.Contents, record.Digests, record.Notes = map[string][]byte{}, map[string]string{}, map[string]string{}
	for _, f := range files {
		if f.SHA256 != "" {
			record.Digests[f.Path] = f.SHA256
		}
		if f.Note != "" {
			record.Notes[f.Path] = f.Note
		}
		if !f.Kept {
			continue
		}
		content, _, err := corpus.Content(ctx, f.SHA256)
		if err != nil {
			return err
		}
		record.Contents[f.Path] = content
	}
	return nil
}
