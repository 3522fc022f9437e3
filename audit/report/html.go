package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"skillcorpus/data"
)

// The page's parts. The charts are our own few rectangles: the libraries at hand draw their text and colours into the
// image, so that it neither follows the reader's light or dark theme nor stays readable when a phone shrinks it.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
)

// page is what the template sees.
type page struct {
	*Figures
	Policy   string
	Style    template.CSS
	Script   template.JS
	TierBars []tierBar
	Strips   []strip
	RuleBars []ruleBar
	Needs    []needs
	Cut      bool
}

type tierBar struct {
	Counted
	Class    string
	X, Width float64
}

// strip is a Spread with the places of its marks, 0 to 100.
type strip struct {
	Spread
	Title                          string
	P5, P25, P50, P95, Half, Paper float64
	HasPaper                       bool
}

type ruleBar struct {
	Struck
	Short string
	Width float64
}

type needs struct {
	Kind  string
	Names []Needed
}

// HTML writes the figures as one page that holds all it needs: a policy inside it forbids the browser to fetch
// anything. Texts of strangers are escaped by html/template.
func HTML(w io.Writer, f *Figures) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"percent": percent, "hundred": func(share float64) float64 { return round(100 * share) }, "number": number, "p": pValue,
		"share": func(count, of int) string { return percent(float64(count) / float64(max(of, 1))) },
		"part":  func(count, of int) float64 { return round(100 * float64(count) / float64(max(of, 1))) },
		"count": grouped, "words": func(name string) string { return strings.ReplaceAll(name, "_", " ") }, "title": Title, "clip": clipped,
	}).Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("page template: %w", err)
	}
	return t.Execute(w, page{
		Figures: f, Style: template.CSS(pageCSS), Script: template.JS(pageJS), //nolint:gosec // both are our own files
		Policy:   fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(pageCSS), digest(pageJS)),
		TierBars: tierBars(f), Strips: strips(f), RuleBars: ruleBars(f), Needs: needsOf(f), Cut: f.Skills-f.Copies > len(f.Listed),
	})
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// tierBars are in the order of the tiers, the best first.
func tierBars(f *Figures) []tierBar {
	var bars []tierBar
	x := 0.0
	for _, known := range []tierBar{
		{Class: "fill", Counted: Counted{Name: string(data.TierFunctional)}},
		{Class: "other", Counted: Counted{Name: string(data.TierPartial)}},
		{Class: "quiet", Counted: Counted{Name: string(data.TierReferenceOnly)}},
	} {
		for _, tier := range f.Tiers {
			if tier.Name == known.Name {
				width := round(100 * float64(tier.Skills) / float64(max(f.Skills, 1)))
				bars, x = append(bars, tierBar{Counted: tier, Class: known.Class, X: x, Width: width}), round(x+width)
			}
		}
	}
	return bars
}

func strips(f *Figures) []strip {
	var all []strip
	for i, p := range proxies() {
		if p.yesNo {
			continue
		}
		s := strip{Spread: f.Proxies[i], Title: p.title}
		q, top := s.Corrected, max(s.Corrected.P95, p.community)
		scaled := func(value float64) float64 { return round(100 * value / max(top, 1e-9)) }
		s.P5, s.P25, s.P50, s.P95, s.Half = scaled(q.P5), scaled(q.P25), scaled(q.P50), scaled(q.P95), scaled(q.P75-q.P25)
		if s.Community != nil {
			s.Paper, s.HasPaper = scaled(*s.Community), true
		}
		all = append(all, s)
	}
	return all
}

func ruleBars(f *Figures) []ruleBar {
	var bars []ruleBar
	texts := Texts()
	for _, r := range f.Rules {
		bars = append(bars, ruleBar{r, texts[r.Rule].Short, round(100 * float64(r.Skills) / float64(max(f.Skills, 1)))})
	}
	return bars
}

func needsOf(f *Figures) []needs {
	var all []needs
	for _, n := range f.Requires {
		if len(all) == 0 || all[len(all)-1].Kind != n.Kind {
			all = append(all, needs{Kind: n.Kind})
		}
		last := &all[len(all)-1]
		last.Names = append(last.Names, n)
	}
	return all
}

func round(value float64) float64 { return math.Round(value*100) / 100 }

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

func number(value float64) string {
	return strconv.FormatFloat(math.Round(value*1000)/1000, 'f', -1, 64)
}

func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// grouped writes a count with commas between thousands.
func grouped(count int) string {
	text := strconv.Itoa(count)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Title returns a measure's or proxy's name for people.
func Title(name string) string {
	for _, m := range measures() {
		if m.name == name {
			return m.title
		}
	}
	for _, p := range proxies() {
		if p.name == name {
			return p.title
		}
	}
	return name
}

// clipped shortens what a row of the table says.
func clipped(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
