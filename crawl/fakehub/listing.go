package fakehub

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// row is one skill as SkillsMP lists it.
type row struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	Author          string `json:"author"`
	Description     string `json:"description"`
	ContentLanguage string `json:"contentLanguage"`
	GitHubURL       string `json:"githubUrl"`
	SkillURL        string `json:"skillUrl"`
	Stars           int    `json:"stars"`
	UpdatedAt       int64  `json:"updatedAt"` // unix seconds

	leaves []string // the leaf categories that it is in
	text   string   // what a query is compared with, in lower case
	words  string   // the same as words, with a space before and after each
}

// listing is every skill of a hub as rows, or the rows of files in their place.
type listing struct {
	index    *index
	given    []*row // of files
	once     sync.Once
	byStars  []*row
	byUpdate []*row
	err      error
}

// rows returns the rows by stars or by time of update, the highest first. The first call reads all archives.
func (l *listing) rows(recent bool) ([]*row, error) {
	l.once.Do(l.read)
	if recent {
		return l.byUpdate, l.err
	}
	return l.byStars, l.err
}

func (l *listing) read() {
	if l.byStars, l.err = l.all(); l.err != nil {
		return
	}
	l.byUpdate = slices.Clone(l.byStars)
	slices.SortFunc(l.byStars, func(a, b *row) int { return descending(a, b, int64(a.Stars), int64(b.Stars)) })
	slices.SortFunc(l.byUpdate, func(a, b *row) int { return descending(a, b, a.UpdatedAt, b.UpdatedAt) })
}

func (l *listing) all() ([]*row, error) {
	if l.given != nil {
		return l.given, nil
	}
	var all []*row
	for _, r := range l.index.repos {
		if r.Commit == "" {
			continue
		}
		rows, err := r.rows()
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func descending(a, b *row, valueA, valueB int64) int {
	if valueA != valueB {
		if valueA > valueB {
			return -1
		}
		return 1
	}
	return strings.Compare(a.ID+a.GitHubURL, b.ID+b.GitHubURL)
}

func (r *repository) rows() ([]*row, error) {
	a, err := r.openArchive(r.head())
	if err != nil {
		return nil, err
	}
	defer a.close()
	var rows []*row
	for _, m := range a.members {
		if !m.isSkill() {
			continue
		}
		content, err := m.content()
		if err != nil {
			return nil, err
		}
		rows = append(rows, r.row(m.path, content))
	}
	return rows, nil
}

func (r *repository) row(file string, content []byte) *row {
	owner, repo, _ := strings.Cut(r.Repo, "/")
	folder := parent(file)
	slug := path.Base("/" + folder)
	if folder == "" {
		slug = repo
	}
	name, description := frontmatter(content)
	if name == "" {
		name = slug
	}
	sum := sha256.Sum256([]byte(strings.ToLower(r.Repo) + "/" + folder))
	age := time.Duration(binary.BigEndian.Uint32(sum[:4])%7_776_000) * time.Second // skills are as old as their repository, or up to 90 days older
	row := &row{
		ID:              dashed(r.Repo + "/" + file),
		Name:            name,
		Author:          owner,
		Description:     description,
		ContentLanguage: language(description),
		GitHubURL:       strings.TrimSuffix("https://github.com/"+r.Repo+"/tree/"+r.branch+"/"+escapePath(folder), "/"),
		SkillURL:        fmt.Sprintf("https://skillsmp.com/creators/%s/%s/%s", owner, repo, dashed(slug)),
		Stars:           r.stars,
		UpdatedAt:       r.pushed.Add(-age).Unix(),
	}
	row.finish("")
	return row
}

// finish fills in what queries look at. group is the category that a file gives, empty where none does.
func (r *row) finish(group string) {
	r.text = strings.ToLower(r.Name + "\n" + r.Description + "\n" + r.Author)
	r.words = " " + strings.Join(strings.FieldsFunc(r.text, notWord), " ") + " "
	r.leaves = leaves(group, r.GitHubURL+r.Name)
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// dashed is a lossy id: lower case, every run of other characters one dash.
func dashed(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), notWord), "-")
}

// language tells a text's language by its script alone.
func language(text string) string {
	for _, known := range []struct {
		code   string
		script *unicode.RangeTable
	}{{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul}, {"ru", unicode.Cyrillic}, {"zh", unicode.Han}} {
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(known.script, r) }) {
			return known.code
		}
	}
	return "en"
}

// frontmatter reads name and description as a marketplace would: by YAML, and where that refuses, from the first line
// that begins with the key.
func frontmatter(content []byte) (name, description string) {
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), "\ufeff"), "\r\n", "\n")
	text, ok := strings.CutPrefix(strings.TrimLeft(text, "\n"), "---\n")
	if !ok {
		return "", ""
	}
	block, _, ok := strings.Cut(text, "\n---")
	if !ok {
		return "", ""
	}
	var fields struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.Load([]byte(block), &fields); err == nil {
		return strings.TrimSpace(fields.Name), strings.TrimSpace(fields.Description)
	}
	return firstLine(block, "name"), firstLine(block, "description")
}

func firstLine(block, key string) string {
	for line := range strings.SplitSeq(block, "\n") {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}
