package reference

import (
	"regexp"
	"slices"
	"strings"
)

// claim says whose a file is that is not there.
//
// For the skill speak: a link, a prefix that stands for its folder, a folder that skills keep their own files in, a list
// of the skill's files, and a program that is run out of a folder of the bundle. Against it: words before the path
// that say that it comes into being, or that it belongs to a project or to another skill, and names that stand for any
// file. Between the two lie places at which as many readers would say the one as the other.
type claim int

const (
	foreign     claim = iota // the user's project's, another skill's, to be made, or an example
	doubtful                 // perhaps the skill's own
	unlessAlone              // the skill's own if it keeps other files beside it, else doubtful
	own
)

// ownFolders are the folders in which skills keep their own files: the three that agentskills.io names and
// those that authors use beside them. A path below one of them is taken for the skill's own.
var ownFolders = map[string]bool{
	"scripts": true, "references": true, "assets": true,
	"reference": true, "resources": true, "templates": true,
}

// OwnFolder reports whether a path lies below one of the folders in which skills keep their own files.
func OwnFolder(file string) bool {
	folder, rest, nested := strings.Cut(file, "/")
	return nested && rest != "" && ownFolders[folder]
}

var (
	extension = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{0,9}$`)
	// Names that stand for any file.
	placeholder = regexp.MustCompile(`(?i)(^|[/_.-])(my|your|foo|bar|baz|xxx+|yyyy|nnn+|path/to|placeholder|filename)([/_.-]|\d*$)|(^|/)(example|name|file|(?:script|reference|file)[-_](?:name|file)|script|skill-name|topic|topic-details|some-\w+|x|y)\d*\.`)
	// Files of settings and secrets, and folders, that every user fills.
	hidden = regexp.MustCompile(`(?:^|/)\.(?:\w+|env\.local)$`)
	// Verbs that say what is done with a path: made, or used. The last one before it counts.
	verb = regexp.MustCompile(`(?i)\b(?:(creat(?:e|es|ed|ing)|generat\w+|writ\w+|sav\w+|outputs?|produc\w+|stor(?:e|es|ed|ing)|export\w*|adds?|adding|put|make|emit\w*|rename\w*|e\.g|for example|for instance|such as|like|mov(?:e|es|ed|ing) to)|see|read|load|open|run|runs|use|uses|using|refer|copy|consult|follow|following the|check|execute|import|from|via|with|per|based on|(?:template|format|schema|structure|described|defined|specified|documented|table|list) in)\b|\b((?:examples?|good|bad|wrong|avoid)\*{0,2}:)|\b(into(?: an? (?:new )?file)?:?[\s\x60"]*)$|(生成|创建|写入|保存|输出)|读取|阅读|参考|详见|运行|执行|使用|加载|查看`)
	// Another skill's file, and a file that may be there or not.
	neighbour   = regexp.MustCompile("(?i)\\b(?:sibling|neighbou?r(?:ing)?|other|another) skill\\b|\\b[a-z0-9]+(?:-[a-z0-9]+)+[`*_\"]*(?: skill)?['’]s[`*_\"(\\s]*$|\\b[Cc]heck (?:if|whether)[`*_\"( ]*$|`[\\w-]+`[^`\\w]*(?:see )?its[`*\\s]*$")
	yourProject = regexp.MustCompile(`(?i)\b(your|the|user'?s|target) (project|repo|repository|codebase|app|application|workspace)\b|\bproject('s)? root\b`)
	// A skill that is called by its name.
	namedSkill = regexp.MustCompile("\\bthe [`*]*([a-z0-9]+(?:-[a-z0-9]+)+)[`*]* skill:?[^.]*$")
	// Words that leave no doubt.
	bundled = regexp.MustCompile(`(?i)\bbundled?\b|\b(?:this|the) skill['’]?s\b|\bthis skill\b`)
	// Names that a project gives to scripts of its own.
	usual = regexp.MustCompile(`^scripts/(?:setup|install|deploy|build|tests?|start|stop|run|migrate|seed|release|rollback|backup|dev|ci|lint|bootstrap)\.\w+$`)
)

// claims says whose a path is that is not there.
func (s *scanner) claims(file string, c candidate, explicit prefix) claim {
	if strings.HasSuffix(c.text, "/") || !extension.MatchString(file) || placeholder.MatchString(file) || hidden.MatchString(file) {
		return foreign
	}
	sure := explicit == fromSkill || c.kind == Link
	if !sure && !c.listed && !OwnFolder(file) && !s.runsOwn(file, c) {
		if strings.HasSuffix(file, ".md") && creates(c.before) {
			s.created[file] = true
		}
		return foreign
	}
	if creates(c.before) || explicit == none && (yourProject.MatchString(c.before) || s.anothers(c.before)) {
		s.created[file] = true
		return foreign
	}
	folder, _, _ := strings.Cut(file, "/")
	switch {
	case explicit == fromSkill && !ownFolders[folder] && kept.MatchString(file) && !shipped.MatchString(file):
		return doubtful
	case sure, c.listed, bundled.MatchString(c.before):
		return own
	case c.use == input, c.use == elsewhere, c.kind == Command && len(s.cloned) > 0 && !s.tree.dirs[folder]:
		return doubtful
	case folder == "scripts" && !s.tree.dirs[folder] && (projectSkill.MatchString(s.tree.dir) || usual.MatchString(file)):
		return unlessAlone
	}
	return own
}

// projectSkill is the folder of a skill that a project keeps for work on itself. Its scripts/ is more often the project's.
var projectSkill = regexp.MustCompile(`(?:^|/)\.[a-z]+/skills/`)

// built are folders that a build fills. A package that is shipped without one is built first, or brings it along.
var built = map[string]bool{"dist": true, "build": true, "out": true, "lib": true}

var buildStep = regexp.MustCompile(`(?i)\b(?:build|tsc|compile|make|install)\b`)

// runsOwn reports whether a command runs a program out of a folder of the bundle, or out of one that only a build of the
// bundle fills where no word tells the reader to build.
func (s *scanner) runsOwn(file string, c candidate) bool {
	folder, _, nested := strings.Cut(file, "/")
	if c.use != executed || !nested || !programSuffix.MatchString(file) {
		return false
	}
	_, packed := s.tree.files["package.json"]
	return s.tree.dirs[folder] || packed && built[folder] && !buildStep.Match(s.text)
}

// anothers reports whether the words before a path say that it is another skill's.
func (s *scanner) anothers(before string) bool {
	if neighbour.MatchString(before) {
		return true
	}
	m := namedSkill.FindStringSubmatch(before)
	return m != nil && !slices.Contains(s.names, m[1])
}

// creates reports whether the words before a path say that it comes into being. In a table its own cell tells.
func creates(before string) bool {
	if row := strings.TrimSpace(before); row != "" && row[0] == '|' {
		before = row[strings.LastIndexByte(row, '|'):]
	}
	all := verb.FindAllStringSubmatchIndex(before, -1)
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last[2] >= 0 || last[4] >= 0 || last[6] >= 0 || last[8] >= 0
}
