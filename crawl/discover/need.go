package discover

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// Need is what a repository's skills need of its contents.
type Need struct {
	Paths    map[string]bool  // to be fetched
	TooLarge map[string]int64 // main files of skills that are too large by themselves, with the bytes of their files
	Skills   int              // that are not
}

// Needed tells which contents Read has to see so that every bundle comes out as if it had seen all of them: the files
// of the skills' folders, where their links lead, the nearest licence files above them, and what declares plugins and
// submodules. A skill whose files have
// more than most bytes is left out, and so are the largest ones once all together have more than total.
func Needed(entries []archive.Entry, most, total int64) Need {
	need := Need{Paths: map[string]bool{}, TooLarge: map[string]int64{}}
	folders := skillFolders(entries)
	licenses := licenseFiles(entries)
	sizes := map[string]int64{}
	inside := map[string][]archive.Entry{}
	for _, e := range entries {
		if !walked(e) {
			continue
		}
		for dir := range above(e.Path) {
			if folders[dir] {
				sizes[dir] += e.Size
				inside[dir] = append(inside[dir], e)
			}
		}
		if (isManifest(e.Path) || e.Path == ".gitmodules") && e.Size <= data.MaxKeptFile {
			need.Paths[source(e)] = true
		}
	}
	order := slices.SortedFunc(maps.Keys(folders), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[a], sizes[b]), strings.Compare(a, b)) })
	for _, dir := range order {
		var more int64
		wanted := slices.Concat(inside[dir], keptLicenses(nearest(dir, licenses)))
		for _, e := range wanted {
			if !need.Paths[source(e)] {
				more += e.Size
			}
		}
		if sizes[dir] > most || more > total {
			for _, e := range inside[dir] {
				if d, name := split(e.Path); d == dir && data.IsSkillFile(name) {
					need.TooLarge[e.Path] = sizes[dir]
				}
			}
			continue
		}
		total -= more
		need.Skills++
		for _, e := range wanted {
			need.Paths[source(e)] = true
		}
	}
	delete(need.Paths, "")
	return need
}

// skillFolders are the directories with a main file.
func skillFolders(entries []archive.Entry) map[string]bool {
	folders := map[string]bool{}
	for _, e := range entries {
		if dir, name := split(e.Path); data.IsSkillFile(name) && walked(e) {
			folders[dir] = true
		}
	}
	return folders
}

// above gives the directories that a path lies in, the root as the empty string last.
func above(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for dir, _ := split(name); ; dir, _ = split(dir) {
			if !yield(dir) || dir == "" {
				return
			}
		}
	}
}
