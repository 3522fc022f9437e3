package reference

import (
	"path"
	"regexp"
	"strings"
)

// A list of files that belong together: what one of them is, all are. So a file that is not there is the skill's own
// where others of its list are there, or where the heading or the line above says what the list is of.

var (
	// An item that begins with a file in the dress of code or of emphasis.
	fileItem = regexp.MustCompile("^\\s*(?:[-*+]|\\|)\\s*(?:\\*\\*`?|`)\\[?((?:[\\w.-]+/)*[\\w-][\\w.-]*\\.(?:md|mdx|mdc|py|sh|bash|js|mjs|cjs|ts|tsx|rb|R|ps1|go|html|css|ipynb|tex|bib|sql|toml|ya?ml|json|jsonc|csv|txt|j2|tmpl|template))\\b[^|`*]{0,80}(?:`|\\*\\*)")
	// A heading or a line that says in which folder the files below it are.
	folderLine = regexp.MustCompile("(?i)(?:^|[\\s`(*\\[])(scripts|references?|resources|assets|templates)/((?:[\\w-]+/)*)[`)*\\s:]*(?:\\s|$)|^#+\\s*(scripts|references?|resources|assets|templates)\\s*$")
	// An item that names a folder, with the files in it as items below.
	folderItem = regexp.MustCompile("^\\s*[-*+]\\s+[*`]*([\\w-]+(?:/[\\w-]+)*)/[`*]*(?:\\s|:|$)")
	// A heading of what the skill brings along.
	ownHeading = regexp.MustCompile(`(?i)^#+\s*(?:supporting (?:files|documentation|documents|docs|materials)|bundled (?:resources|files|scripts|assets)|(?:skill|included|reference|detailed) (?:files|documentation|docs|documents)|files in this skill)\s*:?$`)
	// A file of which the words beside it say in which folder it is.
	inFolder = regexp.MustCompile("(?:^|[\\s`*(])([\\w-][\\w.-]*\\.(?:md|py|sh|js|ts|json|ya?ml|txt|html))[`*]*\\s+(?:in|from|inside|under)\\s+(?:the |this skill(?:'s|’s)? |its )?[`*]*(scripts|references?|resources|assets|templates)(?:/[`*]*|[`*]*\\s+(?:folder|directory))")
	// A page that the reader is sent to for something.
	pointed = regexp.MustCompile("(?i)(?:^|[^\"“\\w])(?:see|refer to|consult|load)[\\s*:`@]{1,8}([\\w-]+\\.md)[\\s*`]+(?:#\\d+ |\\([^)]*\\) )?(?:for|when|to understand)\\b")
	// Pages that projects and agents keep.
	projectPage = regexp.MustCompile(`(?i)^(?:readme|claude|agents?|gemini|contributing|changelog|license|security|soul|memory|user|identity|tools|heartbeat|context|plan|spec|design|state|todos?|tasks?|roadmap|progress|product|notes?|skill|architecture|requirements|decisions|index|project|workflow|status|prd|environment\w*|deployment|setup|style)\.md$`)
	// Words of an item that say that its file comes into being, or lies elsewhere.
	notShipped = regexp.MustCompile(`(?i)://|\b(?:your|you|creat\w+|generat\w+|output\w*|workspace|optional|auto\w*|user|gitignore\w*|sav\w+|stor\w+|if present|not included)\b`)
	// Files about the bundle as a whole, which markets drop and no reader needs.
	about = regexp.MustCompile(`(?i)^(?:readme|license|changelog|contributing)(?:\.\w+)?$`)
	// Data that a skill rather keeps than ships.
	kept = regexp.MustCompile(`(?i)\.(?:json|jsonc|csv|txt|ya?ml|toml)$`)
)

// fileList is a list of files while it is read.
type fileList struct {
	above  string // the line that stands above it
	folder string // that an item names, of which the deeper items below are files
	depth  int    // of that item
	items  []fileRow
}

type fileRow struct {
	name, row, folder string
	line              int
}

// lists adds the files that lists claim for the skill, and those that a sentence sends the reader to.
func (s *scanner) lists(text string, line int) {
	if s.page != "" {
		return
	}
	var list fileList
	for row := range strings.SplitSeq(text, "\n") {
		if len(row) <= maxDestination*2 {
			if strings.Contains(row, ".") {
				s.sends(row, line)
			}
			s.listRow(&list, row, line)
		}
		line++
	}
	s.endList(&list)
}

