package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the figures as the page does, in tables. Texts of strangers are shown as code.
func Markdown(w io.Writer, f *Figures) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Audit of %s skills\n\n%s repositories, %s copies.", grouped(f.Skills), grouped(f.Repos), grouped(f.Copies))
	if f.Where != "" {
		fmt.Fprintf(&b, " Selected by %s.", quoted(f.Where))
	}
	if f.Sample != nil {
		fmt.Fprintf(&b, " A sample of %d of %d, in proportion by whether they bundle scripts, seed %d.", f.Sample.Size, f.Sample.Of, f.Sample.Seed)
	}
	b.WriteString("\n\n## Parts of the verdict, and the paper's Table 7\n\n| share | corrected | 95 % | paper's rules | paper |\n|---|---|---|---|---|\n")
	for _, s := range f.Shares {
		fmt.Fprintf(&b, "| %s | %s | %s to %s | %s | %s |\n", Title(s.Name), percent(s.Corrected.Share), percent(s.Corrected.CI[0]), percent(s.Corrected.CI[1]), percent(s.Skillflow.Share), optional(s.Paper, percent))
	}
	b.WriteString("\n## Structure: the paper's Figure 2\n\n| median | corrected | middle half | paper's rules | paper, community | paper, oracle |\n|---|---|---|---|---|---|\n")
	for i, p := range proxies() {
		s, q := f.Proxies[i], f.Proxies[i].Corrected
		if p.yesNo {
			fmt.Fprintf(&b, "| %s | %s | | %s | %s | %s |\n", p.title, percent(q.Mean), percent(s.Skillflow.Mean), optional(s.Community, percent), optional(s.Oracle, percent))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s to %s | %s | %s | %s |\n", p.title, number(q.P50), number(q.P25), number(q.P75), number(s.Skillflow.P50), optional(s.Community, number), optional(s.Oracle, number))
	}
	if f.Comparison != nil {
		markComparison(&b, f.Comparison)
	}
	markLists(&b, f)
	_, err := io.WriteString(w, b.String())
	return err
}

func markComparison(b *strings.Builder, c *Comparison) {
	fmt.Fprintf(b, "\n## %s against %s\n\n%s and %s skills; %s, p corrected by %s, %s.\n\n| measure | first | second | p | delta |\n|---|---|---|---|---|\n",
		quoted(c.First.Name), quoted(c.Second.Name), grouped(c.First.Skills), grouped(c.Second.Skills), c.Method.Test, c.Method.Correction, c.Method.Effect)
	for _, s := range c.Shares {
		fmt.Fprintf(b, "| %s | %s | %s | | |\n", Title(s.Name), percent(s.First.Share), percent(s.Second.Share))
	}
	for _, p := range c.Proxies {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", Title(p.Name), number(p.Corrected.First), number(p.Corrected.Second), pValue(p.Corrected.Holm), number(p.Corrected.Delta))
	}
}

func markLists(b *strings.Builder, f *Figures) {
	b.WriteString("\n## What the rules found\n\n| rule | severity | skills | findings |\n|---|---|---|---|\n")
	for _, r := range f.Rules {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.Rule, r.Severity, grouped(r.Skills), grouped(r.Findings))
	}
	b.WriteString("\n## Licences\n\n| licence | skills | runnable-complete |\n|---|---|---|\n")
	for _, l := range f.Licences {
		fmt.Fprintf(b, "| %s | %s | %s |\n", quoted(l.Name), grouped(l.Skills), grouped(l.Runnable))
	}
	b.WriteString("\n## What they need\n\n| kind | name | skills |\n|---|---|---|\n")
	for _, n := range f.Requires {
		fmt.Fprintf(b, "| %s | %s | %s |\n", n.Kind, quoted(n.Name), grouped(n.Skills))
	}
	b.WriteString("\n## The worst skills\n\n| skill | errors | warnings | lacks |\n|---|---|---|---|\n")
	for _, o := range f.Worst {
		fmt.Fprintf(b, "| %s | %d | %d | %s |\n", quoted(o.ID), o.Errors, o.Warnings, quoted(clipped(o.Lacks)))
	}
}

func optional(value *float64, write func(float64) string) string {
	if value == nil {
		return ""
	}
	return write(*value)
}

// quoted shows a stranger's text as code on one line of a table.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	text = strings.Join(strings.Fields(strings.NewReplacer("`", "'", "|", "¦").Replace(text)), " ")
	return "`" + text + "`"
}
