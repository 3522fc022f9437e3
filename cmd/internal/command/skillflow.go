package command

import (
	"context"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/parse/skillflow"
)

// asSkillflow is the value of --as that asks for the paper's splitter.
const asSkillflow = "skillflow"

// skillflowFile is what `parse --as skillflow --json` prints (docs/json.md).
type skillflowFile struct {
	File string `json:"file"`
	skillflow.Sections
}

// placesAsSkillflow prints the sections that the paper's code cuts.
func (e *environment) placesAsSkillflow(ctx context.Context, places []string) error {
	return eachDocument(ctx, places, func(skill localSkill) error {
		sections := skillflow.Split(skill.SkillMD).Embedded()
		if e.JSON {
			return e.Object(skillflowFile{skill.Place, sections})
		}
		e.Printf("%s\n", e.Bold(terminal.Quote(skill.Place)))
		for _, s := range []struct{ name, text string }{{"yaml", sections.YAML}, {"prose", sections.Prose}, {"code", sections.Code}} {
			e.Printf("  %-6s %6d bytes  %s\n", s.name, len(s.text), terminal.Shorten(terminal.Quote(s.text), max(e.Width()-24, 20)))
		}
		return nil
	})
}
