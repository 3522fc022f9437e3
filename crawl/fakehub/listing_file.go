package fakehub

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// listed is one line of a listings file.
type listed struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Repo        string `json:"repo"`
	Path        string `json:"path"` // empty: unknown
	Category    string `json:"category"`
	Stars       int    `json:"stars"`
}

// openListing returns the rows of files of JSON lines, also in gzip, or without files those of a hub.
func openListing(of *index, names []string) (*listing, error) {
	l := &listing{index: of}
	for _, name := range names {
		rows, err := readListing(name)
		if err != nil {
			return nil, fmt.Errorf("read listings %s: %w", name, err)
		}
		l.given = append(l.given, rows...)
	}
	return l, nil
}

func readListing(name string) (rows []*row, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewReader(file)
	lines := json.NewDecoder(in)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		lines = json.NewDecoder(plain)
	}
	for {
		var line listed
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		rows = append(rows, line.row())
	}
}

// row invents what a line does not say: ids, URLs and times.
func (l listed) row() *row {
	owner, repo, _ := strings.Cut(l.Repo, "/")
	url := "https://github.com/" + l.Repo
	if l.Path != "" {
		url += "/tree/main/" + escapePath(l.Path)
	}
	age := time.Duration(draw(l.Repo+"/"+l.Name)%31_536_000) * time.Second // up to a year
	r := &row{
		ID:              dashed(l.Repo + "/" + l.Path + "/" + l.Name + "/SKILL.md"),
		Name:            l.Name,
		Author:          owner,
		Description:     l.Description,
		ContentLanguage: language(l.Description),
		GitHubURL:       url,
		SkillURL:        "https://skillsmp.com/creators/" + owner + "/" + repo + "/" + dashed(l.Name),
		Stars:           l.Stars,
		UpdatedAt:       time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(-age).Unix(),
	}
	r.finish(l.Category)
	return r
}
