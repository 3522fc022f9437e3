package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"skillcorpus/cmd/internal/pipeline"
	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/data"
	"skillcorpus/parse"
)

func (e *environment) parse() *cobra.Command {
	var as string
	var statistics bool
	command := &cobra.Command{
		Use:   "parse [FILE|DIR...]",
		Short: "Cut SKILL.md files into frontmatter, prose and code",
		Long: `Without arguments: parse every skill of the corpus that is new or changed.
With files or directories: print the structure of each SKILL.md, without a corpus.
With --stats: print what the corpus, or the files, look like, and parse nothing anew.`,
		Example: `  skillcorpus parse
  skillcorpus parse skills/pdf/SKILL.md
  skillcorpus parse --json --fail-on warning ./skills
  skillcorpus parse --stats
  skillcorpus parse --as skillflow skills/pdf/SKILL.md`,
		RunE: func(command *cobra.Command, arguments []string) error {
			floor, err := severity(command.Flags(), len(arguments) > 0)
			if err != nil {
				return err
			}
			if err := parseAs(as, statistics, arguments); err != nil {
				return err
			}
			switch {
			case as == asSkillflow:
				return e.placesAsSkillflow(command.Context(), arguments)
			case statistics && len(arguments) == 0:
				return e.corpusStats(command.Context())
			case statistics:
				return e.placesStats(command.Context(), arguments)
			case len(arguments) == 0:
				return e.existing(command.Context(), "parse", func(p *pipeline.Pipeline) error { return p.Parse(command.Context()) })
			}
			return e.parsePlaces(command.Context(), arguments, floor)
		},
	}
	command.Flags().BoolVar(&statistics, "stats", false, "print figures: frontmatter keys, languages, sizes, recoveries")
	command.Flags().StringVar(&as, "as", "", "with files: cut them as another program does (skillflow: the paper's splitter)")
	command.Flags().String("fail-on", "error", "with files: exit 4 on findings of this severity or worse (error, warning, info, never)")
	return command
}

// parseAs checks the flags that replace what parse prints.
func parseAs(as string, statistics bool, places []string) error {
	switch {
	case as != "" && as != asSkillflow:
		return usageError{fmt.Errorf("--as %q: only %s is there", as, asSkillflow)}
	case as != "" && statistics:
		return usageError{fmt.Errorf("--as and --stats exclude each other")}
	case as != "" && len(places) == 0:
		return usageError{fmt.Errorf("--as %s wants files or directories", as)}
	}
	return nil
}

// eachDocument calls visit for every skill of the places. What cannot be read is the error, after all the rest.
func eachDocument(ctx context.Context, places []string, visit func(localSkill) error) (unread error) {
	for _, place := range places {
		skills, err := documentsAt(ctx, place)
		unread = errors.Join(unread, err)
		for _, skill := range skills {
			if err := visit(skill); err != nil {
				return err
			}
		}
	}
	return unread
}

// parsedFile is what `parse --json FILE` prints (docs/json.md).
type parsedFile struct {
	File        string         `json:"file"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Frontmatter any            `json:"frontmatter"`
	Format      string         `json:"frontmatter_format"`
	Recovered   bool           `json:"recovered"`
	Fields      data.Fields    `json:"fields"`
	Sections    []section      `json:"sections"`
	Headings    []data.Heading `json:"headings"`
	Links       []data.Link    `json:"links"`
	Blocks      []data.Block   `json:"blocks"`
	Binary      bool           `json:"binary"`
	Findings    []data.Finding `json:"findings"`
}

type section struct {
	Kind  data.SectionKind `json:"kind"`
	Start int              `json:"start"`
	End   int              `json:"end"`
	Line  int              `json:"line"`
	Lang  string           `json:"lang"`
	// Language is Lang by the name that Linguist has for it.
	Language string `json:"language"`
	Info     string `json:"info"`
	Fenced   bool   `json:"fenced"`
	Open     bool   `json:"open"`
	Text     string `json:"text"`
}

func (e *environment) parsePlaces(ctx context.Context, places []string, floor data.Severity) error {
	failed := false
	err := eachDocument(ctx, places, func(skill localSkill) error {
		document := parse.Document(skill.SkillMD, skill.ID, skill.SkillFile)
		failed = failed || anyAtLeast(document.Findings, floor)
		return e.printParsed(skill, document)
	})
	if err != nil {
		return err
	}
	if failed {
		return errFinding
	}
	return nil
}

func (e *environment) printParsed(skill localSkill, document data.Document) error {
	if e.JSON {
		return e.Object(asJSON(skill, document))
	}
	e.Printf("%s\n  name         %s\n", e.Bold(terminal.Quote(skill.Place)), terminal.Quote(document.Name))
	e.Printf("  description  %s\n", terminal.Shorten(terminal.Quote(document.Description), e.Width()-15))
	for _, s := range document.Sections {
		e.Printf("  %5d  %-11s %s\n", s.Line, s.Kind, terminal.Quote(fmt.Sprintf("%d bytes %s", s.End-s.Start, s.Lang)))
	}
	e.printFindings(document.Findings)
	return nil
}

func asJSON(skill localSkill, document data.Document) parsedFile {
	parsed := parsedFile{
		File: skill.Place, Name: document.Name, Description: document.Description, Frontmatter: document.Frontmatter.Plain(),
		Format: document.Frontmatter.Format, Recovered: document.Frontmatter.Recovered, Fields: document.Fields,
		Sections: make([]section, len(document.Sections)), Headings: orEmpty(document.Headings), Links: orEmpty(document.Links),
		Blocks: orEmpty(document.Blocks), Binary: document.Binary,
		Findings: orEmpty(document.Findings),
	}
	for i, s := range document.Sections {
		parsed.Sections[i] = section{s.Kind, s.Start, s.End, s.Line, s.Lang, s.Language, s.Info, s.Fenced, s.Open, s.Read(skill.SkillMD)}
	}
	return parsed
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
