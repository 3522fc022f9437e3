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

	text string // what a query is compared with, in lower case
}

// listing is every skill of a hub as rows.
type listing struct {
	index    *index
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
	for _, r := range l.index.repos {
		if r.Commit == "" {
			continue
		}
		rows, err := r.rows()
		if err != nil {
			l.err = err
			return
		}
		l.byStars = append(l.byStars, rows...)
	}
	l.byUpdate = slices.Clone(l.byStars)
	slices.SortFunc(l.byStars, func(a, b *row) int { return descending(a, b, int64(a.Stars), int64(b.Stars)) })
	slices.SortFunc(l.byUpdate, func(a, b *row) int { return descending(a, b, a.UpdatedAt, b.UpdatedAt) })
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
	a, err := r.openArchive()
	if err != nil {
		return nil, err
	}
	defer a.close()
	var rows []*row
	for _, m := range a.members {
		if !strings.EqualFold(path.Base(m.path), "SKILL.md") || m.mode == "120000" {
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
	row.text = strings.ToLower(name + "\n" + description + "\n" + owner)
	return row
}

// dashed is a lossy id: lower case, every run of other characters one dash.
func dashed(text string) string {
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(parts, "-")
}

func language(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "zh"
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
