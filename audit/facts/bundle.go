package facts

import (
	"path"
	"slices"
	"strings"

	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// follow adds what bundled pages and scripts name, and finds the files that nothing leads to. A listing tells neither.
func (f *Facts) follow(in Input, tree reference.Tree) {
	if in.Content == nil || in.Bundle.Basis != data.BasisContents {
		return
	}
	own := f.ownFiles()
	for _, file := range own {
		// The pages of a skill at the repository's root are the repository's, but for those in folders of a skill's own.
		if !isPage(file) || isPattern(file) || in.Bundle.Path == "" && !reference.OwnFolder(file) {
			continue
		}
		if text, ok := in.Content(file); ok {
			f.References = append(f.References, reference.FindInPage(file, text, tree)...)
		}
	}
	imported := f.imports(tree)
	// The files of a skill at the repository's root are the repository's: no one bundled them.
	if in.Bundle.Path != "" {
		f.Orphans = orphans(in, tree, f.References, imported)
	}
}

// ownFiles returns the bundled files without those of other skills that lie below, sorted.
func (f *Facts) ownFiles() []string {
	var skills, own []string
	for _, file := range f.Bundle.Files {
		if data.IsSkillFile(path.Base(file.Path)) && strings.Contains(file.Path, "/") {
			skills = append(skills, path.Dir(file.Path)+"/")
		}
	}
	for _, file := range f.Bundle.Files {
		if !slices.ContainsFunc(skills, func(dir string) bool { return strings.HasPrefix(file.Path, dir) }) {
			own = append(own, file.Path)
		}
	}
	return own
}

func isPage(file string) bool {
	suffix := strings.ToLower(path.Ext(file))
	return (suffix == ".md" || suffix == ".mdx" || suffix == ".markdown") && !data.IsSkillFile(path.Base(file))
}

// isPattern reports whether a file lies where skills keep what is to be copied and filled in: the paths in it are those
// of the reader's project.
func isPattern(file string) bool {
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch strings.ToLower(part) {
		case "assets", "templates", "template", "examples", "example", "samples", "fixtures", "boilerplate", "starter", "test", "tests", "evals":
			return true
		}
	}
	return strings.Contains(strings.ToLower(path.Base(file)), "template")
}

// imports adds what bundled scripts load, and returns for each script the bundled files that it loads.
func (f *Facts) imports(tree reference.Tree) map[string][]string {
	loaded := map[string][]string{}
	for _, unit := range f.Code {
		if !unit.Script {
			continue
		}
		for _, i := range unit.Imports {
			candidates := i.Candidates(unit.File)
			if file, there := tree.First(candidates); there {
				loaded[unit.File] = append(loaded[unit.File], file)
			} else if i.Local && len(candidates) > 0 && isModule(unit.Lang) && !isPattern(unit.File) && !isBuilt(candidates[0]) {
				f.References = append(f.References, tree.Import(unit.File, i.Path, i.Line, candidates[0]))
			}
		}
	}
	return loaded
}

// isModule reports whether a language resolves a relative import from the importing file: a shell takes the folder that
// it was started in, which no text tells.
func isModule(lang string) bool {
	return lang == "python" || lang == "javascript" || lang == "typescript"
}

// isBuilt reports whether a path lies where tools write what they make of the sources.
func isBuilt(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		switch part {
		case "dist", "build", "out", "generated", "node_modules", "__generated__", ".next", "lib-cov":
			return true
		}
	}
	return false
}

func orphans(in Input, tree reference.Tree, found []reference.Reference, imported map[string][]string) []string {
	reach := reference.NewReach(tree)
	reach.Text("", string(in.SkillMD))
	for _, r := range found {
		if r.File == "" && r.State == reference.Present {
			reach.Add(r.Path)
		}
	}
	for {
		file, more := reach.Next()
		if !more {
			return reach.Orphans()
		}
		for _, other := range imported[file] {
			reach.Add(other)
		}
		if text, ok := in.Content(file); ok && !slices.Contains(text[:min(len(text), 512)], 0) {
			reach.Text(file, string(text))
		}
	}
}
