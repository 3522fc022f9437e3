package skillsmp

import (
	"maps"
	"slices"
	"strings"
)

const (
	least        = 0.02 // of a page: what has to be new for a request to be worth it, once the walk cannot be complete
	firstSize    = 600  // rows that a category is thought to have until it was asked
	manyRows     = 10.0 // of a language, before it is worth a partition of its own
	cappedFactor = 0.6  // what a word is worth that probably has more rows than a query shows
)

// cell is a part of the marketplace that filters cut out: all of it, a category, or one language in that.
type cell struct {
	Category string          `json:"c,omitempty"`
	Language string          `json:"l,omitempty"`
	Size     float64         `json:"size,omitempty"`   // rows, as far as totals tell; 0 is unknown
	Unseen   float64         `json:"unseen"`           // share of its rows that are thought to be new
	Capped   bool            `json:"capped,omitempty"` // the query for all of it was, or its first word
	Recent   bool            `json:"recent,omitempty"` // was read by time, too
	Main     string          `json:"main,omitempty"`   // its first query
	Done     bool            `json:"done,omitempty"`
	Tried    map[string]bool `json:"tried,omitempty"`
}

// choose returns the partition whose next page is to be asked, or nil at the end.
func (w *walk) choose() *partition {
	for !w.Over && !w.Capped {
		for _, p := range w.Open {
			if p.Round == 0 {
				return p
			}
		}
		if len(w.Open) > 0 {
			return w.Open[0]
		}
		w.settle()
	}
	if w.Over {
		return nil
	}
	best, promise := w.bestOpen()
	if p, more := w.candidate(promise); p != nil {
		w.Open = append(w.Open, p)
		w.cellOf(p.query).try(p)
		best, promise = p, more
	}
	if promise < least*float64(w.Limit) {
		w.Over, w.Open = true, nil
		return nil
	}
	return best
}

// settle ends a walk in which nothing was capped, or finds that it did not show everything.
func (w *walk) settle() {
	if w.Sample.len() > 0 || !w.Parts && w.Seen.len() > 0 {
		w.giveUp()
		return
	}
	w.Over = true
}

// giveUp goes on without the hope of being complete.
func (w *walk) giveUp() {
	if w.Capped {
		return
	}
	w.Capped, w.Sample = true, keys{}
	clear(w.owner)
	if !w.Parts { // letters are no words
		w.Open = slices.DeleteFunc(w.Open, func(p *partition) bool { return len(p.Text) == 1 && p.Asked == 0 })
	}
	for _, p := range w.Open {
		p.IDs, p.shown, p.doubts = keys{}, nil, nil
	}
	if len(w.Cells) == 1 {
		w.addCategories()
	}
	w.Cells[0].Unseen = 0.5
}

func (w *walk) addCategories() {
	for _, category := range w.categories {
		w.addCell(&cell{Category: category, Unseen: 1})
	}
}

// addCell adds a cell that isn't there yet.
func (w *walk) addCell(c *cell) {
	if !slices.ContainsFunc(w.Cells, func(other *cell) bool { return other.Category == c.Category && other.Language == c.Language }) {
		w.Cells = append(w.Cells, c)
	}
}

// learn takes from the first page of a partition what it says of the search and of the cell.
func (w *walk) learn(p *partition, rows []entry, isNew int, told pagination) {
	at := w.cellOf(p.query)
	inside := slices.ContainsFunc(rows, func(row entry) bool { return !holds(row, p.Text) })
	w.Parts = w.Parts || inside && len(p.Text) < 2 || inside && p.Text == wide
	if p.Category != "" && w.miss(at, p, isNew) {
		return
	}
	switch {
	case p.Text == wide && at == w.Cells[0] && !w.Capped && p.Round == 0 && !inside:
		w.close(p)
		at.try(p)
		for _, letter := range letters {
			w.Open = append(w.Open, &partition{query: query{Text: string(letter)}, Page: 1, Rate: float64(w.Limit)})
		}
	case p.Text == wide && at == w.Cells[0] && told.capped() && !w.Wide && !w.Capped:
		w.Wide = true
		w.split(p, rows)
	case p.Text == wide:
		w.Wide = true
	}
	if told.capped() && at != w.Cells[0] || told.capped() && p.Text != wide {
		w.giveUp()
	}
	w.resize(at, p, told)
}

// holds reports whether a row has one of a query's words as a word of its own.
func holds(row entry, text string) bool {
	asked := strings.Fields(text)
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(row.Name+"\n"+row.Description+"\n"+row.Author), notWord), func(word string) bool {
		return slices.Contains(asked, word)
	})
}

// miss counts categories whose first query shows nothing new, since the marketplace doesn't know them or doesn't filter,
// and reports the one after which none is believed in.
func (w *walk) miss(at *cell, p *partition, isNew int) bool {
	if w.Misses < 0 || p.Text != at.Main {
		return false
	}
	if isNew > 0 {
		w.Misses = -1
		return false
	}
	if w.Misses++; w.Misses < mostMisses {
		return false
	}
	w.Open = slices.DeleteFunc(w.Open, func(p *partition) bool { return p.Category != "" && p.Asked == 0 })
	w.giveUp()
	for _, c := range w.Cells[1:] {
		c.Done = true
	}
	return true
}

