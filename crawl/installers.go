package crawl

import (
	"fmt"

	"skillcorpus/crawl/discover"
	"skillcorpus/data"
	"skillcorpus/store"
)

// Describe reads what a SKILL.md says of itself, as far as installers ask for it. Parsing is another stage's work, so
// whoever wires the stages brings it.
type Describe func(content []byte, id, file string) discover.Candidate

// addInstallers notes for each skill of a repository which installers would see it there.
func (c *crawler) addInstallers(found discover.Found, blobs []store.Blob) error {
	if c.Describe == nil {
		return nil
	}
	packed := make(map[string]store.Blob, len(blobs))
	for _, b := range blobs {
		packed[b.SHA256] = b
	}
	candidates := make([]discover.Candidate, len(found.Skills))
	for i, skill := range found.Skills {
		content, err := c.corpus.Unpack(packed[skill.SkillSHA256])
		if err != nil {
			return fmt.Errorf("skill %s: %w", skill.ID, err)
		}
		candidates[i] = c.Describe(content, skill.ID, skill.SkillFile)
		candidates[i].Dir, candidates[i].File = skill.Path, skill.SkillFile
	}
	for i, sights := range discover.Sights(found.Tree, found.Manifests, candidates) {
		found.Skills[i].Installers = seenBy(sights)
	}
	return nil
}

func seenBy(sights []discover.Sight) []data.Installer {
	seen := []data.Installer{}
	for _, s := range sights {
		if s.Seen {
			seen = append(seen, s.Installer)
		}
	}
	return seen
}
