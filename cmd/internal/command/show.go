package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/store"
)

func (e *environment) show() *cobra.Command {
	var raw bool
	command := &cobra.Command{
		Use:   "show ID",
		Short: "Show what the corpus knows of one skill",
		Long: `Show a skill by its id (owner/repo/path), in any letter case or under its repository's
former name: where it comes from, its files, its verdict and every finding, skills with nearly
the same text and others of its name.`,
		Example: `  skillcorpus show blader/humanizer
  skillcorpus show --raw blader/humanizer > SKILL.md`,
		Args: oneSkill,
		RunE: func(command *cobra.Command, arguments []string) error {
			return e.read(command.Context(), func(corpus *store.Store) error {
				return e.showSkill(command.Context(), corpus, arguments[0], raw)
			})
		},
	}
	command.Flags().BoolVar(&raw, "raw", false, "print the bytes of SKILL.md and nothing else")
	return command
}

func oneSkill(_ *cobra.Command, arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("give the ID of one skill, not %d", len(arguments))
	}
	return nil
}

// shownSkill is what `show --json` prints (docs/json.md).
type shownSkill struct {
	ID          string           `json:"id"`
	Live        bool             `json:"live"`
	Denied      string           `json:"denied,omitempty"` // why it is on the takedown list
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Repo        string           `json:"repo"`
	Path        string           `json:"path"`
	File        string           `json:"file"`
	Origin      string           `json:"origin"`
	Commit      string           `json:"commit"`
	License     string           `json:"license"` // of the repository
	UpdatedAt   string           `json:"updated_at"`
	Stars       int              `json:"stars"`
	SHA256      string           `json:"sha256"` // of SKILL.md
	Digest      string           `json:"digest"`
	CopyOf      string           `json:"copy_of"`
	Copies      []string         `json:"copies"`
	Similar     []similarSkill   `json:"similar"`    // the most similar first
	Namesakes   []string         `json:"namesakes"`  // of other texts, the most stars first
	Installers  []data.Installer `json:"installers"` // that would see it; null where its repository's tree is not known
	Files       []shownFile      `json:"files"`
	Fields      *data.Fields     `json:"fields"`
	Frontmatter any              `json:"frontmatter"`
	Verdict     *data.Verdict    `json:"verdict"`
	Findings    []data.Finding   `json:"findings"`
}

type similarSkill struct {
	ID      string  `json:"id"`
	Jaccard float64 `json:"jaccard"`
}