// split reads the marketplace by category.
func (w *walk) split(p *partition, rows []entry) {
	w.close(p)
	w.Cells[0].try(p)
	w.Cells[0].Capped = true
	for _, row := range rows {
		w.Sample.add(keyOf(row.ExternalID))
	}
	w.addCategories()
	for _, c := range w.Cells[1:] {
		p := &partition{query: query{Text: wide, Category: c.Category}, Page: 1, Rate: float64(w.Limit)}
		c.try(p)
		w.Open = append(w.Open, p)
	}
}

// resize learns a cell's size from a total.
func (w *walk) resize(at *cell, p *partition, told pagination) {
	rate := 1.0
	if known := w.Words.Of[p.Text]; known != nil && p.Text != wide {
		rate = w.Words.rate(known)
	}
	size := float64(told.Total) / rate
	if told.capped() {
		size = max(at.Size, 1.5*float64(w.Window)/rate)
	} else if at.Size > 0 && rate < 1 {
		size = (at.Size + size) / 2
	}
	at.Size = min(size, 1e8)
	if p.Text != at.Main {
		return
	}
	at.Capped = told.capped()
	switch {
	case at.Capped && w.Wide:
		at.Unseen = 0.8
		w.byLanguage(at)
	case w.Wide && p.Text == wide:
		at.Done = true
	case told.Total == 0 && at != w.Cells[0]:
		at.Done = true
	case at != w.Cells[0]:
		at.Unseen = max(1-rate, 0.2)
	}
}

// byLanguage cuts the languages of which there are few out of a cell that is capped.
func (w *walk) byLanguage(at *cell) {
	if at.Language != "" || at.Category == "" {
		return
	}
	for _, t := range w.Tongues {
		rows := at.Size * float64(t.Rows) / float64(w.Words.Rows)
		if rows > manyRows && rows < float64(w.Window)/2 {
			w.addCell(&cell{Category: at.Category, Language: t.Code, Unseen: 0.6, Size: rows})
		}
	}
}

// follow decides where a partition goes on in a walk that goes by promise.
func (w *walk) follow(p *partition, isNew, shown int, told pagination) {
	if p.Asked == 1 {
		p.Rate = float64(isNew)
		if at := w.cellOf(p.query); p.Text != at.Main && shown > 0 {
			at.Unseen = 0.7*at.Unseen + 0.3*float64(isNew)/float64(shown)
		}
	} else {
		p.Rate = (p.Rate + float64(isNew)) / 2
	}
	asked := p.Page
	if p.Back {
		p.Page = min(asked, told.Page) - 1
		if last := told.lastPage(); shown == 0 && p.Asked == 1 && last > 0 && last < asked {
			p.Page, p.Rate = last, float64(w.Limit)*w.cellOf(p.query).Unseen
			return
		}
		if p.Page < 1 || isNew == 0 {
			w.close(p)
		}
		return
	}
	p.Page++
	if !told.HasNext || told.Page != asked || shown == 0 || asked >= mostPage {
		w.close(p)
	}
}

// bestOpen returns the open partition whose next page promises most.
func (w *walk) bestOpen() (best *partition, promise float64) {
	for _, p := range w.Open {
		rate := p.Rate
		if left := p.Total - (p.Page-1)*w.Limit; p.Asked > 0 && !p.Back && p.Total < w.Window {
			rate *= min(1, max(0, float64(left))/float64(w.Limit))
		}
		if best == nil || rate > promise {
			best, promise = p, rate
		}
	}
	return best, promise
}

// candidate returns a partition that nobody has asked and that promises more, or nil.
func (w *walk) candidate(promise float64) (*partition, float64) {
	var best *partition
	limit := float64(w.Limit)
	words := slices.Sorted(maps.Keys(w.Words.Of))
	for _, at := range w.Cells {
		if at.Done {
			continue
		}
		if all := (query{wide, at.Category, at.Language, false}); w.Wide && !at.Tried[wide] {
			if rate := min(limit, at.size()) * at.Unseen; rate > promise {
				best, promise = &partition{query: all, Page: 1, Rate: rate}, rate
			}
			continue
		}
		if rate := limit * at.Unseen * 0.6; at.Capped && !at.Recent && rate > promise {
			best, promise = &partition{query: query{at.Main, at.Category, at.Language, true}, Page: 1, Rate: rate}, rate
		}
		for _, text := range words {
			known := w.Words.Of[text]
			share := w.Words.rate(known)
			if at.Main == "" {
				share = min(share, 0.8)
			}
			rows := share * at.size()
			rate := min(limit, rows) * at.Unseen * w.Words.lift(known)
			if at.Main == "" {
				rate = min(limit, rows) * at.Unseen * (0.5 + share/2) // the first query of a cell is to show as much as it can
			}
			if rows > float64(w.Window) && at.Main != "" {
				rate *= cappedFactor
			}
			if rate = min(rate, limit); rate > promise && !at.Tried[text] {
				best, promise = &partition{query: query{text, at.Category, at.Language, false}, Page: 1, Rate: rate}, rate
				if at.Capped {
					best.Back, best.Page = true, max(1, w.Window/w.Limit)
				}
			}
		}
	}
	return best, promise
}

func (c *cell) size() float64 {
	if c.Size > 0 {
		return c.Size
	}
	return firstSize
}

func (c *cell) try(p *partition) {
	if c.Tried == nil {
		c.Tried = make(map[string]bool)
	}
	if p.Recent {
		c.Recent = true
		return
	}
	c.Tried[p.Text] = true
	if c.Main == "" {
		c.Main = p.Text
	}
}

func (w *walk) cellOf(q query) *cell {
	for _, c := range w.Cells {
		if c.Category == q.Category && c.Language == q.Language {
			return c
		}
	}
	return w.Cells[0]
}