// sends adds the files of which a row says in which folder they are, or what for the reader is to look there.
func (s *scanner) sends(row string, line int) {
	if strings.Contains(row, "script") || strings.Contains(row, "reference") || strings.Contains(row, "resource") || strings.Contains(row, "asset") || strings.Contains(row, "template") {
		for _, m := range inFolder.FindAllStringSubmatch(row, -1) {
			s.add(candidate{text: strings.ToLower(m[2]) + "/" + m[1], line: line, kind: Plain, listed: true})
		}
	}
	if !strings.Contains(row, ".md") {
		return
	}
	for _, m := range pointed.FindAllStringSubmatchIndex(row, -1) {
		if name := row[m[2]:m[3]]; !projectPage.MatchString(name) {
			s.loose[name] = true
			s.add(candidate{text: name, line: line, kind: Plain, before: row[:m[2]], listed: true})
		}
	}
}

func (s *scanner) listRow(list *fileList, row string, line int) {
	trimmed := strings.TrimLeft(row, " \t")
	depth := len(row) - len(trimmed)
	trimmed = strings.TrimSpace(trimmed)
	if trimmed == "" {
		return
	}
	if depth <= list.depth {
		list.folder = ""
	}
	mark := strings.IndexByte("-*+|0123456789", trimmed[0]) >= 0
	if mark && strings.Contains(row, ".") {
		if m := fileItem.FindStringSubmatch(row); m != nil {
			list.items = append(list.items, fileRow{m[1], row, list.folder, line})
			return
		}
	}
	switch {
	case mark && itemStart.MatchString(row):
		if m := folderItem.FindStringSubmatch(row); m != nil && list.folder == "" {
			list.folder, list.depth = m[1]+"/", depth
		}
	case trimmed[0] == '|', len(list.items) > 0 && depth > 0:
	default:
		s.endList(list)
		list.above = trimmed
		if trimmed[0] == '#' {
			s.heading = trimmed
		}
	}
}

// endList adds the files of a list that has ended.
func (s *scanner) endList(list *fileList) {
	items := list.items
	list.items = nil
	if len(items) == 0 || creates(list.above) {
		return
	}
	folder := ""
	for _, head := range []string{list.above, s.heading} {
		if m := folderLine.FindStringSubmatch(head); m != nil {
			folder = strings.ToLower(m[1]+m[3]) + "/" + m[2]
			break
		}
	}
	beside := map[string]string{} // the folders of files that are there, as written, and what leads to them
	for _, it := range items {
		switch actual := s.tree.bases[path.Base(it.name)]; {
		case s.tree.has(it.name):
			beside[path.Dir(it.name)] = "./"
		case actual != "" && strings.HasSuffix(actual, "/"+it.name):
			beside[path.Dir(it.name)] = strings.TrimSuffix(actual, it.name)
		}
	}
	for _, it := range items {
		if name, ok := s.listed(it, folder, beside[path.Dir(it.name)]); ok {
			s.add(candidate{text: name, line: it.line, kind: Inline, listed: true})
		}
	}
}

// listed returns the path of a list's item that is claimed for the skill: folder is what the words above say, and
// beside what leads to others of its folder that are there.
func (s *scanner) listed(it fileRow, folder, beside string) (string, bool) {
	if _, there := s.tree.bases[path.Base(it.name)]; there || notShipped.MatchString(it.row) || about.MatchString(it.name) {
		return "", false
	}
	bare := !strings.Contains(it.name, "/")
	switch {
	case bare && it.folder != "":
		return it.folder + it.name, OwnFolder(it.folder+it.name) || s.tree.dirs[strings.TrimSuffix(it.folder, "/")]
	case bare && folder != "":
		return folder + it.name, !strings.HasPrefix(folder, "reference") || !programSuffix.MatchString(it.name)
	case kept.MatchString(it.name):
		return "", false
	case beside != "", bare && ownHeading.MatchString(s.heading):
		name := path.Join(beside, it.name)
		s.loose[name] = !strings.Contains(name, "/")
		return name, true
	}
	return "", false
}
