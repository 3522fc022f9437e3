package code

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Import is one thing that a piece of code loads or runs: a module, or a file that a shell sources or gives to
// an interpreter.
type Import struct {
	Path string // as its author wrote it: `.util`, `lib.util`, `./x`, `x.sh`
	Line int    // in File
	// Local tells that the path can only be a file of the author's own: relative modules, and files that a
	// shell runs. A bare module may be one, or may come from the language or a package.
	Local bool
}

// Candidates returns the files that an import may mean, any of which satisfies it, from the directory that
// a script's path is told from; the first is the likeliest. script is the path of the file that imports. A bare module
// is looked for beside the script, as Python does. The list is empty for what is surely no file of the bundle.
func (i Import) Candidates(script string) []string {
	dir := path.Dir(script)
	switch suffix := path.Ext(script); suffix {
	case ".py", ".pyi", ".pyw":
		return pythonFiles(dir, i.Path)
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return moduleFiles(dir, i.Path)
	}
	if !i.Local || i.Path == "" || strings.ContainsAny(i.Path[:1], "/~$") {
		return nil
	}
	return []string{path.Join(dir, i.Path), path.Clean(i.Path)}
}

func pythonFiles(dir, module string) []string {
	up := 0
	for strings.HasPrefix(module[up:], ".") {
		up++
	}
	for range max(0, up-1) {
		dir = path.Join(dir, "..")
	}
	base := path.Join(dir, strings.ReplaceAll(module[up:], ".", "/"))
	if module[up:] == "" {
		return []string{path.Join(base, "__init__.py"), base}
	}
	return []string{base + ".py", path.Join(base, "__init__.py"), base}
}

func moduleFiles(dir, module string) []string {
	if !strings.HasPrefix(module, ".") {
		return nil
	}
	base := path.Join(dir, module)
	files := []string{base}
	stem := base
	switch path.Ext(base) {
	case ".js", ".mjs", ".cjs", ".jsx": // TypeScript names its sources by what they become
		stem = strings.TrimSuffix(base, path.Ext(base))
	}
	for _, suffix := range []string{".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".mts", ".json"} {
		files = append(files, stem+suffix)
	}
	return append(files, path.Join(base, "index.js"), path.Join(base, "index.ts"), path.Join(base, "index.mjs"), path.Join(base, "index.tsx"))
}

var (
	pythonImport = regexp.MustCompile(`^\s*(?:from\s+(\.*[A-Za-z_][\w.]*|\.+)\s+import\b|import\s+([A-Za-z_][\w.]*(?:\s+as\s+\w+)?(?:\s*,\s*[A-Za-z_][\w.]*(?:\s+as\s+\w+)?)*)\s*(?:#.*)?;?\s*$)`)
	moduleImport = regexp.MustCompile(`(?:^|[\s;})=(])(?:from\s*|import\s*\(?\s*|require\s*\(\s*|export\s*\*\s*from\s*)(?:"([^"\s]+)"|'([^'\s]+)')`)
)

// imports lists what a text loads by lines, so that code which does not parse counts too. first is the line of
// the text's first row in its file.
func imports(text, lang string, first int) []Import {
	var line func(row string) []Import
	switch lang {
	case "python":
		line = pythonLine
	case "javascript", "typescript":
		line = moduleLine
	case "go":
		line = goLine
	default:
		return nil
	}
	var found []Import
	at := first
	for row := range strings.SplitSeq(text, "\n") {
		if len(row) <= 2000 {
			for _, i := range line(row) {
				i.Line = at
				found = append(found, i)
			}
		}
		at++
	}
	return found
}

func pythonLine(row string) []Import {
	if !strings.Contains(row, "import") {
		return nil
	}
	m := pythonImport.FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(row), ">>> "))
	if m == nil {
		return nil
	}
	if m[1] != "" {
		return []Import{{Path: m[1], Local: strings.HasPrefix(m[1], ".")}}
	}
	var found []Import
	for name := range strings.SplitSeq(m[2], ",") {
		name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
		found = append(found, Import{Path: name})
	}
	return found
}

func moduleLine(row string) []Import {
	trimmed := strings.TrimSpace(row)
	if strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "*") {
		return nil
	}
	var found []Import
	for _, m := range moduleImport.FindAllStringSubmatch(row, -1) {
		name := m[1] + m[2]
		found = append(found, Import{Path: name, Local: strings.HasPrefix(name, ".")})
	}
	return found
}

var goImport = regexp.MustCompile(`^(?:import\s+)?(?:[\w.]+\s+)?"([a-z0-9][a-z0-9.-]*\.[a-z]+/[\w./-]+)"$`)

func goLine(row string) []Import {
	if m := goImport.FindStringSubmatch(strings.TrimSpace(row)); m != nil {
		return []Import{{Path: m[1]}}
	}
	return nil
}

// runs notes the file that a command line sources or gives to an interpreter.
func (w *shellWalk) runs(words []string, at syntax.Pos) {
	file := ""
	switch path.Base(words[0]) {
	case "source", ".", "bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "php", "Rscript":
		if len(words) < 2 || strings.HasPrefix(words[1], "-") {
			return // `bash -c`, `python -m`
		}
		file = words[1]
	default:
		if strings.HasPrefix(words[0], "./") || strings.HasPrefix(words[0], "../") {
			file = words[0]
		}
	}
	if path.Ext(file) != "" && !strings.ContainsAny(file, "<>{}*?$ ") {
		w.imports = append(w.imports, Import{Path: file, Line: int(at.Line()), Local: true})
	}
}