type shownFile struct {
	Path   string `json:"path"`
	Mode   string `json:"mode"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Note   string `json:"note"`
	Kept   bool   `json:"kept"`
}

func (e *environment) showSkill(ctx context.Context, corpus *store.Store, id string, raw bool) error {
	skill, found, err := corpus.Skill(ctx, strings.Trim(id, "/ "))
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("no skill %q in this corpus: find its id with `skillcorpus search`", id)
	}
	denials, err := corpus.Denials(ctx)
	if err != nil {
		return err
	}
	denial, denied := denials.Of(skill.ID)
	if denied && raw {
		return fmt.Errorf("%s is denied: %s", skill.ID, terminal.Quote(denial.Reason))
	}
	if raw {
		content, kept, err := corpus.Content(ctx, skill.SkillSHA256)
		if err == nil && !kept {
			err = fmt.Errorf("%s: the content of its SKILL.md is not there: run `skillcorpus verify`", skill.ID)
		}
		if err != nil {
			return err
		}
		_, err = e.Out().Write(content)
		return err
	}
	object := shown(skill)
	object.Denied = denial.Reason
	if object.Similar, object.Namesakes, err = relatives(ctx, corpus, skill.ID); err != nil {
		return err
	}
	if e.JSON {
		return e.Object(object)
	}
	if denied {
		e.Printf("denied: %s\n", terminal.Quote(denial.Reason))
	}
	e.printSkill(skill, object)
	return nil
}

// relatives returns the near-copies of a skill and the others of its name.
func relatives(ctx context.Context, corpus *store.Store, id string) (similar []similarSkill, namesakes []string, err error) {
	near, err := corpus.Similar(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	similar = make([]similarSkill, len(near))
	for i, n := range near {
		similar[i] = similarSkill(n)
	}
	namesakes, err = corpus.Namesakes(ctx, id)
	return similar, orEmpty(namesakes), err
}

func shown(skill store.Skill) shownSkill {
	s := shownSkill{
		ID: skill.ID, Live: skill.Live, Repo: skill.RepoID, Path: skill.Path, File: skill.SkillFile, Origin: skill.Origin,
		Commit: skill.Commit, License: skill.License, UpdatedAt: skill.UpdatedAt, Stars: skill.Stars, SHA256: skill.SkillSHA256,
		Digest: skill.Digest, CopyOf: skill.CopyOf, Copies: orEmpty(skill.Copies), Installers: skill.Installers, Files: make([]shownFile, len(skill.Files)),
		Verdict: skill.Verdict, Findings: orEmpty(skill.AllFindings()),
	}
	for i, f := range skill.Files {
		s.Files[i] = shownFile(f)
	}
	if skill.Document != nil {
		s.Name, s.Description, s.Fields = skill.Document.Name, skill.Document.Description, &skill.Document.Fields
		s.Frontmatter = skill.Document.Frontmatter.Plain()
	}
	return s
}

func (e *environment) printSkill(skill store.Skill, object shownSkill) {
	state := ""
	if !skill.Live && object.Denied == "" {
		state = "  (removed from its repository)"
	}
	e.Printf("%s%s\n", e.Bold(terminal.Quote(skill.ID)), state)
	if skill.Document != nil {
		e.Printf("  %s\n  %s\n", terminal.Quote(skill.Document.Name), terminal.Quote(skill.Document.Description))
	} else {
		e.Printf("  not parsed yet: run `skillcorpus parse`\n")
	}
	e.Printf("  from %s%s%s, %d stars, repository licence %s\n", terminal.Quote(skill.RepoID), prefixed(" at ", terminal.Quote(shortCommit(skill.Commit))),
		prefixed(", updated ", terminal.Quote(skill.UpdatedAt)), skill.Stars, terminal.Quote(orUnknown(skill.License)))
	if skill.CopyOf != "" {
		e.Printf("  a copy of %s\n", terminal.Quote(skill.CopyOf))
	}
	if len(skill.Copies) > 0 {
		e.Printf("  copied in %s\n", terminal.Quote(strings.Join(skill.Copies, ", ")))
	}
	e.printRelatives(object)
	if skill.Installers != nil {
		e.Printf("  seen by %s\n", seenBy(skill.Installers))
	}
	if skill.Verdict != nil {
		e.printVerdict(*skill.Verdict)
		e.printReasons(*skill.Verdict)
	} else {
		e.Printf("  not audited yet: run `skillcorpus audit`\n")
	}
	for _, f := range skill.Files {
		e.Printf("  %s %8d  %s%s\n", terminal.Quote(f.Mode), f.Size, terminal.Quote(f.Path), prefixed("  not bundled: ", terminal.Quote(f.Note)))
	}
	e.printByFile(skill.AllFindings(), func(file string) string { return file }, nil)
}

// maxRelatives is how many near-copies and namesakes are printed; JSON has all.
const maxRelatives = 5

func (e *environment) printRelatives(object shownSkill) {
	for i, other := range object.Similar {
		if i == maxRelatives {
			e.Printf("  and so are %d more\n", len(object.Similar)-i)
			break
		}
		e.Printf("  %.0f %% the same words as %s\n", 100*other.Jaccard, terminal.Quote(other.ID))
	}
	if names := object.Namesakes; len(names) > 0 {
		more := ""
		if len(names) > maxRelatives {
			more = fmt.Sprintf(" and %d more", len(names)-maxRelatives)
		}
		e.Printf("  the name is also that of %s%s\n", terminal.Quote(strings.Join(names[:min(len(names), maxRelatives)], ", ")), more)
	}
}

func seenBy(installers []data.Installer) string {
	if len(installers) == 0 {
		return "no installer that is known here"
	}
	names := make([]string, len(installers))
	for i, name := range installers {
		names[i] = string(name)
	}
	return strings.Join(names, ", ")
}

func shortCommit(commit string) string { return commit[:min(len(commit), 12)] }

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
