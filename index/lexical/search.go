package lexical

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"skillcorpus/data"
	"skillcorpus/index/rank"
)

// Query is what to search for: terms of Terms, and what a skill must be to count.
type Query struct {
	Terms   []Term
	Filter  Filter
	Limit   int
	Weights Weights
}

// Filter restricts a search. Each set condition must hold; a list holds if one of its values does.
type Filter struct {
	Licenses []string // SPDX ids, letter case ignored
	Tiers    []data.Tier
	Sources  []string
	Repo     string // a repository's id, letter case ignored
	MinStars int
	Runnable bool // only skills that are runnable-complete
}

// Search returns the skills that hold words of the query by their BM25 score, greater ones first, then by id,
// at most Limit of them.
func (x *Index) Search(ctx context.Context, q Query) ([]rank.Candidate, error) {
	if len(q.Terms) == 0 {
		return nil, nil
	}
	where, args := q.Filter.where()
	inner := `SELECT w.rowid AS skill, ` + weigh(q.Weights) + ` AS score FROM words w WHERE words MATCH ?1`
	if where != "" {
		inner = `SELECT w.rowid AS skill, ` + weigh(q.Weights) + ` AS score FROM words w CROSS JOIN skills s ON s.rowid = w.rowid
			WHERE words MATCH ?1` + where
	}
	query := fmt.Sprintf(`SELECT s.id, s.rowid, -m.score, s.stars, s.installs, s.copy_of
		FROM (%s ORDER BY score, skill LIMIT %d) m CROSS JOIN skills s ON s.rowid = m.skill ORDER BY m.score, m.skill`,
		inner, q.Limit)
	var found []rank.Candidate
	err := x.each(ctx, query, append([]any{match(q.Terms)}, args...), func(rows *sql.Rows) error {
		var c rank.Candidate
		err := rows.Scan(&c.ID, &c.Number, &c.Score, &c.Stars, &c.Installs, &c.CopyOf)
		found = append(found, c)
		return err
	})
	return found, explain("search words", err)
}

// Candidates returns the skills with the given numbers, in the order of the numbers, without scores.
func (x *Index) Candidates(ctx context.Context, numbers []int) ([]rank.Candidate, error) {
	wanted, err := json.Marshal(numbers)
	if err != nil {
		panic(err) // numbers always marshal
	}
	found := make([]rank.Candidate, 0, len(numbers))
	err = x.each(ctx, `SELECT id, rowid, stars, installs, copy_of FROM skills WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
		[]any{string(wanted)}, func(rows *sql.Rows) error {
			var c rank.Candidate
			err := rows.Scan(&c.ID, &c.Number, &c.Stars, &c.Installs, &c.CopyOf)
			found = append(found, c)
			return err
		})
	return found, explain("read candidates", err)
}

// Passing returns for every number from 0 to Count whether its skill passes the filter; nil if the filter is
// empty.
func (x *Index) Passing(ctx context.Context, filter Filter) ([]bool, error) {
	where, args := filter.where()
	if where == "" {
		return nil, nil
	}
	passing := make([]bool, x.count+1)
	err := x.each(ctx, `SELECT s.rowid FROM skills s WHERE ?1 = ''`+where, append([]any{""}, args...), func(rows *sql.Rows) error {
		var number int
		if err := rows.Scan(&number); err != nil {
			return err
		}
		if number < 1 || number > x.count {
			return fmt.Errorf("%w: skill %d of %d", ErrDamaged, number, x.count)
		}
		passing[number] = true
		return nil
	})
	return passing, explain("filter skills", err)
}

// where returns the filter as further conditions on skills s, with arguments numbered from 2.
func (f Filter) where() (string, []any) {
	var out strings.Builder
	var args []any
	add := func(condition string, value any) {
		args = append(args, value)
		fmt.Fprintf(&out, " AND "+condition, len(args)+1)
	}
	if len(f.Licenses) > 0 {
		add(`lower(s.license) IN (SELECT lower(value) FROM json_each(?%d))`, list(f.Licenses))
	}
	if len(f.Tiers) > 0 {
		add(`s.tier IN (SELECT value FROM json_each(?%d))`, list(f.Tiers))
	}
	if len(f.Sources) > 0 {
		add(`EXISTS (SELECT 1 FROM json_each(s.sources) o JOIN json_each(?%d) w ON o.value = w.value)`, list(f.Sources))
	}
	if f.Repo != "" {
		add(`lower(s.repo) = lower(?%d)`, f.Repo)
	}
	if f.MinStars > 0 {
		add(`s.stars >= ?%d`, f.MinStars)
	}
	if f.Runnable {
		out.WriteString(" AND s.runnable")
	}
	return out.String(), args
}

// list returns the values as a JSON array, the form in which a column or a condition takes several.
func list[T ~string](values []T) string {
	if len(values) == 0 {
		return "[]"
	}
	out, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(out)
}

// Matched returns which of the terms a skill holds, by field. It asks for each word and field by itself: for
// explaining a few hits, not for ranking.
func (x *Index) Matched(ctx context.Context, id string, terms []Term) (map[Field][]string, error) {
	found := map[Field][]string{}
	for _, field := range Fields() {
		for _, t := range terms {
			word := t.Stem
			if field == FieldExact {
				word = string(exactMark) + t.Word
			}
			var holds bool
			err := x.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM words WHERE words MATCH ?
				AND rowid = (SELECT rowid FROM skills WHERE id = ?))`, string(field)+" : "+quote(word), id).Scan(&holds)
			if err != nil {
				return nil, explain("explain match", err)
			}
			if holds {
				found[field] = append(found[field], t.Word)
			}
		}
	}
	return found, nil
}
