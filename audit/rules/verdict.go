package rules

import (
	"slices"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/reference"
	"skillcorpus/data"
)

// verdict concludes. Whether code does what a description claims takes understanding, so purpose_aligned
// stays open.
func verdict(f facts.Facts) data.Verdict {
	missing := missingPaths(f)
	v := data.Verdict{
		CodeBearing:  f.HasScripts || f.Exact.CodeBlockCount >= 1,
		CodeSound:    sound(f),
		MissingFiles: len(missing) > 0,
		Missing:      missing,
		Basis:        f.Bundle.Basis,
		License:      f.License.ID,
		Requires:     f.Requires,
		Proxies:      f.Exact,
		Corrected:    f.Corrected,
	}
	v.RunnableComplete = v.CodeBearing && v.CodeSound && !v.MissingFiles
	switch {
	case v.MissingFiles:
		v.Tier = data.TierPartial
	case v.CodeSound:
		v.Tier = data.TierFunctional
	case f.HasScripts:
		v.Tier = data.TierPartial
	default:
		v.Tier = data.TierReferenceOnly
	}
	return v
}

// missingPaths returns the files that the skill names and does not bring: those that are not there, and those of
// which only a stand-in is, such as a Git LFS pointer.
func missingPaths(f facts.Facts) []string {
	missing := []string{}
	for _, r := range f.References {
		if r.State == reference.Missing || r.State == reference.Unbundled {
			missing = append(missing, r.Path)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}
