package command

import (
	"context"
	"fmt"

	"skillcorpus/cmd/internal/terminal"
	"skillcorpus/parse"
	"skillcorpus/parse/stats"
	"skillcorpus/store"
)

// shownCounts is how many rows of each list people see; --json has all.
const shownCounts = 15

// parsedStats is what `parse --stats --json` prints (docs/json.md).
type parsedStats struct {
	Type string `json:"type"` // always stats
	stats.Stats
}

// corpusStats gathers the figures of every parsed skill of the corpus.
func (e *environment) corpusStats(ctx context.Context) error {
	return e.read(ctx, func(corpus *store.Store) error {
		var collector stats.Collector
		for skill, err := range corpus.Skills(ctx) {
			if err != nil {
				return err
			}
			if skill.Document == nil {
				continue
			}
			size := 0
			if sections := skill.Document.Sections; len(sections) > 0 {
				size = sections[len(sections)-1].End
			}
			collector.Add(*skill.Document, size)
		}
		return e.printStats(collector.Stats())
	})
}

// placesStats gathers the figures of skills on this machine.
func (e *environment) placesStats(ctx context.Context, places []string) error {
	var collector stats.Collector
	err := eachDocument(ctx, places, func(skill localSkill) error {
		collector.Add(parse.Document(skill.SkillMD, skill.ID, skill.SkillFile), len(skill.SkillMD))
		return nil
	})
	if err != nil {
		return err
	}
	return e.printStats(collector.Stats())
}

func (e *environment) printStats(s stats.Stats) error {
	if e.JSON {
		return e.Object(parsedStats{"stats", s})
	}
	e.Printf("%s, %d binary, %d with recovered frontmatter\n", e.Bold(terminal.Count(int64(s.Skills), "skill")), s.Binary, s.Recovered)
	e.Printf("bytes of a SKILL.md: median %d, 90 %% up to %d, 99 %% up to %d, largest %d\n", s.Bytes.Median, s.Bytes.P90, s.Bytes.P99, s.Bytes.Max)
	for _, kind := range sortedKeys(s.Sections) {
		e.Printf("%s of %s\n", terminal.Bytes(int64(s.Sections[kind])), kind)
	}
	for _, list := range []struct {
		name   string
		counts []stats.Count
	}{
		{"frontmatter", s.Formats},
		{"field", s.Fields},
		{"key", s.Keys},
		{"key of metadata", s.Metadata},
		{"language", s.Languages},
		{"structure", s.Structure},
		{"recovered from", s.Recoveries},
		{"finding", s.Findings},
	} {
		e.printCounts(list.name, list.counts)
	}
	return nil
}

func (e *environment) printCounts(name string, counts []stats.Count) {
	if len(counts) == 0 {
		return
	}
	rows := [][]any{}
	for _, c := range counts[:min(len(counts), shownCounts)] {
		rows = append(rows, []any{terminal.Shorten(terminal.Quote(c.Name), 60), c.Skills, c.Uses})
	}
	if more := len(counts) - shownCounts; more > 0 {
		rows = append(rows, []any{fmt.Sprintf("… and %d more", more), "", ""})
	}
	e.Printf("\n")
	e.Table([]string{name, "skills", "uses"}, rows)
}
