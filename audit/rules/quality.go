package rules

import "skillcorpus/audit/facts"

func junkContent(f facts.Facts) []place {
	switch {
	case f.Binary:
		return []place{{line: 1, message: "binary file"}}
	case f.Junk != "":
		return []place{{line: f.JunkLine, message: f.Junk}}
	}
	return nil
}

func emptyBody(f facts.Facts) []place {
	if f.Prose.BodyLine != 0 || f.Binary {
		return nil
	}
	return []place{{line: 1, message: "no text after the frontmatter"}}
}
