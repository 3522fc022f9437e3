package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"skillcorpus/index/words"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tug-boat":           "tug boat tugboat",
		"C++ and c#, F#":     "cpp and csharp fsharp",
		".NET":               "dotnet net",
		"ASP.NET":            "asp dotnet net aspnet",
		"network .gitkeep":   "network gitkeep",
		"node.js 22.4":       "node js nodejs 22 4 22.4",
		"fetchData":          "fetch data fetchdata",
		"HTTPServer PDFs":    "http server httpserver pdfs",
		"snake_case_name":    "snake case name snakecasename",
		"iOS LaTeX":          "ios latex",
		"master's isn’t":     "master isnt",
		"a/b/c":              "a b c",
		"i++":                "i",
		"Rédiger CAFÉ ﬁle":   "rediger cafe file",
		"Straße Øre":         "strasse ore",
		"ＤＢ":                 "db",
		"潮":                  "潮",
		"潮汐表":                "潮汐 汐表",
		"先make-log后":         "先 make log makelog 后",
		"テスト":                "テス スト",
		"Москва":             "москва",
		"":                   "",
		"-._'\"🦀":            "",
		"crab\x00bucket":     "crab bucket",
		"\xff\xfebad\xff":    "bad",
		"aaaa-" + long + "b": "aaaa",
	} {
		if got := strings.Join(words.Query(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

var long = strings.Repeat("x", words.MaxLength)

func TestDocumentHasCharacters(t *testing.T) {
	t.Parallel()
	var got []string
	words.Document("潮汐", func(word []byte) { got = append(got, string(word)) })
	if want := []string{"潮", "汐", "潮汐"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for _, pair := range []string{
		"notes note", "files file", "boxes box", "statues statue", "buses bus", "classes class", "categories category",
		"caches cache", "sizes size", "quizzes quiz", "movies movie", "houses house", "databases database", "aliases alias",
		"analyses analysis", "indices index", "APIs api", "heroes hero", "responses response", "matches match", "gpus gpu",
	} {
		many, one, _ := strings.Cut(strings.ToLower(pair), " ")
		if words.Stem(many) != words.Stem(one) {
			t.Errorf("%s is %s, %s is %s", many, words.Stem(many), one, words.Stem(one))
		}
	}
	for _, pair := range []string{"status statue", "news new", "bus bu", "glass glas", "css cs", "aws aw", "lens len", "redis redi"} {
		a, b, _ := strings.Cut(pair, " ")
		if words.Stem(a) == words.Stem(b) {
			t.Errorf("%s and %s are both %s", a, b, words.Stem(a))
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		" Self Tide_Agent ": "self-tide-agent", "reef-": "reef-", "A - B": "a-b", "Owner/Repo": "owner/repo", "ＤＢ": "db",
	} {
		if got := words.Key(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// FuzzQuery holds what the index relies on: words are short, valid, lower and hold nothing that separates.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"C++ .NET node.js", "潮汐make-log", "isn't \"AND\"", "\xff\xfe", "ﷺ x̂ Ⅷ", "a_b-c.d", "ＤＢ’s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range words.Query(text) {
			if word == "" || len(word) > words.MaxLength || !utf8.ValidString(word) || strings.ContainsAny(word, " =\"'*()-_:\x00") {
				t.Errorf("%q gives the word %q", text, word)
			}
			if words.Stem(word) == "" {
				t.Errorf("%q has no stem", word)
			}
		}
	})
}
