package words

import "strings"

// Stem returns the form that a word's singular and regular plural share. It only folds plurals: status and
// statue, news and new stay apart, and so do verbs and nouns.
func Stem(word string) string {
	if fixed, ok := irregular(word); ok {
		return fixed
	}
	if len(word) < 4 {
		return word
	}
	if stem, ok := withoutS(word); ok {
		word = stem
	}
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ie"):
		return word[:len(word)-2] + "y"
	case len(word) > 3 && softE(word):
		word = word[:len(word)-1]
	}
	if strings.HasSuffix(word, "zz") {
		word = word[:len(word)-1]
	}
	return word
}

// withoutS takes the plural's s away, if it is one.
func withoutS(word string) (string, bool) {
	if !strings.HasSuffix(word, "s") || keepsS(word) {
		return "", false
	}
	for _, ending := range [...]string{"ss", "us", "is"} {
		if strings.HasSuffix(word, ending) {
			return "", false
		}
	}
	if strings.HasSuffix(word, "yses") {
		return word[:len(word)-2] + "is", true
	}
	return word[:len(word)-1], true
}

// softE reports whether a final e may be the plural's (`box(es)`, `bus(es)`) or the word's own (`cache(s)`):
// it is dropped from both, so that they meet without a dictionary.
func softE(word string) bool {
	for _, ending := range [...]string{"se", "xe", "ze", "che", "she", "oe"} {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// keepsS reports whether the final s belongs to the word.
func keepsS(word string) bool {
	switch word {
	case "news", "alias", "bias", "canvas", "atlas", "pandas", "lens", "always", "perhaps", "https", "macos",
		"kubernetes", "postgres", "jenkins", "physics", "mathematics", "statistics", "analytics", "graphics",
		"economics", "robotics", "genomics", "proteomics", "mechanics", "dynamics", "kinematics", "ethics",
		"semantics", "logistics", "diagnostics", "diabetes", "keras", "nexus", "chaos", "nodejs", "threejs",
		"nextjs", "vuejs", "reactjs", "expressjs", "nestjs":
		return true
	}
	return false
}

// irregular returns the singular of the words that the endings would get wrong.
func irregular(word string) (string, bool) {
	switch word {
	case "ids", "prs", "dbs", "vms", "pcs", "uis", "apis", "kpis", "clis", "guis", "cpus", "gpus", "menus":
		return word[:len(word)-1], true
	case "matrices":
		return "matrix", true
	case "indices":
		return "index", true
	case "vertices":
		return "vertex", true
	case "appendices":
		return "appendix", true
	case "children":
		return "child", true
	}
	return "", false
}
