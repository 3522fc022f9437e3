package rules

import (
	"fmt"

	"skillcorpus/audit/facts"
	"skillcorpus/data"
)

// verdict concludes, and says why part by part.
func verdict(f facts.Facts) data.Verdict {
	r := reasons{skillFile: f.SkillFile, all: []data.Reason{}, count: map[string]int{}}
	v := data.Verdict{
		CodeBearing:    r.bearing(f),
		CodeSound:      r.sound(f),
		Missing:        r.missing(f),
		PurposeAligned: r.purpose(f),
		Basis:          f.Bundle.Basis,
		License:        f.License.ID,
		LicenseSource:  f.License.Source,
		Requires:       f.Requires,
		Proxies:        f.Exact,
		Corrected:      f.Corrected,
	}
	if v.LicenseSource != data.LicenseFromNowhere {
		v.LicenseFile = f.License.File
	}
	v.MissingFiles = len(v.Missing) > 0
	v.RunnableComplete = v.CodeBearing && v.CodeSound && !v.MissingFiles
	v.Tier = r.tier(f, v)
	v.Reasons = r.list()
	return v
}

// meantLength is how many lines a program in one block has at least, for a page that is no guide to mean to ship it. Of
// seven such skills among 352 labelled ones readers called none reference_only (docs/audit.md).
const meantLength = 40

// tier draws the class from the parts. A skill that is not sound is partial where it shows that it means to ship code.
func (r *reasons) tier(f facts.Facts, v data.Verdict) data.Tier {
	outside := false
	for _, ref := range f.References {
		outside = outside || outsideScript(ref)
	}
	t := count(f)
	meant := t.longest >= meantLength && f.Page.Guide.Count == 0
	tier, why := data.TierReferenceOnly, "prose, guidance or illustrative snippets, and no bundled script"
	switch {
	case v.MissingFiles:
		tier, why = data.TierPartial, "a file that the skill names as its own is missing"
	case v.CodeSound:
		tier, why = data.TierFunctional, "its code is whole and no named file is missing"
	case bundlesProgram(f):
		tier, why = data.TierPartial, "it bundles scripts, and its code is not sound"
	case len(f.Faults) > 0:
		tier, why = data.TierPartial, "its code is meant to be run and cannot be as it stands"
	case outside:
		tier, why = data.TierPartial, "it runs a script that it does not bring"
	case meant:
		tier, why = data.TierPartial, fmt.Sprintf("it is no guide, and a program of %d lines that stands in one block is not sound", t.longest)
	}
	r.add(partTier, "", 0, "%s", why)
	return tier
}

// purpose says that a file which holds no skill cannot do what one promises. Whether code does what a description
// claims takes understanding, so for every other skill the answer stays open.
func (r *reasons) purpose(f facts.Facts) *bool {
	aligned := false
	switch {
	case f.Binary:
		r.add(partPurpose, "", 1, "SKILL.md is a binary file")
	case f.Junk != "":
		r.add(partPurpose, "", f.JunkLine, "SKILL.md holds no skill: %s", clip(f.Junk))
	case f.Prose.BodyLine == 0:
		r.add(partPurpose, "", 1, "nothing follows the frontmatter, so nothing does what the description says")
	default:
		return nil
	}
	return &aligned
}
