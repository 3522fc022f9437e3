package archive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skillcorpus/data"
)

// member is one raw entry of an archive on its way to becoming an Entry.
type member struct {
	Entry       // Path: the name as stored, then cleaned, then without the wrapper
	folder bool // a directory: not listed, but links may lead to it
	hard   bool // Link counts from the archive's root, not from the member's folder
	place  int  // its number in the archive
	why    string
}

// refuse leaves the member listed without content.
func (m *member) refuse(note, format string, args ...any) {
	if m.Note == "" {
		m.Note, m.why = note, fmt.Sprintf(format, args...)
	}
}

// collector judges the members of one archive. Names are judged as they come, so that a hostile one is not
// even held; everything that depends on other members waits for finish.
type collector struct {
	limits   Limits
	members  []member
	count    int
	findings []data.Finding
}

// add takes the next raw member. The error is final: more members than the limit.
func (c *collector) add(m member) error {
	if c.count++; c.count > c.limits.Entries {
		return tooLarge("more than %d entries", c.limits.Entries)
	}
	clean, why := c.limits.CheckName(m.Path)
	if clean == "" && why == "" && !m.folder {
		why = "no name"
	}
	if why != "" {
		c.report(RuleRefused, data.SeverityWarning, "", "refused member %s: %s", quote(m.Path), why)
		return nil
	}
	if len(m.Link) > c.limits.Name {
		m.Link = ""
		m.refuse(NoteRefused, "link target of more than %d bytes", c.limits.Name)
	}
	// A copy, since the name may be a slice of something larger.
	m.Path = strings.Clone(clean)
	c.members = append(c.members, m)
	return nil
}

func (c *collector) report(rule string, severity data.Severity, file, format string, args ...any) {
	c.findings = append(c.findings, data.Finding{
		Rule: rule, Severity: severity, File: file, Message: fmt.Sprintf(format, args...),
	})
}

// finish returns the listing of all members, the same for any order in which they came, but for exact
// duplicates, of which the first stays. Strip removes the one folder that holds everything, if there is one.
func (c *collector) finish(budget int64, strip bool) listing {
	if strip {
		c.strip(wrapper(c.members))
	}
	slices.SortStableFunc(c.members, func(a, b member) int { return strings.Compare(a.Path, b.Path) })
	c.single()
	c.fit(budget)
	c.namesakes()
	c.resolve()

	var out listing
	for _, m := range c.members {
		if m.folder {
			continue
		}
		if m.why != "" {
			c.reportNote(m)
		}
		out.entries = append(out.entries, m.Entry)
		out.places = append(out.places, m.place)
	}
	out.findings = Shorten(c.findings)
	return out
}

func (c *collector) reportNote(m member) {
	rule, severity := RuleRefused, data.SeverityWarning
	switch m.Note {
	case NoteTooLarge:
		rule = RuleTooLarge
	case NoteFolder:
		rule, severity = RuleLink, data.SeverityInfo
	case NoteOutside, NoteBroken:
		rule = RuleLink
	}
	c.report(rule, severity, m.Path, "%s: %s", quote(m.Path), m.why)
}

// wrapper returns the first part that all names share, if all members lie below it.
func wrapper(members []member) string {
	root := ""
	for _, m := range members {
		first, _, below := strings.Cut(m.Path, "/")
		switch {
		case m.Path == "":
		case !below && !m.folder, root != "" && root != first:
			return ""
		default:
			root = first
		}
	}
	return root
}

func (c *collector) strip(root string) {
	cut := func(name string) string { return strings.TrimPrefix(strings.TrimPrefix(name, root), "/") }
	for i := range c.members {
		m := &c.members[i]
		m.Path = cut(m.Path)
		if m.hard {
			clean, why := c.limits.CheckName(m.Link)
			if _, inside := strings.CutPrefix(clean, root+"/"); why != "" || root != "" && !inside {
				m.refuse(NoteOutside, "hard link to %s", quote(m.Link))
			}
			m.Link = cut(clean)
		}
	}
	c.members = slices.DeleteFunc(c.members, func(m member) bool { return m.Path == "" })
}

// single leaves one member a path. A file where others have a folder is refused, so that the fewest are lost.
func (c *collector) single() {
	all := index(c.members)
	kept := make([]member, 0, len(all))
	for _, m := range all {
		last := len(kept) - 1
		switch again := last >= 0 && kept[last].Path == m.Path; {
		case !m.folder && all.isFolder(m.Path):
			c.report(RuleRefused, data.SeverityWarning, m.Path, "refused %s: also a folder", quote(m.Path))
		case again && !m.folder:
			c.report(RuleDuplicate, data.SeverityWarning, m.Path, "%s is there again: the first is kept", quote(m.Path))
		case !again:
			kept = append(kept, m)
		}
	}
	c.members = kept
}

// fit refuses the contents that would go over the limits: the largest first, which loses the fewest.
func (c *collector) fit(budget int64) {
	order := make([]*member, 0, len(c.members))
	for i := range c.members {
		if m := &c.members[i]; !m.folder && m.Plain() {
			order = append(order, m)
		}
	}
	slices.SortStableFunc(order, func(a, b *member) int { return cmp.Compare(a.Size, b.Size) })
	left := budget
	for _, m := range order {
		switch {
		case m.Size > c.limits.Member:
			m.refuse(NoteTooLarge, "size of %d bytes, limit %d for one file", m.Size, c.limits.Member)
		case m.Size > left:
			m.refuse(NoteTooLarge, "size of %d bytes would take the archive over its limit of %d", m.Size, budget)
		default:
			left -= m.Size
		}
	}
}

func (c *collector) namesakes() {
	seen := make(map[string]string, len(c.members))
	for _, m := range c.members {
		if m.folder {
			continue
		}
		lower := strings.ToLower(m.Path)
		if first, ok := seen[lower]; ok {
			c.report(RuleCase, data.SeverityWarning, m.Path, "%s differs from %s only in letter case", quote(m.Path), quote(first))
			continue
		}
		seen[lower] = m.Path
	}
}

// Shorten sorts findings by file, rule and message and keeps the first 1,000, so that a hostile archive cannot
// flood a report; a finding of RuleMore tells how many more there were. It may reorder its argument.
func Shorten(findings []data.Finding) []data.Finding {
	const most = 1000
	slices.SortFunc(findings, func(a, b data.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	if len(findings) <= most {
		return findings
	}
	return append(slices.Clone(findings[:most]), data.Finding{
		Rule: RuleMore, Severity: data.SeverityWarning,
		Message: fmt.Sprintf("%d further findings", len(findings)-most),
	})
}
