package facts

import "strings"

// The phrases that tell a page's purpose, in the languages of most skills: English first, then Chinese, Japanese, Korean,
// Spanish, Portuguese, French, German and Russian. A star stands for the rest of a word.

// setupPhrases stand in headings over what to install or how to begin.
func setupPhrases() []string {
	return []string{
		"install*", "setup", "set up", "set-up", "prerequisite*", "getting started", "quick start*", "quickstart*", "quick-start*",
		"安装*", "安裝*", "设置*", "設定*", "前置*", "快速*", "インストール*", "セットアップ*", "クイックスタート*", "前提*", "설치*", "시작*", "instala*", "configuraci*",
		"requisitos*", "inicio rápido*", "início rápido*", "prérequis*", "démarrage*", //nolint:misspell // French
		"einrichtung*", "voraussetzung*", "schnellstart*",
		"установка*", "начало*",
	}
}

// patternPhrases stand in headings over what to heed, rather than what to do.
func patternPhrases() []string {
	return []string{
		"pattern", "patterns", "best practice", "best practices", "best-practices", "anti-patterns", "antipattern", "antipatterns",
		"principle", "principles", "mistake", "mistakes", "pitfall", "pitfalls", "guideline", "guidelines", "checklist", "checklists",
		"don't", "don'ts", "dont", "donts", "avoid", "最佳*", "原则*", "模式*", "ベスト*", "パターン*", "原則*", "모범*", "buenas prácticas",
		"boas práticas", "bonnes pratiques",
	}
}

// guidePhrases stand in the name or description of a guide.
func guidePhrases() []string {
	return []string{
		"best practice", "best practices", "best-practice", "best-practices", "pattern", "patterns", "guideline", "guidelines", "guide",
		"guides", "principles", "standards", "expert", "specialist", "architect", "conventions", "最佳实践*", "最佳實踐*", "模式*", "指南*",
		"规范*", "原则*", "专家*", "ベストプラクティス*", "パターン*", "ガイド*", "原則*", "가이드*", "패턴*", "buenas prácticas",
		"patrones", "guía*", //nolint:misspell // Spanish
		"padrões", "boas práticas", "patrons", "bonnes pratiques", "leitfaden*", "richtlinien", "руководство*",
	}
}

// personaPhrases tell the reader who to be.
func personaPhrases() []string {
	return []string{
		"you are a", "you are an", "you are the", "you're a", "you're an", "you're the", "act as a", "act as an", "act as the", "as an expert",
		"as a senior", "你是*", "您是*", "あなたは*", "당신은*", "eres un", "eres una", "eres el", "eres la", "você é", "tu es un", "tu es une",
		"vous êtes un", "vous êtes une", "du bist", "ты —*", "вы —*",
	}
}

// find returns the first of some phrases that a text in lower case holds as words of their own, and where.
func find(lower string, phrases []string) (phrase string, at int, found bool) {
	for _, phrase := range phrases {
		word, stem := strings.CutSuffix(phrase, "*")
		for from := 0; ; {
			at := strings.Index(lower[from:], word)
			if at < 0 {
				break
			}
			at += from
			end := at + len(word)
			if (word[0] >= 0x80 || at == 0 || !isWord(lower[at-1])) && (stem || end == len(lower) || !isWord(lower[end])) {
				return word, at, true
			}
			from = end
		}
	}
	return "", 0, false
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' }
