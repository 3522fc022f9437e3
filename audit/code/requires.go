package code

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"skillcorpus/data"
)

// Requires merges what all code of a skill needs, given its bundled files: modules and programs that the bundle has
// itself are no needs. Fences that a reader is to write to a file count as well.
func Requires(units []Unit, files []data.File) data.Requires {
	own := bundled(files)
	var all []data.Requires
	for _, u := range units {
		r := data.Requires{
			Environment: u.Needs.Environment, Hosts: u.Needs.Hosts, Interpreters: u.Needs.Interpreters,
			Dependencies: slices.Clone(u.Needs.Packages),
		}
		for _, name := range u.Needs.Executables {
			if !own[name] {
				r.Executables = append(r.Executables, name)
			}
		}
		for _, i := range u.Imports {
			if name := i.distribution(u.Lang); name != "" && !i.Local && !own[topModule(i.Path)] {
				r.Dependencies = append(r.Dependencies, data.Dependency{Manager: managerOf(u.Lang), Name: name, Imported: true})
			}
		}
		all = append(all, r)
	}
	return Merge(all...)
}

// bundled returns the names by which code may call the files of a bundle: with and without suffix, and the folders.
func bundled(files []data.File) map[string]bool {
	own := map[string]bool{}
	for _, f := range files {
		for place := f.Path; place != "." && place != "/"; place = path.Dir(place) {
			base := path.Base(place)
			own[base], own[strings.TrimSuffix(base, path.Ext(base))] = true, true
		}
	}
	return own
}

// Merge returns the union of needs. A package that is installed is not told again as imported, and one with a version
// not again without.
func Merge(all ...data.Requires) data.Requires {
	r := data.Requires{
		Executables: []string{}, Packages: []string{}, Environment: []string{}, Hosts: []string{},
		Dependencies: []data.Dependency{}, Interpreters: []data.Interpreter{},
	}
	for _, one := range all {
		r.Executables = append(r.Executables, one.Executables...)
		r.Packages = append(r.Packages, one.Packages...)
		r.Environment = append(r.Environment, one.Environment...)
		r.Hosts = append(r.Hosts, one.Hosts...)
		r.Dependencies = append(r.Dependencies, one.Dependencies...)
		r.Interpreters = append(r.Interpreters, one.Interpreters...)
	}
	r.Dependencies = unique(r.Dependencies)
	for _, d := range r.Dependencies {
		r.Packages = append(r.Packages, d.Manager+":"+d.Name)
	}
	slices.SortFunc(r.Interpreters, func(a, b data.Interpreter) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Version, a.Version)) // the empty one last
	})
	r.Interpreters = slices.CompactFunc(r.Interpreters, func(next, kept data.Interpreter) bool {
		return next.Name == kept.Name && (next.Version == kept.Version || next.Version == "")
	})
	for _, list := range []*[]string{&r.Executables, &r.Packages, &r.Environment, &r.Hosts} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return r
}

func unique(all []data.Dependency) []data.Dependency {
	imported := map[bool]int{true: 1}
	slices.SortFunc(all, func(a, b data.Dependency) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Name, b.Name),
			cmp.Compare(imported[a.Imported], imported[b.Imported]), cmp.Compare(b.Version, a.Version))
	})
	all = slices.CompactFunc(all, func(next, kept data.Dependency) bool {
		return next.Manager == kept.Manager && next.Name == kept.Name && (next.Imported || next.Version == "" || next.Version == kept.Version)
	})
	slices.SortStableFunc(all, func(a, b data.Dependency) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	return all
}

var versioned = regexp.MustCompile(`^([A-Za-z][A-Za-z+-]*?)(\d+(?:\.\d+)*)?$`)

// interpreters tells what runs a bundled script: its first line, else its language; and what it says of itself.
func (n *Needs) interpreters(text, lang string) {
	n.inline(text)
	line, _, _ := strings.Cut(text, "\n")
	if program, ok := strings.CutPrefix(strings.TrimSpace(line), "#!"); ok {
		for word := range strings.FieldsSeq(program) {
			name := path.Base(word)
			if name == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
				continue
			}
			if m := versioned.FindStringSubmatch(name); m != nil {
				n.Interpreters = append(n.Interpreters, data.Interpreter{Name: m[1], Version: m[2]})
			}
			return
		}
	}
	names := map[string]string{
		"python": "python", Shell: "bash", "zsh": "zsh", "javascript": "node", "ruby": "ruby", "perl": "perl", "php": "php",
		"powershell": "pwsh", "r": "Rscript", "lua": "lua",
	}
	if name := names[lang]; name != "" {
		n.Interpreters = append(n.Interpreters, data.Interpreter{Name: name})
	}
}

var inlineBlock = regexp.MustCompile(`(?m)^# /// script[ \t]*\r?\n((?:^#(?: .*)?\r?\n)+?)^# ///[ \t]*\r?$`)

// inline reads the metadata that a Python script carries (PEP 723).
func (n *Needs) inline(text string) {
	if !strings.Contains(text, "# /// script") {
		return
	}
	m := inlineBlock.FindStringSubmatch(text)
	if m == nil {
		return
	}
	var lines []string
	for line := range strings.Lines(m[1]) {
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	var meta struct {
		Python       string   `toml:"requires-python"`
		Dependencies []string `toml:"dependencies"`
	}
	if _, err := toml.Decode(strings.Join(lines, ""), &meta); err != nil {
		return
	}
	if meta.Python != "" && versionForm.MatchString(meta.Python) {
		n.Interpreters = append(n.Interpreters, data.Interpreter{Name: "python", Version: meta.Python})
	}
	for _, d := range meta.Dependencies {
		n.Packages = append(n.Packages, dependency("pip", d)...)
	}
}
